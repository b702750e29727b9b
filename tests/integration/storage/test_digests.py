"""The digests that keep views and status quick always say what the edges say."""

import random

import pytest

from lyra.evidence.assess import beta_update, verdict_of
from lyra.model.claim import Verdict
from lyra.model.edge import Relation
from lyra.storage import claims, edges, pages

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
        where e.relation in ('supports', 'refutes') and e.year is not null
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
        from edges where relation in ('supports', 'refutes') and year is not null group by 1, 2 order by 1, 2""",
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
}


def both(connection):
    return [
        (connection.execute(digest).fetchall(), connection.execute(counted).fetchall())
        for digest, counted in DIGESTS.items()
    ]


def _copy(chance, spoken):
    """One of the first five as the original, or none, and one of the others."""
    return chance.choice([None, *(one.id for one in spoken[:5])]), chance.choice(spoken[5:]).id


@pytest.mark.parametrize("seed", range(5))
async def test_digests_follow_random_changes(db, make, graph, seed):
    """After a hundred insertions, corrections, new dates, copies found and deletions nothing has drifted."""
    chance = random.Random(seed)
    found = [make.page(f"https://site{at}.example/{seed}", date=f"{1989 + 4 * at}-05-01") for at in range(6)]
    spoken = [make.fragment(page, f"Finding {at} of {page.url}.", at) for page in found for at in range(3)]
    stated = [make.claim(f"Claim {at} of seed {seed} is a statement.") for at in range(5)]
    for page in found:
        await db.write(pages.save, page, [one for one in spoken if one.page_id == page.id])
    await db.write(claims.insert_many, stated)
    await db.write(claims.add_mentions, [make.mention(one, spoken[at]) for at, one in enumerate(stated)])

    def change(connection):
        for _ in range(100):
            edge = make.stance(
                chance.choice(spoken), chance.choice(stated), chance.choice(list(Relation)[:3]), chance.random()
            )
            edges.insert_many(connection, [edge])
            known = connection.execute("select id from edges where target_type = 'claim' order by id").fetchall()
            picked = chance.choice(known)[0]
            relation = chance.choice(["supports", "refutes", "neutral"])
            statement, values = chance.choice(
                [
                    ("delete from edges where id = ?", (picked,)),
                    ("update edges set relation = ? where id = ?", (relation, picked)),
                    ("update edges set nli_confidence = ? where id = ?", (chance.random(), picked)),
                    ("update pages set year = ? where id = ?", (chance.choice([None, 1999, 2004]), found[0].id)),
                    ("delete from claim_mentions where fragment_id = ?", (chance.choice(spoken).id,)),
                    ("update fragments set near_duplicate_of = ? where id = ?", _copy(chance, spoken)),
                    ("select 1", ()),
                ]
            )
            connection.execute(statement, values)

    await db.write(change)

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


@pytest.mark.parametrize(
    ("supports", "refutes", "weight", "is_contested"),
    [(7, 3, 0.9, False), (3, 7, 0.51, False), (14, 6, 0.6, False), (2, 1, 0.9, True), (1, 0, 0.9, False)],
)
async def test_a_decade_is_contested_where_the_verdict_would_be(
    db, make, graph, supports, refutes, weight, is_contested
):
    """Seven votes of 0.9 against three are a controversy of 0.3, and no more; binary fractions must not count."""
    claim = make.claim("Gliptins are safe for the heart.")
    page = make.page("https://trials.example/", date="2016-03-24")
    sides = [Relation.SUPPORTS] * supports + [Relation.REFUTES] * refutes
    told = [make.fragment(page, f"Finding {at} of the trials.", at) for at, _ in enumerate(sides)]
    await db.write(pages.save, page, told)
    await db.write(claims.insert_many, [claim])

    for fragment, side in zip(told, sides, strict=True):
        await db.write(edges.insert_many, [make.stance(fragment, claim, side, weight)])

    marked = await db.read(
        lambda c: c.execute("select decade, is_contested from claim_decades where claim_id = ?", (claim.id,)).fetchall()
    )
    verdict = verdict_of(beta_update((side, weight) for side in sides))
    assert marked == [(201, is_contested)]
    assert (verdict is Verdict.CONTESTED) is is_contested


async def test_digests_of_a_deleted_task_are_gone(db, make, graph):
    """Nothing of the task is left, and the other task's digests are as they were."""
    await db.write(pages.set_near_duplicates, [(graph.f2.id, graph.f1.id)])
    await db.write(lambda c: c.execute("delete from tasks where id = ?", (make.task_id,)))

    kept, counted = zip(*await db.read(both), strict=True)
    assert kept == counted
