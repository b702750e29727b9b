"""Lines that belong to the page, not to its text: invitations, credits, links to other pages."""

from lyra.word_lists import word_lists

_SHORT_CHARS = 220


def is_boilerplate(text: str) -> bool:
    """Whether a short passage is an invitation, a credit or a consent line."""
    lists = word_lists("lyra.extract", "page_lines", "en", "ja", "de", "fr", "others")
    if lists.pattern("only_numbers").match(text):
        return True
    if len(text) > 2 * _SHORT_CHARS:
        return False
    if lists.pattern("consent").search(text):
        return True
    return len(text) <= _SHORT_CHARS and bool(lists.pattern("opening").match(text))
