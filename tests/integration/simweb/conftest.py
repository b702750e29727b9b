"""One simulated web for the tests of this folder, and a client that checks its certificates."""

from collections.abc import Callable, Iterator

import pytest
from curl_cffi import requests

from simweb import SimWeb

Client = requests.Session[requests.Response]


@pytest.fixture(scope="module")
def served() -> Iterator[SimWeb]:
    with SimWeb(latency_s=0.001) as web:
        yield web


@pytest.fixture
def web(served: SimWeb) -> Iterator[SimWeb]:
    """The running web with an empty log and only its own faults."""
    served.journal.clear()
    yield served
    served.faults.clear()


@pytest.fixture
def new_client(web: SimWeb) -> Iterator[Callable[[], Client]]:
    """Makes clients that go through the proxy and trust only its CA."""
    clients: list[Client] = []

    def make() -> Client:
        proxies = requests.session.ProxySpec(http=web.proxy_url, https=web.proxy_url)
        client: Client = requests.Session(proxies=proxies, verify=str(web.ca_path), impersonate="chrome", timeout=30)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(new_client: Callable[[], Client]) -> Client:
    return new_client()
