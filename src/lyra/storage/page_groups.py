"""Pages of a task that count as one source, with the reason."""

from collections.abc import Iterable

from apsw import Connection

from lyra.model.page import GroupKind, PageGroup


def replace_all(connection: Connection, task_id: str, groups: Iterable[PageGroup]) -> None:
    """Write the groups of a task anew; a group is named by the first of its pages."""
    connection.execute("delete from page_groups where task_id = ?", (task_id,))
    connection.executemany(
        "insert into page_groups (task_id, kind, group_id, page_id) values (?, ?, ?, ?)",
        [(task_id, one.kind, min(one.pages), page_id) for one in groups for page_id in sorted(one.pages)],
    )


def of_task(connection: Connection, task_id: str) -> tuple[PageGroup, ...]:
    """The groups as they were when the task's last search ended, by kind and name."""
    rows = connection.execute(
        "select kind, group_id, page_id from page_groups where task_id = ? order by kind, group_id, page_id", (task_id,)
    )
    found: dict[tuple[str, str], list[str]] = {}
    for kind, group_id, page_id in rows:
        found.setdefault((str(kind), str(group_id)), []).append(str(page_id))
    return tuple(PageGroup(GroupKind(kind), frozenset(pages)) for (kind, _), pages in found.items())
