"""Whether hosts can be reached, on the simulated web."""

from lyra.clock import SystemClock
from lyra.fetch.reachability import reach
from lyra.settings import Network
from simweb import Fault, SimWeb


async def test_any_answer_says_that_a_host_is_there(network: Network, web: SimWeb) -> None:
    """A refusal is one too; a host without a name is none. Each is asked once, at its front page."""
    web.faults.set("www.mojeek.com", Fault("status", status=403))
    urls = ["https://www.mojeek.com/search?q=x", "https://html.duckduckgo.com/html/", "https://nowhere.invalid/a"]

    found = await reach(urls, network, SystemClock())

    assert [(one.host, one.status_code is not None, one.is_unreachable) for one in found] == [
        ("www.mojeek.com", True, False),
        ("html.duckduckgo.com", True, False),
        ("nowhere.invalid", False, True),
    ]
