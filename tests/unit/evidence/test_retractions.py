"""Notices and retellings of retracted works."""

from dataclasses import replace

import pytest

from lyra.evidence.origins import credits_finding
from lyra.evidence.retractions import (
    PageStatement,
    PageStatementKind,
    is_notice,
    page_statements,
    retells_corrected,
    retells_retracted,
)
from lyra.model.edge import EvidenceRow, Relation

NOTICES = [
    "A study that claimed wireless charging is faster than a cable has been retracted a year after it made headlines.",
    "PORT ALDER, Nov 20 - A paper that was quoted in boardrooms for two years has been withdrawn because its figures "
    "were invented.",
    "The editors retract the article by Lucan Frayne and Beatrix Odell that appeared in this journal in October 2022.",
    "One registry study that had claimed a large survival benefit of sitagliptin has been retracted and was not used.",
    "A paper of 2022 about errors with medicines was withdrawn by the journal in 2024 after the data turned out to be "
    "fabricated.",
    "This article was retracted on 3 February 2026 at the request of the editors. The raw data could not be shown.",
    "Nursing journal withdraws paper on headbands and drug errors",
    "The now-retracted study claimed that the band halves errors.",
    "Erratum to: Sleep and drug errors in night nurses",
    "An earlier version of this article said that the hospital had spent 4.1 million dollars.",
    "This article was amended on 7 March; see our corrections column.",
    "Correction: we wrote on Tuesday that the dose was 100 mg.",
    "The newspaper issued a correction two days later.",
    "The retraction of this article has been reversed.",
    "本論文は、著者の申し出と編集委員会の調査により、2024年8月20日に撤回された。",
    "2022年に発表された、支援金が出生率を0.3高めたとする論文は、データの誤りのため2024年に撤回された。",
    "編集委員会は、本誌第38巻第4号に掲載した「沈水植物の機械刈取りの影響」（10.5555/kr.2021.0412）を撤回する。",
    "学会は不正を認定し、この論文を取り下げた。",
    "撤回された論文は、支援金が出生率を高めたと主張していた。",
    "【訂正】本記事の初版で「人口が3割増えた」としましたが、正しくは「移住者が3％増えた」でした。",
    "同紙は翌月、記事の見出しを訂正した。",
    "おわびして訂正します。",
]
MATTERS = [
    "The law was withdrawn after protests.",
    "Rosiglitazone was withdrawn from the market in 2010.",
    "Forty patients were withdrawn from the study because of side effects.",
    "Pain disappeared in 23 patients after the drug was withdrawn.",
    "The study drug was withdrawn in four patients, and the joint pain resolved.",
    "A study found that the vaccine was withdrawn in three countries.",
    "A paper on how the subsidy was withdrawn found that prices rose.",
    "The minister withdrew funding for the study in May.",
    "He withdrew from the trial, and the paper reports his data.",
    "Estimates in the study were corrected for age and sex.",
    "The landing gear was retracted at 300 metres.",
    "Gum retraction was seen in a third of smokers.",
    "The first edition of Aerolink Power was published in 2015 and withdrawn in 2022.",
    "The hospital paid 410,400 dollars, not 4.1 million.",
    "Glasses corrected the vision of nine children in ten.",
    "The analysis covered twelve trials and found no effect. One study has been retracted and was not used.",
    "One study has been retracted and was not used. In the remaining fourteen trials mortality did not differ.",
    "法案は野党の反対を受けて撤回された。",
    "霧ヶ浦町は、無償化で出生が増えたという説明を撤回した。",
    "この論文は、政府が計画を撤回したあとに地価が下がったことを示した。",
    "撤回された論文のもとになったデータを取り直して分析したところ、出生率の差は0.02だった。",
    "市は請求額を訂正した。",
    "研究では、年齢で補正した値を用いた。",
    "会社は販売の申請を取り下げた。",
]


@pytest.mark.parametrize("text", NOTICES)
def test_a_text_about_a_retraction_or_correction_is_a_notice(text: str) -> None:
    """It tells what became of a work, not what is true of the matter."""
    assert is_notice(text) is True


@pytest.mark.parametrize("text", MATTERS)
def test_a_text_about_the_matter_is_no_notice(text: str) -> None:
    """Laws, drugs and patients are withdrawn, too; and who only mentions a retraction may speak of more."""
    assert is_notice(text) is False


def test_an_empty_text_is_no_notice() -> None:
    """There is nothing that it could tell."""
    assert is_notice("") is False


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Some findings.\nThis article was retracted on 12 May 2016. An inquiry was held.",
            [
                (
                    PageStatementKind.RETRACTED,
                    "This article was retracted on 12 May 2016. An inquiry was held.",
                )
            ],
        ),
        (
            "この論文は2024年3月29日付で撤回された。",
            [(PageStatementKind.RETRACTED, "この論文は2024年3月29日付で撤回された。")],
        ),
        (
            "The retraction of this article was itself retracted on 2 June 2025.",
            [(PageStatementKind.REINSTATED, "The retraction of this article was itself retracted on 2 June 2025.")],
        ),
        (
            "本論文の撤回は2025年6月2日に取り消された。",
            [(PageStatementKind.REINSTATED, "本論文の撤回は2025年6月2日に取り消された。")],
        ),
        (
            "This article was amended on 7 March 2025.",
            [(PageStatementKind.CORRECTED, "This article was amended on 7 March 2025.")],
        ),
        (
            "【訂正】費用の額に誤りがあり、本文を改めました。",
            [(PageStatementKind.CORRECTED, "【訂正】費用の額に誤りがあり、本文を改めました。")],
        ),
    ],
    ids=["retracted", "retracted, Japanese", "reinstated", "reinstated, Japanese", "corrected", "corrected, Japanese"],
)
def test_a_page_says_what_became_of_it(text: str, told: list[tuple[PageStatementKind, str]]) -> None:
    """With the sentence after it, where the day may stand."""
    assert [(one.word, one.context) for one in page_statements(text)] == told


@pytest.mark.parametrize(
    "text",
    [
        "A study that said wireless beats the cable has been retracted.",
        "“This article has been retracted,” says the notice of the journal.",
        "The editors retract the article by Lucan Frayne.",
        "This paper shows that the drug was withdrawn in four patients.",
        "This article will be retracted if the data are not shown.",
        "論文撤回の告知",
        "この論文は、法案を撤回した国を調べた。",
    ],
)
def test_a_page_about_another_work_says_nothing_of_itself(text: str) -> None:
    """News of a retraction is a page in good standing."""
    assert list(page_statements(text)) == []


def test_a_statement_names_its_sentence() -> None:
    """The sentence alone, apart from its context."""
    found = list(page_statements("This paper has been withdrawn. See the notice of 19 November 2024."))

    assert found == [
        PageStatement(
            PageStatementKind.RETRACTED,
            "This paper has been withdrawn.",
            "This paper has been withdrawn. See the notice of 19 November 2024.",
        )
    ]


@pytest.mark.parametrize(
    "text", ["a paper of " * 4000 + "withdrawn", "論文は" + "あ" * 40000 + "撤回", "retract " * 5000]
)
def test_a_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    """Patterns look at a sentence's first thousand characters; the test's own time limit is the measure."""
    assert is_notice(text) is False


CLAIM = "The Nappe band halves the errors of night nurses."
WORK = "We followed 240 night nurses at Holm Hospital; errors fell from 6.2 to 3.0 per thousand with the Nappe band."
CLAIM_JA = "刈取りでアオコの日数は6割減った。"
WORK_JA = "刈取りを行った湾では、アオコの観測日数が年間45日から18日へと60％減少した。"


def row(fragment_id: str, *, work: str | None = None, no_vote: str = "", relation: Relation = Relation.SUPPORTS):
    return EvidenceRow("c", fragment_id, f"p_{fragment_id}", f"{fragment_id}.example", relation, 0.8, work_id=work,
                       no_vote=no_vote)  # fmt: skip


RETRACTED = row("work", work="doi:1", no_vote="retracted")


@pytest.mark.parametrize(
    ("claim", "work", "text", "expected"),
    [
        pytest.param(CLAIM, WORK, "Since the nurses of Holm wear the Nappe band, errors are half.", True, id="a name"),
        pytest.param(CLAIM, WORK, "Errors fell from 6.2 to 3.0 with the Nappe band.", True, id="figures"),
        pytest.param(CLAIM, WORK, "According to a study the Nappe band halves errors.", True, id="an unnamed study"),
        pytest.param(CLAIM, WORK, "On our ward errors halved with the Nappe band.", False, id="its own words"),
        pytest.param(CLAIM, WORK, "At Oxton, errors halved with the Nappe band.", False, id="another place"),
        pytest.param(CLAIM, WORK, "Researchers have now shown that the Nappe band halves errors.", True, id="science"),
        pytest.param(CLAIM, f"{WORK} That is 52 percent less.", "They err 52 % less.", True, id="an odd share"),
        pytest.param(CLAIM, f"{WORK} That is 50 percent less.", "They err 50 % less.", False, id="a round one"),
        pytest.param(CLAIM, WORK, "Our researchers wear the Nappe band and err half as often.", False, id="no finding"),
        pytest.param(CLAIM_JA, WORK_JA, "研究者らはアオコの6割減を突き止めた。", True, id="science, Japanese"),
        pytest.param(CLAIM_JA, WORK_JA, "45日あったアオコの日が18日に減った。", True, id="figures, Japanese"),
        pytest.param(CLAIM_JA, WORK_JA, "学術論文がアオコの6割減を明らかにした。", True, id="an unnamed paper"),
        pytest.param(CLAIM_JA, WORK_JA, "市の観測でもアオコの日は6割減った。", False, id="its own words, Japanese"),
    ],
)
def test_a_text_that_retells_a_retracted_work_is_found(claim: str, work: str, text: str, *, expected: bool) -> None:
    """What the claim itself says is no sign, in either language."""
    rows = [RETRACTED, row("page")]

    found = retells_retracted(claim, rows, {"work": work, "page": text})

    assert found == (frozenset({"page"}) if expected else frozenset())


def test_who_retells_a_standing_work_too_keeps_the_vote() -> None:
    """A second study at another place speaks on the same side."""
    standing = "In 310 nurses at Brade Infirmary errors fell by half with the Nappe band."
    rows = [RETRACTED, row("other", work="doi:2"), row("page")]
    texts = {"work": WORK, "other": standing, "page": "Nurses at Holm and at Brade err half as often, a study says."}

    assert retells_retracted(CLAIM, rows, texts) == frozenset()


def test_an_unnamed_study_may_be_one_that_stands() -> None:
    """With another work on that side nobody knows which one is meant."""
    rows = [RETRACTED, row("other", work="doi:2"), row("page")]
    texts = {"work": WORK, "other": "Errors fell by half.", "page": "A study found half the errors."}

    assert retells_retracted(CLAIM, rows, texts) == frozenset()


def test_the_other_side_is_not_concerned() -> None:
    """Who contradicts a retracted work keeps the vote."""
    rows = [RETRACTED, row("page", relation=Relation.REFUTES)]
    texts = {"work": WORK, "page": "At Holm errors did not fall, a study of 240 nurses found."}

    assert retells_retracted(CLAIM, rows, texts) == frozenset()


@pytest.mark.parametrize(
    ("silent", "relation", "expected"),
    [
        (0.81, Relation.SUPPORTS, frozenset({"page"})),
        (0.95, Relation.SUPPORTS, frozenset()),
        (0.81, Relation.REFUTES, frozenset()),
    ],
    ids=["bears", "surely-silent", "who-denies"],
)
def test_who_says_plainly_what_a_retracted_work_implies_retells_it(
    silent: float, relation: Relation, expected: frozenset[str]
) -> None:
    """The work was read as taking no side; it must bear on the claim, and who denies the claim retells nothing."""
    work = EvidenceRow("c", "work", "p0", "journal.org", Relation.NEUTRAL, silent, work_id="doi:1", no_vote="retracted")
    texts = {"work": WORK, "page": "Nurses at Holm err half as often, as scientists have proved."}

    found = retells_retracted(CLAIM, [work, row("page", relation=relation)], texts)

    assert found == expected


@pytest.mark.parametrize(
    "text",
    ["The rats are a third more, on the word of zoologists.", "According to scientists the rats are a third more."],
)
def test_whoever_relies_on_scientists_credits_a_finding(text: str) -> None:
    """Without the word study or paper."""
    assert credits_finding(text)


def test_without_a_retracted_work_nobody_retells_one() -> None:
    """A standing work's retellings are a matter of counting sources."""
    rows = [row("work", work="doi:1"), row("page")]

    assert retells_retracted(CLAIM, rows, {"work": WORK, "page": "A study at Holm found it."}) == frozenset()


def test_a_page_that_links_to_the_retracted_work_retells_it() -> None:
    """It shares neither a name nor a figure with the work, and credits nobody in words."""
    paper = EvidenceRow(
        "c", "f1", "p1", "journal.org", Relation.SUPPORTS, 0.9, work_id="doi:10.5/a", no_vote="retracted"
    )
    linking = EvidenceRow("c", "f2", "p2", "weekly.com", Relation.SUPPORTS, 0.9, cites=("work:doi:10.5/a",))
    other = EvidenceRow("c", "f3", "p3", "courier.com", Relation.SUPPORTS, 0.9)
    texts = {"f1": "Capacity rose.", "f2": "Their lungs hold more air.", "f3": "They breathe more deeply."}

    assert retells_retracted("Lungs grew.", [paper, linking, other], texts) == {"f2"}


BREAK_INS = "Break-ins at night increased in Pellmouth."
CORRECTION = (
    "Break-ins (18 October). Our reporter slipped by two lines. The increase of 42 percent is Oxcastle's; Pellmouth had"
    " a decrease, from 212 to 187. We regret the error."
)
BREAK_INS_JA = "青川町では鹿の事故が3倍に増えた。"
CORRECTION_JA = "12日付の記事で、昨年の件数を「36件」としたのは「11件」の誤りでした。"
PAPER = "own:pellmouth courier"


def said(fragment: str, relation: Relation, *origins: str, cites: tuple[str, ...] = ()) -> EvidenceRow:
    return EvidenceRow(
        "c", fragment, f"p_{fragment}", f"{fragment}.example", relation, 0.8, origins=origins, cites=cites
    )


@pytest.mark.parametrize(
    ("claim", "correction", "teller", "text"),
    [
        pytest.param(
            BREAK_INS,
            CORRECTION,
            said("leaflet", Relation.SUPPORTS, "institution:pellmouth courier"),
            "Burglars love it: break-ins are up, the Pellmouth Courier reported.",
            id="credits the newspaper",
        ),
        pytest.param(
            BREAK_INS,
            CORRECTION,
            said("shop", Relation.SUPPORTS),
            "Break-ins have jumped by 42% in Pellmouth, local press reports.",
            id="has the share that was wrong",
        ),
        pytest.param(
            BREAK_INS,
            CORRECTION,
            said("blog", Relation.SUPPORTS, cites=("domain:courier.example",)),
            "There are many more break-ins now.",
            id="links to the newspaper alone",
        ),
        pytest.param(
            BREAK_INS_JA,
            CORRECTION_JA,
            said("matome", Relation.SUPPORTS, "institution:pellmouth courier"),
            "新聞によれば、鹿の事故が3倍になったとのこと。",
            id="credits the newspaper, in Japanese",
        ),
    ],
)
def test_who_retells_what_a_newspaper_took_back_is_found(
    claim: str, correction: str, teller: EvidenceRow, text: str
) -> None:
    """The newspaper takes the other side now, and says that it was wrong."""
    rows = [said("courier", Relation.REFUTES, PAPER), teller]

    assert retells_corrected(claim, rows, {"courier": correction, teller.fragment_id: text}) == {teller.fragment_id}


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        pytest.param(
            [said("courier", Relation.REFUTES, PAPER), said("guard", Relation.SUPPORTS)],
            {"courier": CORRECTION, "guard": "Our own patrols met far more burglars in Pellmouth."},
            id="a measurement of its own",
        ),
        pytest.param(
            [
                said("courier", Relation.REFUTES, PAPER),
                said("leaflet", Relation.SUPPORTS, "institution:pellmouth courier"),
            ],
            {"courier": "Break-ins fell from 212 to 187.", "leaflet": "Break-ins are up, the Courier reported."},
            id="a newspaper that took nothing back",
        ),
        pytest.param(
            [
                said("courier", Relation.REFUTES, PAPER),
                replace(said("courier", Relation.SUPPORTS, PAPER), fragment_id="first"),
                said("leaflet", Relation.SUPPORTS, "institution:pellmouth courier"),
            ],
            {"courier": CORRECTION, "first": "Break-ins rose.", "leaflet": "They rose, the Courier reported."},
            id="a newspaper that says both",
        ),
        pytest.param(
            [
                said("courier", Relation.SUPPORTS, PAPER),
                said("leaflet", Relation.SUPPORTS, "institution:pellmouth courier"),
            ],
            {"courier": CORRECTION, "leaflet": "They rose, the Courier reported."},
            id="a newspaper on the same side",
        ),
    ],
)
def test_who_has_it_from_elsewhere_keeps_the_vote(rows: list[EvidenceRow], texts: dict[str, str]) -> None:
    """Only what was taken back, and comes from who took it back, is retold."""
    assert retells_corrected(BREAK_INS, rows, texts) == frozenset()


def test_a_correction_that_was_judged_silent_counts_with_the_corrected_article() -> None:
    """The article takes the other side now; the column that corrects it says too little to be read so."""
    column = replace(said("courier", Relation.NEUTRAL, PAPER), fragment_id="column")
    rows = [
        said("courier", Relation.REFUTES, PAPER),
        column,
        said("leaflet", Relation.SUPPORTS, "institution:pellmouth courier"),
    ]
    texts = {"courier": "Break-ins fell.", "column": CORRECTION, "leaflet": "They rose, the Courier reported."}

    assert retells_corrected(BREAK_INS, rows, texts) == {"leaflet"}
