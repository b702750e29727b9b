"""Judges pairs of fragment and claim, each once, and makes an edge of every answer."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from lyra.claims.pairs import Pair
from lyra.evidence.naming import sources_named
from lyra.evidence.retractions import is_notice
from lyra.ids import derived_id
from lyra.model.edge import Edge, Stance, without_page
from lyra.model.trust import TrustLevel
from lyra.research.injections import OrderSpans
from lyra.research.known_fragments import KnownFragments
from lyra.research.search_run import SearchParts
from lyra.research.task_claims import TaskClaims


class PairJudge:
    """Remembers what was judged, and which trust level each address had. `claim_trust` are the claims' own levels."""

    def __init__(
        self,
        parts: SearchParts,
        search_id: str,
        fragments: KnownFragments,
        orders: OrderSpans,
        claims: TaskClaims,
        claim_trust: Mapping[str, TrustLevel],
    ) -> None:
        self._parts = parts
        self._search_id = search_id
        self._fragments = fragments
        self._orders = orders
        self._claims = claims
        self._claim_trust = claim_trust
        self._levels: dict[str, str] = {}
        self.judged: set[tuple[str, str]] = set()

    def unjudged(self, pairs: Iterable[Pair]) -> list[Pair]:
        return [pair for pair in pairs if (pair.fragment_id, pair.claim_id) not in self.judged]

    async def judge(self, fresh: Sequence[Pair], new_levels: dict[str, str]) -> list[Edge]:
        """Edges for pairs that were not judged before; trust levels that are new to this run are added to
        `new_levels`."""
        texts = [
            (self._fragments[pair.fragment_id].fragment.text_content, self._claims[pair.claim_id].claim_text)
            for pair in fresh
        ]
        settings = [self._fragments.setting_of(self._fragments[pair.fragment_id]) for pair in fresh]
        # Verdicts on what the client asked are what people read first; a found claim is one of hundreds.
        weighty = [self._claims[pair.claim_id].is_hypothesis for pair in fresh]
        stances = await self._parts.judge.judge(texts, settings, weighty)
        levels = await self._parts.trust.levels({self._fragments[pair.fragment_id].page.address for pair in fresh})
        new_levels |= {address: level for address, level in levels.items() if self._levels.get(address) != level}
        self._levels |= new_levels
        self.judged |= {(pair.fragment_id, pair.claim_id) for pair in fresh}
        judged = list(zip(fresh, stances, strict=True))
        # What an order says is no evidence, for whomever it would speak.
        orders = self._orders
        judged = [(pair, one) for pair, one in judged if not orders.overlaps_order(pair.fragment_id, *one.quote_span)]
        return await asyncio.to_thread(lambda: [self._edge(pair, stance, levels) for pair, stance in judged])

    def _edge(self, pair: Pair, stance: Stance, levels: Mapping[str, TrustLevel]) -> Edge:
        known = self._fragments[pair.fragment_id]
        whole = known.fragment.text_content
        quote = whole[slice(*stance.quote_span)]
        read = without_page(stance.judged_text.text) if stance.judged_text else quote or whole
        return Edge(
            id=derived_id("e", "fragment", pair.fragment_id, "claim", pair.claim_id),
            source_type="fragment",
            source_id=pair.fragment_id,
            target_type="claim",
            target_id=pair.claim_id,
            relation=stance.label,
            created_at=self._parts.clock.now(),
            nli_label=stance.label.value,
            nli_confidence=stance.confidence,
            nli_raw=stance.raw_confidence,
            model_id=stance.model_id,
            calibration_version=stance.calibration_version,
            source_trust_level=levels[known.page.address],
            target_trust_level=self._claim_trust.get(pair.claim_id),
            is_origin=(pair.fragment_id, pair.claim_id) in self._claims.mentions,
            quote=quote,
            cause_id=self._search_id,
            probabilities=stance.probabilities,
            rule=stance.rule or None,
            reader=stance.reader or None,
            answers=stance.answers,
            origins=sources_named(read, quote or whole, whole, self._fragments.page_of(known).named),
            is_notice=is_notice(quote or whole),
            judged_text=stance.judged_text,
        )
