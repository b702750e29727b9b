"""What the links of a page name: a paper by its identifier where the address holds one, otherwise the address."""

from lyra.model.page import Document, Identifier, identifiers_in
from lyra.urls import canonical, is_web_url

PAPER = "paper"


def named_links(document: Document) -> list[tuple[str, Identifier]]:
    """Each address in canonical form with what it names, once for each thing named, in the order given.

    A paper's link to its own identifier names nothing else.
    """
    own = document.identifiers[:1] if document.page_type == PAPER else ()
    found: dict[Identifier, str] = {}
    for address in filter(is_web_url, document.links):
        url = canonical(address)
        papers = identifiers_in(address)
        found.setdefault(papers[0] if papers else Identifier("url", url), url)
    return [(url, named) for named, url in found.items() if named not in own]
