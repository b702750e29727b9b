"""An extractor finds what was planted and none of the furniture."""

import re

import pytest
import trafilatura

from simweb.apis import pubmed
from simweb.render import Renderer
from simweb.truth import load_truth
from simweb.world import load_world


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The main text of every page as trafilatura sees it, without white space."""
    topics = load_world()
    pages = [page for topic in topics for page in (*topic.pages, *pubmed.pages(topic.papers))]
    renderer = Renderer(pages)
    html = {page.url: renderer.page(page, [p for p in pages if p.site.domain == page.site.domain]) for page in pages}
    return {url: squeeze(trafilatura.extract(text) or "") for url, text in html.items()}


def test_every_planted_sentence_survives_extraction(texts: dict[str, str]) -> None:
    """No quote of the truth file lies where an extractor takes it for furniture."""
    evidence = [item for claim in load_truth().claims for item in (*claim.supports, *claim.refutes)]

    lost = [item for item in evidence if squeeze(item.quote) not in texts[item.url]]

    assert len(evidence) > 100
    assert lost == []


@pytest.mark.parametrize("words", ["cookiepolicy", "クッキーの使用", "FreshCrate", "simulatedweb", "模擬ウェブ"])
def test_furniture_can_be_told_from_content(texts: dict[str, str], words: str) -> None:
    """Banners, advertisements and footers are recognisable as such."""
    assert [url for url, text in texts.items() if words in text] == []
