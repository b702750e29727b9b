"""The fragments that a task has read, each with what surrounds it on its page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lyra.claims.subjects import NamedSite
from lyra.claims.windows import Excerpt, Setting, first_sentences, header_row, last_sentence
from lyra.model.named_page import NamedPage
from lyra.model.page import SATIRE, Fragment, FragmentType, PageHead
from lyra.research.injections import OrderSpans
from lyra.urls import host_of

# Of a page, so much is looked at by rules that ask whom it is about; an article has a tenth of it.
_LONGEST_PAGE = 200_000


@dataclass(frozen=True, slots=True)
class KnownFragment:
    """A fragment the task has read, and what is asked of its page."""

    fragment: Fragment
    page: PageHead


@dataclass(frozen=True, slots=True)
class WholePage:
    """A page for rules that ask whom it is about: by its parts, and as one text with title and address."""

    named: NamedPage
    text: str


class KnownFragments:
    """The fragments of one task, which asks `question`, by their ids. A fragment that is mostly `orders` to an AI is no
    neighbour of others."""

    def __init__(self, orders: OrderSpans, question: str) -> None:
        self._orders = orders
        self._question = question
        self._by_id: dict[str, KnownFragment] = {}
        self._places: dict[tuple[str, int], str] = {}
        self._page_texts: dict[str, list[str]] = {}
        self._whole_pages: dict[str, WholePage] = {}
        self._beginnings: dict[str, Excerpt | None] = {}

    def __contains__(self, fragment_id: str) -> bool:
        return fragment_id in self._by_id

    def __getitem__(self, fragment_id: str) -> KnownFragment:
        return self._by_id[fragment_id]

    def add(self, known: Sequence[KnownFragment]) -> None:
        """Fragments that the task has read now or before."""
        self._by_id |= {one.fragment.id: one for one in known}
        self._places |= {(one.fragment.page_id, one.fragment.position): one.fragment.id for one in known}
        for one in known:
            self._page_texts.setdefault(one.fragment.page_id, []).append(one.fragment.text_content)
            self._whole_pages.pop(one.fragment.page_id, None)
            self._beginnings.pop(one.fragment.page_id, None)

    def headings_of(self, fragment: Fragment) -> str:
        """The title of its page and the headings above it."""
        return "\n".join((self._by_id[fragment.id].page.title, *(one.text for one in fragment.heading_hierarchy)))

    def page_of(self, known: KnownFragment) -> WholePage:
        """What the page of a fragment says, made once: all pairs of a page share the text, however long it is."""
        page_id = known.fragment.page_id
        if page_id not in self._whole_pages:
            text = "\n".join(self._page_texts[page_id])[:_LONGEST_PAGE]
            head = known.page
            named = NamedPage(head.title, head.address, text, head.site_name, head.authors)
            self._whole_pages[page_id] = WholePage(named, "\n".join((head.title, head.address, text)))
        return self._whole_pages[page_id]

    def setting_of(self, known: KnownFragment) -> Setting:
        """The title, headings and neighbours of a fragment on its page, and how the page begins."""
        fragment = known.fragment
        own = Setting(
            known.page.title,
            fragment.heading_context,
            page=self.page_of(known).text,
            site=NamedSite(host_of(known.page.address), known.page.site_name),
            question=self._question,
            is_satire=known.page.page_type == SATIRE,
            beginning=self._beginning_of(fragment),
        )
        if fragment.fragment_type is FragmentType.TABLE:
            return replace(own, header=self._header_of(fragment), is_table=True)
        before = self.before(fragment)
        return own if before is None else replace(own, before=last_sentence(before.id, before.text_content))

    def _beginning_of(self, fragment: Fragment) -> Excerpt | None:
        """How the page of a fragment begins, where that is not the fragment itself; found once for all of a page."""
        if fragment.position == 0:
            return None
        page_id = fragment.page_id
        if page_id not in self._beginnings:
            self._beginnings[page_id] = self._found_beginning(self._at(page_id, 0))
        return self._beginnings[page_id]

    def _found_beginning(self, first: Fragment | None) -> Excerpt | None:
        """The first sentences of a fragment that is no table, where they hold no order."""
        if first is None or first.fragment_type is FragmentType.TABLE:
            return None
        found = first_sentences(first.id, first.text_content)
        if found is None or self._orders.overlaps_order(first.id, found.start, found.start + len(found.text)):
            return None
        return found

    def _header_of(self, fragment: Fragment) -> Excerpt | None:
        """The first row of a table whose rows fill several fragments, where this is not the first of them."""
        first, before = fragment, self.before(fragment)
        while before is not None and before.fragment_type is FragmentType.TABLE:
            first, before = before, self.before(before)
        return None if first is fragment else header_row(first.id, first.text_content)

    def before(self, fragment: Fragment) -> Fragment | None:
        """The fragment in front of one, under the same headings."""
        position = fragment.position - 1
        before = self._at(fragment.page_id, position)
        while before is not None and self._orders.is_mostly_orders(before.id, len(before.text_content)):
            position -= 1
            before = self._at(fragment.page_id, position)
        if before is None or before.heading_hierarchy != fragment.heading_hierarchy:
            return None
        return before

    def _at(self, page_id: str, position: int) -> Fragment | None:
        known = self._by_id.get(self._places.get((page_id, position), ""))
        return known.fragment if known else None
