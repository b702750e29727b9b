"""L5 on the command line: an answer says which of the pages behind its text give orders to an AI."""

from typing import TypeVar

from lyra.answers.answer import Answer, LyraMeta, SecurityWarningRow
from lyra.answers.security_meta import strings_of, warning_rows
from lyra.app import Lyra

T = TypeVar("T", bound=Answer)


async def warned(lyra: Lyra, answer: T) -> T:
    """The answer with the flagged pages that some of its text comes from."""
    texts = strings_of(answer.model_dump(mode="json", by_alias=True, exclude={"meta"}))
    rows = [SecurityWarningRow.model_validate(one) for one in warning_rows(await lyra.warnings.behind(texts))]
    return answer.model_copy(update={"meta": LyraMeta(security_warnings=rows)})
