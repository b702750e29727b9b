"""Entities and facts: replaced with their page, gone with it, and seen by whom sees it."""

from datetime import UTC, datetime

import pytest

from lyra.extract.fragments import to_fragments
from lyra.model.page import Page
from lyra.model.registry import RegistryRecord
from lyra.names.compare import SameEntity
from lyra.names.identifiers import NamedIdentifier
from lyra.registries.entities import entity_id, entity_rows
from lyra.registries.record import RecordText, domain, organisation, record_document
from lyra.storage import entities, pages
from lyra.storage.database import Database

NOW = datetime(2026, 11, 17, tzinfo=UTC)
NUMBER = NamedIdentifier("corporate_number", "8700110005901")
MISAKINO = organisation("株式会社美咲野製作所", NUMBER)


def record(*websites: str, address: str = "愛知県美咲野市中央2-6-1") -> RegistryRecord:
    said = RecordText("ja")
    said.state(MISAKINO, "address", address)
    for one in websites:
        said.state(MISAKINO, "website", f"https://{one}/", domain(one))
    return said.record("gbizinfo", "https://info.example/1", "株式会社美咲野製作所")


async def store(db: Database, found: RegistryRecord, page_id: str = "p_reg") -> None:
    document = record_document(found)
    page = Page(
        page_id, f"https://info.example/{page_id}", "info.example", document.title, "ja", NOW, text=document.text
    )
    fragments = to_fragments(page_id, document)
    rows = entity_rows(found, page_id, fragments, NOW)
    await db.write(pages.save, page, fragments)
    await db.write(entities.save, page_id, rows.entities, rows.keys, rows.facts)


async def facts(db: Database) -> list[tuple[str, str]]:
    sql = "select predicate, value from entity_facts order by predicate, value"
    return await db.read(lambda c: [(str(a), str(b)) for a, b in c.execute(sql)])


async def names(db: Database) -> list[str]:
    return await db.read(lambda c: [str(name) for (name,) in c.execute("select name from entities order by name")])


async def test_a_record_read_again_replaces_what_it_stated(db: Database) -> None:
    """A website that is gone from the record is gone as a fact, and its domain with it."""
    await store(db, record("old.example", "stays.example"))

    await store(db, record("stays.example"))

    assert await facts(db) == [("address", "愛知県美咲野市中央2-6-1"), ("website", "https://stays.example/")]
    assert await names(db) == ["stays.example", "株式会社美咲野製作所"]


async def test_entities_with_one_number_on_two_pages_are_one(db: Database) -> None:
    """What both pages say is kept apart by page."""
    await store(db, record(), "p_1")
    await store(db, record(address="愛知県美咲野市東町1"), "p_2")

    entity, keys = await db.read(entities.get, entity_id(MISAKINO, "any"))

    assert entity.name == "株式会社美咲野製作所"
    assert [(key.scheme, key.page_id) for key in keys] == [
        ("address", "p_1"),
        ("address", "p_2"),
        ("corporate_number", "p_1"),
        ("corporate_number", "p_2"),
        ("name", "p_1"),
        ("name", "p_2"),
    ]


async def test_alike_are_those_with_a_name_in_common(db: Database) -> None:
    """A legal form is no part of the name; addresses alone bring nobody together."""
    await store(db, record(), "p_1")
    said = RecordText("en")
    said.state(organisation("美咲野製作所(株)"), "address", "愛知県美咲野市中央2-6-1")
    said.state(organisation("湖水製作所"), "address", "愛知県美咲野市中央2-6-1")
    await store(db, said.record("rdap", "https://rdap.example/", "x"), "p_2")

    found = await db.read(entities.sharing_names, entity_id(MISAKINO, "p_1"))

    assert found == (entity_id(organisation("美咲野製作所(株)"), "p_2"),)


async def test_the_last_page_takes_its_entities_along(db: Database) -> None:
    """Hard cleanup of the only task that reached the page leaves no name, fact or estimate of it."""
    await store(db, record("stays.example"), "p_1")
    one, other = entity_id(MISAKINO, "p_1"), entity_id(domain("stays.example"), "p_1")
    await db.write(entities.save_estimate, one, other, SameEntity(0.6, ("a reason",)))

    await db.write(lambda c: c.execute("delete from fragments where page_id = 'p_1'"))

    tables = ("entities", "entity_facts", "entity_keys", "same_entities")
    left = await db.read(lambda c: {name: c.execute(f"select count(*) from {name}").get for name in tables})
    assert left == dict.fromkeys(tables, 0)


@pytest.mark.parametrize("score", [0.5, 0.99])
async def test_an_estimate_is_kept_once_whatever_the_order(db: Database, score: float) -> None:
    """A later estimate of the same two replaces the earlier."""
    await store(db, record("stays.example"), "p_1")
    one, other = entity_id(MISAKINO, "p_1"), entity_id(domain("stays.example"), "p_1")

    await db.write(entities.save_estimate, one, other, SameEntity(0.6, ("first",)))
    await db.write(entities.save_estimate, other, one, SameEntity(score, ("second",)))

    rows = await db.read(lambda c: list(c.execute("select score, reasons from same_entities")))
    assert rows == [(score, '["second"]')]
