"""The read model behind get_status."""

from lyra.model.task import TaskTotals
from lyra.model.trust import TrustLevel
from lyra.storage import domains, pages, status


async def test_totals_count_the_graph_of_one_task(db, make, graph):
    """Five pages of five domains, six fragments one of which is a copy, four claims, eight judgements."""
    await db.write(pages.set_near_duplicates, [(graph.f4.id, graph.f3.id)])

    totals = await db.read(status.totals, make.task_id)

    assert totals == TaskTotals(
        pages=5,
        fragments=6,
        claims=4,
        not_adopted=0,
        supporting_edges=4,
        refuting_edges=3,
        neutral_edges=1,
        top_domains=("nejm.org", "pmda.go.jp", "example.com", "example.jp", "example.org"),
        duplicate_rate=1 / 6,
        domain_diversity=1.0,
        primary_source_ratio=2 / 5,
    )


async def test_an_empty_task_divides_by_nothing(db, make, graph):
    """A task that has just begun has zeros, not errors."""
    totals = await db.read(status.totals, "task_ffffffffffff")

    assert totals == TaskTotals(0, 0, 0, 0, 0, 0, 0, (), 0.0, 0.0, 0.0)


async def test_unverified_domains_are_those_nobody_vouches_for(db, make, graph):
    """By the trust at judging, unless something was decided about the domain since."""
    before = await db.read(status.unverified_domains, make.task_id)
    await db.write(domains.set_trust, "example.jp", TrustLevel.LOW, "corroborated", now=make.now)

    after = await db.read(status.unverified_domains, make.task_id)

    assert before == ("example.com", "example.jp", "example.org")
    assert after == ("example.com", "example.org")
