"""What importing costs, by the place of a page."""

from lyra_bench.measure.bulk_import import measure_import


async def test_costs_are_told_by_the_place_of_the_page() -> None:
    """Four pages in steps of two: two figures, what the end costs, and how the first and the last compare."""
    figures = await measure_import(4, step=2)

    assert (figures["pages"], sorted(figures["ms_per_page"])) == (4, ["to_page_2", "to_page_4"])
    assert all(cost > 0 for cost in figures["ms_per_page"].values())
    assert figures["growth"] == round(figures["ms_per_page"]["to_page_4"] / figures["ms_per_page"]["to_page_2"], 1)
