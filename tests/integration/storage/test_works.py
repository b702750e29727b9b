"""Scholarly works: merged by identifiers, linked to pages."""

import json

from lyra.model.page import Identifier
from lyra.model.work import Work
from lyra.storage import pages, works

DOI = Identifier("doi", "10.1056/nejmoa1307684")
PMID = Identifier("pmid", "23992601")
ARXIV = Identifier("arxiv", "1309.00001")


async def test_the_second_word_completes_the_first(db):
    """What one API knows fills what the other lacks; counts follow the newest, a retraction is never forgotten."""
    first = Work("doi:a", "Saxagliptin and outcomes", year=2013, identifiers=(DOI,), citation_count=10, source_api="s2")
    second = Work(
        "doi:a", "SAXAGLIPTIN", abstract="要旨", year=2014, venue="NEJM", identifiers=(PMID,), citation_count=12,
        is_retracted=True, authors=("Scirica BM",), source_api="openalex",
    )  # fmt: skip
    await db.write(works.save, first)

    merged = await db.write(works.save, second)

    assert merged == Work(
        "doi:a", "Saxagliptin and outcomes", abstract="要旨", authors=("Scirica BM",), year=2013, venue="NEJM",
        identifiers=(DOI, PMID), citation_count=12, is_retracted=True, source_api="s2",
    )  # fmt: skip
    assert await db.read(works.get, "doi:a") == merged


async def test_a_shared_identifier_makes_one_work(db):
    """An API that knows only the PMID of a known paper speaks of the same work; its id is the known one's."""
    await db.write(works.save, Work("doi:a", "Saxagliptin", identifiers=(DOI, PMID)))

    merged = await db.write(works.save, Work("pmid:23992601", "Saxagliptin trial", year=2013, identifiers=(PMID,)))

    stored = await db.read(lambda c: c.execute("select id from works").fetchall())
    assert (merged.id, merged.year, stored) == ("doi:a", 2013, [("doi:a",)])


async def test_two_known_works_that_turn_out_to_be_one_are_joined(db, make):
    """Pages and identifiers of the younger row move to the older."""
    await db.write(works.save, Work("doi:a", "Saxagliptin", identifiers=(DOI,)))
    await db.write(works.save, Work("arxiv:b", "Saxagliptin, preprint", abstract="Abstract", identifiers=(ARXIV,)))
    page = make.page("https://arxiv.org/abs/1309.00001")
    await db.write(pages.save, page, [])
    await db.write(works.link, page.id, "arxiv:b")

    merged = await db.write(works.save, Work("pmid:c", "Saxagliptin", identifiers=(PMID, DOI, ARXIV)))

    linked = await db.read(pages.get, page.id)
    by_arxiv = await db.read(works.by_identifier, "arxiv", ARXIV.value)
    assert (merged.id, merged.abstract, merged.identifiers) == ("doi:a", "Abstract", (DOI, ARXIV, PMID))
    assert linked.work_id == "doi:a"
    assert by_arxiv == merged
    assert await db.read(works.get, "arxiv:b") is None


async def test_a_linked_page_carries_the_metadata_of_its_work(db, make):
    """`SELECT … FROM pages WHERE paper_metadata IS NOT NULL` finds papers, as the design documents show."""
    page = make.page("https://doi.org/10.1056/nejmoa1307684")
    await db.write(pages.save, page, [])
    work = await db.write(works.save, Work("doi:a", "Saxagliptin", year=2013, venue="NEJM", identifiers=(DOI,)))

    await db.write(works.link, page.id, work.id)

    year, metadata = await db.read(lambda c: c.execute("select year, paper_metadata from pages").fetchone())
    assert year == 2013
    assert json.loads(metadata) == {
        "title": "Saxagliptin",
        "authors": [],
        "year": 2013,
        "venue": "NEJM",
        "identifiers": [["doi", "10.1056/nejmoa1307684"]],
        "citation_count": None,
        "is_retracted": False,
        "source_api": "",
    }
