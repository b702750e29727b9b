"""What a page's links name."""

from lyra.model.page import Document, Identifier
from lyra.research.page_facts import link_targets


def test_links_name_papers_by_identifier_and_other_pages_by_address() -> None:
    """Each thing once, in canonical form; what is no web address is left out."""
    document = Document(
        "Title",
        "Text.",
        "en",
        links=(
            "https://doi.org/10.5555/JMETD.2018.1102",
            "https://doi.org/10.5555/jmetd.2018.1102?utm_source=x",
            "https://Example.org/a?utm_source=news&b=1#top",
            "mailto:editor@example.org",
        ),
    )

    found = link_targets(document)

    assert found == [
        ("https://doi.org/10.5555/JMETD.2018.1102", Identifier("doi", "10.5555/jmetd.2018.1102")),
        ("https://example.org/a?b=1", Identifier("url", "https://example.org/a?b=1")),
    ]


def test_a_paper_does_not_cite_itself() -> None:
    """The DOI at the head of an article is its own."""
    own = Identifier("doi", "10.5555/csg.2021.0203")
    document = Document(
        "題", "本文。", "ja", page_type="paper", identifiers=(own,), links=("https://doi.org/10.5555/csg.2021.0203",)
    )

    assert link_targets(document) == []
