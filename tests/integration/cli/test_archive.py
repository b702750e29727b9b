"""`lyra archive`: from a fragment to the archived bytes and back, as JSON and for people."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lyra.archive.captures import Captures
from lyra.archive.warc import WarcArchive
from lyra.archived_answers import answered_document
from lyra.clock import SystemClock
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.ids import derived_id
from lyra.model.archive import Capture, Exchange
from lyra.model.page import Fragment, Page
from lyra.storage import pages
from lyra.storage.database import Database

URL = "https://www.iyaku-anzen.go.jp/safety/dpp4"
PAGE = """<!doctype html><html lang="ja"><head><meta charset="utf-8"><title>DPP-4阻害薬の安全性</title></head><body>
<main>
<h1>DPP-4阻害薬の安全性</h1><p>サキサグリプチンは心不全による入院を27パーセント増加させたと報告されている。対象は
二型糖尿病の患者16,492人であった。</p><p>一方、シタグリプチンでは心不全による入院の増加は認められなかった。
追跡期間の中央値は三年であった。</p></main></body></html>"""


async def _store(home: Path) -> tuple[Fragment, Path]:
    """One page as a search would keep it: archived, captured, read and stored. Returns a fragment and the file."""
    clock, db = SystemClock(), await Database.open(home / "lyra.db")
    archive = WarcArchive(home / "archive", clock, db=db)
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    answer = Exchange(URL, "GET", clock.now(), status_code=200, headers=headers, body=PAGE.encode())
    ref = await archive.store(answer)
    await Captures(home / "archive", clock).store(Capture(URL, ref.record_id, clock.now(), b"\x89PNG"))
    document = read_document(PAGE.encode(), content_type="text/html", url=URL)
    page = Page(
        derived_id("p", URL), URL, "iyaku-anzen.go.jp", document.title, "ja", clock.now(), URL, archive=ref,
        text=document.text, extractor=document.extractor,
    )  # fmt: skip
    fragments = to_fragments(page.id, document)
    await db.write(pages.save, page, fragments)
    await archive.close()
    await db.close()
    return fragments[1], home / "archive" / ref.path


@pytest.fixture
def stored(home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Fragment, Path]:
    """Written by a process that has ended."""
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 999_999_999)
        return asyncio.run(_store(home))


def test_a_fragment_is_verified_against_the_archived_bytes(lyra: Any, home: Path, stored: Any) -> None:
    """Record, place, digest, the words around it and the screenshot: all that a doubter asks for."""
    fragment, file = stored

    shown = lyra("archive", "show", fragment.id, "--json")

    told = shown.json
    assert (shown.code, told["standing"]) == (0, "verified")
    assert told["checks"] == [
        {"name": name, "holds": True, "difference": None} for name in ("extractor", "hash", "words")
    ]
    assert home / "archive" / told["record"]["warc_path"] == file
    assert (told["record"]["kind"], told["record"]["url"], told["record"]["status_code"]) == ("response", URL, 200)
    assert told["fragment"]["text"] == fragment.text_content
    assert told["fragment"]["before"].endswith("16,492人であった。\n\n")
    assert Path(told["capture"]["screenshot"]).read_bytes() == b"\x89PNG"


def test_people_see_the_passage_in_its_place(lyra: Any, stored: Any) -> None:
    """The same for reading."""
    fragment, _ = stored

    shown = lyra("archive", "show", fragment.id)

    assert shown.out.splitlines()[0] == "VERIFIED"
    assert f">>>{fragment.text_content}<<<" in shown.out


def test_a_page_is_shown_by_its_address(lyra: Any, stored: Any) -> None:
    """Whoever has only the link can ask, too."""
    shown = lyra("archive", "show", f"{URL}?utm_source=x", "--json")

    assert (shown.json["standing"], shown.json["fragment"]) == ("verified", None)
    assert [check["name"] for check in shown.json["checks"]] == ["extractor", "text"]


def test_words_that_the_bytes_do_not_give_are_told_exactly(lyra: Any, home: Path, stored: Any) -> None:
    """A row changed in the database does not pass for evidence."""
    fragment, _ = stored
    shifted = replace(fragment, char_start=fragment.char_start - 1, char_end=fragment.char_end - 1)
    asyncio.run(_resave(home, shifted))

    shown = lyra("archive", "show", fragment.id, "--json")

    (words,) = [check for check in shown.json["checks"] if not check["holds"]]
    assert (shown.code, shown.json["standing"], words["name"]) == (1, "differs", "words")
    assert words["difference"] == (
        f"the same words are at {fragment.char_start}-{fragment.char_end} "
        f"instead of {shifted.char_start}-{shifted.char_end}"
    )


async def _resave(home: Path, fragment: Fragment) -> None:
    db = await Database.open(home / "lyra.db")
    page = await db.read(pages.get, fragment.page_id)
    assert page is not None
    await db.write(pages.save, page, [fragment])
    await db.close()


ANSWER = json.dumps({"total": 1, "data": [{"title": "SAVOR", "abstract": "Saxagliptin raised admissions by 27%."}]})


async def _store_abstract(home: Path, answer: str) -> Fragment:
    """A paper found through an API, whose answer is archived; no page was fetched for it."""
    clock, db = SystemClock(), await Database.open(home / "lyra.db")
    archive = WarcArchive(home / "archive", clock, db=db)
    headers = (("Content-Type", "application/json"),)
    url = "https://api.semanticscholar.org/graph/v1/paper/search?query=saxagliptin"
    ref = await archive.store(Exchange(url, "GET", clock.now(), status_code=200, headers=headers, body=answer.encode()))
    document = answered_document("abstract:any", ANSWER.encode(), "")
    assert document is not None
    address = "https://doi.org/10.1056/nejmoa1307684"
    page = Page(
        derived_id("p", address), address, "doi.org", document.title, "en", clock.now(), address, archive=ref,
        text=document.text, extractor=document.extractor,
    )  # fmt: skip
    (fragment,) = to_fragments(page.id, document)
    await db.write(pages.save, page, [fragment])
    await archive.close()
    await db.close()
    return fragment


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(ANSWER, (0, "verified", None), id="the answer that was read"),
        pytest.param(
            '{"data": []}',
            (1, "differs", "The archived bytes can no longer be read: the answer of the API holds no such text."),
            id="an answer without it",
        ),
    ],
)
def test_an_abstract_is_verified_against_the_answer_of_its_api(
    lyra: Any, home: Path, answer: str, expected: tuple[int, str, str | None]
) -> None:
    """From the words of a paper to the archived answer that held them, without a page of it."""
    fragment = asyncio.run(_store_abstract(home, answer))

    shown = lyra("archive", "show", fragment.id, "--json")

    assert (shown.code, shown.json["standing"], shown.json["remark"]) == expected
    assert shown.json["record"]["media_type"] == "application/json"


def test_a_lost_file_is_unreadable_not_verified(lyra: Any, stored: Any) -> None:
    """Without the bytes there is no proof, and the answer says so."""
    fragment, file = stored
    file.unlink()

    shown = lyra("archive", "show", fragment.id, "--json")

    assert (shown.code, shown.json["standing"], shown.json["record"]) == (1, "unreadable", None)


def test_an_unknown_name_is_a_typed_error(lyra: Any, stored: Any) -> None:
    """With what to do instead."""
    shown = lyra("archive", "show", "f_0000000000000000", "--json")

    assert (shown.code, shown.json["error_code"]) == (2, "INVALID_PARAMS")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("iyaku-anzen.go.jp/safety/dpp4", "Try https://iyaku-anzen.go.jp/safety/dpp4"),
        ("", "Try https://…"),
    ],
)
def test_what_is_no_address_is_not_taken_for_an_empty_archive(lyra: Any, name: str, remedy: str) -> None:
    """Nothing kept and nothing understood are two answers."""
    listed = lyra("archive", "list", name, "--json")

    assert (listed.code, listed.json["error_code"], listed.json["remedy"]) == (2, "INVALID_PARAMS", remedy)


def test_what_is_kept_of_an_address_is_listed(lyra: Any, stored: Any) -> None:
    """Newest first, in one table or as JSON; an address that nobody asked has nothing."""
    listed = lyra("archive", "list", "http://iyaku-anzen.go.jp/safety/dpp4", "--json")
    nothing = lyra("archive", "list", "https://absent.example/", "--json")

    assert [(row["kind"], row["url"], row["media_type"]) for row in listed.json["records"]] == [
        ("response", URL, "text/html")
    ]
    assert nothing.json["records"] == []


def test_check_size_index_and_prune_over_the_same_archive(lyra: Any, stored: Any) -> None:
    """A dry run changes nothing; what no evidence needs goes; afterwards the archive is whole and empty."""
    checked = lyra("archive", "check", "--json")
    size = lyra("archive", "size", "--json")
    index = lyra("archive", "index")
    dry = lyra("archive", "prune", "--max-mb", "0", "--dry-run", "--json")
    pruned = lyra("archive", "prune", "--max-mb", "0", "--json")
    after = lyra("archive", "check")

    assert (checked.code, checked.json["is_whole"], checked.json["records"]) == (
        0,
        True,
        {"request": 1, "response": 1, "warcinfo": 1},
    )
    assert (size.json["records"], size.json["evidence_records"], size.json["captures"]) == (1, 0, 1)
    assert index.out.startswith("jp,go,iyaku-anzen)/safety/dpp4 ")
    assert (dry.json["dry_run"], dry.json["records"]) == (True, 1)
    assert (pruned.json["records"], pruned.json["freed_bytes"]) == (1, size.json["total_bytes"])
    assert (after.code, after.out) == (0, "0 files: no records; 0 problems.\n")
