"""All registries as one: which are asked for a question, and how an archived answer of one is read again."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from lyra.apis.client import ApiCooldown
from lyra.clock import Clock
from lyra.model.page import Document, Getter
from lyra.model.registry import RegistryAnswer, RegistryRecord
from lyra.model.search import SearchOutcome
from lyra.registries import (
    crtsh,
    dbpedia,
    diet_minutes,
    edinet,
    egov_law,
    epo_ops,
    estat,
    fact_checks,
    gbizinfo,
    ptab,
    rdap,
    wikidata,
)  # fmt: skip
from lyra.registries.api import Registry, RegistryFacts
from lyra.registries.question import Question
from lyra.registries.record import RECORD_PREFIX, record_document
from lyra.settings.apis import Registries

_MODULES = (
    wikidata, dbpedia, rdap, crtsh, estat, egov_law, diet_minutes, gbizinfo, edinet, epo_ops, ptab, fact_checks,
)  # fmt: skip
READERS: Mapping[str, Callable[[bytes], tuple[RegistryRecord, ...]]] = MappingProxyType(
    {module.NAME: module.read for module in _MODULES}
)
ALL_FACTS: tuple[RegistryFacts, ...] = (
    wikidata.Wikidata.facts, dbpedia.DBpedia.facts, rdap.Rdap.facts, crtsh.CrtSh.facts, estat.EStat.facts,
    egov_law.EGovLaw.facts, diet_minutes.DietMinutes.facts, gbizinfo.GBizInfo.facts, edinet.Edinet.facts,
    epo_ops.EpoOps.facts, ptab.Ptab.facts, fact_checks.FactChecks.facts,
)  # fmt: skip


def build(getter: Getter, clock: Clock, cooldown: ApiCooldown, settings: Registries) -> "Directory":
    """Every registry that the settings name."""
    given = (getter, clock, cooldown)
    known: tuple[Registry, ...] = (
        wikidata.Wikidata(*given),
        dbpedia.DBpedia(*given),
        rdap.Rdap(*given),
        crtsh.CrtSh(*given),
        estat.EStat(*given, settings.estat_key),
        egov_law.EGovLaw(*given),
        diet_minutes.DietMinutes(*given),
        gbizinfo.GBizInfo(*given, settings.gbizinfo_key),
        edinet.Edinet(*given, settings.edinet_key),
        epo_ops.EpoOps(*given, settings.epo_key, settings.epo_secret_key),
        ptab.Ptab(*given, settings.uspto_key),
        fact_checks.FactChecks(*given, settings.factcheck_key),
    )
    return Directory([one for one in known if one.facts.name in settings.enabled], settings.results_per_query)


class Directory:
    """The registries behind one door; one that fails only takes its own share away."""

    all_facts = ALL_FACTS

    def __init__(self, registries: Sequence[Registry] = (), results_per_query: int = 1) -> None:
        self.registries = tuple(registries)
        self._limit = results_per_query

    async def search(self, question: Question, *, cause_id: str | None = None) -> tuple[RegistryAnswer, ...]:
        """What each registry answers that can answer such a question; one without its key says so."""
        fitting = [one for one in self.registries if one.accepts(question)]
        asked = [one for one in fitting if one.has_key]
        answers = await asyncio.gather(*(one.search(question, self._limit, cause_id=cause_id) for one in asked))
        return (*answers, *(_without_key(one.facts) for one in fitting if not one.has_key))


def _without_key(facts: RegistryFacts) -> RegistryAnswer:
    reason = f"not asked: it needs a free key in {facts.key_setting} (docs/how-to/registries.md)"
    return RegistryAnswer(facts.name, SearchOutcome.BLOCKED, reason=reason, key_setting=facts.key_setting)


def archived_records(extractor: str, body: bytes) -> list[Document]:
    """Every record in a registry's archived answer; none where it is not an answer."""
    read = READERS.get(extractor.removeprefix(RECORD_PREFIX))
    try:
        return [record_document(record) for record in read(body)] if read else []
    except (ValueError, RecursionError):
        return []
