"""Office documents, books and mail as documents."""

import io
import zipfile

import pytest

from lyra.errors import InvalidParams
from lyra.extract.document import MAIL, read_document
from lyra.extract.packed import MAX_PART_BYTES
from lyra.translate import in_language, translate
from simweb.files.office import docx, eml, epub, odt, packed, pptx, xlsx

TEXTS = ("Aspirin reduces the risk of a second stroke.", "低用量アスピリンは大出血のリスクを高める。")
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        pytest.param(docx("Stroke", TEXTS), [(TEXTS[0], None), (TEXTS[1], None)], id="docx"),
        pytest.param(odt("Stroke", TEXTS), [(TEXTS[0], None), (TEXTS[1], None)], id="odt"),
        pytest.param(pptx("Stroke", TEXTS), [(TEXTS[0], 1), (TEXTS[1], 2)], id="pptx: slides are pages"),
        pytest.param(xlsx("Stroke", TEXTS), [(f"0 | {TEXTS[0]}", 1), (f"1 | {TEXTS[1]}", 1)], id="xlsx: rows"),
        pytest.param(
            epub("Stroke", TEXTS), [("c1", 1), (TEXTS[0], 1), ("c2", 2), (TEXTS[1], 2)], id="epub: chapters are pages"
        ),
    ],
)
def test_a_zipped_document_is_read_with_its_title_and_places(body: bytes, texts: list[tuple[str, int | None]]) -> None:
    """The words come in reading order, each with the number of its slide, sheet or chapter."""
    found = read_document(body, content_type=None)

    assert found.title == "Stroke"
    assert [(one.text, one.page_number) for one in found.passages] == texts


def test_a_message_is_read_with_sender_and_day() -> None:
    """A mail's subject is its title, its sender the author; both languages are decoded."""
    found = read_document(eml("Stroke", TEXTS), content_type=MAIL)

    assert (found.title, found.authors, found.date) == ("Stroke", ("Anna Berg <anna@example.org>",), "2026-03-03")
    assert [one.text for one in found.passages[1:]] == list(TEXTS)


def _locked() -> bytes:
    """A zip whose one part is marked as encrypted."""
    body = bytearray(docx("x", TEXTS))
    place = body.find(b"PK\x01\x02")
    body[place + 8] |= 1
    return bytes(body)


BOMB = packed({"word/document.xml": b"<x>" + b" " * MAX_PART_BYTES + b"</x>"})
ENTITIES = packed({"word/document.xml": '<!DOCTYPE x [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'})
OLD_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
ODT_LOCKED = packed({"content.xml": "x", "META-INF/manifest.xml": "<m><encryption-data/></m>"})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(BOMB, "This Word document cannot be read: it unpacks to more than 64 MB.", id="zip bomb"),
        pytest.param(
            ENTITIES,
            "This Word document cannot be read: it declares entities, which no such program does.",
            id="XML bomb",
        ),
        pytest.param(_locked(), "This Word document cannot be read: it is encrypted.", id="encrypted zip"),
        pytest.param(OLD_LOCKED, "This Office document cannot be read: it is encrypted.", id="encrypted DOCX"),
        pytest.param(ODT_LOCKED, "This OpenDocument text cannot be read: it is encrypted.", id="encrypted ODT"),
        pytest.param(
            b"PK\x03\x04cut off", "This document cannot be read: it is broken (File is not a zip file).", id="torn"
        ),
        pytest.param(
            packed({"META-INF/container.xml": "<c/>"}),
            "This EPUB book cannot be read: it has no list of its chapters.",
            id="no book",
        ),
    ],
)
def test_hostile_and_broken_files_are_refused_by_name(body: bytes, message: str) -> None:
    """What unpacks without end, declares entities or asks for a password is named, and nothing of it is read."""
    with pytest.raises(InvalidParams) as caught:
        read_document(body, content_type=DOCX)

    assert caught.value.message == message


def test_a_zip_of_something_else_is_no_document() -> None:
    """A zip without a known part is refused as what it looks like."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("readme.txt", "x")

    with pytest.raises(InvalidParams) as caught:
        read_document(out.getvalue(), content_type=None)

    assert caught.value.message == "The body looks like a ZIP archive or Office file."


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (packed({"META-INF/container.xml": "<container/>"}), "EPUB の本を読めません"),
        (packed({"xl/workbook.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"}), "Excel ブックを読めません"),
    ],
    ids=["epub", "xlsx"],
)
def test_what_cannot_be_read_is_named_in_japanese(body: bytes, told: str) -> None:
    """No English word is left in the middle of the sentence."""
    with pytest.raises(InvalidParams) as caught:
        read_document(body, content_type=None)

    with in_language("ja"):
        assert translate(caught.value.message).startswith(f"{told}（")
