"""L5: what every answer tells about its own text: which fields are foreign, and which come from flagged pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lyra.model.graph_query import GuardedResult
    from lyra.model.injection import AnswerWarnings

_MAX_CLAIMS = 10
# Fields of typed answers whose words come from pages, engines or other people; the client's own words are not there.
_FOREIGN = frozenset(
    {"claim_text", "quote", "in_context", "title", "text_preview", "source_url", "url", "verification_details"}
)
_FOREIGN_LISTS = {"claims_found": "text", "problems": "", "unverified_domains": "", "warnings": "", "evidence": "text"}
# Columns of the graph that hold ids, times and Lyra's own words; every other text in rows is foreign.
_OWN_COLUMNS = frozenset(
    "status verdict relation nli_label kind severity state phase verification_status adoption_status refutation_status "
    "trust_level source_trust_level target_trust_level source_type target_type fragment_type language page_type "
    "model_id no_vote rule reader engine created_at updated_at fetched_at found_at scanned_at published_date year "
    "name sql".split()
)


# Columns by which a row is traced to its page.
_TRACING_COLUMNS = frozenset({"page_id", "fragment_id", "url"})
_TRACING_KEYS = frozenset({("pages", "id"), ("fragments", "id"), ("claims", "id"), ("edges", "id")})
# Shorter text that was computed, all of it together, is a label rather than a sentence of a page.
_LEAST_COMPUTED_BYTES = 24


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Of the columns of rows: which hold no foreign text, and which hold text that does not show from which page."""

    own: frozenset[str]
    computed: frozenset[str]


def text_columns(result: "GuardedResult") -> TextColumns:
    """What the rows of a statement hold, by the columns that it reads and those that it shows as they are stored."""
    reads_text = any(not _is_own(column) for _, column in result.read)
    origins = dict(zip(result.columns, result.origins, strict=True))
    is_traced = result.is_row_by_row and any(map(_traces, result.origins))
    computed = [name for name, origin in origins.items() if origin is None and reads_text]
    own = [name for name, origin in origins.items() if name not in computed and _is_own(origin[1] if origin else name)]
    return TextColumns(frozenset(own), frozenset() if is_traced else frozenset(computed))


def _traces(origin: tuple[str, str] | None) -> bool:
    return origin is not None and (origin in _TRACING_KEYS or origin[1] in _TRACING_COLUMNS)


def has_computed_text(fields: dict[str, Any], columns: TextColumns | None) -> bool:
    """Whether the rows hold text that was computed from text of pages and does not show which."""
    if columns is None or not columns.computed:
        return False
    texts = {
        text for row in fields.get("rows") or () for name in columns.computed for text in strings_of(row.get(name))
    }
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) >= _LEAST_COMPUTED_BYTES


def foreign_paths(fields: dict[str, Any], columns: TextColumns | None = None) -> list[str]:
    """The paths of an answer's fields that hold foreign text, such as `claims_found[].text`, in their order.

    Without `columns` the name of a row's field says whether it does.
    """
    return list(dict.fromkeys(_paths(fields, "", "", columns)))


def _paths(value: Any, path: str, name: str, columns: TextColumns | None) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not (path == "" and key in ("_lyra_meta", "meaning", "schema", "details")):
                yield from _paths(inner, f"{path}.{key}" if path else key, key, columns)
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{path}[]", name, columns)
    elif isinstance(value, str) and value and _is_foreign(path, name, columns):
        yield path


def _is_own(column: str) -> bool:
    return column in _OWN_COLUMNS or column.endswith(("_id", "_at")) or column == "id"


def _is_foreign(path: str, name: str, columns: TextColumns | None) -> bool:
    if path.startswith("rows[]"):
        return not _is_own(name) if columns is None else name not in columns.own
    top = path.split("[", 1)[0].split(".", 1)[0]
    return name in _FOREIGN or (top in _FOREIGN_LISTS and _FOREIGN_LISTS[top] in ("", name) and "[]" in path)


def strings_of(value: Any) -> list[str]:
    """Every text of an answer but its metadata."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, inner in value.items() if key != "_lyra_meta" for text in strings_of(inner)]
    return [text for inner in value for text in strings_of(inner)] if isinstance(value, list) else []


def warning_fields(found: "AnswerWarnings") -> dict[str, Any]:
    """`security_warnings`, and how many pages they would be where not all are listed."""
    listed = _warning_rows(found)
    return {"security_warnings": listed} | ({"flagged_pages": found.total} if found.total > len(listed) else {})


def _warning_rows(found: "AnswerWarnings") -> list[dict[str, Any]]:
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
            **({} if one.is_traced else {"is_traced": False}),
        }
        for one in found.gravest
    ]
