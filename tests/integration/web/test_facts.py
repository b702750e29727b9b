"""What screens say, read as plain answers: remedies, states of work, retractions, levels, figures."""

import pytest

from .conftest import Dashboard

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_remedy_names_commands(dashboard: Dashboard) -> None:
    """A person in a browser has a terminal and no tools of a client."""
    english = await dashboard.ask("/tasks/task_nope", headers={"Accept-Language": "en"})
    japanese = await dashboard.ask("/tasks/task_nope", headers={"Accept-Language": "ja"})

    assert (english.status_code, japanese.status_code) == (404, 404)
    assert "Make one with `lyra task new`; `lyra task list` lists those there are." in english.text
    assert ("`lyra task list`" in japanese.text, "create_task" in japanese.text) == (True, False)
