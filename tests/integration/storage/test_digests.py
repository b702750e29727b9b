"""The digests that keep views and status quick always say what the edges say."""

import random

import pytest

from lyra.model.edge import Relation
from lyra.storage import claims, edges, pages

# Each digest and the same counted from the edges themselves.
DIGESTS = {
    "select task_id, year, fragments, claims, supports, refutes from task_years order by 1, 2": """
        select task_id, year, count(distinct source_id), count(distinct target_id), sum(relation = 'supports'),
            sum(relation = 'refutes')
        from edges where relation in ('supports', 'refutes') and year is not null group by 1, 2 order by 1, 2""",
    "select task_id, decade, claims, contested, round(support_weight, 6), round(refute_weight, 6) "
    "from task_decades order by 1, 2": """
        select task_id, decade, count(*), sum(min(s, r) > 0.3 * (s + r)), round(sum(s), 6), round(sum(r), 6)
        from (
            select task_id, target_id, year / 10 as decade,
                sum(iif(relation = 'supports', nli_confidence, 0.0)) as s,
                sum(iif(relation = 'refutes', nli_confidence, 0.0)) as r
            from edges where relation in ('supports', 'refutes') and year is not null group by 1, 2, 3
        ) group by 1, 2 order by 1, 2""",
    "select task_id, claim_id, earliest_year, latest_year, supports, refutes, newest_refutation from claim_spans "
    "order by 1, 2": """
        select task_id, target_id, min(year), max(year), sum(relation = 'supports'), sum(relation = 'refutes'),
            max(iif(relation = 'refutes', year, 0))
        from edges where relation in ('supports', 'refutes') and year is not null group by 1, 2 order by 1, 2""",
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


@pytest.mark.parametrize("seed", range(5))
async def test_digests_follow_random_changes(db, make, graph, seed):
    """After a hundred insertions, corrections, new dates and deletions nothing has drifted."""
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
                    ("select 1", ()),
                ]
            )
            connection.execute(statement, values)

    await db.write(change)

    kept, counted = zip(*await db.read(both), strict=True)
    assert kept == counted


async def test_digests_of_a_deleted_task_are_gone(db, make, graph):
    """Nothing of the task is left, and the other task's digests are as they were."""
    await db.write(lambda c: c.execute("delete from tasks where id = ?", (make.task_id,)))

    kept, counted = zip(*await db.read(both), strict=True)
    assert kept == counted
