"""One vote for one text, one for one independent source: copies must not look like corroboration."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.evidence.independence import (
    UnionFind,
    one_vote_per_source,
    one_vote_per_text,
    source_key,
    sources_of,
    supporting_sources,
)
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel

_count = itertools.count()


def row(
    domain: str = "harborcourier.com",
    relation: Relation = Relation.SUPPORTS,
    score: float | None = 0.9,
    *,
    page: str = "",
    work: str | None = None,
    text: str = "",
    copied: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
    no_vote: str = "",
    cites: tuple[str, ...] = (),
    is_corrected: bool = False,
) -> EvidenceRow:
    name = f"f_{next(_count)}"
    return EvidenceRow(
        claim_id="c_1",
        fragment_id=name,
        page_id=page or f"p_{name}",
        domain=domain,
        relation=relation,
        nli_confidence=score,
        source_trust_level=TrustLevel.LOW,
        work_id=work,
        duplicate_key=text,
        copied_from=copied,
        origins=origins,
        no_vote=no_vote,
        cites=cites,
        is_corrected=is_corrected,
    )


def test_a_work_is_its_own_source_whatever_its_address() -> None:
    """Two papers on PubMed are two sources (SPEC §13); behind one resolver they used to count as one."""
    first = row("nih.gov", work="doi:10.5555/cmt.2013.0417")
    second = row("nih.gov", work="doi:10.5555/cmt.2015.0263")

    assert supporting_sources([first, second]) == {
        "work:doi:10.5555/cmt.2013.0417",
        "work:doi:10.5555/cmt.2015.0263",
    }


def test_one_work_on_two_sites_is_one_source() -> None:
    """The journal's page and PubMed's page of one paper are the same witness."""
    journal = row("jmetd.org", work="doi:10.5555/jmetd.2018.1102")
    pubmed = row("nih.gov", work="doi:10.5555/jmetd.2018.1102")

    assert supporting_sources([journal, pubmed]) == {"work:doi:10.5555/jmetd.2018.1102"}


def test_two_pages_of_one_newspaper_are_one_source() -> None:
    """The publisher is the source, by registrable domain."""
    assert supporting_sources([row("minato-shimbun.jp"), row("minato-shimbun.jp")]) == {"domain:minato-shimbun.jp"}


def test_syndicated_copies_are_one_source() -> None:
    """Four newspapers that print one wire story are one voice."""
    copies = [row(domain, text="f_wire") for domain in ("globewire.com", "harborcourier.com", "meridian.com", "x.com")]

    assert supporting_sources(copies) == {"domain:globewire.com"}


def test_a_farm_that_copies_two_papers_makes_them_not_one() -> None:
    """SPEC §13: two texts contained in a third are not joined by it, and the farm adds nobody."""
    first, second = row("jmetd.org", work="doi:10.1/a", text="t_a"), row("nejm.org", work="doi:10.1/b", text="t_b")
    farm = [
        row("farm.example", page="p_farm", text="t_a", copied=("work:doi:10.1/a",)),
        row("farm.example", page="p_farm", text="t_b", copied=("work:doi:10.1/b",)),
        row("farm.example", page="p_farm", text="t_a", copied=("work:doi:10.1/a", "work:doi:10.1/b")),
    ]

    assert supporting_sources([first, second, *farm]) == {"work:doi:10.1/a", "work:doi:10.1/b"}


def test_a_digest_of_two_texts_repeats_the_one_that_speaks() -> None:
    """A text that holds two others votes with the one of them that says the same."""
    silent = row("jmetd.org", Relation.NEUTRAL, work="doi:10.1/a", text="t_a")
    speaking = row("nejm.org", work="doi:10.1/b", text="t_b")
    digest = row("farm.example", text="t_a", copied=("work:doi:10.1/a", "work:doi:10.1/b"))

    assert supporting_sources([silent, speaking, digest]) == {"work:doi:10.1/b"}


def test_the_own_words_of_a_page_with_copies_stay_its_own() -> None:
    """A newspaper that prints a wire story and an article of its own is a second source by the article."""
    wire = row("globewire.com", text="t_wire")
    printed = row("harborcourier.com", page="p_h", text="t_wire", copied=("domain:globewire.com",))
    article = row("harborcourier.com", page="p_h")

    assert supporting_sources([wire, printed, article]) == {"domain:globewire.com", "domain:harborcourier.com"}
    assert supporting_sources([wire, printed]) == {"domain:globewire.com"}


def test_a_copy_whose_original_is_not_heard_speaks_for_it() -> None:
    """Six farm pages of a text that nobody judged at its source are one source, and it is not theirs."""
    copies = [row(f"farm{at}.example", text="t", copied=("domain:origin.example",)) for at in range(6)]

    assert supporting_sources(copies) == {"domain:origin.example"}


def test_a_denial_that_quotes_what_it_denies_is_no_copy() -> None:
    """A correction repeats the sentences it corrects: it says the opposite, and says it itself."""
    rumour = row("rumour.example", text="t")
    check = row("check.example", Relation.REFUTES, text="t", copied=("domain:rumour.example",))

    assert [one.group for one in sources_of([rumour, check])] == ["domain:rumour.example", "domain:check.example"]


def test_what_two_texts_name_is_one_source() -> None:
    """Two outlets that quote one expert; each one's own words stay separate."""
    quoted = [row("a.example", origins=("person:jane doe",)), row("b.example", origins=("person:jane doe",))]

    assert supporting_sources(quoted) == {"domain:a.example"}
    assert supporting_sources([*quoted, row("b.example")]) == {"domain:a.example", "domain:b.example"}


def test_a_review_of_two_studies_makes_them_not_one() -> None:
    """It names both, and what it says is accounted for by either."""
    studies = [row("a.example", origins=("cited:smith 2013",)), row("b.example", origins=("cited:jones 2015",))]
    review = row("c.example", origins=("cited:smith 2013", "cited:jones 2015"))

    assert len(supporting_sources([*studies, review])) == 2


def test_a_report_that_names_a_work_is_one_with_it() -> None:
    """By its identifier, or by author and year; two papers of one author and year stay two."""
    first = row("jmetd.org", work="doi:10.1/a", origins=("work:pmid:1", "cited:smith 2013"))
    second = row("nejm.org", work="doi:10.1/b", origins=("cited:smith 2013",))
    reports = [
        row("a.example", origins=("work:pmid:1",)),
        row("b.example", origins=("work:doi:10.1/a",)),
        row("c.example", origins=("cited:smith 2013",)),
    ]

    assert supporting_sources([first, second, *reports]) == {"work:doi:10.1/a", "work:doi:10.1/b"}


def test_an_edge_without_a_vote_is_no_source() -> None:
    """Retracted work neither supports nor speaks."""
    rows = [row("a.example", no_vote="retracted"), row("b.example")]

    assert supporting_sources(rows) == {"domain:b.example"}
    assert one_vote_per_text(rows) == [rows[1]]


def test_a_copied_text_that_takes_no_stance_joins_nobody() -> None:
    """A shared disclaimer, neutral to the claim, does not make two newspapers one."""
    rows = [
        row("a.example", Relation.NEUTRAL, text="f_shared"),
        row("b.example", Relation.NEUTRAL, text="f_shared"),
        row("a.example"),
        row("b.example"),
    ]

    assert supporting_sources(rows) == {"domain:a.example", "domain:b.example"}


def test_joined_pages_are_one_source() -> None:
    """Narrative clusters, near-duplicate pages and citation loops arrive as groups of pages."""
    rows = [row("a.example", page="p_a"), row("b.example", page="p_b"), row("c.example", page="p_c")]

    found = supporting_sources(rows, [{"p_a", "p_c", "p_unknown"}])

    assert found == {"domain:a.example", "domain:b.example"}


def test_refuting_sources_do_not_count_as_supporters() -> None:
    """`independent_sources` is the number of sources that back the claim (EV, terms)."""
    rows = [row("a.example"), row("b.example", Relation.REFUTES), row("c.example", Relation.NEUTRAL)]

    assert supporting_sources(rows) == {"domain:a.example"}


def test_each_distinct_text_votes_once_with_its_strongest_edge() -> None:
    """SPEC §1 decision 5: near-duplicate fragments across sites are one vote."""
    weak, strong = row("a.example", score=0.7, text="f_wire"), row("b.example", score=0.95, text="f_wire")
    other = row("c.example", score=0.8)

    assert one_vote_per_text([weak, strong, other]) == [strong, other]


def test_a_stance_is_stronger_than_neutrality() -> None:
    """A copy whose shortened text says nothing must not silence the copy that does."""
    silent, speaking = (
        row("a.example", Relation.NEUTRAL, 0.99, text="f_wire"),
        row("b.example", Relation.SUPPORTS, 0.6, text="f_wire"),
    )

    assert one_vote_per_text([silent, speaking]) == [speaking]


def test_on_equal_strength_the_doubt_is_kept() -> None:
    """A tie is decided the same way in every order, and for caution."""
    supporting = row("a.example", Relation.SUPPORTS, 0.8, text="f_wire")
    refuting = row("b.example", Relation.REFUTES, 0.8, text="f_wire")

    assert one_vote_per_text([supporting, refuting]) == one_vote_per_text([refuting, supporting]) == [refuting]


def test_each_source_votes_once_for_each_relation() -> None:
    """A newspaper that reports both sides votes once for each, with the strongest edge of each."""
    weak, strong = row("a.example", score=0.6), row("a.example", score=0.9)
    against = row("a.example", Relation.REFUTES, 0.8)

    assert one_vote_per_source([weak, strong, against]).strongest == (strong, against)


def test_citations_cast_no_vote() -> None:
    """A CITES row that strays in is no stance."""
    stray = row("a.example", Relation.CITES)

    assert (one_vote_per_text([stray]), one_vote_per_source([stray]).strongest) == ([], ())


@pytest.mark.parametrize(
    ("work", "expected"), [("doi:10.1/x", "work:doi:10.1/x"), (None, "domain:a.example"), ("", "domain:a.example")]
)
def test_source_key(work: str | None, expected: str) -> None:
    """The canonical work first, the publisher otherwise."""
    assert source_key(row("a.example", work=work)) == expected


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=20))
def test_groups_do_not_depend_on_the_order_of_joining(pairs: list[tuple[str, str]]) -> None:
    """Pages arrive in any order; the representative of a group must be the same."""
    forward, backward = UnionFind(), UnionFind()

    for pair in pairs:
        forward.join(pair)
    for pair in reversed(pairs):
        backward.join(pair)

    assert [forward.find(name) for name in "abcdefgh"] == [backward.find(name) for name in "abcdefgh"]


def test_a_stance_without_a_score_counts_half() -> None:
    """SPEC §1 decision 3: of one text the scored edge above 0.5 is the stronger, the one below it the weaker."""
    unscored, above, below = row(score=None, text="t"), row(score=0.51, text="t"), row(score=0.49, text="t")

    assert one_vote_per_text([unscored, above]) == [above]
    assert one_vote_per_text([unscored, below]) == [unscored]


def test_a_page_that_links_to_a_study_alone_is_one_source_with_it() -> None:
    """The university's page on its own study brings no second source, and neither does a newspaper's."""
    study = row("journal.org", work="doi:10.5555/a.1")
    told = [row(domain, cites=("work:doi:10.5555/a.1",)) for domain in ("college.edu", "courier.com")]

    assert supporting_sources([study, *told]) == {"work:doi:10.5555/a.1"}


def test_reprints_of_a_wire_story_about_a_study_are_one_source_with_the_study() -> None:
    """They link to nothing; the story that they copy does."""
    study = row("journal.org", work="doi:10.5555/a.1")
    wire = row("wire.com", text="story", cites=("work:doi:10.5555/a.1",))
    reprint = row("courier.com", text="story", copied=("domain:wire.com",))

    assert supporting_sources([study, wire, reprint]) == {"work:doi:10.5555/a.1"}


@pytest.mark.parametrize(
    ("cites", "cited_side"),
    [
        pytest.param(("work:doi:10.5555/a.1", "domain:other.org"), Relation.SUPPORTS, id="several references"),
        pytest.param(("work:doi:10.5555/a.1",), Relation.REFUTES, id="it says the opposite"),
        pytest.param(("work:doi:10.5555/b.2",), Relation.SUPPORTS, id="of which nothing was read"),
    ],
)
def test_a_link_alone_makes_no_one_dependent(cites: tuple[str, ...], cited_side: Relation) -> None:
    """Who surveys several works, or contradicts the one it links to, speaks for itself."""
    study = row("journal.org", cited_side, work="doi:10.5555/a.1")
    page = row("courier.com", cites=cites)

    assert "domain:courier.com" in supporting_sources([study, page])


def test_who_links_to_an_article_that_was_corrected_has_it_from_there() -> None:
    """The article says the opposite by now; those who repeat its error are one voice, not several."""
    corrected = row("courier.com", Relation.REFUTES, is_corrected=True)
    repeating = [row(domain, cites=("domain:courier.com",)) for domain in ("alliance.org", "forum.net")]

    assert supporting_sources([corrected, *repeating]) == {"domain:courier.com"}


def test_an_author_who_is_quoted_is_one_source_with_the_work() -> None:
    """`origins` of a work are all that it may be called by, its authors' names included."""
    study = row("journal.org", work="doi:10.5555/a.1", origins=("person:faisal ormerod",))
    quoted = row("hospital.org", origins=("person:faisal ormerod", "person:dr ormerod"))

    assert supporting_sources([study, quoted]) == {"work:doi:10.5555/a.1"}


def test_who_credits_an_institution_is_one_source_with_its_own_page() -> None:
    """Told by the domain, or by what the page calls itself; two who credit it are one without its page too."""
    credited = [
        row("a.example", origins=("institution:data guardian",)),
        row("b.example", origins=("institution:data guardian",)),
    ]
    by_domain = row("dataguardian.gov")
    by_name = row("files.example", origins=("own:data guardian",))

    assert supporting_sources(credited) == {"domain:a.example"}
    assert supporting_sources([*credited, by_domain]) == {"domain:dataguardian.gov"}
    assert supporting_sources([*credited, by_name]) == {"domain:files.example"}


def test_an_institution_that_says_the_opposite_is_no_source_of_what_it_is_credited_with() -> None:
    """Two who credit it with what its own page denies are one source beside it."""
    credited = [
        row("a.example", origins=("institution:data guardian",)),
        row("b.example", origins=("institution:data guardian",)),
    ]
    denial = row("dataguardian.gov", Relation.REFUTES)

    found = [one.group for one in sources_of([*credited, denial])]

    assert found == ["domain:a.example", "domain:a.example", "domain:dataguardian.gov"]


def test_a_paper_that_credits_an_institution_has_its_words_from_there() -> None:
    """Its own names are no institution's, so nobody else is taken for the paper."""
    paper = row("journal.org", work="doi:10.1/a", origins=("cited:smith 2013", "institution:data guardian"))
    report = row("dataguardian.gov")

    assert supporting_sources([paper, report]) == {"domain:dataguardian.gov"}
    assert supporting_sources([paper, row("a.example")]) == {"work:doi:10.1/a", "domain:a.example"}


def test_who_credits_an_institution_that_links_to_its_study_has_its_words_from_the_study() -> None:
    """The encyclopaedia names the university, whose page links to the paper alone."""
    study = row("journal.org", work="doi:10.1/a")
    university = row("norleigh.edu", cites=("work:doi:10.1/a",))
    retelling = row("a.example", origins=("institution:norleigh university",))

    assert supporting_sources([study, university, retelling]) == {"work:doi:10.1/a"}
