"""The file format of PDF (ISO 32000): numbered objects, a table of where they are, a trailer."""

from __future__ import annotations

import zlib


def pdf_string(text: str) -> bytes:
    """A text string of the document's information dictionary."""
    return b"<" + (b"\xfe\xff" + text.encode("utf-16-be")).hex().encode() + b">"


class Container:
    """Collects objects and writes the file."""

    def __init__(self) -> None:
        self._objects: list[bytes] = []

    def reserve(self) -> int:
        """A number for an object that is written later."""
        self._objects.append(b"")
        return len(self._objects)

    def put(self, number: int, body: bytes) -> None:
        self._objects[number - 1] = body

    def add(self, body: bytes) -> int:
        number = self.reserve()
        self.put(number, body)
        return number

    def stream(self, data: bytes, entries: bytes = b"") -> int:
        """A compressed stream; `entries` are more entries of its dictionary."""
        packed = zlib.compress(data, 6)
        head = b"<< /Length %d /Filter /FlateDecode %s>>" % (len(packed), entries)
        return self.add(head + b"\nstream\n" + packed + b"\nendstream")

    def write(self, root: int, info: int) -> bytes:
        out = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
        places: list[int] = []
        for number, body in enumerate(self._objects, start=1):
            places.append(len(out))
            out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
        start = len(out)
        size = len(self._objects) + 1
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        out += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\n" % (size, root, info)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def catalogue(container: Container, sheets: list[bytes], title: str, author: str) -> bytes:
    """Write the document whose sheets have these page dictionaries (without type and parent)."""
    tree = container.reserve()
    kids = [container.add(b"<< /Type /Page /Parent %d 0 R %s >>" % (tree, sheet)) for sheet in sheets]
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    container.put(tree, b"<< /Type /Pages /Kids [%s] /Count %d >>" % (listed, len(kids)))
    root = container.add(b"<< /Type /Catalog /Pages %d 0 R >>" % tree)
    info = container.add(b"<< /Title %s /Author %s /Producer (simweb) >>" % (pdf_string(title), pdf_string(author)))
    return container.write(root, info)
