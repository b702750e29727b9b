"""How calls are counted for Prometheus."""

from lyra.observe.calls import CallFigures


def test_calls_are_counted_by_tool_and_end_with_their_seconds() -> None:
    """Counters by code, and a histogram whose buckets add up."""
    figures = CallFigures()
    figures.add("search", "ok", 0.2)
    figures.add("search", "ok", 40.0)
    figures.add("search", "TIMEOUT", 0.01)

    lines = figures.prometheus().splitlines()

    assert [line for line in lines if line.startswith("lyra_calls_total")] == [
        'lyra_calls_total{tool="search",code="TIMEOUT"} 1',
        'lyra_calls_total{tool="search",code="ok"} 2',
    ]
    assert [line.split()[-1] for line in lines if line.startswith("lyra_call_seconds")] == [
        "1", "1", "1", "2", "2", "2", "2", "2", "2", "2", "3", "40.210", "3",
    ]  # fmt: skip
