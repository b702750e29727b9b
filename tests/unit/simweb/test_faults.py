"""Which request meets which fault."""

from pathlib import Path

import pytest

from simweb.faults import KINDS, Fault, Faults, spoil
from simweb.messages import Request, Response

REFERENCE = Path(__file__).parents[3] / "docs/reference/simweb.md"
DOWN = Fault("status", status=503)
WALL = Fault("status", status=403)


def asking(host: str, target: str = "/a") -> Request:
    return Request("GET", "https", host, target)


@pytest.mark.parametrize(
    ("pattern", "request_", "fault"),
    [
        pytest.param("x.org", asking("x.org"), DOWN, id="host"),
        pytest.param("x.org", asking("y.org"), None, id="another host"),
        pytest.param("*.x.org", asking("www.x.org"), DOWN, id="wildcard host"),
        pytest.param("x.org/a*", asking("x.org", "/abc"), DOWN, id="path"),
        pytest.param("x.org/a*", asking("x.org", "/b"), None, id="another path"),
    ],
)
def test_a_pattern_selects_requests(pattern: str, request_: Request, fault: Fault | None) -> None:
    """A pattern is a host or a host and path, with wildcards."""
    faults = Faults()
    faults.set(pattern, DOWN)

    assert faults.strike(request_) == fault


def test_a_fault_set_later_goes_first_and_clearing_leaves_the_worlds_own() -> None:
    """Faults set at run time hide the world's until they are cleared."""
    faults = Faults([("x.org", WALL)])
    faults.set("x.org", DOWN)

    before = faults.strike(asking("x.org"))
    faults.clear()

    assert (before, faults.strike(asking("x.org"))) == (DOWN, WALL)


def test_lifting_all_lifts_the_worlds_own_too() -> None:
    """After lift_all nothing fails."""
    faults = Faults([("x.org", WALL)])

    faults.lift_all()

    assert faults.strike(asking("x.org")) is None


def test_a_fault_with_times_strikes_so_often() -> None:
    """`times=2` means that the third request is served."""
    faults = Faults()
    twice = Fault("reset", times=2)
    faults.set("x.org", twice)

    struck = [faults.strike(asking("x.org")) for _ in range(3)]

    assert struck == [twice, twice, None]


def test_chance_follows_the_seed() -> None:
    """With the same seed the same requests are struck."""
    half = Fault("reset", share=0.5)
    first, second = Faults([("x.org", half)], seed=7), Faults([("x.org", half)], seed=7)

    struck = [first.strike(asking("x.org")) is not None for _ in range(20)]
    again = [second.strike(asking("x.org")) is not None for _ in range(20)]

    assert struck == again
    assert 0 < sum(struck) < 20


@pytest.mark.parametrize(
    ("fault", "spoilt"),
    [
        pytest.param(Fault("slow", delay_s=2.0), Response(delay_s=2.0), id="slow"),
        pytest.param(Fault("truncated", after_bytes=10), Response(cut_after_bytes=10), id="truncated"),
        pytest.param(Fault("reset"), Response(is_reset=True), id="reset"),
        pytest.param(Fault("endless"), Response(is_endless=True), id="endless"),
        pytest.param(Fault("lying_length"), Response(announced_bytes=0), id="lying length"),
        pytest.param(
            Fault("wrong_charset"),
            Response(headers={"content-type": "text/html; charset=shift_jis"}),
            id="wrong charset",
        ),
    ],
)
def test_delivery_is_spoilt(fault: Fault, spoilt: Response) -> None:
    """These change only how the answer is delivered or labelled."""
    assert spoil(Response(), fault) == spoilt


def test_an_unknown_kind_is_refused() -> None:
    """A misspelt fault would otherwise never strike."""
    with pytest.raises(ValueError, match="there is no kind of fault 'slwo'"):
        Fault("slwo")  # type: ignore[arg-type]


def test_every_kind_is_documented() -> None:
    """The reference has a row for each kind of fault."""
    rows = [line.split("|")[1] for line in REFERENCE.read_text("utf-8").splitlines() if line.startswith("| `")]
    documented = {name.strip(" `") for row in rows for name in row.split(",")}

    assert set(KINDS) - documented == set()


def test_a_rate_limit_punishes_haste() -> None:
    """Asking before the pause is over is refused and starts the pause anew; robots.txt is free."""
    times = iter([0.0, 1.0, 2.5, 4.5])
    faults = Faults(now=lambda: next(times))
    limit = Fault("rate_limit", pause_s=2.0)
    faults.set("x.org", limit)

    robots = faults.strike(asking("x.org", "/robots.txt"))
    struck = [faults.strike(asking("x.org", f"/{n}")) for n in range(4)]

    assert robots is None
    assert struck == [None, limit, limit, None]


def test_a_rate_limit_counts_each_host_for_itself() -> None:
    """Two hosts under one pattern do not share a pause."""
    faults = Faults(now=lambda: 0.0)
    faults.set("*.org", Fault("rate_limit"))

    assert [faults.strike(asking(host)) for host in ("x.org", "y.org")] == [None, None]


def test_certificates_strike_before_there_is_a_request() -> None:
    """A wrong certificate is met in the handshake, and only there."""
    faults = Faults()
    faults.set("x.org", Fault("certificate_expired", times=1))

    met = [faults.strike(asking("x.org")), faults.strike_handshake("y.org")]
    shaken = [faults.strike_handshake("x.org") for _ in range(2)]

    assert met == [None, None]
    assert shaken == ["certificate_expired", None]


def test_other_faults_leave_the_handshake_alone() -> None:
    """A host that refuses requests still has a good certificate."""
    faults = Faults([("x.org", DOWN)])

    assert faults.strike_handshake("x.org") is None


def struck_kinds(seed: int, order: list[str]) -> dict[str, str | None]:
    faults = Faults(seed=seed)
    faults.scatter(["reset", "slow"], 0.2)
    found = {target: faults.strike(asking("x.org", target)) for target in order}
    return {target: fault.kind if fault else None for target, fault in found.items()}


def test_scattered_faults_follow_the_seed_and_not_the_order() -> None:
    """The same addresses are struck however the requests are interleaved; another seed strikes others."""
    targets = [f"/{n}" for n in range(500)]

    forth, back = struck_kinds(3, targets), struck_kinds(3, targets[::-1])

    assert forth == back
    assert forth != struck_kinds(4, targets)


def test_scattered_faults_strike_about_their_share() -> None:
    """A fifth of the requests are struck, half of them by each kind."""
    kinds = list(struck_kinds(3, [f"/{n}" for n in range(2000)]).values())

    assert [kinds.count(kind) / 2000 for kind in ("reset", "slow")] == [pytest.approx(0.1, abs=0.02)] * 2
