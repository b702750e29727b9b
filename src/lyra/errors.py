"""Every error Lyra raises, in one tree with stable codes that reach the client unchanged."""

from collections.abc import Mapping
from typing import Any


class LyraError(Exception):
    """Base of all typed errors: a code, one sentence, and what to do next."""

    code = "INTERNAL_ERROR"
    exit_code = 1
    retryable = False

    def __init__(
        self,
        message: str,
        *,
        remedy: str | None = None,
        retry_after_s: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.retry_after_s = retry_after_s
        self.details = dict(details or {})

    def fields(self) -> dict[str, Any]:
        """The error as every face tells it (SPEC §2); what it does not have is left out."""
        told = {"ok": False, "error_code": self.code, "error": self.message, "retryable": self.retryable}
        optional = {"retry_after_s": self.retry_after_s, "remedy": self.remedy, "details": self.details or None}
        return told | {name: value for name, value in optional.items() if value is not None}


class InvalidParams(LyraError):
    """The caller's arguments are wrong; the same call will fail again."""

    code = "INVALID_PARAMS"
    exit_code = 2


class NotAllowed(InvalidParams):
    """The person's role does not allow the call."""


class TaskNotFound(LyraError):
    """No task with that id in this data directory."""

    code = "TASK_NOT_FOUND"
    exit_code = 3

    def __init__(self, task_id: str) -> None:
        super().__init__(
            f"There is no task {task_id[:60]!r}.",
            remedy='Make one with create_task; query_graph "SELECT id, query FROM tasks" lists those there are.',
            details={"task_id": task_id[:60]},
        )


class BudgetExhausted(LyraError):
    """The task's pages or seconds are used up."""

    code = "BUDGET_EXHAUSTED"
    exit_code = 4


class AuthRequired(LyraError):
    """Nothing can go on until a person has signed in or solved a challenge."""

    code = "AUTH_REQUIRED"
    exit_code = 4
    retryable = True


class AllEnginesBlocked(LyraError):
    """Every usable search engine is cooling down."""

    code = "ALL_ENGINES_BLOCKED"
    exit_code = 4
    retryable = True


class NetworkUnavailable(LyraError):
    """Nothing can be reached: no internet, no names, or a proxy that is not there."""

    code = "NETWORK_UNAVAILABLE"
    exit_code = 4
    retryable = True


class ChromeNotReady(LyraError):
    """Only browser engines remain and no browser could be started."""

    code = "CHROME_NOT_READY"
    exit_code = 4
    retryable = True


class BrowserFault(ChromeNotReady):
    """The browser refused a command, or a tab or the whole browser ended during a visit."""


class PipelineError(LyraError):
    """A phase of a search failed."""

    code = "PIPELINE_ERROR"
    retryable = True


class ModelError(PipelineError):
    """A bundled or configured model could not be loaded or did not answer."""


class QuestionTooLong(ModelError):
    """A generator's model has no room for the question; nothing was sent."""


class LlmTimeSpent(ModelError):
    """Language models have had their share of a search's time; nothing was sent."""


class UnreadableAnswer(ModelError):
    """A generator answered, but not in the form asked for, or with what it may not say."""


class ObeyedOrder(UnreadableAnswer):
    """A generator was given text with orders to a model, and its answer tried to obey them."""


class CalibrationError(LyraError):
    """Calibration data is missing or unfit for the request."""

    code = "CALIBRATION_ERROR"


class TimedOut(LyraError):
    """A limit on time or work stopped the operation."""

    code = "TIMEOUT"
    exit_code = 4
    retryable = True


class StorageError(LyraError):
    """The data directory or the database cannot be used."""

    code = "INTERNAL_ERROR"
    exit_code = 5


class DatabaseTooNew(StorageError):
    """The database was written by a newer Lyra."""


class DatabaseBusy(StorageError):
    """Another process held the database longer than anyone should."""

    retryable = True


class DiskFull(StorageError):
    """The disk that holds the data directory is full; nothing incomplete was saved."""

    retryable = True


class DocumentUnavailable(StorageError):
    """A document of a collection cannot be opened now; another time or another machine may."""

    retryable = True


class NotReplayable(InvalidParams):
    """The journal of the task does not hold what a replay needs."""


class SettingsError(InvalidParams):
    """A settings file, environment variable or flag has a wrong value."""


class WordListError(LyraError):
    """A word list that comes with Lyra is missing or broken."""

    def __init__(self, file: str, key: str, problem: str) -> None:
        super().__init__(
            f"The word list {file} is broken: {key} {problem}." if key else f"The word list {file} {problem}.",
            remedy="Install Lyra again; if you changed the file, correct it.",
            details={"file": file, "key": key},
        )


def innermost(error: BaseException) -> BaseException:
    """What went wrong first, without the groups that task groups have put around it."""
    return innermost(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
