"""Trust levels and promotions."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from lyra.errors import SettingsError
from lyra.model.claim import AdoptionStatus, Assessment, Confidence, RefutationStatus, Verdict, VerificationStatus
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel, TrustPromotion
from lyra.trust.levels import TrustEntry, TrustList, trust_promotions


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    return tmp_path / "domains.yaml"


def write(path: Path, text: str, *, second: int = 0) -> None:
    """A file whose modification time differs from write to write, however fast they follow."""
    path.write_text(text, "utf-8")
    os.utime(path, (1_700_000_000 + second, 1_700_000_000 + second))


def override(domain: str, level: str) -> str:
    return f"user_overrides:\n  - domain: {domain}\n    trust_level: {level}\n    reason: Checked by hand.\n"


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("iso.org", TrustLevel.PRIMARY),
        ("mhlw.go.jp", TrustLevel.GOVERNMENT),
        ("www.pref.kyoto.lg.jp", TrustLevel.GOVERNMENT),
        ("fda.gov", TrustLevel.GOVERNMENT),
        ("www.gov.uk", TrustLevel.GOVERNMENT),
        ("health.gov.au", TrustLevel.GOVERNMENT),
        ("who.int", TrustLevel.GOVERNMENT),
        ("mit.edu", TrustLevel.ACADEMIC),
        ("u-tokyo.ac.jp", TrustLevel.ACADEMIC),
        ("ox.ac.uk", TrustLevel.ACADEMIC),
        ("doi.org", TrustLevel.ACADEMIC),
        ("nejm.org", TrustLevel.ACADEMIC),
        ("reuters.com", TrustLevel.TRUSTED),
        ("www3.nhk.or.jp", TrustLevel.TRUSTED),
        ("ja.wikipedia.org", TrustLevel.LOW),
        ("healthdigest-now.com", TrustLevel.UNVERIFIED),
        ("", TrustLevel.UNVERIFIED),
    ],
)
def test_levels_of_the_packaged_list(user_file: Path, domain: str, expected: TrustLevel) -> None:
    """Suffixes decide for governments and universities, names for the rest; the unknown are unverified."""
    assert TrustList(user_file).level_of(domain) is expected


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        pytest.param("pubmed.ncbi.nlm.nih.gov", TrustLevel.ACADEMIC, id="an academic index on a government host"),
        pytest.param("clinicaltrials.gov", TrustLevel.PRIMARY, id="a registry among governments"),
        pytest.param("academia.edu", TrustLevel.LOW, id="a network that only looks like a university"),
        pytest.param("notwho.int", TrustLevel.UNVERIFIED, id="a name that only ends alike"),
        pytest.param("whitehouse.gov.evil.com", TrustLevel.UNVERIFIED, id="a suffix in the middle"),
        pytest.param("ac.io", TrustLevel.UNVERIFIED, id="a private domain named like a suffix"),
        pytest.param("https://www.nejm.org/doi/full/1", TrustLevel.ACADEMIC, id="an address instead of a domain"),
        pytest.param("NEJM.ORG.", TrustLevel.ACADEMIC, id="case and a root dot"),
    ],
)
def test_the_most_specific_entry_wins(user_file: Path, domain: str, expected: TrustLevel) -> None:
    """Whole labels are compared from the longest name to the shortest."""
    assert TrustList(user_file).level_of(domain) is expected


def test_the_reason_names_the_entry(user_file: Path) -> None:
    """A level without a reason could not be contested."""
    assert TrustList(user_file).explain("mhlw.go.jp") == TrustEntry(
        TrustLevel.GOVERNMENT, "Listed as government (go.jp).", "go.jp"
    )


def test_an_override_comes_before_the_list(user_file: Path) -> None:
    """The user has the last word, with the reason given, for the domain and what lies below it."""
    write(user_file, override("nejm.org", "low"))

    assert TrustList(user_file).explain("www.nejm.org") == TrustEntry(
        TrustLevel.LOW, "Checked by hand.", "nejm.org", is_override=True
    )


@pytest.mark.parametrize(
    ("domain", "learned", "expected"),
    [
        pytest.param("healthdigest-now.com", TrustLevel.LOW, TrustLevel.LOW, id="a promotion"),
        pytest.param("healthdigest-now.com", TrustLevel.BLOCKED, TrustLevel.BLOCKED, id="a dangerous pattern"),
        pytest.param("nejm.org", TrustLevel.BLOCKED, TrustLevel.BLOCKED, id="a block of a listed domain"),
        pytest.param("nejm.org", TrustLevel.LOW, TrustLevel.ACADEMIC, id="trusted and above are never demoted"),
        pytest.param("fairpricemeds.org", TrustLevel.UNVERIFIED, TrustLevel.UNVERIFIED, id="nothing learnt"),
    ],
)
def test_what_was_learnt_counts_where_no_list_speaks(
    user_file: Path, domain: str, learned: TrustLevel, expected: TrustLevel
) -> None:
    """Promotion lifts the unlisted to low; only a block comes before the list (SPEC §1 decision 9, §13)."""
    assert TrustList(user_file).level_of(domain, learned) is expected


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        pytest.param('"*.example.com"', "www.example.com", id="wildcard before the name"),
        pytest.param("https://Example.com/path", "example.com", id="address"),
        pytest.param("日本語.jp", "xn--wgv71a119e.jp", id="asked as on the wire"),
        pytest.param("xn--wgv71a119e.jp", "www.日本語.jp", id="written as on the wire"),
    ],
)
def test_an_override_holds_however_the_domain_is_spelt(user_file: Path, written: str, asked: str) -> None:
    """A block that silently matches nothing is worse than none."""
    write(user_file, override(written, "blocked"))

    assert TrustList(user_file).level_of(asked) is TrustLevel.BLOCKED


def test_an_override_restores_a_blocked_domain(user_file: Path) -> None:
    """The way back that `restore_via` promises."""
    write(user_file, override("blocked-but-valid.org", "low"))

    found = TrustList(user_file).level_of("blocked-but-valid.org", TrustLevel.BLOCKED)

    assert found is TrustLevel.LOW


def test_a_changed_file_counts_at_once(user_file: Path) -> None:
    """Hot reload: an edit while a server runs needs no restart, nor does the file's first appearance or removal."""
    levels = []
    trust = TrustList(user_file)

    levels.append(trust.level_of("example.com"))
    write(user_file, override("example.com", "trusted"), second=1)
    levels.append(trust.level_of("example.com"))
    write(user_file, override("example.com", "blocked"), second=2)
    levels.append(trust.level_of("example.com"))
    user_file.unlink()
    levels.append(trust.level_of("example.com"))

    assert levels == [TrustLevel.UNVERIFIED, TrustLevel.TRUSTED, TrustLevel.BLOCKED, TrustLevel.UNVERIFIED]


def test_a_file_broken_later_leaves_the_last_good_one_in_force(user_file: Path) -> None:
    """A slip of the user's pen must not stop a running search; it is named instead."""
    write(user_file, override("example.com", "trusted"))
    trust = TrustList(user_file)
    write(user_file, override("example.com", "splendid"), second=1)

    level = trust.level_of("example.com")

    assert (level, trust.problem) == (
        TrustLevel.TRUSTED,
        f"The domain list {user_file} gives example.com the unknown trust_level 'splendid'.",
    )


def test_a_mended_file_clears_the_problem(user_file: Path) -> None:
    """The warning must not outlive its cause."""
    trust = TrustList(user_file)
    write(user_file, "user_overrides: nonsense", second=1)
    trust.level_of("example.com")
    write(user_file, override("example.com", "low"), second=2)

    level = trust.level_of("example.com")

    assert (level, trust.problem) == (TrustLevel.LOW, None)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("user_overrides: [", id="not YAML"),
        pytest.param("user_overrides: 3", id="no list"),
        pytest.param("user_overrides: [example.com]", id="no mapping"),
        pytest.param("user_overrides: [{trust_level: low}]", id="no domain"),
        pytest.param("user_overrides: [{domain: example.com}]", id="no level"),
        pytest.param("- just\n- a list", id="a list instead of sections"),
        pytest.param("overrides: [{domain: example.com, trust_level: blocked}]", id="the section misnamed"),
        pytest.param(override("example.*", "blocked"), id="a wildcard inside"),
        pytest.param(override("example.com:8080", "blocked"), id="a port"),
    ],
)
def test_a_file_broken_from_the_start_is_an_error(user_file: Path, text: str) -> None:
    """Starting with levels the user did not mean would be worse than not starting."""
    write(user_file, text)

    with pytest.raises(SettingsError) as caught:
        TrustList(user_file)

    assert caught.value.code == "INVALID_PARAMS"


@pytest.mark.parametrize(
    "text", ["", "domains: []\n", "user_overrides:\n"], ids=["empty", "other sections", "no entries"]
)
def test_a_file_without_overrides_is_fine(user_file: Path, text: str) -> None:
    """Other parts of Lyra keep their own sections in the same file."""
    write(user_file, text)

    assert TrustList(user_file).overrides() == {}


def test_bytes_that_are_no_text_are_an_error(user_file: Path) -> None:
    """A file in another encoding is named, not guessed at."""
    user_file.write_bytes(b"\xff\xfe\x00u")

    with pytest.raises(SettingsError):
        TrustList(user_file)


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        pytest.param("jinkotokei.go.jp", 0.05, id="the domain of the host that was named"),
        pytest.param("www.jinkotokei.go.jp", 0.05, id="a host of it"),
        pytest.param("mhlw.go.jp", 0.1, id="below a suffix"),
        pytest.param("example.com", None, id="a domain with a level only"),
        pytest.param("example.net", None, id="a domain on no list"),
    ],
)
def test_the_rate_of_a_domain_is_the_users(user_file: Path, domain: str, expected: float | None) -> None:
    """A domain is asked as a whole; of two rates for its hosts the gentler holds (SPEC §5)."""
    write(
        user_file,
        "user_overrides:\n"
        "  - {domain: www.jinkotokei.go.jp, qps: 0.05}\n"
        "  - {domain: data.jinkotokei.go.jp, qps: 1}\n"
        "  - {domain: go.jp, qps: 0.1}\n"
        "  - {domain: example.com, trust_level: low}\n",
    )

    assert TrustList(user_file).qps_of(domain) == expected


def test_a_rate_alone_leaves_the_level(user_file: Path) -> None:
    """Asking a domain more gently says nothing about its trust."""
    write(user_file, "user_overrides: [{domain: www.nejm.org, qps: 0.05}]")

    trust = TrustList(user_file)

    assert (trust.level_of("nejm.org"), trust.overrides()) == (TrustLevel.ACADEMIC, {})


@pytest.mark.parametrize("qps", ["0", "-1", ".inf", ".nan", "fast", "true", "null"])
def test_a_rate_that_is_none_is_an_error(user_file: Path, qps: str) -> None:
    """A slip must not silence a domain for ever, nor open the floodgates."""
    write(user_file, f"user_overrides: [{{domain: example.com, qps: {qps}}}]")

    with pytest.raises(SettingsError) as caught:
        TrustList(user_file)

    assert caught.value.remedy == "Give requests a second as a number above 0, such as 0.1 for one in ten seconds."


def test_a_changed_rate_counts_at_once(user_file: Path) -> None:
    """Hot reload holds for rates as for levels."""
    trust = TrustList(user_file)
    before = trust.qps_of("example.com")
    write(user_file, "user_overrides: [{domain: example.com, qps: 0.01}]", second=1)

    after = trust.qps_of("example.com")

    assert (before, after) == (None, 0.01)


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 20_000, "cannot be read: maximum recursion depth exceeded"),
        ("user_overrides: 2020-99-99", "cannot be read: month must be in 1..12"),
        (f"user_overrides: {'9' * 5_000}", "cannot be read: Exceeds the limit"),
        ("user_overrides: []\nuser_overrides: []", "cannot be read: 'user_overrides' is given twice"),
        ("user_overrides: [{domain: 'http://['}]", "has an override without a domain: {'domain': 'http://['}"),
        ("user_overrides: [{domain: a.b, trust_level: {}}]", "gives a.b the unknown trust_level {}"),
        (f"user_overrides: [{{domain: a.b, qps: 1{'0' * 400}}}]", "gives a.b the qps 1000000"),
    ],
    ids=["nesting", "no-day", "number", "twice", "no-address", "no-level", "endless-rate"],
)
def test_a_file_that_no_list_can_be_read_from_is_an_error(user_file: Path, text: str, problem: str) -> None:
    """The user is told what is wrong, whatever the file holds."""
    write(user_file, text)

    with pytest.raises(SettingsError) as caught:
        TrustList(user_file)

    assert caught.value.message.startswith(f"The domain list {user_file} {problem}")


def test_what_aliases_blow_up_is_shown_in_part(user_file: Path) -> None:
    """Ten lines of aliases stand for a billion words."""
    names = "abcdefghij"
    lines = [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in pairwise(names)]
    write(user_file, "\n".join(["a: &a [x]", *lines, "user_overrides: *j"]))

    with pytest.raises(SettingsError) as caught:
        TrustList(user_file)

    assert len(caught.value.message) < 300


UNVERIFIED, LOW, TRUSTED = TrustLevel.UNVERIFIED, TrustLevel.LOW, TrustLevel.TRUSTED


def assessment(refutation: RefutationStatus = RefutationStatus.NOT_SEARCHED) -> Assessment:
    return Assessment(
        claim_id="c_1",
        evidence=Confidence(2.8, 1.0, 2.8 / 3.8, 0.2, 0.0, 2, 0, 0),
        independent_sources=2,
        text_confidence=2.8 / 3.8,
        report_confidence=2.8 / 3.8,
        verdict=Verdict.SUPPORTED,
        verification_status=VerificationStatus.VERIFIED,
        verification_reason="Supported by 2 independent sources.",
        adoption_status=AdoptionStatus.ADOPTED,
        refutation_status=refutation,
        trust_level="academic",
        has_primary_source=True,
    )


def told(
    domain: str,
    level: TrustLevel = UNVERIFIED,
    relation: Relation = Relation.SUPPORTS,
    source: str = "",
    no_vote: str = "",
) -> tuple[EvidenceRow, str]:
    """What a domain says, and the name of its independent source: its own, or that of the group it belongs to."""
    row = EvidenceRow("c_1", f"f_{domain}", f"p_{domain}", domain, relation, 0.9, level, no_vote=no_vote)
    return row, source or f"domain:{domain}"


def test_two_sources_of_which_one_stands_above_low_lift_the_other() -> None:
    """UNVERIFIED → LOW with the sources behind it; nobody else moves."""
    rows = [
        told("type2notebook.com"),
        told("jmetd.org", TrustLevel.ACADEMIC, source="work:doi:10.5555/a"),
        told("askmeds-forum.net", relation=Relation.REFUTES),
        told("ledgerlane.com", relation=Relation.NEUTRAL),
    ]

    found = trust_promotions(assessment(), rows)

    assert found == [
        TrustPromotion(
            "type2notebook.com",
            "c_1",
            ("domain:type2notebook.com", "work:doi:10.5555/a"),
            "A claim it supports has 2 independent sources, 1 above low: doi:10.5555/a, type2notebook.com.",
        )
    ]


@pytest.mark.parametrize(
    ("rows", "lifted"),
    [
        ([told("a.com"), told("b.com")], []),
        ([told("a.com"), told("wikipedia.org", LOW)], []),
        ([told("a.com"), told("b.com"), told("c.com")], ["a.com", "b.com", "c.com"]),
        ([told("a.com"), told("news.com", TRUSTED)], ["a.com"]),
        ([told("a.com"), told("b.com", source="domain:a.com"), told("c.com", source="domain:a.com")], []),
        ([told("a.com"), told("news.com", TRUSTED, source="domain:a.com")], []),
        ([told("a.com"), told("b.com"), told("c.com", no_vote="retracted")], []),
        ([told("a.com"), told("news.com", TRUSTED, no_vote="notice")], []),
        ([told("a.com", LOW), told("b.com"), told("c.com")], ["a.com", "b.com", "c.com"]),
        ([told("a.com", no_vote="superseded"), told("b.com"), told("news.com", TRUSTED)], ["b.com"]),
        ([], []),
    ],
    ids=[
        "two unverified",
        "unverified and low",
        "three unverified",
        "unverified and trusted",
        "three copies",
        "a copy of a trusted one",
        "a third without a vote",
        "one above low without a vote",
        "lifted before",
        "who has no vote is not lifted",
        "nothing",
    ],
)
def test_how_many_sources_it_takes(rows: list[tuple[EvidenceRow, str]], lifted: list[str]) -> None:
    """Two with one above low, otherwise three; copies are one, and what has no vote does not count."""
    assert [one.domain for one in trust_promotions(assessment(), rows)] == lifted


def test_a_counting_refutation_lifts_nobody() -> None:
    """However many support the claim."""
    rows = [told(f"{name}.com") for name in "abcd"]

    assert trust_promotions(assessment(RefutationStatus.FOUND), rows) == []


def test_many_sources_are_named_in_part() -> None:
    """Those above low first; the reason stays a sentence, the sources are all kept."""
    rows = [*(told(f"{name}.com") for name in "abcdef"), told("news.com", TRUSTED)]

    found = trust_promotions(assessment(), rows)

    assert found[0].reason == (
        "A claim it supports has 7 independent sources, 1 above low: news.com, a.com, b.com, c.com, d.com and 2 more."
    )
    assert len(found[0].sources) == 7
