"""Addresses as answers show them: without secrets. The plain ones stay in the database, for they are fetched again.

The words of a page stay as it has them; what is nothing but an address, Lyra's own sentences, and text that a statement
has computed are gone through.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from lyra.answers.security_meta import TextColumns
from lyra.redact.key import redactor_of
from lyra.redact.redactor import Redactor
from lyra.settings import Settings

T = TypeVar("T")
# Fields of typed answers that hold the words of pages, and the client's own.
_WORDS = frozenset({"text", "claim_text", "quote", "in_context", "text_preview", "title", "judged_text"})


def redactor_for(settings: Settings) -> Redactor:
    """What takes secrets out of this installation's answers."""
    return redactor_of(settings.data_dir).with_known_secrets(settings.api_keys)


def without_secrets(answer: T, redactor: Redactor, columns: TextColumns | None = None) -> T:
    """The answer, or its fields, with a keyed hash for each secret in an address."""
    computed = columns.computed if columns else frozenset()

    def clean(text: str, name: str, *, is_in_row: bool) -> str:
        is_of_page = name not in computed if is_in_row else name in _WORDS
        return redactor.address(text) if is_of_page else redactor.addresses(text)

    found: T = _mapped(answer, "", clean, is_in_row=False)
    return found


def _mapped(value: Any, name: str, clean: Callable[..., str], *, is_in_row: bool) -> Any:
    if isinstance(value, str):
        return clean(value, name, is_in_row=is_in_row)
    if isinstance(value, BaseModel):
        old = {key: getattr(value, key) for key in value.model_fields_set}
        new = {key: _mapped(one, key, clean, is_in_row=key == "rows") for key, one in old.items()}
        changed = {key: one for key, one in new.items() if one != old[key]}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, dict):
        return {key: _mapped(one, key, clean, is_in_row=is_in_row or key == "rows") for key, one in value.items()}
    if isinstance(value, list):
        return [_mapped(one, name, clean, is_in_row=is_in_row) for one in value]
    return value
