"""The measures that need a whole graph, on one made by hand from the truth file."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from lyra.errors import InvalidParams
from lyra.evidence.assess import assess
from lyra.model.claim import (
    AdoptionStatus,
    AssessedClaim,
    Assessment,
    Claim,
    Confidence,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.edge import EvidenceRow, Relation
from lyra.urls import registrable_domain
from lyra_bench.measure.evidence import (
    Graph,
    Measured,
    hypothesis_fields,
    independent_as_judged,
    independent_exact,
    leading_figures,
    main_texts,
    shown_contradictions,
    sources_beyond_planted,
    topic_names,
    verdict_shares,
)
from lyra_bench.measure.leading import Leading
from lyra_bench.measure.measures import Share
from lyra_bench.planted import Ground
from simweb.truth import Claim as Planted
from simweb.truth import Evidence, load_truth

NAME = "hf-saxagliptin"
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def ground() -> Ground:
    return Ground(load_truth())


def fragment(number: int, one: Evidence) -> dict[str, Any]:
    return {
        "id": f"f_{number}",
        "page_id": f"p_{one.url}",
        "url": one.url,
        "domain": registrable_domain(one.url),
        "work_id": one.source if one.source.startswith("doi:") else None,
        "text": one.quote,
    }


def graph_of(found: list[tuple[Evidence, Relation]], copies: dict[str, str]) -> Graph:
    """A graph in which each piece of evidence is one fragment, judged against the hypothesis as given."""
    fragments = [fragment(number, one) for number, (one, _) in enumerate(found)]
    originals = {one["id"]: copies.get(one["text"], one["id"]) for one in fragments}
    rows = [
        EvidenceRow(
            "c_h", one["id"], one["page_id"], one["domain"], relation, 0.9,
            work_id=one["work_id"], duplicate_key=originals[one["id"]],
        )
        for one, (_, relation) in zip(fragments, found, strict=True)
    ]  # fmt: skip
    claim = Claim("c_h", "task_00000000000a", "…", "en", None, is_hypothesis=True)  # type: ignore[arg-type]
    return Graph(
        claims=(AssessedClaim(claim, assess("c_h", rows)),),
        mentions={},
        edges=[
            {**one, "claim_id": "c_h", "relation": relation.value}
            for one, (_, relation) in zip(fragments, found, strict=True)
        ],
        fragments=fragments,
        rows=rows,
        originals=originals,
    )


def test_copies_of_a_wire_story_are_one_source(ground: Ground) -> None:
    """The refutations are a cohort, a clinic, and one story on four sites; counted as planted, the copies are one."""
    refutes = [(one, Relation.REFUTES) for one in ground.truth.claim(NAME).refutes]
    supports = [(one, Relation.SUPPORTS) for one in ground.truth.claim(NAME).supports]

    graph = graph_of([*supports, *refutes], {})

    assert independent_exact(ground, graph, ()) == Share(1, 1)
    assert independent_as_judged(ground, graph, {NAME: "c_h"}, ()) == Share(1, 1)
    assert sources_beyond_planted(ground, graph, {NAME: "c_h"}) == 0.0


def test_a_refutation_read_as_support_is_a_source_too_many(ground: Ground) -> None:
    """The stance model's mistake shows where it is measured, and not in independence itself."""
    claim = ground.truth.claim(NAME)
    found = [(one, Relation.SUPPORTS) for one in claim.supports] + [(claim.refutes[0], Relation.SUPPORTS)]

    graph = graph_of(found, {})

    assert independent_exact(ground, graph, ()) == Share(1, 1)
    assert independent_as_judged(ground, graph, {NAME: "c_h"}, ()) == Share(0, 1)
    assert sources_beyond_planted(ground, graph, {NAME: "c_h"}) == 1.0


def test_a_contradiction_has_both_sides() -> None:
    """As `v_contradictions` has it: neutral texts are no side, nor is the weaker word of a page with itself."""
    rows = [
        EvidenceRow(claim, f"f_{claim}_{relation}", page, "d", relation, 0.9)
        for claim, page, relation in (
            ("both", "p_1", Relation.SUPPORTS),
            ("both", "p_2", Relation.REFUTES),
            ("one", "p_1", Relation.SUPPORTS),
            ("one", "p_2", Relation.NEUTRAL),
            ("page", "p_1", Relation.SUPPORTS),
            ("page", "p_1", Relation.REFUTES),
        )
    ]

    assert shown_contradictions(rows) == {"both"}


def test_main_texts_know_pages_and_works() -> None:
    """A paper's abstract is found by its DOI, a page by its address; a planted quote is in the text."""
    texts = main_texts("dpp4")

    assert "sitagliptin reduced all-cause mortality by 34%" in texts["doi:10.5555/jmetd.2014.0666"]
    assert "lowers HbA1c by 0.5 to 0.8" in texts["https://www.nimeth.gov/health-topics/dpp-4-inhibitors"]


def assessed(name: str, verdict: Verdict, adoption: AdoptionStatus = AdoptionStatus.PENDING) -> AssessedClaim:
    evidence = Confidence(1.0, 1.0, 0.5, 0.289, 0.0, 0, 0, 0)
    pending, unknown = VerificationStatus.PENDING, RefutationStatus.NOT_SEARCHED
    assessment = Assessment(
        name, evidence, 0, 0.5, 0.5, verdict, pending, "Not yet corroborated.", adoption, unknown, None, False
    )
    return AssessedClaim(Claim(name, "t", "It rained.", "en", MOMENT, is_hypothesis=True), assessment)


def planted(name: str, truth: str, *acceptable: str) -> Planted:
    return Planted(name, {"en": "It rained."}, (), (), truth, acceptable)


def test_verdicts_are_laid_beside_what_a_careful_reader_would_accept() -> None:
    """A falsehood that is adopted is asserted, whatever its verdict is called; an open one counts in neither share."""
    claims = (
        planted("rain", "true", "supported"),
        planted("snow", "false", "likely_false", "unverified"),
        planted("hail", "false", "likely_false"),
        planted("fog", "open", "contested"),
    )
    truth = replace(load_truth("dpp4"), claims=claims, hypotheses=("rain", "snow", "hail", "fog"))
    found = [
        assessed("c1", Verdict.SUPPORTED),
        assessed("c2", Verdict.UNVERIFIED, AdoptionStatus.ADOPTED),
        assessed("c3", Verdict.UNVERIFIED),
        assessed("c4", Verdict.SUPPORTED),
    ]

    names = {"rain": "c1", "snow": "c2", "hail": "c3", "fog": "c4"}

    assert verdict_shares(truth, found, names) == {
        "verdicts_acceptable": Share(2, 4),
        "asserted_though_false": Share(1, 2),
        "true_and_asserted": Share(1, 1),
    }
    assert hypothesis_fields(truth, found, names)["snow"] == {
        "truth": "false",
        "acceptable": "likely_false/unverified",
        "verdict": "unverified",
        "adoption": "adopted",
    }


def test_leading_figures_of_a_graph(ground: Ground) -> None:
    """All that speaks for it was found and a cohort against it missed: it is not called contested, as it should be."""
    planted = ground.truth.claim(NAME)
    graph = graph_of(
        [*((one, Relation.SUPPORTS) for one in planted.supports), (planted.refutes[0], Relation.NEUTRAL)], {}
    )
    truth = replace(ground.truth, hypotheses=(NAME,))

    found = leading_figures(truth, graph, {NAME: "c_h"}, ())

    supports = len(planted.supports)
    assert found == {
        "en": Leading(
            verdicts_acceptable=Share(0, 1),
            stance_precision=Share(supports, supports),
            stance_recall=Share(supports, supports + 1),
            independent_sources_exact_as_judged=Share(1, 1),
        )
    }


def test_figures_are_added_up_by_topic_and_by_language() -> None:
    """One topic in two languages, one in Japanese alone; the leading figures come first, each with its counts."""
    english, japanese = Leading(stance_recall=Share(3, 4)), Leading(stance_recall=Share(1, 4))
    measured = Measured({"dpp4": {"en": english, "ja": japanese}, "kosui": {"ja": japanese}}, {"dpp4": {"searches": 2}})

    told = measured.fields()

    assert list(told) == ["leading", "topics"]
    assert told["topics"] == {"dpp4": {"searches": 2}}
    assert told["leading"]["topics"]["dpp4"]["stance_recall"] == {"value": 0.5, "of": "4/8"}
    assert told["leading"]["languages"]["ja"]["stance_recall"] == {"value": 0.25, "of": "2/8"}
    assert list(told["leading"]["languages"]["ja"]) == [
        "verdicts_acceptable",
        "asserted_though_false",
        "true_and_asserted",
        "stance_precision",
        "stance_recall",
        "contradictions_real",
        "independent_sources_exact_as_judged",
    ]


def test_a_topic_that_is_not_there_is_refused_with_those_that_are() -> None:
    """Before anything is started."""
    with pytest.raises(InvalidParams) as raised:
        topic_names("astrology")

    assert raised.value.message == "The simulated web has no topic 'astrology'."
    assert (
        raised.value.remedy
        == "Use one of: aldmere, alp2, brantholme, cresswick, dpp4, harigase, hatsuse, hinokawa, kashiro, kosodate,"
        " kosui, lowzone, marrowick, minasato, misakino, orchardlea, pellingmoor, quillmere, saltmarsh, sleepband,"
        " tokiwadai, tsukihara, unosawa, wexmoor, yunosato."
    )
