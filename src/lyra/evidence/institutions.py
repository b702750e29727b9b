"""Which institution a text credits with what it says, and whose a page is (SPEC §13, one origin).

Only a name makes two texts one source. A word for an institution ("the council", 市) stands for a name where the page
gives one alone that it can mean. Words that credit several institutions, or tell of a measurement of their own, credit
nobody.
"""

from functools import lru_cache

from lyra.evidence import institutions_en, institutions_ja
from lyra.model.named_page import NamedPage
from lyra.model.work import institution_key, own_key, site_keys
from lyra.text import is_japanese, nfkc

# Judged words are a few sentences, and a page says early whose it is; a page without end must not cost more.
_LONGEST = 3_000
_LONGEST_PAGE = 20_000


def institutions(quote: str, whole: str, page: NamedPage) -> tuple[str, ...]:
    """Keys of the institution that the deciding words credit, and of the one whose page it is, each name once.

    `whole` is the passage around the words.
    """
    text, passage = nfkc(quote[:_LONGEST]), nfkc(whole[:_LONGEST_PAGE])
    plain = _plain(page)
    language = institutions_ja if is_japanese(text) else institutions_en
    credited = language.credited(text, passage, plain)
    return tuple(dict.fromkeys((*map(institution_key, credited), *_own(plain))))


@lru_cache(maxsize=256)
def _plain(page: NamedPage) -> NamedPage:
    return NamedPage(nfkc(page.title), page.url, nfkc(page.text[:_LONGEST_PAGE]), nfkc(page.site_name))


@lru_cache(maxsize=256)
def _own(page: NamedPage) -> tuple[str, ...]:
    own = institutions_ja if is_japanese(page.title + page.text) else institutions_en
    site = site_keys(own.site_name(page.site_name))
    is_ending_known = own is institutions_en and institutions_en.is_paper(page.site_name)
    return (*(own_key(name) for name in own.own_names(page)), *(site if is_ending_known else site[:1]))
