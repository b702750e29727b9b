"""The measurements themselves, small: that they measure the product's own paths and tell what they promise."""

import pytest

from lyra_bench.measure.speed import measure_graph
from lyra_bench.measure.vectors import measure_vectors
from lyra_bench.measure.views import measure_views


@pytest.mark.timeout(240)
async def test_bytes_become_a_graph() -> None:
    """Every page is read whole, judged within its budget, and both processes are weighed."""
    found = await measure_graph(2, more={"evidence.pairs_per_page": 5})

    assert found["pages"] == 2
    assert found["fragments"] == 7 * 30
    assert found["edges"] <= 7 * (5 + 30 * 3)
    assert found["peak_mb"]["models"] > 50
    assert sorted(found["models"]["items"]) == ["embed", "read"]


async def test_search_by_meaning_is_timed_off_the_loop() -> None:
    """Fifty searches over the vectors that were stored."""
    found = await measure_vectors(2_000)

    assert (found["vectors"], found["dimension"]) == (2_000, 384)
    assert 0 < found["median_ms"] <= found["worst_ms"]


async def test_every_view_is_asked() -> None:
    """Each view answers within a client's default limits on a small graph, or is named as stopped."""
    found = await measure_views(5_000, page_count=100, fragment_count=1_000, claim_count=500)

    assert found["stopped"] == []
    assert {"v_source_dependence", "v_review_queue", "v_retracted_evidence"} <= set(found["views_ms"])
