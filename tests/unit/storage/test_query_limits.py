"""The limits of a client's statement."""

import apsw
import pytest

from lyra.storage.query_limits import QueryLimits

# Many steps: the limits are looked at after each hundred.
COUNTING = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select max(i) from n"


def run_within(spent_s: float, clock_s: float) -> str:
    """What becomes of a statement with 300 ms that has spent so much, and takes so long by the clock."""
    spent, clock = iter((0.0,)), iter((0.0,))
    limits = QueryLimits(
        timeout_ms=300,
        max_vm_steps=500_000,
        views=frozenset(),
        known=frozenset(),
        spent_s=lambda: next(spent, spent_s),
        clock_s=lambda: next(clock, clock_s),
    )
    connection = apsw.Connection(":memory:")
    limits.apply_to(connection)
    try:
        return str(connection.execute(COUNTING).get)
    except apsw.InterruptError:
        return limits.limit_error().message
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("spent_s", "clock_s", "became"),
    [
        pytest.param(0.29, 2.9, "1000", id="it-had-to-wait-for-others"),
        pytest.param(0.31, 0.31, "The query was stopped at its limit of 300 ms.", id="it-worked-too-long"),
        pytest.param(0.1, 3.1, "The query was stopped at its limit of 300 ms.", id="nobody-waits-for-ever"),
    ],
)
def test_time_is_what_the_statement_has_worked(spent_s: float, clock_s: float, became: str) -> None:
    """On a busy machine a statement that waits its turn is not stopped; by the clock it has ten times as long."""
    assert run_within(spent_s, clock_s) == became
