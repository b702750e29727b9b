"""What the graph of a real session must satisfy, whatever the models judged: every word leads back to its bytes."""

import asyncio
import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from lyra.archive.warc import WarcArchive
from lyra.clock import SystemClock
from lyra.extract.document import read_document
from lyra.model.page import ArchiveRef


@pytest.fixture(scope="module")
def database(researched: Any) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(researched.data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    yield connection
    connection.close()


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_every_mention_quotes_its_fragment_exactly(database: apsw.Connection) -> None:
    """A claim's quote is the slice of the fragment that its position names, and its hash is the quote's."""
    rows = list(
        database.execute(
            "select m.quote, m.char_start, m.char_end, m.quote_hash, f.text_content from claim_mentions m"
            " join fragments f on f.id = m.fragment_id"
        )
    )

    wrong = [row for row in rows if row[4][row[1] : row[2]] != row[0] or sha256(row[0]) != row[3]]
    assert wrong == []
    assert len(rows) >= 20


def test_every_fragment_is_a_slice_of_its_pages_text(database: apsw.Connection) -> None:
    """Fragments are the page's own words at their offsets."""
    rows = list(
        database.execute(
            "select f.text_content, f.char_start, f.char_end, f.text_hash, p.text_content from fragments f"
            " join pages p on p.id = f.page_id where f.superseded_at is null"
        )
    )

    wrong = [row for row in rows if row[4][row[1] : row[2]] != row[0] or sha256(row[0]) != row[3]]
    assert wrong == []
    assert len(rows) >= 50


def test_every_edge_quotes_its_fragment(database: apsw.Connection) -> None:
    """The words on which a stance was judged stand in the fragment, and its three probabilities are one."""
    rows = list(
        database.execute(
            "select e.quote, f.text_content, e.nli_probabilities, e.nli_confidence, e.model_id, e.source_trust_level"
            " from edges e join fragments f on f.id = e.source_id where e.target_type = 'claim'"
        )
    )

    strange = [row[0] for row in rows if row[0] not in row[1]]
    unsure = [row[2] for row in rows if abs(sum(map(float, row[2].strip("[]").split(","))) - 1) > 0.01]
    unnamed = [row for row in rows if not row[4] or not row[5]]
    assert (strange, unsure, unnamed) == ([], [], [])
    assert len(rows) >= 50


def test_every_fetched_page_can_be_read_again_from_the_archive(database: apsw.Connection, researched: Any) -> None:
    """The WARC record of a page holds the bytes from which exactly its text is extracted again."""
    archive = WarcArchive(researched.data_dir / "archive", SystemClock())
    rows = list(
        database.execute(
            "select distinct p.url, p.final_url, p.content_hash, p.text_content, p.warc_path, p.warc_offset,"
            " p.warc_length, p.warc_record_id from pages p join serp_items s on s.page_id = p.id"
            " where s.state = 'fetched'"
        )
    )

    wrong = [row[0] for row in rows if not _is_same_again(archive, row)]

    assert wrong == []
    assert len(rows) >= 9


def _is_same_again(archive: WarcArchive, row: tuple[Any, ...]) -> bool:
    headers, body = asyncio.run(archive.read(ArchiveRef(*row[4:8])))
    content_type = next((value for name, value in headers if name.lower() == "content-type"), None)
    document = read_document(body, content_type=content_type, url=row[1])
    return hashlib.sha256(body).hexdigest() == row[2] and document.text == row[3]


def test_confidence_is_the_beta_update_of_the_stored_edges(database: apsw.Connection) -> None:
    """SPEC §1 decision 3 for every claim: α and β are sums of votes, no more than one for each source and side."""
    voters: dict[str, dict[str, set[str]]] = {}
    for claim, relation, source in database.execute(
        "select e.target_id, e.relation, coalesce(p.work_id, p.domain) from edges e"
        " join fragments f on f.id = e.source_id join pages p on p.id = f.page_id where e.target_type = 'claim'"
    ):
        voters.setdefault(claim, {}).setdefault(relation, set()).add(source)
    claims = list(
        database.execute(
            "select id, alpha, beta, confidence, uncertainty, controversy, supporting_count, refuting_count from claims"
        )
    )

    wrong = [row for row in claims if not _follows(row, voters.get(row[0], {}))]

    assert wrong == []
    assert len(voters) >= 20


def _follows(row: tuple[Any, ...], voters: dict[str, set[str]]) -> bool:
    _, alpha, beta, confidence, uncertainty, controversy, supports, refutes = row
    total, spoken = alpha + beta, alpha + beta - 2
    expected = (
        alpha / total,
        math.sqrt(alpha * beta / (total**2 * (total + 1))),
        min(alpha - 1, beta - 1) / spoken if spoken else 0.0,
    )
    within = alpha - 1 <= supports <= len(voters.get("supports", ())) and beta - 1 <= refutes <= len(
        voters.get("refutes", ())
    )
    return within and (confidence, uncertainty, controversy) == pytest.approx(expected, abs=1e-9)


def test_adopted_and_judged_claims_have_evidence(database: apsw.Connection) -> None:
    """Nothing is adopted, verified or rejected without an edge (A12)."""
    rows = list(
        database.execute(
            "select c.id from claims c where (c.adoption_status <> 'pending' or c.verification_status <> 'pending')"
            " and not exists (select 1 from edges e where e.target_id = c.id)"
        )
    )

    assert rows == []


def test_a_claim_found_on_a_page_is_judged_by_its_own_words(database: apsw.Connection) -> None:
    """SPEC §13, origin: the fragment a claim was taken from is judged like any other, and marked."""
    rows = list(
        database.execute(
            "select c.claim_text from claims c where c.is_hypothesis = 0 and not exists"
            " (select 1 from edges e where e.target_id = c.id and e.is_origin = 1)"
        )
    )

    assert rows == []


def test_the_journal_says_why_everything_was_fetched(database: apsw.Connection) -> None:
    """Each page's fetch names the candidate that caused it."""
    rows = list(
        database.execute(
            "select s.url from serp_items s where s.state = 'fetched' and not exists (select 1 from event_log l"
            " where l.cause_id = s.id and l.kind = 'fetch' and l.details ->> 'outcome' = 'ok')"
        )
    )

    assert rows == []


def test_the_data_directory_is_private(researched: Any) -> None:
    """What somebody researches is nobody else's to read."""
    modes = {
        path.name: oct(path.stat().st_mode & 0o777)
        for path in (researched.data_dir / "lyra.db", researched.data_dir / "logs")
    }

    assert modes == {"lyra.db": "0o600", "logs": "0o700"}


def test_logs_name_calls_and_hold_no_words_of_the_research(researched: Any) -> None:
    """L8: a line for each call with its time and outcome; neither queries nor page text."""
    text = "".join(path.read_text() for path in Path(researched.data_dir / "logs").iterdir())

    assert '"tool": "search"' in text
    assert "hospitalisation" not in text
    assert "類天疱瘡" not in text
