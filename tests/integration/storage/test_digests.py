"""The digests that keep views and status quick always say what the edges say."""

import random
from dataclasses import replace

import pytest

from lyra.evidence.assess import beta_update, verdict_of
from lyra.model.claim import Verdict
from lyra.model.edge import Relation, Review
from lyra.model.page import Identifier
from lyra.model.search import CandidateState
from lyra.model.work import Work
from lyra.storage import candidates, claims, edges, links, pages, reviews, votes, works

# The stances of distinct texts: of copies the strongest, doubt before agreement, in the year of the first.
DISTINCT = """(
    select task_id, target_id, relation, nli_confidence, first_year as year
    from (
        select e.*, min(e.year) over copies as first_year, row_number() over (
            copies order by e.nli_confidence desc, e.relation = 'supports', e.source_id desc
        ) as place
        from edges e
        join fragments f on f.id = e.source_id
        left join fragments o on o.id = f.near_duplicate_of
        where e.relation in ('supports', 'refutes') and e.year is not null and e.no_vote = ''
        window copies as (partition by e.task_id, e.target_id, coalesce(o.text_hash, f.text_hash))
    )
    where place = 1
)"""
# Each digest and the same counted from the edges themselves.
DIGESTS = {
    "select task_id, year, claims, supports, refutes from task_years where claims > 0 order by 1, 2": f"""
        select task_id, year, count(distinct target_id), sum(relation = 'supports'), sum(relation = 'refutes')
        from {DISTINCT} group by 1, 2 order by 1, 2""",
    "select task_id, year, fragments from task_years where fragments > 0 order by 1, 2": """
        select task_id, year, count(distinct source_id)
        from edges where relation in ('supports', 'refutes') and year is not null and no_vote = ''
        group by 1, 2 order by 1, 2""",
    "select task_id, decade, claims, contested, round(support_weight, 6), round(refute_weight, 6) "
    "from task_decades order by 1, 2": f"""
        select task_id, decade, count(*), sum(min(s, r) > 0.3 * (s + r)), round(sum(s), 6), round(sum(r), 6)
        from (
            select task_id, target_id, year / 10 as decade,
                sum(iif(relation = 'supports', nli_confidence, 0.0)) as s,
                sum(iif(relation = 'refutes', nli_confidence, 0.0)) as r
            from {DISTINCT} group by 1, 2, 3
        ) group by 1, 2 order by 1, 2""",
    "select task_id, claim_id, earliest_year, latest_year, supports, refutes, newest_refutation from claim_spans "
    "order by 1, 2": f"""
        select task_id, target_id, min(year), max(year), sum(relation = 'supports'), sum(relation = 'refutes'),
            max(iif(relation = 'refutes', year, 0))
        from {DISTINCT} group by 1, 2 order by 1, 2""",
    "select task_id, page_id, supports, refutes, neutrals from page_stances order by 1, 2": """
        select task_id, page_id, sum(relation = 'supports'), sum(relation = 'refutes'), sum(relation = 'neutral')
        from edges where task_id is not null group by 1, 2 order by 1, 2""",
    "select task_id, fragment_id from task_fragments order by 1, 2": """
        select task_id, source_id from edges where task_id is not null
        union select c.task_id, m.fragment_id from claim_mentions m join claims c on c.id = m.claim_id
        order by 1, 2""",
    "select task_id, page_id from task_pages order by 1, 2": """
        select task_id, page_id from edges where task_id is not null
        union select c.task_id, f.page_id
        from claim_mentions m join claims c on c.id = m.claim_id join fragments f on f.id = m.fragment_id
        union select q.task_id, s.page_id from serp_items s join queries q on q.id = s.query_id
        where s.page_id is not null order by 1, 2""",
    "select task_id, kind, value, citing_pages from task_references order by 1, 2, 3": """
        select t.task_id, l.kind, l.value, count(*) from task_pages t join page_links l on l.page_id = t.page_id
        group by 1, 2, 3 order by 1, 2, 3""",
}


def both(connection):
    return [
        (connection.execute(digest).fetchall(), connection.execute(counted).fetchall())
        for digest, counted in DIGESTS.items()
    ]


class Changes:
    """What may happen to pages, works, copies, reviews and links, each chosen by chance."""

    def __init__(self, make, chance, seed):
        self.make, self.chance = make, chance
        self.pages = [make.page(f"https://site{at}.example/{seed}", date=f"{1989 + 4 * at}-05-01") for at in range(6)]
        self.fragments = {
            page.id: [make.fragment(page, f"Finding {at} of {page.url}.", at) for at in range(3)] for page in self.pages
        }
        self.spoken = [one for page in self.pages for one in self.fragments[page.id]]
        self.stated = [make.claim(f"Claim {at} of seed {seed} is a statement.") for at in range(5)]
        self.work = Work("doi:10.1/chance", "A trial", year=1991, identifiers=(Identifier("doi", "10.1/chance"),))

    def begin(self, connection):
        for page in self.pages:
            pages.save(connection, page, self.fragments[page.id])
            candidates.add(connection, [self.make.candidate(page.url)])
        works.save(connection, self.work)
        works.link(connection, self.pages[0].id, self.work.id)
        works.link(connection, self.pages[1].id, self.work.id)
        claims.insert_many(connection, self.stated)

    def present(self, connection):
        """Words that were dropped as nobody's evidence are not judged again."""
        known = {str(one) for (one,) in connection.execute("select id from fragments")}
        return [one for one in self.spoken if one.id in known]

    def judge(self, connection):
        relation = self.chance.choice(list(Relation)[:3])
        one, claim = self.chance.choice(self.present(connection)), self.chance.choice(self.stated)
        edges.insert_many(connection, [self.make.stance(one, claim, relation, self.chance.random())])

    def mention(self, connection):
        one, claim = self.chance.choice(self.present(connection)), self.chance.choice(self.stated)
        claims.add_mentions(connection, [self.make.mention(claim, one)])

    def reach(self, connection):
        page = self.chance.choice(self.pages)
        found = self.make.candidate(page.url)
        candidates.set_state(connection, found.id, CandidateState.FETCHED, None, page.id)

    def link(self, connection):
        targets = self.chance.sample([f"https://cited{at}.example/" for at in range(4)], 2)
        named = [(url, Identifier("url", url)) for url in targets]
        links.note(connection, self.chance.choice(self.pages).id, named)

    def review(self, connection):
        known = connection.execute(
            "select id, target_id, relation, nli_confidence from edges where target_type = 'claim' order by id"
        ).fetchall()
        edge, claim, relation, confidence = self.chance.choice(known)
        said = (self.chance.choice(list(Relation)[:3]), "Read.", "person", Relation(relation), confidence)
        task = connection.execute("select task_id from edges where id = ?", (edge,)).get
        reviews.put(connection, Review(f"r_{self.chance.random()}", edge, task, claim, *said, self.make.now))

    def undo(self, connection):
        known = connection.execute("select edge_id from reviews where state = 'in_force' order by seq").fetchall()
        for (edge,) in known[:1]:
            reviews.undo(connection, reviews.in_force(connection, edge), self.make.now)

    def read_again(self, connection):
        """With another date, perhaps without its first words, which then lie in no page."""
        page = self.chance.choice(self.pages)
        left = self.fragments[page.id][self.chance.choice([0, 0, 1]) :]
        text = " ".join(one.text_content for one in left)
        changed = replace(page, date=self.chance.choice(["1999", "2004-03", None]), text=text)
        pages.save(connection, changed, [replace(one, near_duplicate_of=None) for one in left])

    def copy(self, connection):
        """One of the first as the original, or none, and one of the others."""
        present = self.present(connection)
        original = self.chance.choice([None, *(one.id for one in present[:5])])
        pages.set_near_duplicates(connection, [(self.chance.choice(present[5:]).id, original)])

    def retract(self, connection):
        is_retracted = self.chance.choice([True, False])
        works.save(connection, replace(self.work, is_retracted=is_retracted, source_api="openalex"))

    def retell(self, connection):
        told = [one.id for one in self.chance.sample(self.spoken, 4)]
        reasons = {one: self.chance.choice(("retells_retracted", "retells_corrected")) for one in told}
        votes.note_retellings(connection, self.chance.choice(self.stated).id, reasons)


@pytest.mark.parametrize("seed", range(8))
async def test_digests_follow_random_changes(db, make, graph, seed):
    """After two hundred judgements, reviews, new dates and words, copies, links and retractions nothing has drifted."""
    chance = random.Random(seed)
    changes = Changes(make, chance, seed)
    await db.write(changes.begin)
    kinds = [
        changes.judge, changes.judge, changes.judge, changes.mention, changes.reach, changes.link, changes.review,
        changes.undo, changes.read_again, changes.copy, changes.retract, changes.retell,
    ]  # fmt: skip

    for _ in range(200):
        await db.write(chance.choice(kinds))

    kept, counted = zip(*await db.read(both), strict=True)
    assert kept == counted


async def test_reprints_are_no_growing_consensus(db, make, graph):
    """One wire story and its two reprints are one text in the year it was first told, whichever was judged first."""
    claim = make.claim("Gliptins are safe for the heart.")
    wire, *reprints = (make.page(f"https://paper{at}.example/", date=f"{2016 + at}-03-24") for at in range(3))
    words = "Diabetes pills do not lead to heart failure, a study of 1.5 million people has found."
    told = [make.fragment(page, words if page is wire else f"{words} Reprinted.") for page in (wire, *reprints)]
    for page, fragment in zip((wire, *reprints), told, strict=True):
        await db.write(pages.save, page, [fragment])
    await db.write(claims.insert_many, [claim])

    await db.write(edges.insert_many, [make.stance(one, claim, Relation.SUPPORTS, 0.9) for one in reversed(told)])
    await db.write(pages.set_near_duplicates, [(one.id, told[0].id) for one in told[1:]])

    years = await db.read(
        lambda c: c.execute("select year, supports from claim_years where claim_id = ?", (claim.id,)).fetchall()
    )
    assert years == [(2016, 1)]


async def test_a_year_that_a_copy_leaves_holds_it_no_longer(db, make, graph):
    """The claim counts the copy in the year of its original; only its fragment was counted in the year it had."""
    claim = make.claim("Gliptins are safe for the heart.", task_id=make.other_task_id)
    found = [make.page(f"https://paper{at}.example/", date=f"{2016 + at}-03-24") for at in range(2)]
    told = [make.fragment(page, f"Pills do not lead to heart failure, says paper {page.url}.") for page in found]
    await db.write(pages.save, found[0], told[:1])
    await db.write(pages.save, found[1], told[1:])
    await db.write(claims.insert_many, [claim])
    await db.write(edges.insert_many, [make.stance(one, claim, Relation.SUPPORTS, 0.9) for one in told])
    await db.write(pages.set_near_duplicates, [(told[1].id, told[0].id)])

    await db.write(pages.save, replace(found[1], date="2020-01-01"), told[1:])

    years = await db.read(
        lambda c: c.execute(
            "select year, fragments, claims from task_years where task_id = ? and year > 2013", (make.other_task_id,)
        ).fetchall()
    )
    assert years == [(2016, 1, 1), (2020, 1, 0)]


async def test_copies_of_a_text_that_is_dropped_count_on_their_own(db, make, graph):
    """Nobody judged their original, and its page no longer holds it."""
    claim = make.claim("Gliptins are safe for the heart.")
    wire, *papers = (make.page(f"https://paper{at}.example/", date="2016-03-24") for at in range(3))
    original = make.fragment(wire, "Diabetes pills do not lead to heart failure.")
    told = [make.fragment(page, f"Pills do not lead to heart failure, says {page.url}.") for page in papers]
    await db.write(pages.save, wire, [original])
    await db.write(pages.save, papers[0], told[:1])
    await db.write(pages.save, papers[1], told[1:])
    await db.write(claims.insert_many, [claim])
    await db.write(edges.insert_many, [make.stance(one, claim, Relation.SUPPORTS, 0.9) for one in told])
    await db.write(pages.set_near_duplicates, [(one.id, original.id) for one in told])
    asked = "select year, supports from claim_years where claim_id = ?"
    before = await db.read(lambda c: c.execute(asked, (claim.id,)).fetchall())

    await db.write(pages.save, wire, [make.fragment(wire, "This story was withdrawn.")])

    after = await db.read(lambda c: c.execute(asked, (claim.id,)).fetchall())
    assert (before, after) == ([(2016, 1)], [(2016, 2)])


@pytest.mark.parametrize(
    ("supports", "refutes", "weight", "is_contested"),
    [(7, 3, 0.9, False), (3, 7, 0.51, False), (14, 6, 0.6, False), (2, 1, 0.9, True), (1, 0, 0.9, False)],
)
async def test_a_decade_is_contested_where_the_verdict_would_be(
    db, make, graph, supports, refutes, weight, is_contested
):
    """Seven votes of 0.9 against three are a controversy of 0.3, and no more; binary fractions must not count."""
    claim = make.claim("Gliptins are safe for the heart.", task_id=make.other_task_id)
    page = make.page("https://trials.example/", date="2016-03-24")
    sides = [Relation.SUPPORTS] * supports + [Relation.REFUTES] * refutes
    told = [make.fragment(page, f"Finding {at} of the trials.", at) for at, _ in enumerate(sides)]
    await db.write(pages.save, page, told)
    await db.write(claims.insert_many, [claim])

    for fragment, side in zip(told, sides, strict=True):
        await db.write(edges.insert_many, [make.stance(fragment, claim, side, weight)])

    decades = await db.read(
        lambda c: c.execute(
            "select decade, claims, contested from task_decades where task_id = ?", (make.other_task_id,)
        ).fetchall()
    )
    verdict = verdict_of(beta_update((side, weight) for side in sides))
    assert decades == [(201, 2, is_contested)]
    assert (verdict is Verdict.CONTESTED) is is_contested


async def test_digests_of_a_deleted_task_are_gone(db, make, graph):
    """Nothing of the task is left, and the other task's digests are as they were."""
    await db.write(pages.set_near_duplicates, [(graph.f2.id, graph.f1.id)])
    await db.write(lambda c: c.execute("delete from tasks where id = ?", (make.task_id,)))

    kept, counted = zip(*await db.read(both), strict=True)
    assert kept == counted
