"""Keeps secrets out of the archive: of the address, the headers and what was sent. Answers stay as they came."""

from dataclasses import replace

from lyra.model.archive import Exchange
from lyra.redact.redactor import Redactor


def redacted(exchange: Exchange, redactor: Redactor) -> Exchange:
    """The exchange without secrets. Of the answer's body only the user's own keys, should it repeat them."""
    return replace(
        exchange,
        url=redactor.url(exchange.url),
        request_headers=redactor.headers(exchange.request_headers),
        request_body=redactor.form(exchange.request_body),
        headers=redactor.headers(exchange.headers),
        body=redactor.value_bytes(exchange.body),
    )
