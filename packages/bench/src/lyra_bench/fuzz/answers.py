"""HTTP answers that no honest server gives: odd bytes in status lines, headers, chunks and bodies. Pure."""

import gzip
import random

from lyra_bench.fuzz.mutate import mutated

_BODY = "<!doctype html><html lang=en><title>Page</title><p>Trials of 120 patients showed no difference.</p></html>"
_VALUES: dict[str, tuple[str, ...]] = {
    "Content-Type": ("text/html; charset=utf-8", "text/html; charset=shift_jis", "text/plain", "application/pdf", ""),
    "Set-Cookie": ("a=b", "id=1; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "__Host-x=y; Secure; Path=/"),
    "Location": ("/next", "//other.example/x", "http://elsewhere.example/a?b=c#d", "http://[::1", "http://a..b:99999/"),
    "Retry-After": ("1", "Wed, 21 Oct 2015 07:28:00 GMT", "-5"),
    "ETag": ('"abc"', "W/\"x\""),
    "Last-Modified": ("Wed, 21 Oct 2015 07:28:00 GMT",),
    "Date": ("Wed, 21 Oct 2015 07:28:00 GMT", "soon"),
    "Content-Encoding": ("gzip", "gzip", "identity", "br", "gzip, br"),
    "Transfer-Encoding": ("chunked",),
    "Content-Length": ("5", "-1", "99999999999999999999"),
    "Link": ("</a>; rel=canonical",),
    "Content-Disposition": ('attachment; filename="x.pdf"',),
    "WWW-Authenticate": ("Basic realm=x", "Negotiate"),
    "Alt-Svc": ('h3=":443"',),
    "Strict-Transport-Security": ("max-age=1",),
    "Server": ("nginx",),
    "cf-mitigated": ("challenge",),
}  # fmt: skip
_STATUSES = (
    *(200,) * 12,
    301,
    302,
    302,
    303,
    307,
    308,
    304,
    204,
    206,
    401,
    403,
    404,
    410,
    429,
    451,
    500,
    503,
    103,
    999,
)


def answer(chance: random.Random) -> bytes:
    """One answer, well formed up to what was damaged in it."""
    head = [f"HTTP/1.1 {chance.choice(_STATUSES)} {chance.choice(('OK', '', 'Nein'))}".encode()]
    names = sorted(_VALUES, key=lambda _: chance.random())[: chance.randint(0, 6)]
    head += [f"{name}: {chance.choice(_VALUES[name])}".encode() for name in names]
    for name in ("Set-Cookie", "Location"):
        if chance.random() < 0.4:
            head.append(_damaged_line(chance, f"{name}: {chance.choice(_VALUES[name])}".encode()))
    if chance.random() < 0.5:
        place = chance.randrange(len(head))
        head[place] = _damaged_line(chance, head[place])
    head += [b" folded \xff"] if chance.random() < 0.05 else []
    body = _BODY.encode(chance.choice(("utf-8", "utf-16", "ascii")))
    if any(b"gzip" in line for line in head):
        body = gzip.compress(body)
    if any(b"chunked" in line for line in head):
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    whole = b"\r\n".join(head) + b"\r\n\r\n" + body
    return mutated(chance, whole, 3) if chance.random() < 0.15 else whole


def _damaged_line(chance: random.Random, line: bytes) -> bytes:
    """Mostly the value alone: curl itself refuses most heads whose names or status lines are damaged."""
    name, colon, value = line.partition(b": ")
    if colon and chance.random() < 0.9:
        return name + colon + mutated(chance, value, 2)
    return mutated(chance, line, 3)
