"""Whose words a passage has by what its page says: its author, whom it interviews, who was named before "she says"."""

import pytest

from lyra.evidence.independence import supporting_sources
from lyra.evidence.naming import sources_named
from lyra.evidence.speakers import speakers
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.named_page import NamedPage

_BRIDGE = "It has not taken a single car off that bridge"


@pytest.mark.parametrize(
    ("quote", "page", "expected"),
    [
        pytest.param(
            f'"{_BRIDGE}," she says.',
            NamedPage("Boats", "", f'Rosalind Tharp taught engineering.\n"{_BRIDGE}," she says.'),
            ("person:rosalind tharp",),
            id="pronoun",
        ),
        pytest.param(
            "The moths are none the worse, he said.",
            NamedPage(
                "", "", "Ambrose Kettle met Anna Brook. Mr Kettle smiled. The moths are none the worse, he said."
            ),
            ("person:ambrose kettle",),
            id="a title alone stands for the full name on the page",
        ),
        pytest.param(
            "The timers, he says, went to Lumen directly.",
            NamedPage("", "", "Councillor Penn spoke. The timers, he says, went to Lumen directly."),
            ("person:councillor penn",),
            id="a title and a family name",
        ),
        pytest.param(
            f"{_BRIDGE}.",
            NamedPage("Five questions for Rosalind Tharp", "", f"Would it help? {_BRIDGE}."),
            ("person:rosalind tharp",),
            id="interview",
        ),
        pytest.param(
            f"{_BRIDGE}.",
            NamedPage("Column", "", f"{_BRIDGE}.", authors=("Dr Rosalind Tharp",)),
            ("person:rosalind tharp",),
            id="author",
        ),
        pytest.param(
            "It rose.",
            NamedPage(
                "", "", "It rose.", "Dales Morning", ("Dales Morning", "Editorial Desk", "Staff Reporter", "Watcher")
            ),
            (),
            id="bylines that name nobody",
        ),
        pytest.param(
            "The council said it rose.",
            NamedPage("", "", "Rosalind Tharp keeps bees. The council said it rose."),
            (),
            id="a name on the page without a pronoun",
        ),
        pytest.param(
            "It fell, she said.",
            NamedPage("", "", "The Long Bridge was closed on North Street. It fell, she said."),
            (),
            id="names of places",
        ),
        pytest.param(
            "「値上げをしても人は水を我慢しない」",
            NamedPage(
                "節水を語る　倉持瀬和彦さんに聞く",
                "",
                "「値上げをしても人は水を我慢しない」",
                authors=("編集委員・雨宮沢",),
            ),
            ("person:倉持瀬和彦", "person:倉持", "person:倉持瀬"),
            id="interview, Japanese",
        ),
        pytest.param(
            "「しわ寄せは看護師にいく」",
            NamedPage(
                "支える人は", "", "病院に詳しい鵜沢森哲夫・名誉教授は警鐘を鳴らしてきた。「しわ寄せは看護師にいく」"
            ),
            ("person:鵜沢森哲夫", "person:鵜沢", "person:鵜沢森"),
            id="named before the quotation, Japanese",
        ),
        pytest.param(
            "料金が変わっても使う量は変わらなかった。",
            NamedPage(
                "論壇", "", "料金が変わっても使う量は変わらなかった。", authors=("樽見沢恒一（杣山農科大学教授）",)
            ),
            ("person:樽見沢恒一", "person:樽見", "person:樽見沢"),
            id="author, Japanese",
        ),
        pytest.param(
            "「水が足りない」",
            NamedPage("水", "", "住民さんは「水が足りない」", authors=("医療班", "文 総務課人事係", "まとめ太郎")),
            (),
            id="nobody by name, Japanese",
        ),
    ],
)
def test_who_speaks_on_a_page(quote: str, page: NamedPage, expected: tuple[str, ...]) -> None:
    """A name is taken where the page says that the words are that person's, and only a name of a person."""
    assert speakers(quote, page) == expected


def _row(page_id: str, page: NamedPage, quote: str) -> EvidenceRow:
    return EvidenceRow(
        claim_id="c1",
        fragment_id=f"f-{page_id}",
        page_id=page_id,
        domain=f"{page_id}.example",
        relation=Relation.SUPPORTS,
        nli_confidence=0.9,
        origins=sources_named(quote, quote, quote, page),
    )


@pytest.mark.parametrize(
    ("author", "sources"), [pytest.param("Rosalind Tharp", 1, id="same"), pytest.param("Verity Coombe", 2, id="other")]
)
def test_one_person_in_two_papers_is_one_source(author: str, sources: int) -> None:
    """An expert who is quoted in one paper and writes in another counts once; two people count twice."""
    quoted = NamedPage("Boats", "", f'Rosalind Tharp keeps bees.\n"{_BRIDGE}," she says.', authors=("Hugh Lane",))
    written = NamedPage("Column", "", "No car has left the bridge.", authors=(author,))
    rows = [_row("observer", quoted, f'"{_BRIDGE}," she says.'), _row("mail", written, written.text)]

    assert len(supporting_sources(rows)) == sources


def test_an_author_who_tells_of_the_own_paper_adds_no_source() -> None:
    """A page by an author of a paper that takes the same side is the paper's."""
    told = NamedPage("What we found", "", "Cars have left the bridge.", authors=("Hester Lomax",))
    paper = EvidenceRow(
        claim_id="c1",
        fragment_id="f-paper",
        page_id="paper",
        domain="doi.org",
        relation=Relation.SUPPORTS,
        nli_confidence=0.9,
        work_id="doi:10.5555/1",
        origins=("cited:lomax 2024", "person:hester lomax"),
    )

    assert supporting_sources([paper, _row("university", told, told.text)]) == {"work:doi:10.5555/1"}
