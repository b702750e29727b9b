"""Traces of calls and searches for an OpenTelemetry collector of the user's own; off unless an endpoint is set.

Spans carry names and numbers, never questions, texts or addresses of pages (L8).
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from urllib.parse import urlsplit

from opentelemetry import trace

from lyra.errors import InvalidParams

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
tracer = trace.get_tracer("lyra")


def add_event(name: str, value: str) -> None:
    """Note something on the span of now, where there is one."""
    trace.get_current_span().add_event(name, {f"lyra.{name}": value})


@contextlib.asynccontextmanager
async def sending(endpoint: str | None) -> AsyncIterator[None]:
    """Send spans to the endpoint meanwhile, the last ones at the end; nothing without an endpoint. As `configure`."""
    send_last = configure(endpoint)
    try:
        yield
    finally:
        await asyncio.to_thread(send_last)


def configure(endpoint: str | None) -> Callable[[], None]:
    """Send spans to the endpoint from now on; the function returned sends the last ones. Nothing without an endpoint.

    Raises InvalidParams where the endpoint is neither on this machine nor has TLS, or the extra is not installed.
    """
    if endpoint is None:
        return lambda: None
    address = urlsplit(endpoint)
    if address.scheme != "https" and not (address.scheme == "http" and address.hostname in _LOOPBACK):
        raise InvalidParams(
            f"Traces cannot go to {endpoint[:200]!r}.",
            remedy="Set log.traces_endpoint to an https address, or to http on this machine.",
        )
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as exc:
        raise InvalidParams(
            "Traces need the extra `tracing`.", remedy="pip install 'lyra-mcp[tracing]', or unset log.traces_endpoint."
        ) from exc
    provider = TracerProvider(resource=Resource({"service.name": "lyra"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint)))
    trace.set_tracer_provider(provider)
    return provider.shutdown
