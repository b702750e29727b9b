"""A Zotero library: its SQLite is opened without any lock, so that it can be read while Zotero runs."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from lyra.errors import InvalidParams
from lyra.model.audit import CitedWork
from lyra.model.page import identifiers_in

DATABASE = "zotero.sqlite"
_STORED = "storage:"
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_NO_WORKS = ("attachment", "note", "annotation")


def read_works(folder: Path) -> tuple[CitedWork, ...]:
    """The entries of a Zotero folder with their attachments. Raises InvalidParams where it cannot be read for now."""
    address = f"file:{quote(str(folder / DATABASE))}?immutable=1"
    try:
        connection = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        connection.execute("pragma trusted_schema = off")
        found = _works(connection, folder)
        connection.close()
    except apsw.Error as exc:
        raise InvalidParams(
            f"The Zotero library cannot be read for now ({exc}).",
            remedy="It is tried again with the next scan; where it fails for long, close Zotero once.",
        ) from exc
    return found


def _works(connection: apsw.Connection, folder: Path) -> tuple[CitedWork, ...]:
    fields = _fields(connection)
    creators = _creators(connection)
    attached = _attachments(connection, folder)
    rows: Any = connection.execute(
        f"""
        select i.itemID, i.key
        from items i
        join itemTypes t on t.itemTypeID = i.itemTypeID
        where t.typeName not in ({", ".join("?" * len(_NO_WORKS))})
            and i.itemID not in (select itemID from deletedItems)
        order by i.itemID
        """,
        _NO_WORKS,
    )
    return tuple(_work(str(key), fields[item], tuple(creators[item]), tuple(attached[item])) for item, key in rows)


def _fields(connection: apsw.Connection) -> defaultdict[int, dict[str, str]]:
    found: defaultdict[int, dict[str, str]] = defaultdict(dict)
    rows = connection.execute(
        """
        select d.itemID, f.fieldName, v.value
        from itemData d
        join fields f on f.fieldID = d.fieldID
        join itemDataValues v on v.valueID = d.valueID
        where f.fieldName in ('title', 'date', 'DOI', 'url', 'extra', 'abstractNote')
        """
    )
    for item, name, value in rows:
        found[item][str(name)] = str(value)
    return found


def _creators(connection: apsw.Connection) -> defaultdict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    rows = connection.execute(
        """
        select i.itemID, coalesce(c.lastName, ''), coalesce(c.firstName, '')
        from itemCreators i
        join creators c on c.creatorID = i.creatorID
        order by i.itemID, i.orderIndex
        """
    )
    for item, last, first in rows:
        found[item].append(f"{last}, {first}".strip(", "))
    return found


def _attachments(connection: apsw.Connection, folder: Path) -> defaultdict[int, list[str]]:
    """Paths of the files of each item: in Zotero's own storage, or linked by a whole path."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    rows = connection.execute(
        """
        select coalesce(a.parentItemID, a.itemID), i.key, a.path
        from itemAttachments a
        join items i on i.itemID = a.itemID
        where a.path is not null and a.itemID not in (select itemID from deletedItems)
        order by a.itemID
        """
    )
    for item, key, path in rows:
        name = str(path)
        if name.startswith(_STORED):
            found[item].append(str(folder / "storage" / str(key) / name.removeprefix(_STORED)))
        elif Path(name).is_absolute():
            found[item].append(name)
    return found


def _work(key: str, fields: dict[str, str], authors: tuple[str, ...], files: tuple[str, ...]) -> CitedWork:
    year = _YEAR.search(fields.get("date", ""))
    places = (fields.get("DOI", ""), fields.get("url", ""), fields.get("extra", ""))
    return CitedWork(
        key=key,
        text="",
        line=0,
        title=fields.get("title", ""),
        authors=authors,
        year=int(year[0]) if year else None,
        identifiers=identifiers_in(*places),
        url=fields.get("url", ""),
        abstract=fields.get("abstractNote", ""),
        files=files,
    )
