"""What one statement of a client reads, as SQLite's authorizer tells it while the statement is prepared."""

from collections.abc import Collection

# What makes one value of several rows, or takes one from another row.
_COMBINING = frozenset(
    """
    group_concat string_agg json_group_array json_group_object max min
    first_value lag last_value lead nth_value
    """.split()
)


class StatementReads:
    """The columns, functions and selects of a statement; `inside` is the view, or name of WITH, in which one stands."""

    def __init__(self) -> None:
        self._columns: set[tuple[str | None, str, str]] = set()
        self._selects: list[str | None] = []
        self._is_combining = False

    def add_column(self, table: str, column: str, inside: str | None) -> None:
        self._columns.add((inside, table, column))

    def add_select(self, inside: str | None) -> None:
        self._selects.append(inside)

    def add_function(self, name: str) -> None:
        self._is_combining |= name in _COMBINING

    def columns(self) -> frozenset[tuple[str, str]]:
        """The tables and columns that the statement itself names; what a view is made of does not count."""
        views = self._views()
        return frozenset((table, column) for inside, table, column in self._columns if column and inside not in views)

    def has_any(self, columns: Collection[tuple[str, str]]) -> bool:
        """Whether any of these is read, also where a view is made of it."""
        return any((table, column) in columns for _, table, column in self._columns)

    def is_row_by_row(self) -> bool:
        """Whether each row of the result is made of one row of one table; false where it is not sure, as with views."""
        views = self._views()
        selects = sum(inside not in views for inside in self._selects)
        return selects == 1 and len({table for table, _ in self.columns()}) == 1 and not self._is_combining

    def _views(self) -> set[str]:
        """The views that the statement names: a name of WITH is never told as a table."""
        return {table for inside, table, _ in self._columns if inside != table}
