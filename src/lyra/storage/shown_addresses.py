"""Addresses as clients' SQL reads them: without secrets already before a statement computes with them.

What a statement makes of an address (`hex(url)`, `substr(url, 30)`, a comparison letter by letter) is thus made of one
that has no secret. The columns here are those that hold addresses, of tables and of analyses.
"""

import json
import re
import secrets
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import apsw

from lyra.redact.redactor import Redactor

ADDRESSES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "queries": frozenset({"query", "reason"}),
        "derived_queries": frozenset({"text", "parent"}),
        "serp_items": frozenset({"url", "referer", "reason", "derived_query"}),
        "works": frozenset({"url"}),
        "pages": frozenset({"url", "final_url"}),
        "mementos": frozenset({"url"}),
        "resource_index": frozenset({"value"}),
        "page_links": frozenset({"value", "url"}),
        "task_references": frozenset({"value", "url"}),
        "page_files": frozenset({"url"}),
        "recheck_runs": frozenset({"reason", "report"}),
    }
)
# The same in the analyses, which look them up whole: what they show is changed.
VIEWED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "v_claim_origins": frozenset({"url"}),
        "v_contradictions": frozenset({"supporting_url", "refuting_url"}),
        "v_entity_facts": frozenset({"url"}),
        "v_hub_pages": frozenset({"url"}),
        "v_orphan_sources": frozenset({"url"}),
        "v_rechecks": frozenset({"reason"}),
        "v_reference_candidates": frozenset({"value", "url", "cited_by_url"}),
        "v_rejected_claims": frozenset({"against"}),
        "v_retracted_evidence": frozenset({"url"}),
        "v_review_queue": frozenset({"url"}),
        "v_source_groups": frozenset({"pages"}),
    }
)
# The tables in which an analysis looks addresses up by their whole text, and that analysis.
LOOKED_UP = ("pages", "serp_items", "task_references", "page_links", "resource_index")
LOOKING_UP = frozenset({"v_reference_candidates"})
COLUMNS = frozenset((table, column) for table, columns in ADDRESSES.items() for column in columns)
_ONE_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_MOST_KEPT = 20_000


class ShownAddresses:
    """The SQL function on one connection that takes secrets out of addresses, under a name that no client knows."""

    def __init__(self, connection: apsw.Connection, redactor: Redactor) -> None:
        self.name = f"address_{secrets.token_hex(16)}"
        self.has_changed = False
        self._connection = connection
        self._shown = lru_cache(_MOST_KEPT)(lambda text: _without_secrets(text, redactor))
        connection.create_scalar_function(self.name, self._call, 1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)

    def columns(self, schema: str, table: str, changed: frozenset[str]) -> str:
        """What to select of `table`, which is called `t`, with these columns changed."""
        names = self._connection.execute("select name from pragma_table_info(?, ?)", (table, schema))
        return ", ".join(f"{self.name}(t.{one}) as {one}" if one in changed else f"t.{one}" for (one,) in names)

    def put_before(self, schema: str) -> None:
        """Put views before the tables and analyses of the database attached as `schema`."""
        for table, changed in {**ADDRESSES, **VIEWED}.items():
            shown = self.columns(schema, table, changed)
            self._connection.execute(f"create temp view {table} as select {shown} from {schema}.{table} t")

    def _call(self, *values: Any) -> Any:
        (value,) = values
        if not isinstance(value, str):
            return value
        shown = self._shown(value)
        self.has_changed |= shown != value
        return shown


def _without_secrets(text: str, redactor: Redactor) -> str:
    if text[:1] in ("[", "{"):
        try:
            data = json.loads(text)
        except ValueError:
            return redactor.addresses(text)
        clean = _deep(data, redactor)
        return text if clean == data else json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
    return redactor.url(text) if _ONE_ADDRESS.fullmatch(text) else redactor.addresses(text)


def _deep(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return _without_secrets(value, redactor) if "://" in value else value
    if isinstance(value, dict):
        return {name: _deep(one, redactor) for name, one in value.items()}
    return [_deep(one, redactor) for one in value] if isinstance(value, list) else value
