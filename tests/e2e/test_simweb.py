"""`lyra simweb serve`: the simulated web for a person."""

import json
import signal
import subprocess
import sys
from pathlib import Path


def test_the_simulated_web_is_served_until_interrupted(tmp_path: Path) -> None:
    """One line of JSON for programs, a guide for people on stderr, a clean end on Ctrl-C."""
    command = [sys.executable, "-m", "lyra", "simweb", "serve", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())

        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)

    assert sorted(address) == ["ca", "proxy", "socks"]
    assert address["ca"] == str(tmp_path / "ca.pem")
    assert "Every page and fault is listed at http://simweb.test/, and faults are set there." in told
    assert process.returncode == 0
