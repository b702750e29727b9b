"""Which language model serves which use, and the share of a search's time that it may take."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from lyra.cli.installation import described_settings
from lyra.errors import LlmTimeSpent, ModelError
from lyra.llm_settings import Llm
from lyra.ml.language_models import LanguageModels
from lyra.ml.prompts import prompt
from lyra.ml.protocols import Completion
from lyra.settings import Settings
from tests.clocks import HeldClock


class Answer(BaseModel):
    text: str = "yes"


class Model:
    """Takes `seconds` for each answer; fails where it is told to."""

    model_id, place = "qwen", "127.0.0.1:1"

    def __init__(self, clock: HeldClock, seconds: float, *, takes_own_documents: bool = True) -> None:
        self.clock, self.seconds, self.takes_own_documents = clock, seconds, takes_own_documents
        self.is_broken = False

    async def complete(self, *_: object, session: str) -> Completion[Any]:
        self.clock.pass_by(self.seconds)
        if self.is_broken:
            raise ModelError("It is down.")
        return Completion(Answer(), (), self.seconds)


async def ask(models: LanguageModels, clock: HeldClock, waits: list[float]) -> list[str]:
    """One question after each of these waits, all in one search."""
    search, seen = models.begin_search(), []
    for wait in waits:
        clock.pass_by(wait)
        model = search.generator("claims")
        assert model is not None
        try:
            seen.append((await model.complete("", {}, Answer, session="t")).answer.text)
        except LlmTimeSpent:
            seen.append("spent")
    return [*seen, f"{search.budget.spent_s:g} of {search.budget.elapsed_s:g}"]


async def test_a_model_takes_its_share_of_the_time_and_no_more() -> None:
    """At 0.3 a model that takes 3 s answers at 7 s, and again when another 7 s have passed without it."""
    clock = HeldClock()
    models = LanguageModels({"claims": Model(clock, 3.0)}, clock, 0.3)

    seen = await ask(models, clock, [0, 7, 0, 6.9, 0.2])

    assert seen == ["spent", "yes", "spent", "spent", "yes", "6 of 20.1"]


async def test_a_lifted_budget_asks_at_once() -> None:
    """A share of 1 is no limit."""
    clock = HeldClock()
    models = LanguageModels({"claims": Model(clock, 3.0)}, clock, 1.0)

    assert await ask(models, clock, [0, 0]) == ["yes", "yes", "6 of 6"]


async def test_a_failure_costs_its_time_and_is_counted() -> None:
    """A server that dies takes its share too."""
    clock = HeldClock()
    model = Model(clock, 4.0)
    model.is_broken = True
    search = LanguageModels({"claims": model}, clock, 1.0).begin_search()
    asking = search.generator("claims")
    assert asking is not None

    with pytest.raises(ModelError):
        await asking.complete("", {}, Answer, session="t")

    assert (search.budget.spent_s, dict(search.failed), dict(search.asked)) == (4.0, {"claims": 1}, {})


def test_a_use_that_is_off_has_no_model() -> None:
    """Nor has one whose model may not see the user's own documents."""
    clock = HeldClock()
    models = {"claims": Model(clock, 1.0), "summaries": Model(clock, 1.0, takes_own_documents=False)}
    search = LanguageModels(models, clock, 1.0).begin_search()

    assert search.generator("entities") is None
    assert search.generator("summaries", is_own_document=True) is None
    assert search.generator("summaries") is not None
    assert search.generator("claims", is_own_document=True) is not None


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, None),
        ({"endpoint": "http://127.0.0.1:1"}, "default"),
        ({"endpoints": {"a": {}, "b": {}}}, "a"),
        ({"endpoint": "http://127.0.0.1:1", "endpoints": {"b": {}}, "uses": {"quality": "b"}}, "b"),
        ({"endpoint": "http://127.0.0.1:1", "uses": {"quality": False}}, None),
        ({"endpoint": "http://127.0.0.1:1", "uses": {"quality": "false"}}, None),
        ({"endpoint": "http://127.0.0.1:1", "uses": {"quality": "true"}}, "default"),
    ],
    ids=["none", "the plain setting", "the first by name", "by name", "off", "off by text", "on by text"],
)
def test_a_use_has_its_endpoint(settings: dict[str, Any], found: str | None) -> None:
    """True asks the first one there is, a name that one."""
    assert Llm.model_validate(settings).server_for("quality") == found


def test_an_unknown_endpoint_is_named() -> None:
    """With those that there are."""
    with pytest.raises(ValidationError, match=r"llm\.uses\.claims: there is no endpoint 'gpu' \(known: here\)"):
        Llm.model_validate({"endpoints": {"here": {}}, "uses": {"claims": "gpu"}})


@pytest.mark.parametrize(
    ("profile", "address"),
    [
        ("ollama", "http://127.0.0.1:11434/v1"),
        ("llama.cpp", "http://127.0.0.1:8080/v1"),
        ("lm-studio", "http://127.0.0.1:1234/v1"),
        ("vllm", "http://127.0.0.1:8000/v1"),
    ],
)
def test_a_profile_knows_where_its_server_listens(profile: str, address: str) -> None:
    """So that only the model has to be named."""
    llm = Llm.model_validate({"endpoints": {"mine": {"profile": profile, "model": "m"}}})

    assert llm.servers["mine"].address == address


def test_prompts_have_versions() -> None:
    """The newest is used, and its name stands in the journal."""
    assert prompt("claims").id == "claims.1"
    assert prompt("claims").text.startswith("You make one sentence of a text understandable on its own.")


def test_settings_show_no_key_of_an_endpoint() -> None:
    """`lyra settings` says that there is one; the digest of settings does not depend on it."""
    group = {"url": "https://gpu.example.org/v1", "allow_remote": True, "api_key": "s3cret-key"}
    settings = Settings.model_validate({"llm": {"endpoints": {"group": group}}})
    other = Settings.model_validate({"llm": {"endpoints": {"group": {**group, "api_key": "another"}}}})

    shown = {row["setting"]: row["value"] for row in described_settings(settings)}

    assert shown["llm.endpoints.group.api_key"] == "set"
    assert shown["llm.endpoints.group.allow_remote"] is True
    assert settings.digest() == other.digest()
