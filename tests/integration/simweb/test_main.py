"""`python -m simweb` as a child process."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from curl_cffi import requests


def start(*flags: str, cwd: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "simweb", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cwd
    )


def first_line(process: subprocess.Popen[str]) -> dict[str, str]:
    assert process.stdout is not None
    answer: dict[str, str] = json.loads(process.stdout.readline())
    return answer


def test_it_announces_itself_serves_and_ends_on_sigterm(tmp_path: Path) -> None:
    """One JSON line names proxy and CA; SIGTERM ends the process with success."""
    with start("--dir", str(tmp_path)) as process:
        door = first_line(process)
        response = requests.get(
            "https://www.fdso.gov/robots.txt", proxies={"https": door["proxy"]}, verify=door["ca"], timeout=30
        )
        process.send_signal(signal.SIGTERM)
        code = process.wait(5)

    assert (response.status_code, door["ca"], code) == (200, str(tmp_path / "ca.pem"), 0)


def test_the_certificate_is_named_in_full(tmp_path: Path) -> None:
    """The line is pasted into a terminal that may stand elsewhere."""
    with start("--dir", "web", cwd=tmp_path) as process:
        ca = first_line(process)["ca"]
        process.terminate()

    assert ca == str(tmp_path / "web" / "ca.pem")


def test_it_ends_with_its_parent() -> None:
    """With --with-parent the process ends when its stdin closes."""
    with start("--with-parent") as process:
        first_line(process)
        assert process.stdin is not None
        process.stdin.close()
        code = process.wait(5)

    assert code == 0


def test_a_taken_port_is_an_error() -> None:
    """A port that is in use gives exit code 1 and nothing on stdout."""
    with start() as first:
        port = first_line(first)["proxy"].rpartition(":")[2]
        second = subprocess.run(
            [sys.executable, "-m", "simweb", "--port", port], capture_output=True, text=True, timeout=10, check=False
        )
        first.terminate()

    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == f"simweb: cannot serve on port {port}: Address already in use\n"


def test_it_says_how_to_browse() -> None:
    """With --guide, stderr tells a person the proxy, the certificate and where to start; stdout stays one line."""
    process = subprocess.Popen(
        [sys.executable, "-m", "simweb", "--guide", "--now", "2023-10-10"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        door = first_line(process)
        then = requests.get(
            "https://www.toryo-shimpo.jp/2023/10/05/iju-3wari",
            proxies={"https": door["proxy"]}, verify=door["ca"], timeout=30,
        )  # fmt: skip
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)

    assert out == ""
    assert f"--proxy-server={door['proxy'].removeprefix('http://')}" in err
    assert "Every page and fault is listed at http://simweb.test/" in err
    assert "支援金の町、人口3割増" in then.text


def test_faults_may_be_in_force_from_the_start() -> None:
    """A fault named on the command line strikes the first request."""
    with start("--fault", "www.fdso.gov/*=captcha") as process:
        door = first_line(process)
        status = requests.get(
            "https://www.fdso.gov/safety", proxies={"https": door["proxy"]}, verify=door["ca"], timeout=30
        ).status_code
        process.terminate()

    assert status == 403


def test_a_fault_that_cannot_be_read_is_refused() -> None:
    """Exit code 2 and the form it should have."""
    done = subprocess.run(
        [sys.executable, "-m", "simweb", "--fault", "www.fdso.gov=melted"],
        capture_output=True, text=True, timeout=10, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (2, "")
    assert "'www.fdso.gov=melted' is not host[/path]=kind with one of the kinds status, challenge" in done.stderr
