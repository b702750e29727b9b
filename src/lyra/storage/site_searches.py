"""What is remembered of sites that are searched through their own form."""

from apsw import Connection

from lyra.model.domain import SearchForm, SiteRecord
from lyra.storage.rows import Table, nested, read, read_one

_SITES = Table("site_searches", SiteRecord, nested("form", SearchForm))
_SELECT = f"select {_SITES.columns()} from site_searches "


def get(connection: Connection, domain: str) -> SiteRecord | None:
    return read_one(connection, SiteRecord, _SELECT + "where domain = ?", (domain,))


def all(connection: Connection) -> tuple[SiteRecord, ...]:
    """Every site that was ever asked, by name."""
    return read(connection, SiteRecord, _SELECT + "order by domain")


def save(connection: Connection, record: SiteRecord) -> None:
    form = {} if record.form else {"method": "GET", "hidden": "[]", "needs_browser": False}
    _SITES.save(connection, record, "domain", (), **form)
