"""Records as texts: facts know their words."""

from datetime import UTC, datetime

from lyra.extract.fragments import to_fragments
from lyra.model.registry import Entity, EntityKind
from lyra.names.identifiers import NamedIdentifier
from lyra.registries.entities import entity_id, entity_rows, profile_of
from lyra.registries.record import RecordText, domain, organisation, record_document

NUMBER = NamedIdentifier("corporate_number", "8700110005901")
MISAKINO = organisation("株式会社美咲野製作所", NUMBER)
NOW = datetime(2026, 11, 17, tzinfo=UTC)


def said(language: str = "ja") -> RecordText:
    record = RecordText(language)
    record.state(MISAKINO, "address", "愛知県美咲野市中央2-6-1")
    record.state(MISAKINO, "business", None)
    record.add_prose("  これは記録の原文の段落で、そのまま残される文章である。 ")
    record.state(MISAKINO, "website", "https://misakino.example/", domain("MISAKINO.example."))
    return record


def test_every_fact_points_at_its_words() -> None:
    """A fact without a value is not said; prose begins a paragraph of its own."""
    record = said().record("gbizinfo", "https://info.example/1", "株式会社美咲野製作所")

    assert record.paragraphs == (
        "株式会社美咲野製作所の所在地は愛知県美咲野市中央2-6-1である。",
        "これは記録の原文の段落で、そのまま残される文章である。",
        "株式会社美咲野製作所の公式サイトはhttps://misakino.example/にある。",
    )
    assert [(fact.predicate, record.text[fact.start : fact.end]) for fact in record.facts] == [
        ("address", record.paragraphs[0]),
        ("website", record.paragraphs[2]),
    ]


def test_passages_are_slices_of_the_document() -> None:
    """What the evidence path reads stands at its offsets, and names the registry as its reader."""
    document = record_document(said().record("gbizinfo", "https://info.example/1", "題"))

    assert [document.text[one.start : one.end] for one in document.passages] == [one.text for one in document.passages]
    assert (document.extractor, document.page_type, document.language) == ("registry:gbizinfo", "registry", "ja")


def test_many_facts_are_several_paragraphs() -> None:
    """A fragment stays readable, and no fact is cut."""
    record = RecordText("en")
    for number in range(30):
        record.state(MISAKINO, "subsidiary", f"Subsidiary number {number} of the company")
    made = record.record("wikidata", "https://w.example/", "x")

    assert max(map(len, made.paragraphs)) <= 600
    assert {made.text[fact.start : fact.end] for fact in made.facts} == {
        f"株式会社美咲野製作所 has the subsidiary Subsidiary number {number} of the company." for number in range(30)
    }


def test_rows_locate_quotes_in_fragments() -> None:
    """Each fact names the fragment that holds its words; numbers make an entity known everywhere."""
    record = said().record("gbizinfo", "https://info.example/1", "題")
    fragments = to_fragments("p_1", record_document(record))

    rows = entity_rows(record, "p_1", fragments, NOW)

    texts = {one.id: one.text_content for one in fragments}
    assert [texts[row.fragment_id][row.char_start : row.char_end] == row.quote for row in rows.facts] == [True, True]
    assert {row.subject_id for row in rows.facts} == {entity_id(MISAKINO, "another page")}
    assert [(key.scheme, key.value) for key in rows.keys if key.entity_id == entity_id(MISAKINO, "p_1")] == [
        ("address", "23美咲野市中央2の6の1"),
        ("corporate_number", "8700110005901"),
        ("name", "美咲野製作所"),
        ("website", "misakino.example"),
    ]


def test_an_entity_without_number_is_known_on_its_page_alone() -> None:
    """The same name on two pages may be two people."""
    person = Entity(EntityKind.PERSON, "早瀬恵子")

    assert entity_id(person, "p_1") != entity_id(person, "p_2")
    assert entity_id(person, "p_1") == entity_id(Entity(EntityKind.PERSON, "早瀬恵子"), "p_1")


def test_a_profile_is_what_pages_say() -> None:
    """Names, numbers, addresses and domains come from the keys."""
    record = said().record("gbizinfo", "https://info.example/1", "題")
    rows = entity_rows(record, "p_1", to_fragments("p_1", record_document(record)), NOW)
    own = next(one for one in rows.entities if one.name == MISAKINO.name)

    profile = profile_of(own, [key for key in rows.keys if key.entity_id == own.id])

    assert (profile.names, profile.identifiers) == (("株式会社美咲野製作所",), (NUMBER,))
    assert (profile.addresses, profile.domains) == (("愛知県美咲野市中央2-6-1",), ("misakino.example",))
