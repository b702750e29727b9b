"""Which rows a person with a token sees: every table that clients can read is held."""

from lyra.storage.graph_schema import TABLES
from lyra.storage.visibility import ROWS


def test_every_readable_table_has_its_rows_named() -> None:
    """A new table that clients can read cannot show what a person must not see: it has to be named here first."""
    assert sorted(ROWS) == sorted(TABLES)
