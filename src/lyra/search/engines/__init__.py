"""The engines Lyra knows: one description a file, and code only where a page is not HTML."""

from collections.abc import Mapping

from lyra.search.engine import Engine, PageEngine
from lyra.search.engine_spec import load_engine_specs


def known_engines() -> Mapping[str, Engine]:
    """Every engine by id, whether enabled or not."""
    from lyra.search.engines.wikipedia import Wikipedia

    engines: dict[str, Engine] = {spec.id: PageEngine(spec) for spec in load_engine_specs().values()}
    wikipedia = Wikipedia()
    engines[wikipedia.id] = wikipedia
    return engines
