"""Starts the simulated web as a process of its own and says how Lyra reaches it."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from lyra.errors import PipelineError

# Nobody is burdened by quick requests to this machine, so the demonstration does not wait between them. The defaults
# (docs/reference/settings.md, politeness.*) are what real sites get.
HURRIED: Mapping[str, str] = {
    "LYRA_POLITENESS__DOMAIN_QPS": "50",
    "LYRA_POLITENESS__PAUSE_MIN_S": "0",
    "LYRA_POLITENESS__PAUSE_MAX_S": "0.02",
    "LYRA_POLITENESS__ENGINE_QPS": "20",
    "LYRA_POLITENESS__API_QPS": "20",
    # A demonstration shows the way, not the last page: each question is put once, to two engines.
    "LYRA_ENGINES__PER_SEARCH": "2",
    "LYRA_ENGINES__QUERIES_PER_SEARCH": "1",
    # Half a second a pair would make minutes of it.
    "LYRA_MODELS__STRONG": "off",
}


@contextlib.contextmanager
def simulated_web(directory: Path) -> Iterator[dict[str, str]]:
    """The environment in which `lyra` sees the simulated web; the process ends with the block."""
    command = [sys.executable, "-m", "simweb", "--dir", str(directory), "--with-parent"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise PipelineError("The simulated web did not start.", remedy="Run `python -m simweb` to see why.")
            address = json.loads(line)
            yield {"LYRA_NETWORK__PROXY": address["proxy"], "LYRA_NETWORK__CA_BUNDLE": address["ca"], **HURRIED}
        finally:
            process.terminate()
