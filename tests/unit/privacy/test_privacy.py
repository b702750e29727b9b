"""What `lyra doctor --privacy` says can leave the machine, by the settings in force."""

from pathlib import Path

import pytest

from lyra.privacy import OutgoingData, outgoing_data
from lyra.settings import Settings


def parts(fields: dict[str, object]) -> dict[str, OutgoingData]:
    settings = Settings.model_validate({"data_dir": Path("/nowhere"), **fields})
    return {one.part: one for one in outgoing_data(settings)}


def test_defaults_name_every_receiver() -> None:
    """Without any settings: name server, engines, two APIs, the sites, the archive; no LLM."""
    found = parts({})

    assert [one.part for one in found.values() if one.is_on] == [
        "names", "search", "academic", "registries", "pages", "browser", "tor", "archive",
    ]  # fmt: skip
    assert found["academic"].receiver == "api.semanticscholar.org, api.openalex.org"
    assert "html.duckduckgo.com" in found["search"].receiver.split(", ")
    assert found["registries"].receiver == (
        "query.wikidata.org, lookup.dbpedia.org, data.iana.org, the registry of the domain, crt.sh, api.e-stat.go.jp, "
        "laws.e-gov.go.jp, kokkai.ndl.go.jp, api.info.gbiz.go.jp, api.edinet-fsa.go.jp, ops.epo.org, api.uspto.gov, "
        "factchecktools.googleapis.com"
    )


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        pytest.param({"engines": {"enabled": []}}, "search", id="engines"),
        pytest.param({"academic": {"enabled": False}}, "academic", id="academic"),
        pytest.param({"registries": {"enabled": []}}, "registries", id="registries"),
        pytest.param({"browser": {"enabled": False}}, "browser", id="browser"),
        pytest.param({"tor": {"mode": "off"}}, "tor", id="tor"),
        pytest.param({"wayback": {"enabled": False}}, "archive", id="archive"),
    ],
)
def test_switch_that_is_named_switches_it_off(fields: dict[str, object], part: str) -> None:
    """Each part is on by default and off with its own setting."""
    assert (parts({})[part].is_on, parts(fields)[part].is_on) == (True, False)


def test_settings_that_send_more_are_named() -> None:
    """The proxy without its password, the address for polite pools, the LLM's server, a Chrome of the user."""
    found = parts({
        "network": {"proxy": "http://me:secret@10.0.0.9:3128"},
        "academic": {"contact_email": "me@example.org"},
        "llm": {"endpoint": "http://127.0.0.1:11434/v1"},
        "log": {"traces_endpoint": "https://traces.example.org/v1/traces"},
        "browser": {"debugging_port": 9222},
    })  # fmt: skip

    assert "names" not in found
    assert found["proxy"].receiver == "the proxy 10.0.0.9:3128"
    assert found["academic"].sends == "the words of your queries, identifiers of papers, your address me@example.org"
    assert (found["llm"].is_on, found["llm"].receiver) == (
        True,
        "the language models at http://127.0.0.1:11434/v1",
    )
    assert found["traces"].receiver == "the collector at https://traces.example.org/v1/traces"
    assert found["browser"].receiver.endswith("your Chrome at port 9222 also asks what Chrome asks by itself")
    assert "secret" not in repr(found)


def test_a_shared_server_of_models_is_named_with_what_it_is_given() -> None:
    """Texts of one's own documents only where they are allowed there."""
    found = parts({"models": {
        "embedding": {"url": "https://models.example.org", "allow_remote": True},
        "stance": {"url": "http://127.0.0.1:8081", "library_text": True},
    }})  # fmt: skip

    assert (found["embedding server"].receiver, found["embedding server"].sends) == (
        "the server at models.example.org", "passages of pages, claims and hypotheses",
    )  # fmt: skip
    assert found["stance server"].sends == "passages of pages, claims and hypotheses, texts of your own documents too"
    assert (found["hub"].is_on, found["hub"].receiver) == (False, "huggingface.co")
