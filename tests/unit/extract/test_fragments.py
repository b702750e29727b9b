"""Documents become stored fragments: slices with context, of a useful size, with lasting ids."""

from lyra.extract.blocks import Block, assemble
from lyra.extract.fragments import to_fragments
from lyra.ids import derived_id, text_hash
from lyra.model.page import Document, Fragment, FragmentType, Heading

_SENTENCE = "Sitagliptin lowered HbA1c by 0.7 percentage points in the trial of Tanaka and colleagues. "


def _document(*blocks: Block, language: str = "en") -> Document:
    text, passages = assemble(blocks)
    return Document(title="T", text=text, language=language, passages=passages)


def test_a_fragment_carries_all_that_leads_back_to_its_place() -> None:
    """Quote, headings, offsets, hash and id are what a proof is made of."""
    document = _document(
        Block("Results", FragmentType.HEADING, 2), Block(_SENTENCE.strip()), Block(_SENTENCE.strip(), page_number=3)
    )

    first, second = to_fragments("p_1", document)

    digest = text_hash(_SENTENCE.strip())
    assert first == Fragment(
        id=derived_id("f", "p_1", "0", digest),
        page_id="p_1",
        text_content=_SENTENCE.strip(),
        fragment_type=FragmentType.PARAGRAPH,
        heading_context="Results",
        heading_hierarchy=(Heading(2, "Results"),),
        element_index=0,
        position=0,
        char_start=9,
        char_end=9 + len(_SENTENCE.strip()),
        text_hash=digest,
        language="en",
    )
    assert (second.position, second.element_index, second.page_number) == (1, 1, 3)
    assert second.id == derived_id("f", "p_1", "1", digest)


def test_headings_are_context_and_no_fragments() -> None:
    """A heading states nothing by itself; judged alone it would be noise."""
    document = _document(Block("A heading long enough to count", FragmentType.HEADING, 2), Block(_SENTENCE.strip()))

    assert [f.text_content for f in to_fragments("p_1", document)] == [_SENTENCE.strip()]


def test_long_paragraphs_are_split_at_sentence_ends() -> None:
    """Models read a limited window, and half a sentence proves nothing."""
    document = _document(Block((_SENTENCE * 20).strip()))

    fragments = to_fragments("p_1", document)

    assert [len(f.text_content) for f in fragments] == [1169, 629]
    assert [document.text[f.char_start : f.char_end] for f in fragments] == [f.text_content for f in fragments]
    assert {f.text_content[-1] for f in fragments} == {"."}


def test_text_without_any_full_stop_is_still_bounded() -> None:
    """A word list of a megabyte must not become one fragment."""
    document = _document(Block("glucose " * 5_000))

    lengths = [len(f.text_content) for f in to_fragments("p_1", document)]

    assert max(lengths) <= 2_400
    assert sum(lengths) + len(lengths) - 1 == 39_999


def test_short_items_under_one_heading_are_one_fragment() -> None:
    """Items of three words mean something together."""
    document = _document(
        Block("Effects", FragmentType.HEADING, 2),
        Block("No weight gain", FragmentType.LIST),
        Block("No hypoglycaemia", FragmentType.LIST),
        Block("Harms", FragmentType.HEADING, 2),
        Block("Pancreatitis in rare cases", FragmentType.LIST),
    )

    fragments = to_fragments("p_1", document)

    assert [(f.text_content, f.heading_context, f.fragment_type) for f in fragments] == [
        ("No weight gain\n\nNo hypoglycaemia", "Effects", FragmentType.LIST),
        ("Pancreatitis in rare cases", "Harms", FragmentType.LIST),
    ]


def test_a_scrap_joins_its_neighbour_and_takes_its_kind() -> None:
    """A two-word line before a paragraph belongs to it."""
    document = _document(Block("In short:"), Block("Efficacy is proven by three trials.", FragmentType.QUOTE))

    (fragment,) = to_fragments("p_1", document)

    assert (fragment.text_content, fragment.fragment_type) == (
        "In short:\n\nEfficacy is proven by three trials.",
        FragmentType.QUOTE,
    )


def test_a_lone_scrap_is_dropped() -> None:
    """`Back` and `3 of 5` are not worth storing."""
    document = _document(Block("Menu", FragmentType.HEADING, 2), Block("Back"), Block("Text", FragmentType.HEADING, 2))

    assert to_fragments("p_1", document) == ()


def test_a_short_japanese_sentence_is_kept() -> None:
    """Thirteen Japanese characters say what thirty Latin letters do."""
    document = _document(Block("低血糖の頻度に差はなかった。"), language="ja")

    assert [f.text_content for f in to_fragments("p_1", document)] == ["低血糖の頻度に差はなかった。"]


def test_table_rows_are_gathered_up_to_a_limit() -> None:
    """A row alone lacks its header; a table of a hundred rows is too much for one fragment."""
    rows = [Block(f"sitagliptin {n:03} mg | −0.7 points | n = 120", FragmentType.TABLE) for n in range(40)]
    document = _document(*rows)

    fragments = to_fragments("p_1", document)

    assert [len(f.text_content) for f in fragments] == [570, 570, 570, 42]
    assert {f.fragment_type for f in fragments} == {FragmentType.TABLE}


def test_the_language_is_told_per_fragment() -> None:
    """Japanese pages quote English abstracts, and each is judged in its own language."""
    english = Block("We found no increase in heart failure among the patients who took sitagliptin.")
    japanese = Block("シタグリプチンを服用した患者で心不全の増加は認められなかったと報告されている。")

    in_japanese = to_fragments("p_1", _document(japanese, english, language="ja"))
    in_german = to_fragments("p_1", _document(japanese, english, language="de"))

    assert [f.language for f in in_japanese] == ["ja", "en"]
    assert [f.language for f in in_german] == ["ja", "de"]
