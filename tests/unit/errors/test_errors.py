"""The tree of errors: codes that clients know, exit codes that programs know."""

import pytest

from lyra import errors
from lyra.errors import LyraError, PipelineError, TaskNotFound

CODES = {
    "INVALID_PARAMS",
    "TASK_NOT_FOUND",
    "BUDGET_EXHAUSTED",
    "AUTH_REQUIRED",
    "ALL_ENGINES_BLOCKED",
    "CHROME_NOT_READY",
    "PIPELINE_ERROR",
    "CALIBRATION_ERROR",
    "TIMEOUT",
    "NETWORK_UNAVAILABLE",
    "INTERNAL_ERROR",
}
KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, LyraError)]


def test_the_codes_are_those_of_the_specification() -> None:
    """SPEC §2 lists eleven; no more, no fewer."""
    assert {kind.code for kind in KINDS} == CODES


@pytest.mark.parametrize(
    ("name", "exit_code", "retryable"),
    [
        ("LyraError", 1, False),
        ("InvalidParams", 2, False),
        ("SettingsError", 2, False),
        ("TaskNotFound", 3, False),
        ("BudgetExhausted", 4, False),
        ("AllEnginesBlocked", 4, True),
        ("ChromeNotReady", 4, True),
        ("AuthRequired", 4, True),
        ("TimedOut", 4, True),
        ("NetworkUnavailable", 4, True),
        ("PipelineError", 1, True),
        ("StorageError", 5, False),
        ("DatabaseTooNew", 5, False),
        ("DiskFull", 5, True),
        ("DatabaseBusy", 5, True),
    ],
)
def test_exit_codes_are_those_of_the_reference(name: str, exit_code: int, retryable: bool) -> None:
    """docs/reference/cli.md promises them to programs."""
    kind = getattr(errors, name)

    assert (kind.exit_code, kind.retryable) == (exit_code, retryable)


def test_a_strange_task_id_comes_back_cut() -> None:
    """What a client sends is not sent back at length."""
    error = TaskNotFound("x" * 5000)

    assert error.message == f"There is no task {'x' * 60!r}."
    assert error.details == {"task_id": "x" * 60}


def test_an_error_tells_what_it_has() -> None:
    """One form for every face (SPEC §2); what is not known is left out, not null."""
    bare, whole = LyraError("It broke."), PipelineError("Busy.", remedy="Wait.", retry_after_s=30.0, details={"at": 1})

    assert bare.fields() == {"ok": False, "error_code": "INTERNAL_ERROR", "error": "It broke.", "retryable": False}
    assert whole.fields() == {
        "ok": False,
        "error_code": "PIPELINE_ERROR",
        "error": "Busy.",
        "retryable": True,
        "retry_after_s": 30.0,
        "remedy": "Wait.",
        "details": {"at": 1},
    }


def test_the_innermost_error_has_no_groups_around_it() -> None:
    """Task groups within task groups wrap an error as often; what a user is told is the error."""
    full = PipelineError("The model is damaged.")
    group = ExceptionGroup("outer", [ExceptionGroup("inner", [full, ValueError("later")]), ValueError("last")])

    assert errors.innermost(group) is full
