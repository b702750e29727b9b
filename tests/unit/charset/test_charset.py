"""Bytes become characters without mojibake, whatever the page declares."""

import pytest

from lyra.charset import decode, detect, media_type_of

_JAPANESE = "DPP-4阻害薬はHbA1cを約0.7ポイント低下させた。低血糖の頻度はプラセボと差がなかった。"
_GERMAN = "Die Wirkung hält länger an, als die Hersteller für möglich hielten; größere Studien müssen folgen."
_RUSSIAN = "Исследование показало, что препарат снижает уровень сахара в крови у большинства пациентов."


@pytest.mark.parametrize("codec", ["shift_jis", "euc_jp", "iso2022_jp", "utf-8"])
def test_undeclared_japanese_is_detected(codec: str) -> None:
    """Old Japanese pages declare nothing; each of their encodings must be told from the others."""
    body = f"<html><body><p>{_JAPANESE}</p></body></html>".encode(codec)

    text = decode(body)

    assert text == f"<html><body><p>{_JAPANESE}</p></body></html>"


def test_a_byte_order_mark_beats_every_declaration() -> None:
    """The mark is part of the bytes themselves, so neither header nor meta can contradict it."""
    body = b"\xef\xbb\xbf" + f'<meta charset="shift_jis">{_JAPANESE}'.encode()

    text = decode(body, "text/html; charset=euc-jp")

    assert text == f'<meta charset="shift_jis">{_JAPANESE}'


def test_the_http_header_beats_the_meta_element() -> None:
    """A proxy that transcodes a page changes the header and leaves the markup (WHATWG order)."""
    body = '<meta charset="windows-1252">Zażółć gęślą jaźń'.encode("iso8859-2")

    text = decode(body, "text/html; charset=ISO-8859-2")

    assert text == '<meta charset="windows-1252">Zażółć gęślą jaźń'


def test_the_meta_element_is_read_where_the_header_is_silent() -> None:
    """`windows-31j` is a common name of Shift_JIS with vendor characters such as ①."""
    body = '<meta http-equiv="Content-Type" content="text/html; charset=windows-31j">① 有効性'.encode("cp932")

    text = decode(body, "text/html")

    assert text.endswith("① 有効性")


def test_latin_1_means_windows_1252() -> None:
    """Browsers read the label iso-8859-1 as windows-1252, and pages rely on its quotation marks."""
    body = "<p>“It hält” – 5 €</p>".encode("cp1252")

    text = decode(body, "text/html; charset=ISO-8859-1")

    assert text == "<p>“It hält” – 5 €</p>"


@pytest.mark.parametrize(
    ("written", "wrong"), [(_GERMAN, "iso-8859-1"), (_JAPANESE, "gb2312"), (_JAPANESE, "shift_jis")]
)
def test_utf_8_under_a_wrong_name_is_read_as_utf_8(written: str, wrong: str) -> None:
    """So many bytes that happen to be valid UTF-8 are UTF-8; servers with a wrong default are common."""
    body = f"<p>{written}</p>".encode()

    text = decode(body, f"text/html; charset={wrong}")

    assert text == f"<p>{written}</p>"


def test_a_declared_encoding_that_the_bytes_refute_is_not_believed() -> None:
    """A page declared UTF-8 but written in Shift_JIS would otherwise be nothing but replacement characters."""
    body = f'<meta charset="utf-8"><p>{_JAPANESE}</p>'.encode("cp932")

    text = decode(body, "text/html; charset=utf-8")

    assert text == f'<meta charset="utf-8"><p>{_JAPANESE}</p>'


def test_a_few_bad_bytes_do_not_unseat_the_declaration() -> None:
    """One broken character in a long page is marked as such, and the rest stays right."""
    body = (_JAPANESE * 30).encode() + b"\xff" + "終わり".encode()

    text = decode(body, "text/html; charset=utf-8")

    assert text == _JAPANESE * 30 + "\ufffd" + "終わり"


def test_german_without_declaration_keeps_its_umlauts() -> None:
    """Western text in a one-byte encoding must not be taken for Japanese."""
    body = f"<p>{_GERMAN}</p>".encode("cp1252")

    text = decode(body)

    assert text == f"<p>{_GERMAN}</p>"


def test_cyrillic_without_declaration_is_detected() -> None:
    """Detection goes beyond the languages Lyra is made for."""
    assert detect(_RUSSIAN.encode("cp1251")) == "cp1251"


def test_utf_16_with_its_mark_is_read() -> None:
    """Files saved by old editors come with every second byte zero."""
    assert decode("日本語".encode("utf-16")) == "日本語"


def test_utf_16_the_other_way_round_is_read() -> None:
    """The mark says which byte comes first."""
    assert decode(b"\xfe\xff" + "検索".encode("utf-16-be")) == "検索"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        pytest.param("é".encode(), "text/html; charset=no-such-charset", "é", id="unknown-charset"),
        pytest.param(b"eA==", "text/html; charset=base64", "eA==", id="codec-that-is-no-charset"),
        pytest.param(b'<meta charset="zlib">x', None, '<meta charset="zlib">x', id="such-a-codec-in-the-markup"),
        pytest.param(b"xn--a", "text/html; charset=idna", "xn--a", id="codec-of-names"),
        pytest.param(b"a", "text/html; charset=undefined", "a", id="codec-that-always-fails"),
        pytest.param(rb"\ud800", "text/html; charset=unicode_escape", r"\ud800", id="codec-of-escapes"),
        pytest.param(b"<p>a</p>", "text/html; charset=cp037", "<p>a</p>", id="ebcdic"),
        pytest.param(b"<p>a</p>", "text/html; charset=utf-16", "<p>a</p>", id="ascii-called-utf-16"),
        pytest.param("<p>é".encode("utf-16-le"), "text/html; charset=utf-16-le", "<p>é", id="utf-16-without-mark"),
        pytest.param(b"a\xff\xfe", None, "aÿþ", id="stray-bytes"),
        pytest.param(b"", None, "", id="nothing"),
    ],
)
def test_every_body_becomes_text(body: bytes, content_type: str | None, expected: str) -> None:
    """A wrong or hostile charset must not raise."""
    assert decode(body, content_type) == expected


@pytest.mark.parametrize(
    ("header", "media_type"),
    [("Text/HTML; charset=Shift_JIS", "text/html"), (" application/pdf ", "application/pdf"), (";", ""), (None, "")],
)
def test_a_media_type_stands_before_its_parameters(header: str | None, media_type: str) -> None:
    """Lower-case, whatever the server's spelling; nothing where there is no header."""
    assert media_type_of(header) == media_type
