"""The world at other times, through the proxy."""

from collections.abc import Iterator
from datetime import date

import pytest
from curl_cffi import requests

from simweb import SimWeb

ARTICLE = "https://www.toryo-shimpo.jp/2023/10/05/iju-3wari"
PAPER = "https://api.openalex.org/works/doi:10.5555/jpte.2025.0044"


@pytest.fixture
def world(web: SimWeb) -> Iterator[SimWeb]:
    """The web, which afterwards stands in the present again."""
    yield web
    web.set_time(None)


@pytest.mark.parametrize(
    ("day", "words"),
    [
        pytest.param(date(2023, 10, 10), "この1年で人口が3割増えた。", id="before the correction"),
        pytest.param(date(2023, 11, 2), "この1年で移住者が3％増えた。", id="corrected"),
        pytest.param(None, "おわびして訂正します。", id="now"),
    ],
)
def test_a_newspaper_corrects_itself(client: requests.Session, world: SimWeb, day: date | None, words: str) -> None:
    """The same address says other words on another day."""
    world.set_time(day)

    assert words in client.get(ARTICLE).text


@pytest.mark.parametrize(("day", "status"), [(date(2023, 10, 4), 404), (date(2023, 10, 5), 200)])
def test_a_page_is_not_there_before_it_is_written(
    client: requests.Session, world: SimWeb, day: date, status: int
) -> None:
    """Before its day a page does not exist."""
    world.set_time(day)

    assert client.get(ARTICLE).status_code == status


@pytest.mark.parametrize(("day", "status"), [(date(2026, 2, 28), 200), (date(2026, 3, 1), 410)])
def test_a_farm_page_is_taken_down(client: requests.Session, world: SimWeb, day: date, status: int) -> None:
    """From its last day on it is gone."""
    world.set_time(day)

    assert client.get("https://topwirelessguides.net/alp2-speed-05").status_code == status


@pytest.mark.parametrize(("day", "is_retracted"), [(date(2026, 2, 2), False), (date(2026, 2, 3), True)])
def test_an_index_learns_of_a_retraction(
    client: requests.Session, world: SimWeb, day: date, is_retracted: bool
) -> None:
    """Until the day of its retraction a paper is a paper like any other."""
    world.set_time(day)

    assert client.get(PAPER).json()["is_retracted"] is is_retracted


def test_engines_find_what_stood_on_the_day(client: requests.Session, world: SimWeb) -> None:
    """The snippet is of the day's version, and later pages are not found."""
    world.set_time(date(2023, 10, 10))

    page = client.get("https://www.mojeek.com/search?q=移住支援金+人口+site:toryo-shimpo.jp").text

    assert "支援金の町、人口3割増" in page
    assert "訂正" not in page


def test_a_changed_page_is_not_304(client: requests.Session, world: SimWeb) -> None:
    """A validator of the old version does not hold for the new one."""
    world.set_time(date(2023, 10, 10))
    etag = client.get(ARTICLE).headers["etag"]
    world.set_time(None)

    assert client.get(ARTICLE, headers={"if-none-match": etag}).status_code == 200


def test_the_archive_keeps_the_old_words(client: requests.Session, world: SimWeb) -> None:
    """Following the page's own Link header leads to what it said first."""
    timegate = client.get(ARTICLE).headers["link"].partition(">")[0].lstrip("<")

    memento = client.get(timegate, headers={"accept-datetime": "Fri, 06 Oct 2023 00:00:00 GMT"})

    assert memento.headers["memento-datetime"] == "Fri, 06 Oct 2023 12:00:00 GMT"
    assert "この1年で人口が3割増えた。" in memento.text
