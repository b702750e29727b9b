"""Builds what searches work with: engines, indexes, registries, ranking and language models."""

import contextlib
import functools

from lyra.academic.catalogue import Catalogue
from lyra.academic.openalex import OpenAlex
from lyra.academic.semantic_scholar import SemanticScholar
from lyra.claims.stance import StanceJudge
from lyra.clock import Clock
from lyra.extract.reader import DocumentReader
from lyra.fetch.browser import machine
from lyra.fetch.fetcher import Fetcher
from lyra.jobs.slots import Slots
from lyra.library.getter import LibraryGetter
from lyra.ml.caches import CachedEmbedder
from lyra.ml.generator import LocalGenerator
from lyra.ml.language_models import LanguageModels
from lyra.ml.remote import IsolatedModels
from lyra.model.job import Priority, Slot
from lyra.policy.cooldown import Cooldown
from lyra.rank.ranker import Ranker
from lyra.registries import directory
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.search.engines import known_engines
from lyra.search.federation import Federation
from lyra.search.mirrors import MirrorMaker, installed_dictionary
from lyra.settings import Settings
from lyra.storage.database import Database


def search_parts(
    settings: Settings,
    db: Database,
    clock: Clock,
    models: IsolatedModels,
    fetcher: Fetcher,
    judge: StanceJudge,
    trust: DomainTrust,
    reader: DocumentReader,
    llm: LanguageModels,
    getter: LibraryGetter,
) -> SearchParts:
    academic = settings.academic
    cooldown = Cooldown(db, clock, settings.politeness)
    cached = CachedEmbedder(models.embedder)
    return SearchParts(
        db=db,
        clock=clock,
        settings=settings,
        getter=getter,
        federation=Federation(
            known_engines(),
            fetcher,
            db,
            clock,
            settings,
            functools.partial(machine.unavailable_reason, settings.browser),
            MirrorMaker(cached, installed_dictionary()),
        ),
        catalogue=Catalogue(
            (
                SemanticScholar(fetcher, clock, cooldown, academic.semantic_scholar_key),
                OpenAlex(fetcher, clock, cooldown, academic.openalex_key, academic.contact_email),
            ),
            academic,
        ),
        ranker=Ranker(cached, settings.ranking, models.embedder.card.fusion),
        embedder=cached,
        judge=judge,
        trust=trust,
        reader=reader,
        llm=llm,
        registries=directory.build(fetcher, clock, cooldown, settings.registries),
    )


def language_models(settings: Settings, clock: Clock, slots: Slots) -> LanguageModels:
    """The user's own language models by use; one here has the machine's GPU for itself: a visible browser waits."""
    turn = functools.partial(slots.hold, Slot.GPU, Priority.LLM_FAST)
    generators = {
        name: LocalGenerator(one, clock, turn=turn, ca_bundle=settings.network.ca_bundle)
        for name, one in settings.llm.servers.items()
    }
    chosen = {use: settings.llm.server_for(use) for use in type(settings.llm.uses).model_fields}
    by_use = {use: generators[name] for use, name in chosen.items() if name is not None}
    return LanguageModels(by_use, clock, settings.llm.budget_share)


def inference_turn(slots: Slots, op: str) -> contextlib.AbstractAsyncContextManager[None]:
    """The bundled models and the readers of documents run on the processor, so they hold its slot (SPEC §9)."""
    return slots.hold(Slot.CPU_NLP, Priority.EMBED if op == "embed" else Priority.EXTRACT)
