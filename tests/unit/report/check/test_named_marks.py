"""Marks that call an entry of the list by its name, its title or a sign of its own."""

import pytest

from lyra.report.check.citations import CitationKind, find_citations
from lyra.report.check.layout import lay_out
from lyra.report.check.named_marks import ListNames, find_named_marks
from lyra.report.check.references import find_references

WINGS = "Hathersage, O. & Brook, T. (2024). Wings after midnight: moths and lamps. https://a.example/1"
CALLS = "Ridings Ambulance Trust. Night calls in the Ridings. 12 December 2024. https://a.example/2"
PAPER_JA = "鳥越沢千尋・仁科原拓「集落を囲む柵の影響」2025年 https://a.example/3"
COUNCIL_JA = "樫代町議会「令和7年3月定例会」2025年5月30日 https://a.example/4"
LIST = f"## Sources\n\n- {WINGS}\n- {CALLS}\n- {PAPER_JA}\n- {COUNCIL_JA}\n"
NAMES = ListNames(find_references(LIST))


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("More moths flew (Hathersage and Brook).", [WINGS]),
        ("More moths flew (Hathersage and Brook 214).", [WINGS]),
        ('More moths flew (Hathersage and Brook, "Wings after midnight").', [WINGS]),
        ("More moths flew [Source: Hathersage and Brook].", [WINGS]),
        ("Crews went out (Ambulance Trust, 12 December).", [CALLS]),
        ("Crews went out (Hathersage; Ambulance Trust).", [WINGS, CALLS]),
        ("Crews went out. — Ridings Ambulance Trust", [CALLS]),
        ("Crews went out.\nSource: Ridings Ambulance Trust", [CALLS]),
        ("| Crews went out | Ridings Ambulance Trust |", [CALLS]),
        ("損失は減った（鳥越沢ほか）。", [PAPER_JA]),
        ("損失は減った（鳥越沢・仁科原）。", [PAPER_JA]),
        ("損失は減った（「集落を囲む柵の影響」）。", [PAPER_JA]),
        ("会員は増えた（樫代町議会、5月30日）。", [COUNCIL_JA]),
        ("会員は増えた。\n（出典：樫代町議会）", [COUNCIL_JA]),
        ("会員は増えた。――樫代町議会", [COUNCIL_JA]),
    ],
)
def test_a_name_that_the_list_has_is_a_mark(text: str, entries: list[str]) -> None:
    """In brackets, behind a dash, on a line of its own or in a cell; each part of it names an entry."""
    found = find_named_marks(text, NAMES)

    assert [(one.kind, list(one.values)) for one in found] == [(CitationKind.NOTE, entries)]


@pytest.mark.parametrize(
    "text",
    [
        "More moths flew (in the Ridings).",
        "More moths flew (Hathersage denies it).",
        "Crews went out (as the trust had feared).",
        "会員は増えた（樫代町）。",
        "会員は増えた（議会の資料で確かめた）。",
    ],
)
def test_brackets_with_other_words_are_no_mark(text: str) -> None:
    """They begin with no name of an entry, or hold a word that the entry has not."""
    assert find_named_marks(text, NAMES) == []


@pytest.mark.parametrize(
    ("mark", "entry", "keys"),
    [
        (" (source 1)", "1. Report. https://a.example/x", ("1",)),
        (" (Ref. 1)", "1. Report. https://a.example/x", ("1",)),
        (" (note 1)", "1. Report. https://a.example/x", ("1",)),
        (" (#1)", "#1 Report. https://a.example/x", ("1",)),
        (" [1, p. 3]", "[1] Report. https://a.example/x", ("1",)),
        (" [1: 214]", "[1] Report. https://a.example/x", ("1",)),
        ("^1^", "1. Report. https://a.example/x", ("1",)),
        (" [S1]", "- S1: Report. https://a.example/x", ("S1",)),
        (" [S1]", "- **S1** Report. https://a.example/x", ("S1",)),
        ("①", "① Report. https://a.example/x", ("1",)),
        ("†", "† Report. https://a.example/x", ("†",)),
        (" (a)", "(a) Report. https://a.example/x\n(b) Other. https://a.example/y", ("a",)),
        (" [B]", "A. Report. https://a.example/x\nB. Other. https://a.example/y", ("B",)),
        (" (ii)", "i. Report. https://a.example/x\nii. Other. https://a.example/y", ("ii",)),
        ("（資料1による）", "資料1　報告書 https://a.example/x", ("資料1",)),
        ("（資料①）", "① 報告書 https://a.example/x", ("1",)),
        ("［A］", "A　報告書 https://a.example/x\nB　ほか https://a.example/y", ("A",)),
        ("（文献A）", "文献A　報告書 https://a.example/x", ("文献A",)),
        ("（ア）", "ア　報告書 https://a.example/x\nイ　ほか https://a.example/y", ("ア",)),
        ("【1】", "【1】報告書 https://a.example/x", ("1",)),
        ("*1", "*1 報告書 https://a.example/x", ("1",)),
        ("¹⁾", "1) 報告書 https://a.example/x", ("1",)),
    ],
)
def test_signs_by_which_the_list_calls_its_entries_are_marks(mark: str, entry: str, keys: tuple[str, ...]) -> None:
    """Whatever sign that is, with a word before it or a page behind it."""
    (sentence,) = lay_out(f"It fell by far{mark}.\n\n## References\n\n{entry}\n").sentences

    assert (sentence.plain, [(one.kind, one.values) for one in sentence.citations]) == (
        "It fell by far.",
        [(CitationKind.KEY, keys)],
    )


@pytest.mark.parametrize(
    "note",
    [f".<ref>{WINGS}</ref>", f".\\footnote{{{WINGS}}}", f".^[{WINGS}]"],
    ids=["wiki", "LaTeX", "pandoc"],
)
def test_a_note_within_the_text_is_a_mark(note: str) -> None:
    """Its words say which source is meant, and are no statement."""
    (sentence,) = lay_out(f"It fell by far{note}").sentences

    assert (sentence.plain, [(one.kind, one.values) for one in sentence.citations]) == (
        "It fell by far.",
        [(CitationKind.NOTE, (WINGS,))],
    )


def test_an_address_without_its_scheme_is_a_mark() -> None:
    """It is one only where a source is found: it may be a path or a name."""
    (mark,) = find_citations("It fell by far (www.lab.example/report).")

    assert (mark.values, mark.is_certain) == (("https://www.lab.example/report",), False)


def test_a_line_that_only_names_the_source_belongs_to_what_stands_above() -> None:
    """ "Source:" is no statement."""
    (sentence,) = lay_out("It fell by far.\nSource: https://a.example/x").sentences

    assert (sentence.plain, [one.values for one in sentence.citations]) == (
        "It fell by far.",
        [("https://a.example/x",)],
    )


@pytest.mark.parametrize("heading", ["## [Night calls](https://a.example/2)", "## Ridings Ambulance Trust"])
def test_what_a_heading_cites_holds_for_the_section_below_it(heading: str) -> None:
    """Where no sentence of the section cites anything itself."""
    sentences = lay_out(f"## Before\n\nNothing.\n\n{heading}\n\nIt fell.\n\nIt rose.\n\n{LIST}").sentences

    assert [(one.plain, len(one.citations)) for one in sentences] == [("Nothing.", 0), ("It fell.", 1), ("It rose.", 1)]


def test_a_heading_that_is_a_title_by_chance_cites_nothing() -> None:
    """Writers call a section as a source calls its page."""
    sentences = lay_out(f"## Night calls in the Ridings\n\nIt fell.\n\n{LIST}").sentences

    assert [len(one.citations) for one in sentences] == [0]


def test_the_publisher_behind_a_title_is_a_name_of_the_entry() -> None:
    """“Title”, Publisher, date: as newspapers are listed."""
    entry = "“Smoke on the river”, Slow Boat Diary, 25 August 2024, https://a.example/5"
    names = ListNames(find_references(f"## Sources\n\n- {entry}\n"))

    assert [list(one.values) for one in find_named_marks("It burned (Slow Boat Diary).", names)] == [[entry]]


def test_a_list_of_links_below_any_heading_is_numbered_by_place() -> None:
    """Where the text has raised numbers that go no further."""
    text = (
        "It fell<sup>1</sup>. It rose<sup>2</sup>.\n\n<h2>What helped us</h2>\n<ol>\n"
        '<li>Office <a href="https://a.example/1">Calls</a></li>\n<li>Echo <a href="https://a.example/2">Day</a></li>\n'
        "</ol>\n</body>\n"
    )

    assert [[one.values for one in sentence.citations] for sentence in lay_out(text).sentences] == [
        [("1",)],
        [("2",)],
    ]


def test_the_number_of_a_paragraph_is_no_figure() -> None:
    """Reports count their paragraphs in two steps; a figure at the beginning goes on in small letters."""
    sentences = lay_out("2.1 The boats fell silent.\n\n2.1 million crowns were paid.").sentences

    assert [one.plain for one in sentences] == ["The boats fell silent.", "2.1 million crowns were paid."]


def test_a_section_with_marks_of_its_own_does_not_cite_its_heading() -> None:
    """The heading then is a title."""
    text = "## [Night calls](https://a.example/2)\n\nIt fell (https://a.example/1).\n\nIt rose.\n"

    assert [len(one.citations) for one in lay_out(text).sentences] == [1, 0]
