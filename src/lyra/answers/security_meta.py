"""L5: what every answer tells about its own text: which fields are foreign, and which come from flagged pages."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lyra.model.injection import AnswerWarning

MAX_WARNINGS = 12
_MAX_CLAIMS = 10
# Fields of typed answers whose words come from pages, engines or other people; the client's own words are not there.
_FOREIGN = frozenset(
    {"claim_text", "quote", "in_context", "title", "text_preview", "source_url", "url", "verification_details"}
)
_FOREIGN_LISTS = {"claims_found": "text", "problems": "", "unverified_domains": "", "evidence": "text"}
# Columns of the graph that hold ids, times and Lyra's own words; every other text in rows is foreign.
_OWN_COLUMNS = frozenset(
    "status verdict relation nli_label kind severity state phase verification_status adoption_status refutation_status "
    "trust_level source_trust_level target_trust_level source_type target_type fragment_type language page_type "
    "model_id no_vote rule reader engine created_at updated_at fetched_at found_at scanned_at published_date year "
    "name sql".split()
)


def foreign_paths(fields: dict[str, Any]) -> list[str]:
    """The paths of an answer's fields that hold foreign text, such as `claims_found[].text`, in their order."""
    return list(dict.fromkeys(_paths(fields, "", "")))


def _paths(value: Any, path: str, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not (path == "" and key in ("_lyra_meta", "meaning", "schema", "details")):
                yield from _paths(inner, f"{path}.{key}" if path else key, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{path}[]", name)
    elif isinstance(value, str) and value and _is_foreign(path, name):
        yield path


def _is_foreign(path: str, name: str) -> bool:
    if path.startswith("rows[]"):
        return name not in _OWN_COLUMNS and not name.endswith(("_id", "_at")) and name != "id"
    top = path.split("[", 1)[0].split(".", 1)[0]
    return name in _FOREIGN or (top in _FOREIGN_LISTS and _FOREIGN_LISTS[top] in ("", name) and "[]" in path)


def strings_of(value: Any) -> list[str]:
    """Every text of an answer but its metadata."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, inner in value.items() if key != "_lyra_meta" for text in strings_of(inner)]
    return [text for inner in value for text in strings_of(inner)] if isinstance(value, list) else []


def warning_rows(found: "Sequence[AnswerWarning]") -> list[dict[str, Any]]:
    """Flagged pages by id and address, with the kind of what was found; never its words."""
    return [
        {
            "page_id": one.warning.page_id,
            "url": one.warning.url,
            "kind": one.warning.kind.value,
            "severity": one.warning.severity.value,
            "is_hidden": one.warning.is_hidden,
            "findings": one.warning.findings,
            **({"claim_ids": list(one.claim_ids[:_MAX_CLAIMS])} if one.claim_ids else {}),
        }
        for one in found[:MAX_WARNINGS]
    ]
