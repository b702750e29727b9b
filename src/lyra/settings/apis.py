"""Settings of the official APIs: indexes of scholarly works, and registries."""

from pydantic import Field

from lyra.settings.section import Section


class Academic(Section):
    """Semantic Scholar and OpenAlex."""

    enabled: bool = Field(True, description="Ask the academic APIs.")
    semantic_scholar_key: str | None = Field(None, description="Optional API key of Semantic Scholar.")
    openalex_key: str | None = Field(None, description="Optional API key of OpenAlex.")
    contact_email: str | None = Field(None, description="Address told to the APIs for their polite pools.")
    results_per_query: int = Field(10, ge=1, le=100, description="Papers taken from one API for one query.")
    citations_per_paper: int = Field(
        20, ge=0, le=100, description="References and citations asked for, each way and API."
    )
    kept_per_paper: int = Field(10, ge=0, description="Cited and citing papers kept for one paper.")
    kept_per_search: int = Field(40, ge=0, description="Cited and citing papers kept for one search.")


class Registries(Section):
    """Registries and official APIs, asked where a search names the source `registries`."""

    enabled: tuple[str, ...] = Field(
        (
            "wikidata",
            "dbpedia",
            "rdap",
            "crtsh",
            "estat",
            "egov_law",
            "diet_minutes",
            "gbizinfo",
            "edinet",
            "epo_ops",
            "ptab",
            "fact_checks",
        ),
        description="Registries that may be asked; each only for questions of its kind.",
    )
    results_per_query: int = Field(5, ge=1, le=50, description="Records taken from one registry for one query.")
    estat_key: str | None = Field(None, description="Application id of e-Stat, free.")
    gbizinfo_key: str | None = Field(None, description="API token of gBizINFO, free.")
    edinet_key: str | None = Field(None, description="Subscription key of EDINET, free.")
    epo_key: str | None = Field(None, description="Consumer key of EPO's Open Patent Services, free.")
    epo_secret_key: str | None = Field(None, description="Consumer secret that belongs to epo_key.")
    uspto_key: str | None = Field(None, description="API key of USPTO's Open Data Portal, free.")
    factcheck_key: str | None = Field(None, description="API key for Google's Fact Check Tools, free.")
