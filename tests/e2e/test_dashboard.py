"""`lyra ui` and `lyra serve --ui` as processes: the printed link, a port that is taken, two at once, and the end."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

_LINK = re.compile(r"http://127\.0\.0\.1:\d+/open\?token=[\w-]{43}")


@contextmanager
def started(home: Path, *arguments: str, stream: str = "stdout") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running command and the link that it prints on a stream."""
    command = [sys.executable, "-m", "lyra", "--data-dir", str(home), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        try:
            found = None
            while found is None:
                line = getattr(process, stream).readline()
                assert line, "it ended without printing a link"
                found = _LINK.search(line)
            yield process, found[0]
        finally:
            process.kill()


def _title(link: str) -> str:
    with httpx2.Client() as client:
        client.get(link)
        page = client.get(link.split("/open")[0] + "/")
    return page.text.split("<h1>")[1].split("</h1>")[0]


def test_link_opens_the_dashboard_until_it_is_stopped(tmp_path: Path) -> None:
    """SIGTERM ends it in order, with a page and its event stream still open."""
    with started(tmp_path, "ui", "--port", "0") as (process, link), httpx2.Client() as client:
        client.get(link)
        with client.stream("GET", link.split("/open")[0] + "/live") as stream:
            first = next(stream.iter_lines())
            process.send_signal(signal.SIGTERM)
            ended = process.wait(timeout=30)

    assert (first, ended) == ("retry: 2000", 0)


def test_two_dashboards_run_at_once(tmp_path: Path) -> None:
    """Without a port the second takes a free one; each has its own link and cookie."""
    with started(tmp_path, "ui") as (_, first), started(tmp_path, "ui") as (_, second):
        titles = [_title(first), _title(second)]

    assert (titles, first.split("?")[0] == second.split("?")[0]) == (["Tasks", "Tasks"], False)


def test_taken_port_is_named(tmp_path: Path) -> None:
    """One that was asked for is not replaced by another."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "ui", "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert (done.returncode, f"Port {port} is taken by another program." in done.stderr) == (2, True)


@pytest.mark.parametrize("arguments", [("serve", "--ui"), ("serve", "--http", "--port", "0", "--ui")])
def test_server_shows_the_dashboard_beside(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Over stdio and over HTTP; the link is on standard error, and ending the server ends both."""
    with started(tmp_path, *arguments, stream="stderr") as (process, link):
        title = _title(link)
        process.send_signal(signal.SIGTERM)
        ended = process.wait(timeout=30)

    assert (title, ended) == ("Tasks", 0)
