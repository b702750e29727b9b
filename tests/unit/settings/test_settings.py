"""Settings: file < environment < flags, every one documented and checked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from lyra.errors import SettingsError
from lyra.settings import Settings, load


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text('data_dir = "/from/file"\n[network]\nproxy = "http://file:1"\nconcurrency = 2\ntimeout_s = 11.5\n')
    return path


def fields_of(section: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in section.model_fields.items():
        default = field.get_default()
        if isinstance(default, BaseModel):
            yield from fields_of(type(default), f"{prefix}{name}.")
        else:
            yield prefix + name, field


def test_later_sources_go_over_earlier_ones(file: Path) -> None:
    """The file, then the environment, then flags; what nobody sets keeps its default."""
    environ = {"LYRA_NETWORK__PROXY": "http://environment:2", "LYRA_NETWORK__CONCURRENCY": "3", "HOME": "/root"}

    settings = load({"network.concurrency": 5, "log.level": None}, environ=environ, path=file)

    assert settings.data_dir == Path("/from/file")
    assert settings.network.timeout_s == 11.5
    assert settings.network.proxy == "http://environment:2"
    assert settings.network.concurrency == 5
    assert settings.log.level == "warning"


def test_the_environment_names_the_file(file: Path) -> None:
    """LYRA_CONFIG is where to read, not a setting."""
    assert load(environ={"LYRA_CONFIG": str(file)}).network.proxy == "http://file:1"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("LYRA_NETWORK__CONCURRENCY", "7", 7),
        ("LYRA_NETWORK__TIMEOUT_S", "1.5", 1.5),
        ("LYRA_NETWORK__ALLOW_PRIVATE_ADDRESSES", "true", True),
        ("LYRA_NETWORK__PROXY", "null", None),
        ("LYRA_ENGINES__ENABLED", '["mojeek", "duckduckgo"]', ("mojeek", "duckduckgo")),
        ("LYRA_ACADEMIC__OPENALEX_KEY", "1234567890", "1234567890"),
        ("LYRA_ACADEMIC__SEMANTIC_SCHOLAR_KEY", "true", "true"),
        ("LYRA_DATA_DIR", "2026", Path("2026")),
    ],
)
def test_the_environment_is_read_by_the_fields_own_kind(name: str, text: str, value: object, tmp_path: Path) -> None:
    """A number is a number only where a number is wanted: a key of digits stays a text."""
    (tmp_path / "empty.toml").touch()
    section, _, field = name.removeprefix("LYRA_").lower().partition("__")

    settings = load(environ={name: text}, path=tmp_path / "empty.toml")

    found = getattr(settings, section)
    assert (getattr(found, field) if field else found) == value


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"LYRA_NETWORK__PROXI": "x"}, "There is no setting 'network.proxi'."),
        ({"LYRA_NETWROK__PROXY": "x"}, "There is no setting 'netwrok'."),
        (
            {"LYRA_NETWORK__CONCURRENCY": "0"},
            "Setting network.concurrency: Input should be greater than or equal to 1 (got '0').",
        ),
        (
            {"LYRA_LOG__LEVEL": "loud"},
            "Setting log.level: Input should be 'debug', 'info', 'warning' or 'error' (got 'loud').",
        ),
        (
            {"LYRA_ENGINES__ENABLED": "[mojeek"},
            "Setting engines.enabled: Input should be a valid tuple (got '[mojeek').",
        ),
        ({"LYRA_DATA_DIR": "a", "LYRA_DATA_DIR__X": "1"}, "LYRA_DATA_DIR__X: data_dir is not a section."),
    ],
    ids=["unknown name", "unknown section", "too small", "no choice", "broken list", "value as section"],
)
def test_wrong_settings_are_named(environ: dict[str, str], message: str, tmp_path: Path) -> None:
    """Which setting, what is wrong and what was given."""
    (tmp_path / "empty.toml").touch()

    with pytest.raises(SettingsError) as refused:
        load(environ=environ, path=tmp_path / "empty.toml")

    assert refused.value.message == message
    assert refused.value.code == "INVALID_PARAMS"
    assert refused.value.exit_code == 2


def test_a_wrong_key_is_not_shown(tmp_path: Path) -> None:
    """Secrets do not get into error messages."""
    (tmp_path / "settings.toml").write_text("[academic]\nopenalex_key = 998877\n")

    with pytest.raises(SettingsError) as refused:
        load(environ={}, path=tmp_path / "settings.toml")

    assert refused.value.message == "Setting academic.openalex_key: Input should be a valid string."


@pytest.mark.parametrize(
    "content",
    [b"network = {", b"\xff\xfe\x00", b"[network]\n[network]\n", b"a = " + b"[" * 100_000, b"a = " + b"9" * 5_000],
    ids=["cut", "binary", "twice", "endless-nesting", "endless-number"],
)
def test_a_file_that_is_not_toml_is_named(content: bytes, tmp_path: Path) -> None:
    """The path and the parser's own words."""
    path = tmp_path / "settings.toml"
    path.write_bytes(content)

    with pytest.raises(SettingsError, match=f"^The settings file {path} cannot be read: "):
        load(environ={}, path=path)


def test_a_directory_is_no_settings_file(tmp_path: Path) -> None:
    """Neither is it silently passed over."""
    with pytest.raises(SettingsError, match="cannot be read"):
        load(environ={}, path=tmp_path)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    """A typing error in LYRA_CONFIG must not mean the defaults."""
    missing = tmp_path / "none.toml"

    with pytest.raises(SettingsError, match=f"^The settings file {missing} does not exist.$"):
        load(environ={"LYRA_CONFIG": str(missing)})


def test_settings_cannot_be_changed_afterwards() -> None:
    """One frozen object, loaded once."""
    settings = Settings()

    with pytest.raises(ValueError, match="frozen"):
        settings.network.concurrency = 9  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "field"), list(fields_of(Settings)), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_setting_is_documented(name: str, field: Any) -> None:
    """A sentence for each; the reference page is made of them."""
    assert field.description.endswith(".")


def test_the_defaults_are_the_polite_ones() -> None:
    """SPEC §4 and §5: the demonstration's haste is never a default."""
    polite = Settings().politeness

    assert (polite.domain_qps, polite.pause_min_s, polite.pause_max_s) == (0.2, 1.5, 5.5)
    assert (polite.engine_qps, polite.cooldown_min_s, polite.respect_robots) == (0.25, 1800, True)


def test_the_digest_names_what_shapes_results() -> None:
    """Another floor is another digest; another directory, proxy or key is not."""
    plain = Settings()
    elsewhere = Settings.model_validate(
        {"data_dir": "/elsewhere", "network": {"proxy": "http://p:1"}, "academic": {"openalex_key": "k"}}
    )
    stricter = Settings.model_validate({"evidence": {"relevance_floor": 0.5}})

    assert elsewhere.digest() == plain.digest()
    assert stricter.digest() != plain.digest()
    assert len(plain.digest()) == 12


@pytest.mark.parametrize(
    ("address", "endpoint"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("http://localhost:8080/v1/", "http://localhost:8080/v1"),
        ("http://[::1]:1234/v1/chat/completions", "http://[::1]:1234/v1"),
    ],
)
def test_an_llm_on_this_machine_is_taken(address: str, endpoint: str, tmp_path: Path) -> None:
    """However the server's own manual writes its address."""
    (tmp_path / "empty.toml").touch()

    settings = load(environ={"LYRA_LLM__ENDPOINT": address}, path=tmp_path / "empty.toml")

    assert settings.llm.endpoint == endpoint


@pytest.mark.parametrize(
    "address",
    [
        "http://192.168.1.5:11434/v1",
        "http://api.example.com/v1",
        "http://127.0.0.1.example.com/v1",
        "http://localhost@example.com/v1",
        "http://0.0.0.0:11434",
        "https://127.0.0.1:11434",
        "http://127.0.0.1:99999",
        "127.0.0.1:11434",
    ],
)
def test_an_llm_elsewhere_is_refused(address: str, tmp_path: Path) -> None:
    """Prompts hold what is researched, and do not leave the machine."""
    (tmp_path / "empty.toml").touch()

    with pytest.raises(SettingsError, match=r"^Setting llm\.endpoint: "):
        load(environ={"LYRA_LLM__ENDPOINT": address}, path=tmp_path / "empty.toml")


@pytest.mark.parametrize("name", ["gpt-oss:120b-cloud", "glm-4.6:cloud"])
def test_a_model_in_a_cloud_is_refused(name: str, tmp_path: Path) -> None:
    """A server on this machine that passes prompts on does not keep them here."""
    (tmp_path / "empty.toml").touch()

    with pytest.raises(SettingsError, match=r"^Setting llm\.model: .* not in a cloud"):
        load(environ={"LYRA_LLM__MODEL": name}, path=tmp_path / "empty.toml")


def test_where_the_llm_listens_does_not_shape_results() -> None:
    """Whether there is one does, and which."""
    here = Settings.model_validate({"llm": {"endpoint": "http://127.0.0.1:1"}})
    there = Settings.model_validate({"llm": {"endpoint": "http://127.0.0.1:2"}})
    other = Settings.model_validate({"llm": {"endpoint": "http://127.0.0.1:2", "model": "gemma3:4b"}})

    assert here.digest() == there.digest()
    assert len({Settings().digest(), there.digest(), other.digest()}) == 3


def test_a_data_directory_that_no_path_can_name_is_an_error(tmp_path: Path) -> None:
    """Found when the settings are read, not when the first file is opened."""
    path = tmp_path / "settings.toml"
    path.write_text('data_dir = "/tmp/\\u0000x"\n')

    with pytest.raises(SettingsError) as caught:
        load(environ={}, path=path)

    assert caught.value.message.startswith("Setting data_dir: Value error, A path cannot contain a null character.")


def test_a_copy_over_another_directory_keeps_the_models(tmp_path: Path) -> None:
    """A replay in a scratch directory judges with the same models of the user's own."""
    settings = Settings(data_dir=tmp_path / "data")

    moved = settings.moved_to(tmp_path / "scratch")

    assert (moved.data_dir, moved.models_dir) == (tmp_path / "scratch", tmp_path / "data" / "models")
    assert moved.digest() == settings.digest()
