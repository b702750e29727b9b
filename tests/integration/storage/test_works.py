"""Scholarly works: merged by identifiers, linked to pages."""

import json
from dataclasses import replace

import pytest

from lyra.model.page import Identifier
from lyra.model.search import CandidateState
from lyra.model.work import Work
from lyra.storage import candidates, links, pages, searches, tasks, works

DOI = Identifier("doi", "10.1056/nejmoa1307684")
PMID = Identifier("pmid", "23992601")
ARXIV = Identifier("arxiv", "1309.00001")


async def test_the_second_word_completes_the_first(db):
    """What one API knows fills what the other lacks; counts follow the newest, a retraction names who told."""
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
        retracted_by="openalex",
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


NAMED = "named in a page that was read"


@pytest.fixture
async def naming(db, make):
    """A task with two searches: the second has read a page that names three papers."""
    await db.write(tasks.insert, make.task())
    await db.write(searches.insert, make.search("s_first"))
    await db.write(searches.insert, make.search())
    page = make.page("https://news.example/gliptins")
    await db.write(pages.save, page, [])
    await db.write(links.note, page.id, [(f"https://x.example/{one.value}", one) for one in (ARXIV, DOI, PMID)])
    await db.write(candidates.add, [make.candidate(page.url, page_id=page.id, state=CandidateState.FETCHED)])


async def read_abstract(db, make, identifier, **changes):
    """The paper of an identifier, its abstract read by a search."""
    page = make.page(f"https://paper.example/{identifier.value}")
    await db.write(pages.save, page, [])
    work = await db.write(works.save, Work(f"w_{identifier.kind}", "Paper", abstract="要旨", identifiers=(identifier,)))
    await db.write(works.link, page.id, work.id)
    candidate = make.candidate(page.url, page_id=page.id, state=CandidateState.ABSTRACT)
    await db.write(candidates.add, [replace(candidate, **{"rank": 0, **changes})])


async def test_papers_that_the_task_has_read_are_not_named_again(db, make, naming):
    """Whether an earlier search read them or this one, for another cause: no abstract is read twice."""
    await read_abstract(db, make, DOI, search_id="s_first", id="r_1")
    await read_abstract(db, make, PMID, search_id=make.search_id, id="r_2")

    assert await db.read(works.named_in_pages, make.search_id, 20, NAMED) == (ARXIV,)


async def test_a_paper_read_for_lying_near_another_is_still_named(db, make, naming):
    """Nothing was asked of what it cites; once it was met by name, whatever its rank, it is not named again."""
    await read_abstract(db, make, DOI, search_id="s_first", id="r_1", rank=3)
    await read_abstract(db, make, PMID, search_id="s_first", id="r_2", rank=3, reason=NAMED)

    assert await db.read(works.named_in_pages, make.search_id, 20, NAMED) == (ARXIV, DOI)


async def test_papers_read_for_being_named_stay_on_the_list_of_their_search(db, make, naming):
    """A killed search finds the list it had, so that it walks on from the same papers; the next search does not."""
    await read_abstract(db, make, DOI, reason=NAMED)

    assert await db.read(works.named_in_pages, make.search_id, 20, NAMED) == (ARXIV, DOI, PMID)
    assert await db.read(works.named_in_pages, make.search_id, 1, NAMED) == (ARXIV,)


async def test_a_paper_stored_but_not_yet_read_is_not_lost(db, make, naming):
    """The process died between storing the paper and reading it: it is still to be read."""
    await db.write(works.save, Work("w", "Paper", abstract="要旨", identifiers=(DOI,)))

    assert await db.read(works.named_in_pages, make.search_id, 20, NAMED) == (ARXIV, DOI, PMID)


async def test_another_task_reads_the_paper_for_itself(db, make, naming):
    """Claims belong to a task: what another one read says nothing of this one."""
    await db.write(tasks.insert, make.task(make.other_task_id))
    await db.write(searches.insert, make.search("s_other", task_id=make.other_task_id))
    await read_abstract(db, make, DOI, search_id="s_other", id="r_3")

    assert await db.read(works.named_in_pages, make.search_id, 20, NAMED) == (ARXIV, DOI, PMID)


async def test_what_a_page_itself_is_comes_before_what_it_names(db, make, naming):
    """A journal's page is looked up first, however often the other pages name another paper."""
    page = make.page("https://journal.example/1")
    own = Identifier("doi", "10.5555/own")
    await db.write(pages.save, page, [])
    await db.write(works.set_own_identifier, page.id, own)
    await db.write(candidates.add, [make.candidate(page.url, page_id=page.id, state=CandidateState.REUSED)])

    assert await db.read(works.named_in_pages, make.search_id, 2, NAMED) == (own, ARXIV)


async def test_a_paper_is_unclaimed_until_its_work_is_linked(db, make, naming):
    """The page of a paper waits for its work; once linked, what the page says of itself does not undo it."""
    page = make.page("https://journal.example/1")
    await db.write(pages.save, page, [])
    await db.write(works.set_own_identifier, page.id, DOI)
    await db.write(candidates.add, [make.candidate(page.url, page_id=page.id, state=CandidateState.FETCHED)])
    before = await db.read(works.identifiers_without_work, make.task_id)

    await db.write(works.save, Work("doi:a", "Saxagliptin", identifiers=(DOI,)))
    await db.write(works.link, page.id, "doi:a")
    await db.write(works.set_own_identifier, page.id, PMID)

    assert before == ((page.id, DOI),)
    assert await db.read(works.identifiers_without_work, make.task_id) == ()
    assert (await db.read(pages.get, page.id)).work_id == "doi:a"
