"""Sentences that cite nothing but speak of a claim of the task, compared with the evidence for and against it."""

from collections.abc import Mapping, Sequence

from lyra.model.check import CheckedKind, CheckStatus, DecidingPassage, Finding
from lyra.model.claim import AssessedClaim, Verdict
from lyra.model.edge import Relation, Stance
from lyra.model.report import QuotedEvidence
from lyra.report.check import messages
from lyra.report.check.elsewhere import words_of
from lyra.report.check.figures import other_figures, place_of, without_figures
from lyra.report.check.hints import has_contradiction_hint
from lyra.report.check.layout import Layout, Sentence
from lyra.report.check.numbers import different_figures, is_same, stated
from lyra.report.check.statements import Judge
from lyra.report.check.vocabulary import pattern
from lyra.text import preview

# Shares of the claim's words in the sentence, and of the sentence's in the claim, from which it speaks of the claim.
_OF_CLAIM = 0.6
_OF_SENTENCE = 0.5
_LEAST_WORDS = 4
# Of the words of a claim that are no figures, from here on a sentence with no others repeats it.
_SAME_WORDING = 0.8
_SURE = 0.6
_LOOKED_AHEAD = 120
_FAVOURED = (Verdict.WELL_SUPPORTED, Verdict.SUPPORTED)


def is_doubted(one: Sentence, layout: Layout) -> bool:
    """Whether the sentence, or what follows it on its line, says that it need not be true."""
    end = layout.mask.find("\n", one.end)
    rest = layout.mask[one.end : len(layout.mask) if end < 0 else end][:_LOOKED_AHEAD]
    return bool(pattern("citing", "doubt").search(f"{one.plain} {rest}"))


def _years(text: str) -> set[float | None]:
    return {one.figure.value[0] for one in stated(text) if one.is_year}


class ClaimIndex:
    """The claims of a task with what stands for and against each."""

    def __init__(self, known: Sequence[AssessedClaim], evidence: Mapping[str, Sequence[QuotedEvidence]]) -> None:
        self._claims = [one for one in known if len(words_of(one.claim.claim_text)) >= _LEAST_WORDS]
        self._evidence = evidence
        self._by_word: dict[str, set[int]] = {}
        for at, one in enumerate(self._claims):
            for word in words_of(one.claim.claim_text):
                self._by_word.setdefault(word, set()).add(at)

    async def check(
        self, sentences: Sequence[Sentence], judge: Judge, layout: Layout, *, is_weighty: bool
    ) -> list[Finding]:
        """Findings on those of the sentences that speak of a claim."""
        asserted = [one for one in sentences if not is_doubted(one, layout)]
        replaced = {one.start: findings for one in asserted if (findings := self._replaced(one, layout))}
        rest = [one for one in asserted if one.start not in replaced]
        about = [(one, claim) for one in rest if (claim := self._nearest(one.plain)) is not None]
        pairs = [(claim.claim.claim_text, one.plain) for one, claim in about]
        stances = await judge.judge(pairs, None, [is_weighty] * len(pairs)) if pairs else []
        found = [one for findings in replaced.values() for one in findings]
        for (one, claim), stance in zip(about, stances, strict=True):
            found += self._findings(one, claim, stance, layout)
        return found

    def _replaced(self, one: Sentence, layout: Layout) -> list[Finding]:
        """The figures of a sentence that repeats claims but for them; nothing where one of the claims has them all."""
        found = [self._figures(one, claim, layout) for claim in self._alike(one.plain)]
        return found[0] if found and all(found) else []

    def _alike(self, sentence: str) -> list[AssessedClaim]:
        """Claims that have every word of a sentence, its years included, and hardly any other."""
        words = without_figures(sentence)
        if len(words) < _LEAST_WORDS:
            return []
        at_all = set.intersection(*(self._by_word.get(word, set()) for word in words))
        return [
            one
            for one in (self._claims[at] for at in sorted(at_all))
            if len(words) >= _SAME_WORDING * len(without_figures(one.claim.claim_text))
            and one.assessment.verdict is not Verdict.LIKELY_FALSE
            and _years(sentence) == _years(one.claim.claim_text)
            and not has_contradiction_hint(sentence, one.claim.claim_text)
        ]

    def _nearest(self, sentence: str) -> AssessedClaim | None:
        words = words_of(sentence)
        candidates = {at for word in words for at in self._by_word.get(word, ())}
        scored = [(self._similarity(words, at), -at) for at in candidates]
        best, at = max(scored, default=(0.0, 0))
        return self._claims[-at] if best > 0 else None

    def _similarity(self, words: frozenset[str], at: int) -> float:
        own = words_of(self._claims[at].claim.claim_text)
        shared = len(words & own)
        of_claim, of_sentence = shared / len(own), shared / len(words)
        return min(of_claim, of_sentence) if of_claim >= _OF_CLAIM and of_sentence >= _OF_SENTENCE else 0.0

    def _findings(self, one: Sentence, claim: AssessedClaim, stance: Stance, layout: Layout) -> list[Finding]:
        text, verdict = claim.claim.claim_text, claim.assessment.verdict
        is_sure = stance.confidence >= _SURE
        is_denied = stance.label is Relation.REFUTES and is_sure and has_contradiction_hint(one.plain, text)
        is_said = stance.label is Relation.SUPPORTS and is_sure and not has_contradiction_hint(one.plain, text)
        place = layout.place(one.start, one.end)
        if is_said and verdict is Verdict.LIKELY_FALSE:
            message, side = messages.CLAIM_REFUTED, Relation.REFUTES
        elif is_denied and verdict in _FAVOURED:
            message, side = messages.CLAIM_DENIED, Relation.SUPPORTS
        elif is_said and verdict in _FAVOURED:
            passage = self._passage(claim, Relation.SUPPORTS)
            message = messages.CLAIM_AGREES.format(claim=preview(text))
            agreeing = Finding(CheckedKind.STATEMENT, CheckStatus.RESOLVED, place, one.plain, message, passage)
            return self._figures(one, claim, layout) or [agreeing]
        else:
            return []
        passage = self._passage(claim, side)
        message = message.format(claim=preview(text))
        return [Finding(CheckedKind.STATEMENT, CheckStatus.CONTRADICTED, place, one.plain, message, passage)]

    def _figures(self, one: Sentence, claim: AssessedClaim, layout: Layout) -> list[Finding]:
        """Figures that neither the claim nor any words for it have, where these have others of the kind."""
        texts = [claim.claim.claim_text, *(row.quote for row in self._evidence.get(claim.claim.id, ()))]
        known = [figure for text in texts for figure in stated(text)]
        found: list[Finding] = []
        for figure in stated(one.plain):
            others = different_figures(figure, texts)
            if figure.is_small_word or figure.is_year or not others or any(is_same(figure, each) for each in known):
                continue
            place, passage = layout.place(*place_of(one, figure)), self._passage(claim, Relation.SUPPORTS)
            message = other_figures(others, one.plain)
            found.append(Finding(CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, place, figure.shown, message, passage))
        return found

    def _passage(self, claim: AssessedClaim, side: Relation) -> DecidingPassage | None:
        rows = [row for row in self._evidence.get(claim.claim.id, ()) if row.relation is side and not row.no_vote]
        if not rows:
            return None
        row = rows[0]
        return DecidingPassage(row.quote, row.url, row.title, row.page_id, row.fragment_id, row.page_number)
