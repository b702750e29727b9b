"""Pages made for measuring."""

from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra_bench.measure.pages import PARAGRAPHS, make_pages


def test_the_same_seed_makes_the_same_pages() -> None:
    """Two measurements read the same words; another seed gives others."""
    assert make_pages(20) == make_pages(20)
    assert make_pages(20, seed=1) != make_pages(20)


def test_a_page_gives_a_fragment_for_each_paragraph() -> None:
    """200 pages are to be about 6,000 fragments."""
    (made,) = make_pages(1)

    document = read_document(made.body, content_type="text/html; charset=utf-8", url=made.url)

    paragraphs = [one for one in to_fragments("p_1", document) if one.fragment_type.value == "paragraph"]
    assert len(paragraphs) == PARAGRAPHS


def test_some_pages_repeat_others_and_some_are_japanese() -> None:
    """As on the web: a tenth are copies, a fifth are in another language."""
    made = make_pages(200)

    bodies = [frozenset(page.body.decode().partition("</h1>")[2].replace("<h2>", "<p>").split("<p>")) for page in made]
    japanese = sum('lang="ja"' in page.body.decode() for page in made)
    firsts = {page.url for page in made}

    copies = sum(any(len(own & other) > PARAGRAPHS // 2 for other in bodies[:at]) for at, own in enumerate(bodies))
    assert (copies, japanese, len(firsts)) == (19, 37, 200)
