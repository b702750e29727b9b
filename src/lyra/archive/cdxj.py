"""CDXJ lines, as web archives write them: a sortable key of the address, the moment, and a JSON object. Pure."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

from lyra.urls import escaped, wire_host

_WWW = re.compile(r"^www\d*\.")
_ORDINARY_PORTS = {"http": 80, "https": 443}


def cdxj_line(url: str, moment: datetime, fields: Mapping[str, object]) -> str:
    """One line without its end; fields without a value are left out."""
    stated = {name: value for name, value in {"url": url, **fields}.items() if value is not None}
    stamp = moment.astimezone(UTC).strftime("%Y%m%d%H%M%S")
    return f"{url_key(url)} {stamp} {json.dumps(stated, ensure_ascii=False)}"


def url_key(url: str) -> str:
    """The address from the general to the particular: `https://www.a.example/B?y&x` becomes `example,a)/b?x&y`."""
    try:
        parts = urlsplit(url)
        host, port = wire_host(parts.hostname or ""), parts.port
    except ValueError:
        return _one_word(url.lower())
    if not host:
        return _one_word(url.lower())
    reversed_host = ",".join(reversed(_WWW.sub("", host).split(".")))
    suffix = f":{port}" if port and port != _ORDINARY_PORTS.get(parts.scheme) else ""
    query = "&".join(sorted(escaped(parts.query).lower().split("&")))
    path = (escaped(parts.path).lower() or "/") + (f"?{query}" if query else "")
    return _one_word(f"{reversed_host}{suffix}){path}")


def _one_word(key: str) -> str:
    return re.sub(r"\s", "%20", key)
