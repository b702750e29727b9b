"""A whole text against sources, with a judge that answers as it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from lyra.model.check import CheckedKind, CheckResult, CheckStatus, Finding, Place, Source, TextFragment
from lyra.model.edge import Relation, Stance
from lyra.model.page import Identifier
from lyra.report.check import messages
from lyra.report.check.checker import check_text
from lyra.report.check.fields import count_wrong, result_fields
from lyra.report.check.sources import SourceIndex

REPORT = Source(
    "p_1",
    "https://www.lab.example/report",
    "Report on chargers",
    "p_1",
    fragments=(
        TextFragment("f_1", "The chargers reached 81 percent efficiency on average in the laboratory.", page_number=3),
        TextFragment("f_2", "None of the chargers filled a phone faster than its cable."),
    ),
)
PAPER = Source(
    "p_2",
    "https://doi.org/10.5555/x.1",
    "Faster charging with adaptive coils",
    "doi:10.5555/x.1",
    authors=("Victor Hale", "Simone Barak"),
    year=2025,
    identifiers=(Identifier("doi", "10.5555/x.1"),),
    is_retracted=True,
    fragments=(TextFragment("f_3", "This article was retracted in 2026."),),
)
SOURCES = (REPORT, PAPER)


class Judge:
    """Neutral but for the sentences that it was told."""

    def __init__(self, told: Mapping[str, Relation] | None = None) -> None:
        self._told = told or {}

    async def judge(
        self, pairs: Sequence[tuple[str, str]], settings: object = None, weighty: object = None
    ) -> list[Stance]:
        return [self._stance(self._told.get(sentence, Relation.NEUTRAL)) for _, sentence in pairs]

    def _stance(self, label: Relation) -> Stance:
        chances = {Relation.SUPPORTS: (0.9, 0.05, 0.05), Relation.REFUTES: (0.05, 0.9, 0.05)}
        return Stance(label, 0.9, 0.9, chances.get(label, (0.05, 0.05, 0.9)), "m", "c")


async def checked(text: str, judge: Judge | None = None) -> list[tuple[CheckedKind, CheckStatus, str]]:
    result = await check_text(text, SourceIndex(SOURCES), judge or Judge(), lambda done, total: None)
    return [(one.kind, one.status, one.text) for one in result.findings]


URL = "https://lab.example/report/"


async def test_a_true_text_is_resolved_throughout() -> None:
    """Address, figure, quotation and statement; http, www and a slash make no other address."""
    text = (
        f'The chargers reached 81 percent efficiency ({URL}). It says: "None of the chargers filled a phone" ({URL}).'
    )

    assert {(kind, status) for kind, status, _ in await checked(text)} == {
        (CheckedKind.CITATION, CheckStatus.RESOLVED),
        (CheckedKind.STATEMENT, CheckStatus.RESOLVED),
        (CheckedKind.NUMBER, CheckStatus.RESOLVED),
        (CheckedKind.QUOTATION, CheckStatus.RESOLVED),
    }


REFUTED = "Every one of the chargers filled a phone faster than its cable."


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        (
            f"The chargers reached 87 percent efficiency on average ({URL}).",
            (CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, "87 percent"),
        ),
        (
            f'It says: "None of the chargers filled a telephone" ({URL}).',
            (CheckedKind.QUOTATION, CheckStatus.MISQUOTED, "None of the chargers filled a telephone"),
        ),
        (
            f"It says 「この充電器は世界でもっとも速い製品です」 ({URL}).",
            (CheckedKind.QUOTATION, CheckStatus.MISQUOTED, "この充電器は世界でもっとも速い製品です"),
        ),
        (f"{REFUTED[:-1]} ({URL}).", (CheckedKind.STATEMENT, CheckStatus.CONTRADICTED, REFUTED)),
        (
            f"Horses of the steppe sleep on moonlit meadows ({URL}).",
            (CheckedKind.STATEMENT, CheckStatus.UNSUPPORTED, "Horses of the steppe sleep on moonlit meadows."),
        ),
        (
            "Charging was faster (Hale and Barak, 2025).",
            (CheckedKind.CITATION, CheckStatus.SOURCE_RETRACTED, "Hale and Barak, 2025"),
        ),
        (
            "Charging was faster (https://other.example/).",
            (CheckedKind.CITATION, CheckStatus.SOURCE_MISSING, "https://other.example/"),
        ),
    ],
    ids=["number", "altered", "invented", "reversed", "not there", "retracted", "missing"],
)
async def test_each_error_has_its_name(text: str, failure: tuple[CheckedKind, CheckStatus, str]) -> None:
    """One failure each, at the words that are wrong."""
    found = await checked(text, Judge({REFUTED: Relation.REFUTES}))

    assert [one for one in found if one[1].is_failure] == [failure]


async def test_a_retraction_that_the_text_tells_is_no_error() -> None:
    """Whoever says that a work was retracted may name it."""
    found = await checked("The study by Hale and Barak (2025) was retracted.")

    assert [(kind, status) for kind, status, _ in found] == [(CheckedKind.CITATION, CheckStatus.RESOLVED)]


async def test_the_figures_of_what_was_retracted_need_not_stand_in_the_notice() -> None:
    """The text does not assert them."""
    found = await checked("The study that saw a gain of 22 minutes (Hale and Barak, 2025) was retracted.")

    assert [(kind, status) for kind, status, _ in found] == [(CheckedKind.CITATION, CheckStatus.RESOLVED)]


async def test_what_the_page_says_the_other_way_round_needs_no_reader() -> None:
    """The reader is neutral, and even where it agrees the very sentence that denies it counts."""
    opposite = "The chargers did not reach 81 percent efficiency on average in the laboratory."
    text = f"{opposite[:-1]} ({URL})."

    found = [
        [one for one in await checked(text, Judge(told)) if one[1].is_failure]
        for told in ({}, {opposite: Relation.SUPPORTS})
    ]

    assert found == [[(CheckedKind.STATEMENT, CheckStatus.CONTRADICTED, opposite)]] * 2


PRICES = Source(
    "p_4",
    "https://c.example/",
    "Prices",
    "https://c.example/",
    fragments=(TextFragment("f_8", "The mean price of land near the 17 stations went from 213 euros to 206 euros."),),
)


@pytest.mark.parametrize(
    ("sentence", "told", "expected"),
    [
        ("The mean price of land near the 17 stations rose.", Relation.SUPPORTS, CheckStatus.CONTRADICTED),
        ("The mean price of land near the 17 stations fell.", Relation.REFUTES, CheckStatus.RESOLVED),
    ],
    ids=["other way", "same way"],
)
async def test_a_said_direction_is_compared_with_the_figures(
    sentence: str, told: Relation, expected: CheckStatus
) -> None:
    """Figures that go down say more of up and down than the reader does."""
    text = f"{sentence[:-1]} (https://c.example/)."

    result = await check_text(text, SourceIndex((PRICES,)), Judge({sentence: told}), lambda done, total: None)

    assert [one.status for one in result.findings if one.kind is CheckedKind.STATEMENT] == [expected]


async def test_a_reader_that_is_sure_needs_no_other_sign_however_near_the_words() -> None:
    """Sentences in the page's own words are read, too."""
    near = "The chargers reached 81 percent efficiency on average in the kitchen."

    found = await checked(f"{near[:-1]} ({URL}).", Judge({near: Relation.REFUTES}))

    assert [one for one in found if one[1].is_failure] == [(CheckedKind.STATEMENT, CheckStatus.CONTRADICTED, near)]


async def test_a_page_sentence_with_all_figures_says_it_in_other_words() -> None:
    """Few words are shared, but both figures are."""
    source = Source(
        "p_3",
        "https://b.example/",
        "Counts",
        "https://b.example/",
        fragments=(TextFragment("f_9", "Passengers numbered 2310, against 1945 in the previous year."),),
    )
    text = "Volunteers at every stop counted 2310 daily riders instead of 1945 (https://b.example/)."

    result = await check_text(text, SourceIndex((source,)), Judge(), lambda done, total: None)

    assert {one.status for one in result.findings} == {CheckStatus.RESOLVED}


async def test_odd_styles_are_named_and_do_not_fail() -> None:
    """op. cit. and numbers without a list are not understood; ibid. is the source before."""
    text = f"The chargers reached 81 percent efficiency ({URL}). They reached 81 percent (ibid.). More (op. cit.) [7]."

    found = [(status, words) for kind, status, words in await checked(text) if kind is CheckedKind.CITATION]

    assert found == [
        (CheckStatus.RESOLVED, URL),
        (CheckStatus.RESOLVED, "ibid."),
        (CheckStatus.NOT_UNDERSTOOD, "op. cit."),
        (CheckStatus.NOT_UNDERSTOOD, "[7]"),
    ]


async def test_a_sentence_with_another_figure_is_not_said_by_the_source() -> None:
    """Beside the figure and the citation nothing is found."""
    found = await checked(f"The chargers reached 87 percent efficiency on average ({URL}).")

    assert found == [
        (CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, "87 percent"),
        (CheckedKind.CITATION, CheckStatus.RESOLVED, URL),
    ]


async def test_findings_have_place_passage_and_link() -> None:
    """As JSON: line, characters, the source's words, and the page of a PDF."""
    text = f"One line.\n\nThe chargers reached 87 percent efficiency on average ({URL})."
    result = await check_text(text, SourceIndex(SOURCES), Judge(), lambda done, total: None)

    fields = result_fields(result, with_resolved=False)

    assert (fields["ok"], fields["counts"], fields["unchecked_sentences"]) == (
        False,
        {"resolved": 1, "other_number": 1},
        1,
    )
    assert fields["findings"] == [
        {
            "kind": "number",
            "status": "other_number",
            "line": 3,
            "column": 22,
            "start": 32,
            "end": 42,
            "text": "87 percent",
            "sentence": "The source has another figure: 81 percent",
            "passage": {
                "quote": "The chargers reached 81 percent efficiency on average in the laboratory.",
                "url": "https://www.lab.example/report",
                "title": "Report on chargers",
                "page_id": "p_1",
                "fragment_id": "f_1",
                "page_number": 3,
                "link": "https://www.lab.example/report#page=3",
            },
        }
    ]


SCHOOLS = Source(
    "p_4",
    "https://schools.example/",
    "Meals",
    "p_4",
    fragments=(
        TextFragment(
            "f_5",
            "令和7年度に小中学校の給食費を全額無償としている市町村は、全体の43.8％です。令和5年度の調査では30.5％でした。"
            "一部の学年に限る場合を含めると、半数を超えます。",
        ),
    ),
)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("43.8％", (CheckStatus.RESOLVED, "The source has this figure.")),
        ("48.3％", (CheckStatus.OTHER_NUMBER, "The source has another figure: 43.8％")),
        ("30.5％", (CheckStatus.OTHER_NUMBER, "The source has another figure: 43.8％")),
    ],
    ids=["true", "turned digits", "of the next sentence"],
)
async def test_a_figure_in_the_place_of_another(told: str, expected: tuple[CheckStatus, str]) -> None:
    """Neither "over half" nor the figure of another sentence makes it right; shown as the text has it."""
    text = f"令和7年度に給食費を全額無償としている市町村は全体の{told}である（https://schools.example/）。"
    result = await check_text(text, SourceIndex([SCHOOLS]), Judge(), lambda done, total: None)

    found = [one for one in result.findings if one.kind is CheckedKind.NUMBER]

    assert [one.text for one in found] == ["令和7年度", told]
    assert (found[1].status, found[1].sentence) == expected
    assert text[found[1].place.start : found[1].place.end] == told


TABLE = "| what | figure | source |\n|---|---|---|\n"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (f"| mean efficiency of the chargers | 81 percent | {URL} |", [(CheckStatus.RESOLVED, "81 percent")]),
        (f"| mean efficiency of the chargers | 87 percent | {URL} |", [(CheckStatus.OTHER_NUMBER, "87 percent")]),
        (f"| price of a charger | 49 dollars | {URL} |", [(CheckStatus.UNSUPPORTED, "49")]),
        ("| price of a charger | 49 dollars | own estimate |", []),
        (f"| mean efficiency | “The chargers reached 81 percent” on 2025-01-09, 0.83 | {URL} |", []),
    ],
    ids=["in order", "other figure", "no such figure", "nothing cited", "prose"],
)
async def test_figures_in_cells_are_compared_with_what_the_row_cites(
    row: str, expected: list[tuple[CheckStatus, str]]
) -> None:
    """A row without a citation is left alone, and so is a cell of prose, whose quotation is checked as such."""
    found = await checked(TABLE + row + "\n")

    assert [(status, text) for kind, status, text in found if kind is CheckedKind.NUMBER] == expected


async def test_a_column_may_cite_for_its_cells_and_a_change_follows_from_its_row() -> None:
    """The head of the column names the source; what is the author's own, such as a confidence, is not looked for."""
    heads = f"| no. | year 1 | laboratory ({URL}) | change | confidence ({URL}) |"
    grid = f"{heads}\n|---|---|---|---|---|\n| 7 | 90 percent | 81 percent | 9 | 0.83 |\n"

    found = await checked(grid)

    assert [(status, text) for kind, status, text in found if kind is CheckedKind.NUMBER] == [
        (CheckStatus.RESOLVED, "81 percent")
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"その充電器の効率は実験室では平均で81パーセントに達した（{URL}）。",
        f"Die Ladegeräte sind nach Ansicht der Prüfer des Labors ziemlich langsam und teuer gewesen ({URL}).",
    ],
    ids=["日本語", "Deutsch"],
)
async def test_a_source_in_another_language_is_said_to_be_not_compared(text: str) -> None:
    """No failure, and no "the source says this" either; figures are compared all the same."""
    result = await check_text(text, SourceIndex(SOURCES), Judge(), lambda done, total: None)

    assert [(one.status, one.sentence) for one in result.findings if one.kind is CheckedKind.STATEMENT] == [
        (CheckStatus.NOT_CHECKED, "Not compared: the cited source is in another language than this sentence.")
    ]
    assert result.failures == ()


async def test_a_letter_behind_the_year_tells_which_work_is_meant() -> None:
    """2025a is the entry with that letter, though the authors have another work of the year."""
    text = "The chargers reached 81 percent (Hale and Barak 2025a).\n\n## References\n\nHale V, Barak S (2025a) "

    found = await checked(f"{text}{URL}\n")

    assert (CheckedKind.CITATION, CheckStatus.RESOLVED, "Hale and Barak 2025a") in found


async def test_an_organisation_is_known_by_its_host() -> None:
    """{LAB 2024} is a page of that year on lab.example."""
    source = replace(REPORT, published="2024-05-01")

    result = await check_text(
        "It was 81 percent {LAB 2024}.", SourceIndex((source,)), Judge(), lambda done, total: None
    )

    assert [one.status for one in result.findings if one.kind is CheckedKind.CITATION] == [CheckStatus.RESOLVED]


NOTICE = replace(
    REPORT,
    page_id="p_8",
    url="https://journal.example/notice",
    key="p_8",
    title="Notice",
    published="2026-01-02",
    site_name="Journal of Coils",
)
RETRACTED = replace(PAPER, site_name="Journal of Coils", updated="2026-01-02")


async def test_a_mark_that_may_mean_a_valid_source_is_no_retracted_one() -> None:
    """What was published in the year is meant, and not what was only changed then."""
    text = "The chargers reached 81 percent efficiency on average (Journal of Coils 2026)."

    result = await check_text(text, SourceIndex((NOTICE, RETRACTED)), Judge(), lambda done, total: None)

    assert [(one.status, one.sources) for one in result.findings if one.kind is CheckedKind.CITATION] == [
        (CheckStatus.RESOLVED, (NOTICE.url,))
    ]


async def test_a_list_with_any_heading_is_known_by_names_and_years() -> None:
    """The address of the entry decides, not another page of the same name; the list is no text."""
    text = (
        "The chargers reached 81 percent efficiency on average (Coil Office 2024).\n\n## On the desk\n\n"
        f"- Coil Office (2024). Report. {URL}\n- Wu, K. (2020). Coils. https://nowhere.example/\n"
    )

    found = await checked(text)

    assert [(status, mark) for kind, status, mark in found if kind is CheckedKind.CITATION] == [
        (CheckStatus.RESOLVED, "Coil Office 2024"),
        (CheckStatus.RESOLVED, f"Coil Office (2024). Report. {URL}"),
        (CheckStatus.SOURCE_MISSING, "Wu, K. (2020). Coils. https://nowhere.example/"),
    ]


async def test_a_quotation_of_a_source_that_was_not_read_is_not_checked() -> None:
    """Nobody can tell whether that page has the words."""
    found = await checked('He wrote: "The road was wet, and that was all of it." (https://nowhere.example/x)')

    assert [status for kind, status, _ in found if kind is CheckedKind.QUOTATION] == [CheckStatus.NOT_CHECKED]


async def test_a_missing_source_is_told_with_its_address() -> None:
    """So that a reader can look whether it was read."""
    result = await check_text("It fell (https://nowhere.example/x).", SourceIndex(SOURCES), Judge(), lambda *_: None)

    assert [one.sources for one in result.findings] == [("https://nowhere.example/x",)]


async def test_a_place_with_a_year_is_no_missing_source() -> None:
    """Only where a source of the name is found it is a citation."""
    assert await checked("They remember the flood at Garrow Quay (2013).") == []


async def test_what_the_reader_does_not_find_in_near_words_is_left_open() -> None:
    """The source shares much of the sentence, no other source says it, and the reader is neutral."""
    found = await checked(f"In the laboratory efficiency of such devices was praised on every single day ({URL}).")

    assert [status for kind, status, _ in found if kind is CheckedKind.STATEMENT] == [CheckStatus.NOT_CHECKED]


OPEN = Source(
    "p_9",
    "https://audit.example/",
    "Audit",
    "p_9",
    fragments=(TextFragment("f_9", "We make no comment on whether the marsh was the right choice for the town."),),
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In the view of the auditors the marsh was the right choice for the town", CheckStatus.CONTRADICTED),
        ("Whether the marsh was the right choice for the town is left open", CheckStatus.RESOLVED),
    ],
)
async def test_what_a_source_leaves_open_cannot_be_asserted(sentence: str, expected: CheckStatus) -> None:
    """Who makes no comment has not said it."""
    text = f"{sentence} (https://audit.example/)."

    result = await check_text(text, SourceIndex((OPEN,)), Judge(), lambda done, total: None)

    assert [one.status for one in result.findings if one.kind is CheckedKind.STATEMENT] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "One study was withdrawn. It had seen a gain (Hale and Barak, 2025). Charging was faster, it said.",
        "Hale and Barak (2025) were retracted. Nobody knew why. Charging was faster (Hale and Barak, 2025).",
        "## Retracted work\n\nCharging was faster (Hale and Barak, 2025).",
        "Charging was faster [1].\n\n## References\n\n[1] Hale and Barak, 2025. https://doi.org/10.5555/x.1 retracted",
        "| Work | State |\n|---|---|\n| Hale and Barak (2025) | retracted |",
    ],
    ids=["sentence without marks", "same source", "heading", "entry", "row"],
)
async def test_a_retraction_may_be_told_near_the_mark(text: str) -> None:
    """In its paragraph, heading, entry or row."""
    found = await checked(text)

    assert [one for one in found if one[1] is CheckStatus.SOURCE_RETRACTED] == []


async def test_the_retraction_of_another_source_is_another_matter() -> None:
    """The sentence that tells it cites something else, and another paragraph stands in between."""
    text = f"A report was withdrawn ({URL}).\n\nIt is old. Charging was faster (Hale and Barak, 2025)."

    found = await checked(text)

    assert [one[2] for one in found if one[1] is CheckStatus.SOURCE_RETRACTED] == ["Hale and Barak, 2025"]


@pytest.mark.parametrize("title", ["Faster charging with adaptive coils", "Faster charging with adaptive"])
async def test_a_title_in_quotation_marks_is_no_quotation(title: str) -> None:
    """Nor are its first words."""
    found = await checked(f"They wrote “{title}” ({URL}).")

    assert [one for one in found if one[0] is CheckedKind.QUOTATION] == []


async def test_a_source_that_is_named_in_prose_is_compared() -> None:
    """The figure of the sentence is not that of the entry's page."""
    listed = f"## Sources\n\nLab Reports: Chargers. {URL}"
    text = f"According to Lab Reports, the chargers reached 87 percent efficiency.\n\n{listed}"

    found = await checked(text)

    assert [one for one in found if one[1].is_failure] == [(CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, "87 percent")]


async def test_a_note_that_points_to_another_note_is_resolved() -> None:
    """Ibid. in a footnote is the source of the note before."""
    text = f"They reached 81 percent.[^1] None was faster than its cable.[^2]\n\n[^1]: Report {URL}\n[^2]: Ibid."

    found = await checked(text)

    assert [one[1:] for one in found if one[0] is CheckedKind.CITATION] == [
        (CheckStatus.RESOLVED, "[^1]"),
        (CheckStatus.RESOLVED, "[^2]"),
    ]


FLEET = Source(
    "p_5",
    "https://fleet.example/report",
    "Report on the fleet",
    "p_5",
    fragments=(
        TextFragment("f_51", "Two boats of the fleet lost nets in March. In no port of the coast did prices rise."),
        TextFragment("f_53", "In use the pumps delivered only 71 percent of the water, and not one reached 80."),
        TextFragment("f_52", "船団の2隻が3月に網を失った。海岸のどの港でも魚の価格は上がっていない。"),
    ),
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Two boats of the fleet lost nets, and prices rose in the ports of the coast", CheckStatus.CONTRADICTED),
        ("Two boats of the fleet lost nets, and prices rose in no port of the coast", CheckStatus.RESOLVED),
        ("A test found that only 71 percent arrived, and none of the pumps reached 80", CheckStatus.RESOLVED),
        ("船団の2隻が3月に網を失って、海岸の港で魚の価格は上がった", CheckStatus.CONTRADICTED),
        ("船団の2隻が3月に網を失って、海岸の港で魚の価格は上がっていない", CheckStatus.RESOLVED),
    ],
    ids=["reversed", "true", "a part of another clause", "逆", "正しい"],
)
async def test_each_clause_is_compared_with_what_tells_it(sentence: str, expected: CheckStatus) -> None:
    """A reversed clause behind a true one is told by another sentence of the page."""
    text = f"{sentence} (https://fleet.example/report)."

    result = await check_text(text, SourceIndex((FLEET,)), Judge(), lambda done, total: None)

    assert [one.status for one in result.findings if one.kind is CheckedKind.STATEMENT] == [expected]


PART = "prices rose in the ports of the coast"


@pytest.mark.parametrize(("told", "expected"), [(Relation.REFUTES, True), (Relation.SUPPORTS, False)])
async def test_the_readers_are_asked_about_each_clause(told: Relation, expected: bool) -> None:
    """What they say of one clause both ways decides, whatever they say of the sentence."""
    quote = "Prices in the ports went up."
    source = replace(FLEET, fragments=(TextFragment("f_51", f"Two boats of the fleet lost nets. {quote}"),))
    text = f"Two boats of the fleet lost nets, and {PART} (https://fleet.example/report)."

    result = await check_text(text, SourceIndex((source,)), Judge({PART: told, quote: told}), lambda done, total: None)

    found = [one.status is CheckStatus.CONTRADICTED for one in result.findings if one.kind is CheckedKind.STATEMENT]
    assert found == [expected]


async def test_a_cell_that_says_something_is_compared_with_what_its_row_cites() -> None:
    """Its figures, too."""
    text = (
        "| Finding | Source |\n|---|---|\n"
        f"| The chargers reached 87 percent efficiency on average in the laboratory | {URL} |\n"
    )

    assert (CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, "87 percent") in await checked(text)


async def test_a_title_in_brackets_is_a_citation() -> None:
    """Where a source of the task has it, and nothing else stands in the brackets."""
    found = await checked("The chargers reached 87 percent efficiency on average (“Report on chargers”).")

    assert (CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, "87 percent") in found


async def test_a_note_that_names_no_source_is_a_remark() -> None:
    """It is no citation of something that the task has not read."""
    found = await checked("The chargers are cheap.^[Prices without tax.]")

    assert [status for _, status, _ in found] == [CheckStatus.NOT_UNDERSTOOD]


@pytest.mark.parametrize(
    ("sentence", "statuses"),
    [
        ("The chargers reached 87 percent efficiency on average in the laboratory.", [CheckStatus.OTHER_NUMBER]),
        ("The chargers reached 81 percent efficiency on average in the laboratory.", [CheckStatus.RESOLVED]),
        ("The chargers reached 87 percent.", []),
        ("Rumours say the chargers reached 87 percent efficiency on average in the laboratory.", []),
    ],
    ids=["another", "the same", "too few words", "doubted"],
)
async def test_figures_of_a_sentence_that_cites_nothing(sentence: str, statuses: list[CheckStatus]) -> None:
    """They are compared with the sentence of any page that has its words."""
    found = await checked(sentence)

    assert [status for kind, status, _ in found if kind is CheckedKind.NUMBER] == statuses


async def test_a_line_of_data_is_no_sentence() -> None:
    """Nobody is asked about it: it is counted as not checked."""
    text = f"{'1,' * 3000} reached 87 percent efficiency in the laboratory ({URL})."

    result = await check_text(text, SourceIndex(SOURCES), Judge(), lambda done, total: None)

    assert ([one.kind for one in result.findings], result.unchecked_sentences) == ([CheckedKind.CITATION], 1)


RECORD = Source(
    "p_9",
    "https://record.example/",
    "Record of stops",
    "p_9",
    fragments=(
        TextFragment("f_9", "Without warning the water stopped 47 times in 2021 and 19 times in the year that ended."),
        TextFragment("f_10", "With a warning it stopped 132 times for works, more than the 58 times for frost."),
    ),
)


@pytest.mark.parametrize(
    ("sentence", "failed"),
    [
        (
            "The water, which nobody likes to miss, stopped without warning 74 times before the works, then 19 times.",
            ["74"],
        ),
        (
            "The water, which nobody likes to miss, stopped without warning 47 times before the works, then 19 times.",
            [],
        ),
        ("Where the oats were sold without sacks 74 times before, it was 19 times last.", []),
        ("Nobody had been told of it when the water stopped without warning 74 times.", []),
    ],
    ids=["another", "the same", "something else", "no figure of the page"],
)
async def test_figures_of_what_a_page_tells_in_other_words(sentence: str, failed: list[str]) -> None:
    """The page must have most of the telling words, and one of the figures."""
    result = await check_text(sentence, SourceIndex([RECORD, REPORT, SCHOOLS]), Judge(), lambda done, total: None)

    assert [one.text for one in result.failures] == failed


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("74 times and then 19 times", [CheckStatus.OTHER_NUMBER, CheckStatus.RESOLVED]),
        ("28 times less often, 19 times instead of 47", [CheckStatus.RESOLVED] * 3),
    ],
    ids=["by chance", "of one sentence"],
)
async def test_a_figure_follows_from_the_sentence_that_has_the_others(told: str, expected: list[CheckStatus]) -> None:
    """That 132 less 58 is 74 excuses nothing where another sentence tells it."""
    text = f"The water stopped without warning {told} (https://record.example/)."
    result = await check_text(text, SourceIndex([RECORD]), Judge(), lambda done, total: None)

    assert [one.status for one in result.findings if one.kind is CheckedKind.NUMBER] == expected


async def test_a_name_of_an_entry_that_was_not_read_stands_for_no_other_page() -> None:
    """What the newspaper printed elsewhere says nothing of it."""
    courier = replace(REPORT, url="https://courier.example/1", site_name="Millford Courier")
    sources = "## Sources\n\n- Millford Courier, Bea Lind: A day. https://courier.example/2\n"
    text = f"According to Bea Lind of the Millford Courier, the chargers reached 87 percent on 640 days.\n\n{sources}"

    result = await check_text(text, SourceIndex([courier]), Judge(), lambda done, total: None)

    assert [(one.kind, one.status) for one in result.failures] == [(CheckedKind.CITATION, CheckStatus.SOURCE_MISSING)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The works at the reservoir lasted eleven days.", CheckStatus.NOT_CHECKED),
        ("The works at the reservoir cost 640 crowns.", CheckStatus.UNSUPPORTED),
        ("The works at the reservoir lasted eleven hours.", CheckStatus.UNSUPPORTED),
        ("The works at the reservoir took 640 men some days.", CheckStatus.UNSUPPORTED),
    ],
    ids=["days", "crowns", "hours", "men for days"],
)
async def test_a_span_of_days_may_be_reckoned_from_dates(sentence: str, expected: CheckStatus) -> None:
    """Where the page tells dates, and no other span."""
    words = "The works at the reservoir began on 3 May 2024. They were over on 14 May 2024."
    page = replace(REPORT, fragments=(TextFragment("f_1", words),))
    text = f"{sentence[:-1]} ({URL})."

    result = await check_text(text, SourceIndex([page]), Judge(), lambda done, total: None)

    assert [one.status for one in result.findings if one.kind is CheckedKind.NUMBER] == [expected]


@pytest.mark.parametrize(
    ("told", "failed"),
    [("9億円から12億円に膨らんだ", True), ("12億円から9億円に縮んだ", False)],
    ids=["opposite", "as the page says"],
)
async def test_a_change_between_figures_of_two_sentences_has_the_direction_of_their_verb(
    told: str, failed: bool
) -> None:
    """Behind the last figure stands which way it went."""
    words = "県の計算では病院の赤字は9億円である。統合の前の病院では赤字は12億円であり、年間の赤字は縮んだ。"
    page = replace(SCHOOLS, fragments=(TextFragment("f_5", words),))
    text = f"県の計算では、病院の赤字は{told}（https://schools.example/）。"

    result = await check_text(text, SourceIndex([page]), Judge(), lambda done, total: None)

    assert any(one.status is CheckStatus.CONTRADICTED for one in result.findings) is failed


LISTED = f"## References\n\n1. Report on chargers. {URL}\n"


@pytest.mark.parametrize(
    ("mark", "references", "expected"),
    [
        pytest.param(
            "[9]", LISTED, (CheckStatus.SOURCE_MISSING, "The list of references has no entry 9."), id="number"
        ),
        pytest.param(
            "[1, 9]", LISTED, (CheckStatus.SOURCE_MISSING, "The list of references has no entry 9."), id="two"
        ),
        pytest.param("[9]", "", (CheckStatus.NOT_UNDERSTOOD, messages.NOT_UNDERSTOOD), id="no list"),
        pytest.param("[0, 1]", LISTED, (CheckStatus.NOT_UNDERSTOOD, messages.NOT_UNDERSTOOD), id="an interval"),
    ],
)
async def test_a_number_that_a_list_with_numbers_lacks_is_a_missing_source(
    mark: str, references: str, expected: tuple[CheckStatus, str]
) -> None:
    """Without such a list nobody can say what a number in brackets is."""
    text = f"The chargers cause headaches {mark}.\n\n{references}"

    result = await check_text(text, SourceIndex(SOURCES), Judge(), lambda done, total: None)

    found = [(one.status, one.sentence) for one in result.findings if one.text == mark]
    assert found == [expected]


async def test_the_ends_of_an_interval_are_no_numbers_of_references() -> None:
    """They lie far beyond the list."""
    found = await checked(f"The chargers cause headaches in 97 hours [83, 120].\n\n{LISTED}")

    assert (CheckedKind.CITATION, CheckStatus.NOT_UNDERSTOOD, "[83, 120]") in found


async def test_a_raised_number_that_the_list_lacks_is_a_missing_source() -> None:
    """As one in brackets is."""
    found = await checked(f"The chargers cause headaches.⁹ They are slow.¹\n\n{LISTED}")

    assert (CheckedKind.CITATION, CheckStatus.SOURCE_MISSING, "⁹") in found


@pytest.mark.parametrize(
    "sentence", ["The chargers are safe", "Chargers protect phones", "Chargers are harmless"], ids=str.split
)
async def test_a_cited_sentence_of_few_words_is_not_compared_and_says_so(sentence: str) -> None:
    """It would be found on any page."""
    found = await checked(f"{sentence} ({URL}).")

    assert found == [
        (CheckedKind.STATEMENT, CheckStatus.NOT_CHECKED, f"{sentence}."),
        (CheckedKind.CITATION, CheckStatus.RESOLVED, URL),
    ]


async def test_a_sentence_whose_source_is_missing_counts_as_not_checked() -> None:
    """Nothing was there to compare it with."""
    text = f"The chargers cause headaches in all of the testers [9].\n\n{LISTED}"

    result = await check_text(text, SourceIndex(SOURCES), Judge(), lambda done, total: None)

    assert result.unchecked_sentences == 1


async def test_a_table_may_begin_with_data() -> None:
    """What its first row says is compared; a row of heads says nothing."""
    text = (
        f"| The chargers reached 87 percent efficiency on average in the laboratory | {URL} |\n| Price | 49 dollars |\n"
    )

    assert (CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, "87 percent") in await checked(text)


def test_a_contradiction_by_a_figure_alone_counts_once() -> None:
    """The figure and the sentence with it are one mistake."""
    place = Place(1, 1, 0, 40)
    sentence = Finding(CheckedKind.STATEMENT, CheckStatus.CONTRADICTED, place, "It was 87 percent.", "")
    figure = Finding(CheckedKind.NUMBER, CheckStatus.OTHER_NUMBER, Place(1, 8, 7, 17), "87 percent", "")
    other = Finding(CheckedKind.STATEMENT, CheckStatus.CONTRADICTED, Place(2, 1, 50, 90), "It fell.", "")

    assert count_wrong(CheckResult((sentence, figure, other), 2, 0)) == 2
