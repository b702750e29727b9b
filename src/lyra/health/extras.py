"""Which optional parts are installed, and what the others would add."""

from lyra import text
from lyra.health.finding import Finding


def check_extras() -> list[Finding]:
    """What was left out of the installation, which is no fault, and what it would add."""
    from lyra.fetch.browser import machine
    from lyra.ml import ocr
    from lyra.search import mirrors

    return [
        _extra("browser driver", machine.has_driver(), "pages that need a browser stay unread", machine.DRIVER),
        _extra(
            "japanese", text.has_dictionary(), "Japanese text is split into pairs of characters", text.JAPANESE_EXTRA
        ),
        _extra(
            "dictionary",
            mirrors.has_dictionary(),
            "few queries are asked in the other language",
            mirrors.DICTIONARY_EXTRA,
        ),
        _extra("ocr", ocr.is_installed(), "scanned pages stay unread", ocr.REMEDY),
    ]


def _extra(name: str, is_installed: bool, without: str, remedy: str) -> Finding:
    return Finding(name, True, "installed" if is_installed else f"not installed: {without} ({remedy})")
