"""Arguments as clients of many kinds send them."""

import pytest
from pydantic import ValidationError

from lyra.mcp.inputs import CalibrateIn, CreateTaskIn, NotifyUserIn, ResolveAuthIn, SearchIn


def test_object_as_json_text_is_read() -> None:
    """Some clients send nested arguments as text; nested objects and lists too."""
    config = '{"budget": "{\\"max_pages\\": 7}", "hypotheses": "[{\\"text\\": \\"Gliptins are safe.\\"}]"}'

    given = CreateTaskIn.model_validate({"query": "Are gliptins safe?", "config": config})

    assert given.config is not None
    assert given.config.budget is not None
    assert given.config.budget.max_pages == 7
    assert [one.text for one in given.config.hypotheses] == ["Gliptins are safe."]


def test_null_as_json_text_is_nothing() -> None:
    """`"null"` for an object that was left out."""
    assert SearchIn.model_validate({"task_id": "t", "query": "q", "options": "null"}).options is None


def test_free_objects_may_be_json_text_too() -> None:
    """Those without a model of their own."""
    notice = NotifyUserIn.model_validate({"event": "info", "payload": {"message": "m", "details": '{"url": "u"}'}})
    data = '{"auth_id": "a", "status": "resolved", "session_data": {"cookies": []}}'
    decision = ResolveAuthIn.model_validate({"target": "item", "data": data})

    assert notice.payload.details == {"url": "u"}
    assert decision.data.session_data == {"cookies": []}


def test_text_that_looks_like_json_stays_text() -> None:
    """Where text is wanted, it is not read."""
    given = CreateTaskIn.model_validate({"query": '{"a": 1}'})

    assert given.query == '{"a": 1}'


@pytest.mark.parametrize("config", ["no JSON", "7", '"text"', "[", "[" * 100_000])
def test_text_that_is_no_object_is_refused(config: str) -> None:
    """As any other value of the wrong type."""
    with pytest.raises(ValidationError):
        CreateTaskIn.model_validate({"query": "q", "config": config})


def test_values_of_either_shape_are_taken() -> None:
    """The schema has one type for each; a bare number and a boolean, which older clients send, are taken as well."""
    bare = CalibrateIn.model_validate({"action": "add_sample", "data": {"prediction": 0.7, "actual": True}})
    typed = CalibrateIn.model_validate({"action": "add_sample", "data": {"prediction": [0.7], "actual": "true"}})

    assert bare.data is not None
    assert (bare.data.prediction, bare.data.actual) == (0.7, True)
    assert typed.data is not None
    assert (typed.data.prediction, typed.data.actual) == ([0.7], "true")
