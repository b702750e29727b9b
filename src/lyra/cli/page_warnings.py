"""L5 on the command line: an answer says which of the pages behind its text give orders to an AI."""

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from lyra.answers.answer import Answer
    from lyra.app import Lyra

T = TypeVar("T", bound="Answer")


async def with_warnings(lyra: "Lyra", answer: T) -> T:
    """The answer with the flagged pages that some of its text comes from, and without secrets in its addresses."""
    from lyra.answers.addresses import redactor_for, without_secrets
    from lyra.answers.answer import LyraMeta
    from lyra.answers.security_meta import has_computed_text, strings_of, warning_fields

    fields = answer.model_dump(mode="json", by_alias=True, exclude={"meta"})
    is_computed = has_computed_text(fields, answer.text_columns())
    found = await lyra.warnings.flagged_pages(strings_of(fields), is_computed=is_computed)
    told = answer.model_copy(update={"meta": LyraMeta.model_validate(warning_fields(found))})
    return without_secrets(told, redactor_for(lyra.settings), answer.text_columns())
