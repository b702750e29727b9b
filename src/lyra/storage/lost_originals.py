"""What becomes of texts that repeat one that goes: each gets the next original, or is one itself from now on."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from apsw import Connection

from lyra.storage import derived, pages
from lyra.storage.columns import ids_json, to_json

# Copies that stay, the best heir first: what a page still says before what it once said, then the earliest.
_COPIES = """
select copy.id, copy.near_duplicate_of
from fragments original
join fragments copy on copy.near_duplicate_of = original.id
join pages p on p.id = copy.page_id
where original.page_id in (select value from json_each(:ids))
    and copy.page_id not in (select value from json_each(:ids))
order by copy.superseded_at is not null, p.published_date is null, p.published_date, copy.seq
"""
_CONTAINED = """
select c.fragment_id, c.original_id, original.page_id in (select value from json_each(:ids)) as is_lost
from contained_originals c
join fragments original on original.id = c.original_id
join fragments copy on copy.id = c.fragment_id
join pages p on p.id = original.page_id
where copy.page_id not in (select value from json_each(:ids))
    and c.fragment_id in (
        select x.fragment_id
        from contained_originals x
        join fragments f on f.id = x.original_id
        where f.page_id in (select value from json_each(:ids))
    )
order by p.published_date is null, p.published_date, original.seq
"""


def replace_lost(connection: Connection, page_ids: Collection[str]) -> None:
    """Before these pages go: let what repeats their texts go by others. Claims that this may change are assessed anew.

    Texts that repeated the same one count as one from now on, too.
    """
    ids = {"ids": ids_json(page_ids)}
    copies = [(str(copy), str(original)) for copy, original in connection.execute(_COPIES, ids)]
    contained = connection.execute(_CONTAINED, ids).fetchall()
    repeats = dict(
        connection.execute(
            "select id, near_duplicate_of from fragments where page_id in (select value from json_each(:ids))", ids
        )
    )
    heirs = _heirs(copies, _left(contained), repeats)
    pages.set_near_duplicates(connection, heirs.items())
    lost = {(str(copy), str(original)) for copy, original, is_lost in contained if is_lost}
    pairs = [(copy, heirs[copy]) for copy, original in copies if heirs[copy] and (copy, original) in lost]
    connection.execute(
        """
        insert into contained_originals (fragment_id, original_id)
        select value ->> 0, value ->> 1 from json_each(?) where true
        on conflict do nothing
        """,
        (to_json(pairs),),
    )
    derived.originals_lost(connection, {*heirs, *(copy for copy, _ in lost)})


def _left(contained: Iterable[tuple[object, ...]]) -> dict[str, str]:
    """The first text that stays of those that a text repeats."""
    found: dict[str, str] = {}
    for copy, original, is_lost in contained:
        if not is_lost:
            found.setdefault(str(copy), str(original))
    return found


def _heirs(
    copies: Iterable[tuple[str, str]], contained: dict[str, str], repeats: dict[str, str | None]
) -> dict[str, str | None]:
    """What each copy goes by from now on; `repeats` says what the texts that go have repeated."""
    heirs: dict[str, str | None] = {}
    groups: dict[str, list[str]] = defaultdict(list)
    for copy, original in copies:
        root = _root(original, repeats)
        if root not in repeats and root != copy:
            heirs[copy] = root
        elif copy in contained:
            heirs[copy] = contained[copy]
        else:
            groups[root].append(copy)
    for first, *others in groups.values():
        heirs |= {first: None, **dict.fromkeys(others, first)}
    return heirs


def _root(original: str, repeats: dict[str, str | None]) -> str:
    """The first text that stays which this one repeats, or the last of those that go."""
    seen = {original}
    while (following := repeats.get(original)) is not None and following not in seen:
        original = following
        seen.add(original)
    return original
