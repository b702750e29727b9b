"""How a page has changed between two of its versions: headings, statements and dates. Pure."""

from lyra.model.archive import PageRevision, PageVersion


def compare_versions(old: PageVersion, new: PageVersion) -> PageRevision:
    """What came and what went; the wording counts, not its spacing or capitals."""
    dates = ((old.updated or old.date), (new.updated or new.date))
    has_new_date = dates[0] != dates[1] and None not in dates
    return PageRevision(
        headings_added=_missing(new.headings, old.headings),
        headings_removed=_missing(old.headings, new.headings),
        statements_added=_missing(new.statements, old.statements),
        statements_removed=_missing(old.statements, new.statements),
        date_before=dates[0] if has_new_date else None,
        date_after=dates[1] if has_new_date else None,
    )


def _missing(texts: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    known = {_plain(text) for text in others}
    return tuple(text for text in dict.fromkeys(texts) if _plain(text) not in known)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
