"""The analysis views: `views/*.sql.j2` rendered into real SQL views, made again when their text changes.

A template opens with a comment that says what the view is for; one whose name begins with `_` is a part of others.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from apsw import Connection

from lyra.model.claim import CONTESTED_ABOVE
from lyra.model.report import RECENT_YEARS
from lyra.storage.connection import in_transaction

# What SPEC §13 fixes, so that every view means the same by it.
PARAMETERS: Mapping[str, float] = MappingProxyType(
    {
        "controversial_above": CONTESTED_ABOVE,
        "recent_years": RECENT_YEARS,
        "recency_half_life_years": 5,
        "sparse_evidence_below": 2,
    }
)
_SUFFIX = ".sql.j2"
_PURPOSE = "-- "


@cache
def _sources() -> Mapping[str, str]:
    """Every template's text by file name."""
    folder = resources.files("lyra.storage").joinpath("views")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(_SUFFIX)), key=lambda file: file.name)
    return MappingProxyType({file.name: file.read_text("utf-8") for file in files})


@cache
def names() -> Mapping[str, str]:
    """The template's file by the name of its view."""
    files = (name for name in _sources() if not name.startswith("_"))
    return MappingProxyType({f"v_{file.removesuffix(_SUFFIX)}": file for file in files})


@cache
def rendered(whole: str = "") -> Mapping[str, str]:
    """The SQL of every view by its name; `whole` stands before tables in which addresses are looked up as they are."""
    import jinja2  # lazy: only a new or updated file, or a question about the schema, needs it

    environment = jinja2.Environment(
        loader=jinja2.DictLoader(_sources()),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # SQL, not HTML
    )
    return MappingProxyType(
        {name: environment.get_template(file).render(PARAMETERS, whole=whole) for name, file in names().items()}
    )


def purposes() -> dict[str, str]:
    """What each view is for: the comment its SQL opens with."""
    return {name: sql.splitlines()[0].removeprefix(_PURPOSE).strip() for name, sql in rendered().items()}


def install(connection: Connection) -> None:
    """Make the views in one transaction, unless the file already holds these very ones."""
    digest = _digest()
    if _installed(connection) == digest:
        return
    in_transaction(connection, "begin immediate", lambda inside: _replace_all(inside, digest))


def _installed(connection: Connection) -> str | None:
    kept = connection.execute("select value from meta where key = 'views'").get
    return None if kept is None else str(kept)


def _digest() -> str:
    told = repr((sorted(_sources().items()), sorted(PARAMETERS.items())))
    return hashlib.sha256(told.encode()).hexdigest()


def _replace_all(connection: Connection, digest: str) -> None:
    if _installed(connection) == digest:  # another process may have come first
        return
    for (name,) in connection.execute(
        "select name from sqlite_schema where type = 'view' and name glob 'v_*'"
    ).fetchall():
        connection.execute(f'drop view "{name}"')
    for name, sql in rendered().items():
        connection.execute(f"create view {name} as\n{sql}")
    connection.execute(
        "insert into meta (key, value) values ('views', ?) on conflict (key) do update set value = excluded.value",
        (digest,),
    )
