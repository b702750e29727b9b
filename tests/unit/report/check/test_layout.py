"""A text taken apart: sentences without marks, what each cites, and where it stands."""

import pytest

from lyra.extract.html_markdown import html_markdown
from lyra.report.check.citations import CitationKind, find_citations
from lyra.report.check.layout import lay_out


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("It fell [a study](https://a.example/x_(y)).", CitationKind.URL, ("https://a.example/x_(y)",)),
        ("減った（https://a.example/x）。", CitationKind.URL, ("https://a.example/x",)),
        ("It fell (doi:10.5555/ab.1).", CitationKind.IDENTIFIER, ("doi:10.5555/ab.1",)),
        ("It fell (PMID: 90015821).", CitationKind.IDENTIFIER, ("pmid:90015821",)),
        ("It fell (arXiv:2202.99130v2).", CitationKind.IDENTIFIER, ("arxiv:2202.99130",)),
        ("It fell.[^n1]", CitationKind.KEY, ("^n1",)),
        ("It fell [1, 3–5].", CitationKind.KEY, ("1", "3", "4", "5")),
        ("減った［2］。", CitationKind.KEY, ("2",)),
        ("It fell [@smith2020; @wu].", CitationKind.KEY, ("smith2020", "wu")),
        ("It fell \\citep[p. 3]{smith,wu}.", CitationKind.KEY, ("smith", "wu")),
        ("It fell [Smi20].", CitationKind.KEY, ("Smi20",)),
        ("It fell {Smith and Wu, 2020}.", CitationKind.AUTHOR_YEAR, ("Smith", "Wu")),
        ("It fell (Smith and Wu, 2020).", CitationKind.AUTHOR_YEAR, ("Smith", "Wu")),
        ("Smith et al. (2020) saw it.", CitationKind.AUTHOR_YEAR, ("Smith",)),
        ("榎戸ら（2023）は報告した。", CitationKind.AUTHOR_YEAR, ("榎戸",)),
        ("増えた（保科・大鳥居 2022）。", CitationKind.AUTHOR_YEAR, ("保科", "大鳥居")),
        ("It fell (Smith & Wu 2020, now retracted).", CitationKind.AUTHOR_YEAR, ("Smith", "Wu")),
        ("Smith and Wu (2020: 12–14) saw it.", CitationKind.AUTHOR_YEAR, ("Smith", "Wu")),
        ("It fell (SMITH/WU 2020, S. 12 f.).", CitationKind.AUTHOR_YEAR, ("SMITH", "WU")),
        ("増えた（保科・大鳥居、2022、12-14頁）。", CitationKind.AUTHOR_YEAR, ("保科", "大鳥居")),
        ("増えた（保科・大鳥居 2022、のちに撤回）。", CitationKind.AUTHOR_YEAR, ("保科", "大鳥居")),
        ("It fell by 9%.²", CitationKind.UNKNOWN, ()),
        ("27％増加した1)。", CitationKind.UNKNOWN, ("1",)),
        ("It fell (p_d0fd4acd13a5f8e0).", CitationKind.LYRA_ID, ("p_d0fd4acd13a5f8e0",)),
        ("It fell [5-3].", CitationKind.UNKNOWN, ()),
        ("It fell (ibid.).", CitationKind.SAME, ()),
        ("It fell (Smith, op. cit.).", CitationKind.UNKNOWN, ()),
        ("減った（前掲書）。", CitationKind.UNKNOWN, ()),
    ],
)
def test_every_style_of_citation_is_found(text: str, kind: CitationKind, values: tuple[str, ...]) -> None:
    """One mark, its kind, and what it names."""
    (found,) = find_citations(text)

    assert (found.kind, found.values) == (kind, values)


@pytest.mark.parametrize(
    "text",
    [
        "In May (2020) it fell.",
        "増えた（2件のうち1）。",
        "It fell (May 2020, in four weeks).",
        "令和（2020）に減った。",
        "See ![p](https://a.example/p.png).",
        "Task: task_4631d2834f59, as a report of Lyra says.",
    ],
)
def test_what_cites_nothing_is_left(text: str) -> None:
    """Months and eras are no authors, pictures and tasks no sources."""
    assert find_citations(text) == []


def test_a_superscript_is_a_mark_only_where_the_list_has_it() -> None:
    """Otherwise it is an exponent."""
    assert [one.values for one in find_citations("It fell.¹", frozenset({"1"}))] == [("1",)]
    assert find_citations("10 m² fell", frozenset({"1"})) == []


@pytest.mark.parametrize(
    ("mark", "entry", "keys"),
    [
        ("{NEMSO 2025}", "{NEMSO 2025} Report. https://a.example/x", ("NEMSO 2025",)),
        ("⁽¹⁾", "⁽¹⁾ https://a.example/x", ("1",)),
        ("¹", "¹ https://a.example/x", ("1",)),
        ("<sup>1</sup>", "<sup>1</sup> https://a.example/x", ("1",)),
        ("[文献1]", "[文献1] 報告書 https://a.example/x", ("文献1",)),
        ("［文献１］", "[文献1] 報告書 https://a.example/x", ("文献1",)),
        ("【資料1】", "【資料1】報告書 https://a.example/x", ("資料1",)),
        ("｛保健所 2024｝", "- ｛保健所 2024｝ https://a.example/x", ("保健所 2024",)),
        ("[1]", "- [1] Report. https://a.example/x", ("1",)),
    ],
)
@pytest.mark.parametrize("heading", ["", "## References\n\n"], ids=["at the end", "below a heading"])
def test_a_mark_in_any_brackets_is_known_by_the_list(
    mark: str, entry: str, keys: tuple[str, ...], heading: str
) -> None:
    """What the list calls its entries is a mark wherever it stands, and the list is no sentence."""
    (sentence,) = lay_out(f"It fell by far{mark}.\n\n{heading}{entry}\n").sentences

    assert (sentence.plain, [(one.kind, one.values) for one in sentence.citations]) == (
        "It fell by far.",
        [(CitationKind.KEY, keys)],
    )


def test_brackets_that_the_list_does_not_name_are_words() -> None:
    """Only a whole bracket of keys is a mark."""
    text = "It fell (by far) [文献1、2].\n\n## References\n\n[文献1] A\n[文献2] B\n"

    (sentence,) = lay_out(text).sentences

    assert (sentence.plain, [one.values for one in sentence.citations]) == ("It fell (by far).", [("文献1", "文献2")])


def test_several_authors_in_one_bracket_are_marks_with_their_letters() -> None:
    """(Author et al., 2024a; Other 2023) names two works."""
    (sentence,) = lay_out("It fell (Smith et al., 2024a; Wu 2023).").sentences

    assert [(one.values, one.years, one.letter) for one in sentence.citations] == [
        (("Smith",), (2024,), "a"),
        (("Wu",), (2023,), ""),
    ]


def test_a_raised_number_is_a_mark_of_the_list() -> None:
    """増加した1)。 cites entry 1."""
    text = "27％増加した1)。\n\n## 参考文献\n\n1) 安西（2020）「影響」"

    (sentence,) = lay_out(text).sentences

    assert (sentence.plain, [(one.kind, one.values) for one in sentence.citations]) == (
        "27％増加した。",
        [(CitationKind.KEY, ("1",))],
    )


def test_words_behind_authors_stay_in_the_sentence() -> None:
    """So that a text may say that a source was retracted."""
    (sentence,) = lay_out("It fell (Smith & Wu 2020, now retracted).").sentences

    assert sentence.plain == "It fell (now retracted)."


@pytest.mark.parametrize(
    "text",
    [
        "> It fell.\n> — Smith and Wu 2020",
        "> It fell.\n> — Smith and Wu (2020)\n",
        "> It fell.\n>\n> – Smith and Wu, 2020",
    ],
)
def test_who_wrote_a_quotation_is_its_citation(text: str) -> None:
    """The line behind a dash is no part of the words."""
    (sentence,) = lay_out(text).sentences

    assert (sentence.plain, [one.values for one in sentence.citations]) == ("It fell.", [("Smith", "Wu")])


def test_what_reports_a_speech_is_one_sentence_with_it() -> None:
    """と述べる by itself says nothing."""
    found = lay_out("報告書は「20％が転出していた。」と述べる。とくに若い世帯が多い。").sentences

    assert [one.plain for one in found] == ["報告書は「20％が転出していた。」と述べる。", "とくに若い世帯が多い。"]


def test_sentences_have_their_marks_and_no_markup() -> None:
    """A mark behind the full stop belongs to the sentence before it, a line of marks to what stands above it."""
    body = "# A\n\nIt **fell**.[^1] It rose ([x](https://a.example/x)).\n\n> Said so."
    text = f"{body}\n\n(https://a.example/y)\n\n[^1]: N\n"

    found = lay_out(text)

    assert [(one.plain, [mark.values for mark in one.citations], one.is_block_quote) for one in found.sentences] == [
        ("It fell.", [("^1",)], False),
        ("It rose.", [("https://a.example/x",)], False),
        ("Said so.", [("https://a.example/y",)], True),
    ]
    assert [(one.key, one.text) for one in found.references] == [("^1", "N")]


def test_cells_of_tables_cite_by_themselves() -> None:
    """A row is no sentence."""
    found = lay_out("| It fell [1] | It rose [2] |\n| --- | --- |\n")

    assert [(one.plain, one.citations[0].values, one.is_statement) for one in found.sentences] == [
        ("It fell", ("1",), False),
        ("It rose", ("2",), False),
    ]


def test_places_count_lines_columns_and_characters() -> None:
    """Line and column from 1, characters from 0."""
    found = lay_out("Ab.\n\nCd ef.")

    place = found.place(found.sentences[1].start, found.sentences[1].end)

    assert (place.line, place.column, place.start, place.end) == (3, 1, 5, 11)


@pytest.mark.parametrize("heading", ["## References", "**参考文献**", "Works cited:", "情報源"])
def test_a_list_of_references_is_known_by_its_heading(heading: str) -> None:
    """With entries by number, continued on the next line."""
    found = lay_out(f"Text [1].\n\n{heading}\n\n1. One\n   and more\n2) Two\n")

    assert [(one.key, " ".join(one.text.split())) for one in found.references[1:]] == [("2", "Two")]
    assert found.references[0].text.endswith("and more")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("増えた[1]。\n\n[1] 安西（2020）「影響」\n", [("1", "安西（2020）「影響」")]),
        ("It fell [1, 2].\n\n[1] Smith 2020\n[2] Wu,\n    2021", [("1", "Smith 2020"), ("2", "[2] Wu,\n    2021")]),
        ("増えた1)。\n1) 安西（2020）「影響」", [("1", "安西（2020）「影響」")]),
        ("It fell.\n\n[1] Smith 2020", []),
        ("It fell [1].\n\n[1] is what fell.", []),
        ("It fell [1].\n\n[1] Smith 2020\n\nMore words.", []),
        ("We saw:\n\n1) It fell in 2020.\n2) It rose in 2021.", []),
    ],
    ids=["one", "two", "raised", "not cited", "no work", "not at the end", "numbered statements"],
)
def test_a_list_without_heading_stands_at_the_end(text: str, expected: list[tuple[str, str]]) -> None:
    """Its numbers are cited, and each entry has a year or an address."""
    assert [(one.key, one.text) for one in lay_out(text).references] == expected


def test_an_entry_at_the_end_is_no_statement() -> None:
    """It is checked as what the mark stands for."""
    found = lay_out("増えた[1]。\n\n[1] 安西（2020）「影響」\n")

    assert [one.plain for one in found.sentences] == ["増えた。"]


def test_endless_marks_cost_no_more_than_their_length() -> None:
    """Ten thousand brackets, names and quotation marks are read at once."""
    for piece in ("[", "(", '"', "「", "Smith and Jones and ", "田中・", "[1]", "https://"):
        assert lay_out(piece * 10_000).text == piece * 10_000


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It fell (2).", [("2",)]),
        ("It fell (1, 2), they say.", [("1", "2")]),
        ("It fell (7).", []),
        ("It fell for (1) rain and (2) wind.", []),
    ],
    ids=["one", "two", "not in the list", "points"],
)
def test_round_brackets_cite_where_the_list_has_their_numbers(text: str, values: list[tuple[str, ...]]) -> None:
    """At the end of a statement; before words they count points."""
    assert [one.values for one in find_citations(text, frozenset({"1", "2"}))] == values


def test_a_link_that_opens_a_sentence_is_its_own() -> None:
    """Its bracket stands before the first word."""
    text = "[港湾新報](https://a.example/1)は減った。[市の年報](https://a.example/2)は増えた。"

    found = lay_out(text).sentences

    assert [(one.plain, [mark.values for mark in one.citations]) for one in found] == [
        ("港湾新報は減った。", [("https://a.example/1",)]),
        ("市の年報は増えた。", [("https://a.example/2",)]),
    ]


@pytest.mark.parametrize(
    ("said", "heading", "entry"),
    [
        ("It fell by 12 percent<sup>2</sup>.", "Sources", "Courier"),
        ("12％減った<sup>2</sup>。", "読んだもの", "港湾新報"),
    ],
    ids=["english", "japanese"],
)
def test_raised_numbers_of_a_page_name_the_items_of_its_list(said: str, heading: str, entry: str) -> None:
    """A draft in HTML is cited by superscripts and an ordered list, whose numbers are not in its text."""
    items = f"<li>Other, https://a.example/1</li><li>{entry}, https://a.example/2</li>"

    layout = lay_out(html_markdown(f"<p>{said}</p><h2>{heading}</h2><ol>{items}</ol>"))

    assert [one.values for sentence in layout.sentences for one in sentence.citations] == [("2",)]
    assert [(one.key, one.text) for one in layout.references] == [
        ("1", "Other, https://a.example/1"),
        ("2", f"{entry}, https://a.example/2"),
    ]
