"""All settings in one frozen object: file < environment (`LYRA_…`) < flags, every field documented and checked."""

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, ValidationError, field_validator

from lyra.errors import SettingsError
from lyra.llm_settings import Llm
from lyra.settings.apis import Academic, Registries
from lyra.settings.processes import Archive, Jobs, LibrarySettings, Log, Server
from lyra.settings.research import Evidence, Ranking, Research
from lyra.settings.rungs import Browser, Tor, Wayback
from lyra.settings.section import Section
from lyra.settings.values import given_values


class Network(Section):
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


class Politeness(Section):
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


class Engines(Section):
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


class ModelEndpoint(Section):
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


class Models(Section):
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


class Calibration(Section):
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


class Settings(Section):
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


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    path: Path | None = None,
) -> Settings:
    """Read the file, lay the environment over it, then the flags (dotted names such as `network.proxy`)."""
    values = given_values(flags or {}, environ, path)
    try:
        return Settings.model_validate(values)
    except ValidationError as exc:
        raise SettingsError(_explain(exc), remedy="See docs/reference/settings.md for every setting.") from exc


def _explain(exc: ValidationError) -> str:
    first = exc.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"There is no setting {name!r}."
    got = "" if name.endswith("_key") else f" (got {str(first['input'])[:60]!r})"
    return f"Setting {name}: {first['msg']}{got}."
