"""What is remembered of sites that are searched through their own form."""

import json
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.domain import SearchForm, SiteRecord
from lyra.storage.columns import moment, to_json

_SELECT = """
select domain, updated_at, action, parameter, method, hidden, needs_browser, successes, failures, failures_in_row,
    skipped_on, last_reason
from site_searches
"""


def get(connection: Connection, domain: str) -> SiteRecord | None:
    row = connection.execute(_SELECT + "where domain = ?", (domain,)).fetchone()
    return None if row is None else _record(row)


def all(connection: Connection) -> tuple[SiteRecord, ...]:
    """Every site that was ever asked, by name."""
    return tuple(_record(row) for row in connection.execute(_SELECT + "order by domain"))


def save(connection: Connection, record: SiteRecord) -> None:
    form = record.form
    connection.execute(
        """
        insert into site_searches (domain, updated_at, action, parameter, method, hidden, needs_browser, successes,
            failures, failures_in_row, skipped_on, last_reason)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (domain) do update
        set updated_at = excluded.updated_at, action = excluded.action, parameter = excluded.parameter,
            method = excluded.method, hidden = excluded.hidden, needs_browser = excluded.needs_browser,
            successes = excluded.successes, failures = excluded.failures, failures_in_row = excluded.failures_in_row,
            skipped_on = excluded.skipped_on, last_reason = excluded.last_reason
        """,
        (
            record.domain,
            stamp(record.updated_at),
            form.action if form else None,
            form.parameter if form else None,
            form.method if form else "GET",
            to_json(form.hidden if form else ()),
            form.needs_browser if form else False,
            record.successes,
            record.failures,
            record.failures_in_row,
            record.skipped_on,
            record.last_reason,
        ),
    )


def _record(row: tuple[Any, ...]) -> SiteRecord:
    hidden = tuple((str(name), str(value)) for name, value in json.loads(row[5]))
    form = SearchForm(row[2], row[3], row[4], hidden, bool(row[6])) if row[2] and row[3] else None
    return SiteRecord(row[0], moment(row[1]), form, *row[7:])
