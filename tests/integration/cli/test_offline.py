"""A machine without internet: what a search says, and what it leaves behind."""

from typing import Any


def test_a_search_without_internet_says_so(lyra: Any) -> None:
    """Its own code and exit code 4; no engine's circuit opens for it."""
    offline = {"LYRA_NETWORK__PROXY": "http://127.0.0.1:9"}  # nothing listens there
    task = lyra("task", "new", "What do gliptins cost?", "--json").json["task_id"]

    done = lyra("search", task, "gliptin prices", "--engine", "mojeek", "--engine", "duckduckgo", "--json", **offline)

    engines = lyra("engines", "--json").json["engines"]
    assert (done.code, done.json["error_code"], done.json["retryable"]) == (4, "NETWORK_UNAVAILABLE", True)
    assert done.json["error"] == (
        "No search engine could be reached: duckduckgo, mojeek. This machine seems to have no internet."
    )
    assert "`lyra doctor --network`" in done.json["remedy"]
    assert {row["breaker"] for row in engines} == {"closed"}


def test_doctor_says_that_there_is_no_internet(lyra: Any) -> None:
    """One line, not one for every engine; asked for, it is a fault."""
    done = lyra("doctor", "--network", "--json", LYRA_NETWORK__PROXY="http://127.0.0.1:9")

    lines = [one for one in done.json["checks"] if one["name"].startswith(("internet", "engine "))]
    assert done.code == 1
    assert lines == [
        {
            "name": "internet",
            "is_fine": False,
            "detail": "no internet: none of the engines can be reached",
            "remedy": "Connect this machine to the internet, or correct network.proxy.",
        }
    ]
