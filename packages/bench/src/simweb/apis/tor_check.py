"""Tor's own check (check.torproject.org): says whether a request came out of a Tor exit."""

from __future__ import annotations

from simweb.apis.answers import json_response
from simweb.hosts import PlainHost
from simweb.messages import Request, Response

HOSTS = ("check.torproject.org",)
# Addresses kept for documentation (RFC 5737).
_ADDRESSES = {"direct": "192.0.2.7", "tor": "203.0.113.9"}


class TorCheck(PlainHost):
    """Answers /api/ip as JSON and the root as a sentence."""

    def answer(self, request: Request) -> Response:
        is_tor = request.exit == "tor"
        if request.path == "/api/ip":
            return json_response({"IsTor": is_tor, "IP": _ADDRESSES[request.exit]})
        words = "Congratulations. This browser is configured to use Tor." if is_tor else "You are not using Tor."
        return Response.html(
            f"<!DOCTYPE html><html><head><title>{words}</title></head><body><h1>{words}</h1></body></html>"
        )
