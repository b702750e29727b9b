"""An extractor finds what was planted and none of the furniture."""

import re

import pytest
import trafilatura

from simweb.apis import pubmed
from simweb.render import Renderer
from simweb.truth import load_truths
from simweb.world import load_world


def squeeze(text: str) -> str:
    """Without white space and the bars that an extractor writes between the cells of a table."""
    return re.sub(r"[\s|]+", "", text)


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The main text of every page as trafilatura sees it, without white space."""
    topics = load_world()
    written = [page for topic in topics for page in (*topic.pages, *pubmed.pages(topic.papers))]
    pages = [page for page in written if page.format == "html" and not page.is_gone]
    renderer = Renderer(pages)
    html = {page.url: renderer.page(page, [p for p in pages if p.site.domain == page.site.domain]) for page in pages}
    return {url: squeeze(trafilatura.extract(text) or "") for url, text in html.items()}


def test_every_planted_sentence_survives_extraction(texts: dict[str, str]) -> None:
    """No quote of the truth files lies where an extractor takes it for furniture; files and scripts are another's."""
    claims = [claim for truth in load_truths().values() for claim in truth.claims]
    evidence = [item for claim in claims for item in (*claim.supports, *claim.refutes) if item.url in texts]

    lost = [item for item in evidence if squeeze(item.quote) not in texts[item.url]]

    assert len(evidence) > 200
    assert lost == []


@pytest.mark.parametrize("words", ["cookiepolicy", "クッキーの使用", "FreshCrate", "simulatedweb", "模擬ウェブ"])
def test_furniture_can_be_told_from_content(texts: dict[str, str], words: str) -> None:
    """Banners, advertisements and footers are recognisable as such."""
    assert [url for url, text in texts.items() if words in text] == []


def test_hidden_instructions_stand_in_the_source() -> None:
    """What no reader sees is served with the page, and is no part of its text."""
    pages = [page for topic in load_world() for page in topic.pages if page.hidden]

    html = [Renderer(pages).page(page, ()) for page in pages]

    assert [page.hidden in page.text for page in pages] == [False, False]
    assert ["left:-9999px" in text for text in html] == [True, True]
