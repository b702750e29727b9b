"""The list inside a backup."""

import json

import pytest

from lyra.backup import BackupFile, BackupManifest, parse_manifest
from lyra.errors import InvalidParams

DATABASE = {"path": "lyra.db", "size_bytes": 1, "sha256": "00"}
GOOD = {
    "format": "lyra-backup",
    "version": 1,
    "lyra_version": "0.1.0",
    "schema_version": 4,
    "created_at": "2026-01-31T09:30:00.000Z",
    "missing": [],
    "files": [DATABASE],
}


def test_a_manifest_is_read_as_it_was_written() -> None:
    """Japanese file names included."""
    made = BackupManifest(
        "0.1.0", 4, "2026-01-31T09:30:00.000Z", (BackupFile("lyra.db", 1, "00"), BackupFile("reports/報告.md", 2, "01"))
    )

    read = parse_manifest(made.to_json().encode())

    assert (read, read.size_bytes) == (made, 3)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"not json",
        b"[]",
        b"\xff\xfe",
        json.dumps({**GOOD, "format": "other"}).encode(),
        json.dumps({**GOOD, "files": []}).encode(),
        json.dumps({**GOOD, "files": [DATABASE, {**DATABASE, "path": "../../.ssh/authorized_keys"}]}).encode(),
        json.dumps({**GOOD, "files": [DATABASE, {**DATABASE, "path": "/etc/passwd"}]}).encode(),
        json.dumps({**GOOD, "files": [DATABASE, {**DATABASE, "path": "a\\b"}]}).encode(),
        json.dumps({**GOOD, "files": [DATABASE, {**DATABASE, "path": "manifest.json"}]}).encode(),
        json.dumps({**GOOD, "files": [DATABASE, {**DATABASE, "path": "a", "size_bytes": -1}]}).encode(),
        json.dumps({**GOOD, "version": 2}).encode(),
    ],
    ids="empty text list binary format no-database up absolute backslash itself negative newer".split(),
)
def test_a_list_that_cannot_be_trusted_is_refused(text: bytes) -> None:
    """Nothing is unpacked from a list that names places outside, or that this Lyra does not know."""
    with pytest.raises(InvalidParams):
        parse_manifest(text)
