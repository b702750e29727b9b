"""A mail message to blocks: its subject, who wrote it to whom and when, and its text; attachments are named."""

import email
import email.policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from lyra.charset import decode
from lyra.errors import InvalidParams
from lyra.extract.blocks import Block, single_line
from lyra.extract.html_markdown import html_markdown
from lyra.extract.office import OfficeContent
from lyra.extract.plain import markdown_blocks, text_blocks

_NAMED = ("From", "To", "Cc", "Date")
_MAX_PARTS = 200


def read_mail(body: bytes) -> OfficeContent:
    """The message. Raises InvalidParams where it has neither headers nor text."""
    message = email.message_from_bytes(body, policy=email.policy.default)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise InvalidParams("The message has no headers.", details={"looks_like": "broken mail"})
    heads = {name: _header(message, name) for name in ("Subject", *_NAMED)}
    lines = [f"{name}: {heads[name]}" for name in _NAMED if heads[name]]
    blocks = [Block(" / ".join(lines)), *_texts(message)] if lines else _texts(message)
    sender = heads["From"]
    return OfficeContent(blocks, heads["Subject"], (sender,) if sender else (), _day(heads["Date"]))


def _header(message: EmailMessage, name: str) -> str:
    try:
        return single_line(str(message.get(name) or ""))
    except (ValueError, LookupError, IndexError, AttributeError, TypeError):  # what the parser makes of broken headers
        return ""


def _day(date: str) -> str | None:
    try:
        return parsedate_to_datetime(date).date().isoformat()
    except (ValueError, TypeError, OverflowError):
        return None


def _texts(message: EmailMessage) -> list[Block]:
    """The plain text where there is one, else the HTML; and the names of what is attached."""
    leaves = [part for _, part in zip(range(_MAX_PARTS), message.walk(), strict=False) if not part.is_multipart()]
    shown = [part for part in leaves if not part.get_filename()]
    plain = [part for part in shown if part.get_content_type() == "text/plain"]
    pages = [part for part in shown if part.get_content_type() == "text/html"]
    found = [block for part in plain for block in text_blocks(_decoded(part))]
    if not found:
        found = [block for part in pages for block in markdown_blocks(html_markdown(_decoded(part)))]
    names = [single_line(str(part.get_filename())) for part in leaves if part.get_filename()]
    return [*found, Block(f"Attachments: {', '.join(names)}")] if names else found


def _decoded(part: EmailMessage) -> str:
    content = part.get_payload(decode=True)
    charset = part.get_content_charset()
    return decode(content, f"text/plain; charset={charset}" if charset else None) if isinstance(content, bytes) else ""
