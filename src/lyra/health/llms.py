"""Whether the user's own language models answer, what they serve and where they are."""

from lyra.errors import LyraError
from lyra.health.finding import Finding
from lyra.llm_settings import DEFAULT_LLM, LlmEndpoint
from lyra.settings import Settings

_LLM_TIMEOUT_S = 30.0


async def check_llms(settings: Settings) -> list[Finding]:
    """Asks each language model one small question, as a search would, and says what it serves and where it is."""
    servers = settings.llm.servers
    if not servers:
        return [Finding("llm", True, "off: rules alone judge (llm.endpoint is unset)")]
    return [await _llm(settings, name, server) for name, server in servers.items()]


async def _llm(settings: Settings, name: str, server: LlmEndpoint) -> Finding:
    from lyra.clock import SystemClock
    from lyra.ml.generator import LocalGenerator

    title = "llm" if name == DEFAULT_LLM else f"llm {name}"
    uses = [use for use in type(settings.llm.uses).model_fields if settings.llm.server_for(use) == name]
    quick = server.model_copy(update={"timeout_s": min(server.timeout_s, _LLM_TIMEOUT_S)})
    try:
        generator = LocalGenerator(quick, SystemClock(), ca_bundle=settings.network.ca_bundle)
        seconds = await generator.probe()
    except LyraError as exc:
        return Finding(title, False, f"{exc.message} Searches go on without it.", exc.remedy)
    detail = (
        f"{generator.model_id} at {server.address}, answers in {seconds:.1f} s; serves {', '.join(uses) or 'nothing'}"
    )
    if not generator.is_local:
        own = "too" if server.library_text else "not"
        detail += f"; another machine: texts of searches go there, of your own documents {own}"
    return Finding(title, True, detail)
