"""Links between pages, the citations that follow from them, and what nobody has read yet."""

from dataclasses import replace

import pytest

from lyra.model.page import GroupKind, Identifier, PageGroup
from lyra.model.work import Work
from lyra.storage import candidates, links, page_groups, pages, searches, tasks, works
from tests.graph_queries import run_query

LOOP = ("https://lab.example/iju", "https://magazine.example/column", "https://navi.example/report")
COUNTS = "select url, citing_pages from task_references order by url"
CITES = "select source_id, target_id, citation_source from edges where relation = 'cites' order by 1, 2"
REFERENCES = """
select url, citing_pages, cited_by_url, candidate_state
from v_reference_candidates
where task_id = '{}'
order by citing_pages desc
"""


@pytest.fixture
async def task(db, make):
    await db.write(tasks.insert, make.task())


async def reach(db, make, url, linked, **changes):
    """A page that the task has read, with its links."""
    page = make.page(url, **changes)
    await db.write(pages.save, page, [])
    await db.write(links.note, page.id, [(one, Identifier("url", one)) for one in linked])
    await db.write(candidates.add, [replace(make.candidate(url), page_id=page.id)])
    return page


async def test_links_between_stored_pages_become_citations_once(db, make, task):
    """Whichever page came first: the edge is made when both are there, and never twice."""
    await db.write(searches.insert, make.search())
    first = await reach(db, make, LOOP[0], [LOOP[1], "https://nobody.example/"])
    before = await db.write(links.cite, make.task_id, make.search_id, make.now)
    second = await reach(db, make, LOOP[1], [LOOP[0], LOOP[1]])

    made = [await db.write(links.cite, make.task_id, make.search_id, make.now) for _ in range(2)]

    found = await db.read(lambda c: c.execute(CITES).fetchall())
    assert (before, made) == (0, [2, 0])
    assert found == sorted([(first.id, second.id, "link"), (second.id, first.id, "link")])


async def test_a_link_to_a_paper_cites_the_page_that_presents_it(db, make, task):
    """A page may link to the DOI; the abstract was read at another address."""
    await db.write(searches.insert, make.search())
    paper = Identifier("doi", "10.5555/csg.2021.0203")
    await db.write(works.save, Work("doi:10.5555/csg.2021.0203", "Free lunches", identifiers=(paper,)))
    abstract = await reach(db, make, "https://api.example/abstract", [])
    await db.write(works.link, abstract.id, "doi:10.5555/csg.2021.0203")
    citing = await reach(db, make, LOOP[0], [])
    await db.write(links.note, citing.id, [("https://doi.org/10.5555/csg.2021.0203", paper)])

    await db.write(links.cite, make.task_id, make.search_id, make.now)

    assert await db.read(lambda c: c.execute(CITES).fetchall()) == [(citing.id, abstract.id, "link")]


async def test_a_redirected_address_is_the_page_it_led_to(db, make, task):
    """Links name the address that readers see."""
    await db.write(searches.insert, make.search())
    target = await reach(db, make, "https://a.example/short", [], final_url="https://a.example/long-title")
    citing = await reach(db, make, LOOP[0], ["https://a.example/long-title"])

    await db.write(links.cite, make.task_id, make.search_id, make.now)

    assert await db.read(lambda c: c.execute(CITES).fetchall()) == [(citing.id, target.id, "link")]


async def test_references_that_nobody_has_read_are_listed_by_how_many_cite_them(db, make, task):
    """With a page that cites them and what a search made of them; what was read is not among them."""
    await db.write(searches.insert, make.search())
    wanted, found = "https://stat.example/report.pdf", "https://found.example/"
    await reach(db, make, LOOP[0], [wanted, found, LOOP[1]])
    await reach(db, make, LOOP[1], [wanted])
    await db.write(candidates.add, [make.candidate(found)])

    answer = await run_query(db.path, REFERENCES.format(make.task_id))

    assert [tuple(row.values()) for row in answer.rows] == [(wanted, 2, LOOP[0], None), (found, 1, LOOP[0], "pending")]


async def test_a_page_that_changed_takes_its_references_along(db, make, task):
    """The count follows the links that pages have now."""
    await db.write(searches.insert, make.search())
    page = await reach(db, make, LOOP[0], ["https://x.example/1", "https://x.example/2"])
    other = await reach(db, make, LOOP[1], ["https://x.example/1", "https://x.example/3"])

    await db.write(links.note, page.id, [("https://x.example/3", Identifier("url", "https://x.example/3"))])
    shared = await db.read(lambda c: c.execute(COUNTS).fetchall())
    await db.write(links.note, other.id, [])

    assert shared == [("https://x.example/1", 1), ("https://x.example/3", 2)]
    assert await db.read(lambda c: c.execute(COUNTS).fetchall()) == [("https://x.example/3", 1)]


async def test_groups_of_pages_are_shown_with_their_reason(db, make, task):
    """A client sees which pages count as one source, and why; a new look replaces the old."""
    await db.write(searches.insert, make.search())
    found = [await reach(db, make, url, []) for url in LOOP]
    loop = PageGroup(GroupKind.LOOP, frozenset(page.id for page in found))
    await db.write(page_groups.replace_all, make.task_id, [PageGroup(GroupKind.NARRATIVE, loop.pages)])

    await db.write(page_groups.replace_all, make.task_id, [loop])

    sql = f"select kind, page_count, domain_count from v_source_groups where task_id = '{make.task_id}'"
    assert [tuple(row.values()) for row in (await run_query(db.path, sql)).rows] == [("loop", 3, 1)]
    assert await db.read(page_groups.of_task, make.task_id) == (loop,)


async def test_references_are_read_in_order_of_their_address(db, make, task):
    """Who links to each is looked up for the rows shown alone, not for all that have to be sorted first."""
    asked = "select * from v_reference_candidates where task_id = ? order by url desc limit 50"

    plan = await db.read(lambda connection: connection.execute(f"explain query plan {asked}", ("task_1",)).fetchall())

    assert "SEARCH r USING INDEX task_references_by_url (task_id=?)" in [row[3] for row in plan]
    assert "USE TEMP B-TREE FOR ORDER BY" not in [row[3] for row in plan]
