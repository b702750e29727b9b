"""All settings in one frozen object: file < environment (`LYRA_…`) < flags, every field documented and checked."""

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from lyra.errors import SettingsError
from lyra.llm_settings import Llm

_PREFIX = "LYRA_"
_NOT_SETTINGS = frozenset({"LYRA_CONFIG", "LYRA_LANG"})


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Network(_Section):
    """How requests leave the machine."""

    proxy: str | None = Field(None, description="Proxy for every request, such as http://127.0.0.1:8080.")
    ca_bundle: Path | None = Field(
        None, description="PEM file of certificate authorities to trust instead of the usual ones."
    )
    allow_private_addresses: bool = Field(False, description="Fetch loopback, private and link-local addresses too.")
    timeout_s: float = Field(60.0, gt=0, le=600, description="Longest time for one page, in seconds.")
    serp_timeout_s: float = Field(
        30.0, gt=0, le=600, description="Longest time for one result page or API answer, in seconds."
    )
    max_body_bytes: int = Field(25_000_000, gt=0, description="Largest body that is read, in bytes.")
    max_redirects: int = Field(10, ge=0, le=50, description="Redirects followed for one page.")
    impersonate: str = Field("chrome", description="Browser whose TLS and headers the HTTP client shows.")
    concurrency: int = Field(4, ge=1, le=32, description="Requests under way at once, over all domains.")


class Politeness(_Section):
    """How gently sources are asked."""

    domain_qps: float = Field(0.2, gt=0, description="Requests a second to one domain.")
    pause_min_s: float = Field(
        1.5, ge=0, description="Shortest random pause between requests to one domain, in seconds."
    )
    pause_max_s: float = Field(
        5.5, ge=0, description="Longest random pause between requests to one domain, in seconds."
    )
    engine_qps: float = Field(0.25, gt=0, description="Requests a second to one search engine.")
    api_qps: float = Field(1.0, gt=0, description="Requests a second to one official API.")
    respect_robots: bool = Field(True, description="Obey robots.txt.")
    robots_ttl_s: float = Field(86_400.0, ge=0, description="How long a robots.txt is remembered, in seconds.")
    cooldown_min_s: float = Field(1800.0, ge=0, description="Shortest cooldown after a 403 or 429, in seconds.")
    cooldown_max_s: float = Field(14_400.0, ge=0, description="Longest cooldown after repeated refusals, in seconds.")
    cooldown_after: int = Field(2, ge=1, description="Refusals in a row after which a domain or engine cools down.")
    domain_daily_limit: int = Field(500, ge=0, description="Requests to one domain in a day (UTC); 0 sets no limit.")
    quiet_factor: float = Field(
        1.5,
        ge=1,
        le=10,
        description="How much longer pauses to domains and engines are in quiet times (night, weekend, holidays), by "
        "this machine's clock; 1 makes no difference.",
    )
    night_from: int = Field(22, ge=0, le=23, description="Hour at which night begins.")
    night_until: int = Field(7, ge=0, le=23, description="Hour at which night ends; the same as night_from: no night.")
    holidays: tuple[str, ...] = Field(
        (), description="Holidays besides weekends, as MM-DD for every year or YYYY-MM-DD for one."
    )

    @field_validator("holidays")
    @classmethod
    def _are_days(cls, holidays: tuple[str, ...]) -> tuple[str, ...]:
        for day in holidays:
            date.fromisoformat(day if len(day) > len("MM-DD") else f"2000-{day}")
        return holidays


class Tor(_Section):
    """The Tor rung: pages whose server refuses direct requests, never engines or APIs."""

    mode: Literal["off", "auto", "start"] = Field(
        "auto", description="off: never; auto: a Tor that is already running; start: start one where none runs."
    )
    socks_address: str = Field("127.0.0.1:9050", description="Where Tor takes connections (SOCKS5).")
    control_address: str = Field("127.0.0.1:9051", description="Tor's control port, for new circuits.")
    control_password: str | None = Field(None, description="Password of the control port, where it wants one.")
    executable: str = Field("tor", description="Program that mode start runs.")
    start_timeout_s: float = Field(60.0, gt=0, le=600, description="Longest time for a started Tor to be ready.")
    share: float = Field(0.2, ge=0, le=0.2, description="Most requests of a day over Tor, overall and per domain.")
    sticky_s: float = Field(900.0, ge=0, description="How long one domain keeps one circuit, in seconds.")


class Wayback(_Section):
    """The Internet Archive's public pages: for what cannot be opened, and for how pages have changed."""

    enabled: bool = Field(True, description="Ask the archive.")
    share: float = Field(
        0.15,
        ge=0,
        le=0.15,
        description="Most pages of a day that come from the archive, and of a search of more than 10 pages that are "
        "compared with their copies; of fewer all are.",
    )
    snapshots: int = Field(3, ge=0, le=10, description="Past versions of a page that are compared.")


class Engines(_Section):
    """Which search engines are asked."""

    enabled: tuple[str, ...] = Field(
        (
            "duckduckgo",
            "mojeek",
            "marginalia",
            "wikipedia",
            "qwant",
            "bing",
            "startpage",
            "ecosia",
            "brave",
            "google",
        ),
        description="Engines that may be asked when the client names none; weight and health choose among them.",
    )
    per_search: int = Field(3, ge=1, le=10, description="Engines one search asks when the client names none.")
    queries_per_search: int = Field(
        4,
        ge=1,
        le=20,
        description="Queries one search sends: the client's own and what fixed rules derive from it; what its options "
        "ask for, such as the suffixes of a refutation, comes besides.",
    )
    novelty_floor: float = Field(
        0.1, ge=0, le=1, description="Share of new addresses below which derived queries of a search end."
    )
    last_mile_below: int = Field(
        5, ge=0, description="Addresses found below which Google and Brave are asked too; 0 never asks them."
    )
    site_search: tuple[str, ...] = Field(
        (
            "www.mhlw.go.jp",
            "www.pmda.go.jp",
            "www.e-gov.go.jp",
            "www.mod.go.jp",
            "www.jpcert.or.jp",
            "www.jstage.jst.go.jp",
            "cir.nii.ac.jp",
            "pubmed.ncbi.nlm.nih.gov",
            "www.gov.uk",
            "www.who.int",
            "www.iana.org",
            "www.iso.org",
            "www.rand.org",
        ),
        description="Hosts that may be searched through their own form, when the client names them.",
    )
    site_search_qps: float = Field(0.1, gt=0, description="Requests a second to one site's own search.")
    results_per_query: int = Field(20, ge=1, le=100, description="Results taken from one engine for one query.")
    serp_cache_ttl_s: float = Field(86_400.0, ge=0, description="How long a result page is reused, in seconds.")


class Academic(_Section):
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


class Registries(_Section):
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


class Ranking(_Section):
    """BM25, embedding and where to cut (SPEC §1 decision 2)."""

    bm25_weight: float = Field(0.3, ge=0, le=1, description="Weight of BM25 in the fused score.")
    embedding_weight: float = Field(0.7, ge=0, le=1, description="Weight of the embedding in the fused score.")
    bm25_pool: int = Field(150, ge=1, description="Candidates that BM25 passes on to the embedding.")
    min_results: int = Field(3, ge=1, description="Results kept at least.")
    max_results: int = Field(50, ge=1, description="Results kept at most.")
    kneedle_sensitivity: float = Field(1.0, gt=0, description="Kneedle's S.")


class Research(_Section):
    """Budgets and stop conditions of tasks and searches."""

    max_pages: int = Field(120, ge=1, le=10_000, description="Pages a task may fetch unless the client says otherwise.")
    max_seconds: float = Field(
        1200.0, gt=0, description="Seconds a task's searches may run unless the client says otherwise."
    )
    pages_per_search: int = Field(30, ge=1, description="Pages one search may fetch unless the client says otherwise.")
    idle_seconds: float = Field(
        300.0, gt=0, description="Seconds without a request from any client after which a task pauses."
    )
    novelty_window: int = Field(20, ge=1, description="Fragments over which novelty is measured.")
    novelty_cycle: int = Field(10, ge=1, description="Fragments in one novelty cycle.")
    novelty_floor: float = Field(0.10, ge=0, le=1, description="Novelty below which a cycle counts as stale.")


class Evidence(_Section):
    """Claims, candidate pairs and verification."""

    relevance_floor: float = Field(
        0.35,
        ge=0,
        le=1,
        description="Similarity to the question or a hypothesis that a statement needs to become a claim.",
    )
    merge_similarity: float = Field(
        0.90, ge=0, le=1, description="Similarity above which two statements of a task are one claim."
    )
    pair_similarity: float = Field(
        0.35,
        ge=0,
        le=1,
        description="Least similarity of fragment and found claim, and of a hypothesis and some fragment of a page, "
        "shared words added, for a pair to be judged.",
    )
    pairs_per_fragment: int = Field(
        12, ge=1, description="Hypotheses, and found claims, that one fragment is judged against at most, each."
    )
    pairs_per_page: int = Field(
        30, ge=1, description="Pairs of fragment and found claim judged for one page at most; hypotheses come besides."
    )
    hypothesis_pairs_per_page: int = Field(
        2000,
        ge=1,
        description="Pairs of fragment and hypothesis judged for one page at most, of each hypothesis the best.",
    )
    claims_per_page: int = Field(12, ge=1, description="New claims taken from one page at most.")
    counting_refutation: float = Field(
        0.7, ge=0, le=1, description="Calibrated probability from which a refutation counts."
    )
    adoption_floor: float = Field(0.7, ge=0, le=1, description="Report confidence from which a claim is adopted.")
    near_duplicate: float = Field(0.8, ge=0, le=1, description="MinHash Jaccard from which two texts are one.")


class ModelEndpoint(_Section):
    """A server of models that a group shares; unset, the isolated process on this machine serves."""

    url: str | None = Field(None, description="Address of the server, such as http://127.0.0.1:8080.")
    kind: Literal["tei", "openai"] = Field(
        "tei", description="Its API: tei (Text Embeddings Inference) or openai (/v1/embeddings)."
    )
    model: str = Field("", description="Name of the model, for openai.")
    version: str = Field("", description="Names the weights where the server does not: change it with them.")
    prefix: str = Field("", description='Text before every text that is embedded, such as "query: " for e5.')
    allow_remote: bool = Field(False, description="Send texts to another machine.")
    insecure: bool = Field(False, description="Send them there without TLS.")
    library_text: bool = Field(False, description="Send texts of your own documents to another machine, too.")
    api_key: str | None = Field(None, description="Key that the server asks for, sent as a bearer token.")
    timeout_s: float = Field(30.0, gt=0, le=600, description="Longest time for one batch, in seconds.")
    batch_size: int = Field(32, ge=1, le=512, description="Texts or pairs in one request.")
    concurrency: int = Field(2, ge=1, le=32, description="Requests under way at once.")


class Models(_Section):
    """The models and how they run."""

    directory: Path | None = Field(None, description="Directory with other weights in the bundled layout.")
    store: Path | None = Field(
        None, description="Where models of your own lie; unset, in `models` of the data directory."
    )
    hub: str = Field("https://huggingface.co", description="Where `lyra models pull` gets models from.")
    catalogue: Path | None = Field(
        None, description="YAML file with more pinned models for `lyra models`, beside those that Lyra knows."
    )
    adapter: Path | None = Field(
        None, description="Folder with the strong reader's adapter and card; unset, the package lyra-reader-strong."
    )
    strong: Literal["auto", "off"] = Field(
        "auto",
        description="Whether a strong reader judges where there is one, your own or that of the environment: auto or "
        "off.",
    )
    device: Literal["auto", "cpu"] = Field(
        "auto", description="auto: models of your own run on an NVIDIA card where ONNX Runtime can; cpu: never."
    )
    embedding: ModelEndpoint = ModelEndpoint()
    stance: ModelEndpoint = ModelEndpoint()
    threads: int = Field(0, ge=0, description="Threads for inference; 0 takes every core.")
    batch_size: int = Field(32, ge=1, description="Texts or pairs in one batch.")
    isolation: Literal["required", "preferred"] = Field(
        "required", description="Whether inference may run where the kernel cannot cut its network."
    )
    memory_limit_mb: int = Field(2048, ge=256, description="Memory the inference process may take, in MiB.")
    idle_exit_s: float = Field(300.0, gt=0, description="Idle time after which the inference process ends, in seconds.")


class Calibration(_Section):
    """How the models' probabilities are corrected by what users report (SPEC §7)."""

    refit_after: int = Field(
        50, ge=20, description="New samples of a source and language after which its calibration is fitted again."
    )
    max_samples: int = Field(5_000, ge=100, description="Newest samples that one fit and the statistics use.")
    folds: int = Field(
        5, ge=2, le=20, description="Parts into which samples are cut; each is predicted by a fit to the others."
    )
    min_improvement: float = Field(
        0.01, ge=0, lt=1, description="Least share by which a fit must lower Brier on unseen samples to be adopted."
    )
    degradation: float = Field(
        0.05, gt=0, le=1, description="Growth of Brier between two evaluations that counts as degradation."
    )
    enable_auto_rollback: bool = Field(
        False, description="Return to the version before when an evaluation finds that a new one made things worse."
    )


class Browser(_Section):
    """The user's own Chrome or Chromium, with a profile that only research uses."""

    enabled: bool = Field(True, description="Open pages in a browser where plain HTTP does not work.")
    executable: Path | None = Field(
        None, description="Chrome or Chromium to start; unset, the usual names on the PATH are looked for."
    )
    tabs: int = Field(2, ge=1, le=16, description="Pages the headless browser has open at once.")
    start_timeout_s: float = Field(
        15.0, gt=0, le=120, description="Longest time for the browser to be ready, in seconds."
    )
    quiet_s: float = Field(
        0.5, ge=0, le=10, description="Seconds without network traffic after which a page counts as loaded."
    )
    settle_limit_s: float = Field(
        10.0, gt=0, le=120, description="Longest wait for a page to stop changing after it has arrived, in seconds."
    )
    challenge_wait_s: float = Field(
        8.0, ge=0, le=60, description="How long a check that asks nothing of a person may take to pass, in seconds."
    )
    idle_exit_s: float = Field(
        300.0, gt=0, description="Time without any visit after which the browser is closed, in seconds."
    )
    blocked: tuple[Literal["images", "media", "fonts", "ads"], ...] = Field(
        ("media", "ads"), description="What pages may not load: images, media, fonts, ads."
    )
    language: str | None = Field(
        None, description="Language the browser asks for, such as ja; unset, that of the system."
    )
    max_memory_mb: int = Field(
        2_000, ge=300, description="Memory of the browser above which the page that takes most of it is ended, in MB."
    )
    takes_screenshots: bool = Field(True, description="Keep a picture of every page that a browser opened.")
    debugging_port: int | None = Field(
        None,
        ge=1,
        le=65_535,
        description="Port of a Chrome that you have started yourself with --remote-debugging-port, used where a window "
        "is needed; every user of this machine can drive it, so leave it unset unless you must.",
    )


class Jobs(_Section):
    """The durable queue."""

    lease_s: float = Field(
        15.0, gt=0, le=900, description="How long a job belongs to a process that does not renew it, in seconds."
    )
    poll_s: float = Field(0.5, gt=0, description="How often the queue is looked at, in seconds.")
    concurrency: int = Field(2, ge=1, le=16, description="Searches one process runs at once.")
    niceness: int = Field(
        10,
        ge=0,
        le=19,
        description="How far the searches of an HTTP server give way to its readers: the nice value of their process.",
    )
    max_attempts: int = Field(5, ge=1, description="Times a job is started before it counts as failed.")
    max_queued: int = Field(200, ge=1, description="Searches that may wait at once, over all tasks; more are refused.")
    cpu_nlp: int = Field(0, ge=0, le=256, description="Batches judged at once on this machine; 0 is one a core.")


class Archive(_Section):
    """How much of what was fetched is kept. Nothing goes by itself: `lyra archive prune` acts on these."""

    budget_mb: int = Field(20_000, ge=1, description="Size to which `lyra archive prune` brings the archive, in MB.")
    retention_days: int = Field(
        0, ge=0, description="Age after which records that no evidence needs may go, in days; 0 keeps them."
    )
    page_assets_mb: float = Field(
        10.0,
        ge=0,
        le=100,
        description="Most that is kept of what a page in a browser loaded (scripts, styles, images, texts), in MB.",
    )


class LibrarySettings(_Section):
    """The user's own documents, which `lyra library` adds."""

    scan_every_s: float = Field(
        60.0, ge=0, description="How often a server looks for changed files, in seconds; 0 turns it off."
    )
    max_file_mb: float = Field(100.0, gt=0, le=200, description="Largest file that is read, in MB.")
    max_files: int = Field(200_000, gt=0, description="Most files of one library.")
    archive_max_mb: float = Field(
        50.0, ge=0, description="Largest document whose bytes are archived when a task reads it, in MB."
    )


class Server(_Section):
    """The MCP server."""

    wait_seconds: float = Field(
        3.5,
        ge=0,
        le=25,
        description="How long a search call waits for its end unless the client says, in seconds; some clients hang up "
        "after 5.",
    )
    max_wait_seconds: float = Field(600.0, gt=0, description="Longest wait a client may ask for, in seconds.")
    max_answer_bytes: int = Field(24_000, ge=2_000, description="Largest answer of a tool, in bytes.")
    max_query_chars: int = Field(2_000, ge=1, description="Longest question, query or hypothesis, in characters.")
    max_requests_per_second: float = Field(
        50.0, gt=0, description="Requests a second that a person may send to the HTTP server, on average over 3 s."
    )
    max_connections_per_address: int = Field(
        125,
        ge=1,
        le=500,
        description="Open connections that the HTTP server takes from one address, of 500 in all; an IPv6 network "
        "(/64) counts as one. Behind a proxy all come from one.",
    )


class Log(_Section):
    """What Lyra writes about itself, on stderr and below the data directory."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least severity shown on stderr."
    )
    traces_endpoint: str | None = Field(
        None,
        description="OTLP address (HTTP) for traces of calls and searches: https, or http on this machine; needs the "
        "extra `tracing`. None: no traces.",
    )


class Settings(_Section):
    """Everything a user may set."""

    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("lyra", appauthor=False)),
        description="Where the database, the archive and logs live.",
    )

    @field_validator("data_dir")
    @classmethod
    def _expand_home(cls, path: Path) -> Path:
        if "\x00" in str(path):
            raise ValueError("A path cannot contain a null character.")
        return path.expanduser()

    network: Network = Network()
    politeness: Politeness = Politeness()
    tor: Tor = Tor()
    wayback: Wayback = Wayback()
    engines: Engines = Engines()
    academic: Academic = Academic()
    registries: Registries = Registries()
    ranking: Ranking = Ranking()
    research: Research = Research()
    evidence: Evidence = Evidence()
    models: Models = Models()
    llm: Llm = Llm()
    calibration: Calibration = Calibration()
    browser: Browser = Browser()
    jobs: Jobs = Jobs()
    archive: Archive = Archive()
    library: LibrarySettings = LibrarySettings()
    server: Server = Server()
    log: Log = Log()

    @property
    def database_path(self) -> Path:
        return self.data_dir / "lyra.db"

    @property
    def archive_dir(self) -> Path:
        return self.data_dir / "archive"

    @property
    def browser_dir(self) -> Path:
        return self.data_dir / "browser"

    @property
    def tor_dir(self) -> Path:
        return self.data_dir / "tor"

    @property
    def sessions_dir(self) -> Path:
        return self.data_dir / "sessions"

    @property
    def models_dir(self) -> Path:
        return self.models.store or self.data_dir / "models"

    @property
    def log_dir(self) -> Path:
        return self.data_dir / "logs"

    @property
    def reports_dir(self) -> Path:
        return self.data_dir / "reports"

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """The folders that Lyra makes in the data directory."""
        return (
            self.archive_dir,
            self.browser_dir,
            self.tor_dir,
            self.sessions_dir,
            self.data_dir / "models",
            self.log_dir,
            self.reports_dir,
        )

    def moved_to(self, data_dir: Path) -> "Settings":
        """The same over another data directory, with the same models."""
        models = self.models.model_copy(update={"store": self.models_dir})
        return self.model_copy(update={"data_dir": data_dir, "models": models})

    @property
    def api_keys(self) -> tuple[str, ...]:
        """The user's own keys, which are kept out of archives, logs and packs."""
        sections = (self.academic, self.registries)
        found = [value for section in sections for name, value in section if name.endswith("_key")]
        found += [self.models.embedding.api_key, self.models.stance.api_key, *self.llm.keys]
        return tuple(value for value in found if value)

    def digest(self) -> str:
        """Names the settings that shaped a result; where things lie and secrets do not shape any."""
        shaping = self.model_dump(mode="json", exclude={"data_dir", "log", "network", "archive", "library"})
        for secret in ("semantic_scholar_key", "openalex_key", "contact_email"):
            shaping["academic"].pop(secret)
        for name in [name for name in shaping["registries"] if name.endswith("_key")]:
            shaping["registries"].pop(name)
        shaping["tor"].pop("control_password")
        shaping["llm"].update(endpoint=self.llm.endpoint is not None)
        for name in ("hub", "catalogue", "store"):
            shaping["models"].pop(name)
        for name in ("embedding", "stance"):
            shaping["models"][name] = getattr(self.models, name).url is not None
        for server in shaping["llm"]["endpoints"].values():
            server.update(url=None, api_key=None)
        return hashlib.sha256(json.dumps(shaping, sort_keys=True).encode()).hexdigest()[:12]


def default_config_path() -> Path:
    """Where the settings file is looked for."""
    return Path(platformdirs.user_config_dir("lyra", appauthor=False)) / "settings.toml"


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    path: Path | None = None,
) -> Settings:
    """Read the file, lay the environment over it, then the flags (dotted names such as `network.proxy`)."""
    chosen = path or (Path(environ["LYRA_CONFIG"]) if environ.get("LYRA_CONFIG") else None)
    values = _read_file(chosen or default_config_path(), must_exist=chosen is not None)
    for name, text in environ.items():
        if name.startswith(_PREFIX) and name not in _NOT_SETTINGS:
            _put(values, name[len(_PREFIX) :].lower().split("__"), _from_text(text), origin=name)
    for dotted, value in (flags or {}).items():
        if value is not None:
            _put(values, dotted.split("."), value, origin=dotted)
    try:
        return Settings.model_validate(values)
    except ValidationError as exc:
        raise SettingsError(_explain(exc), remedy="See docs/reference/settings.md for every setting.") from exc


def _read_file(path: Path, *, must_exist: bool) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        if must_exist:
            raise SettingsError(
                f"The settings file {path} does not exist.", remedy="Create it or unset LYRA_CONFIG."
            ) from None
        return {}
    except (ValueError, RecursionError, OSError) as exc:  # ValueError: no TOML, no UTF-8, a number without end
        raise SettingsError(f"The settings file {path} cannot be read: {exc}.", remedy="Correct the file.") from exc


def _put(values: dict[str, Any], keys: list[str], value: Any, *, origin: str) -> None:
    section = values
    for key in keys[:-1]:
        section = section.setdefault(key, {})
        if not isinstance(section, dict):
            raise SettingsError(f"{origin}: {key} is not a section.", remedy="See docs/reference/settings.md.")
    section[keys[-1]] = value


def _from_text(text: str) -> Any:
    """JSON for lists and null, else the text itself: numbers and booleans are read by their field, keys are text."""
    if not text.lstrip().startswith(("[", "{")) and text != "null":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _explain(exc: ValidationError) -> str:
    first = exc.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"There is no setting {name!r}."
    got = "" if name.endswith("_key") else f" (got {str(first['input'])[:60]!r})"
    return f"Setting {name}: {first['msg']}{got}."
