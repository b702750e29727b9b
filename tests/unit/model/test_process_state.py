"""What a process that runs searches tells about itself."""

import pytest

from lyra.model.process_state import ProcessState


def test_a_state_comes_back_from_its_line() -> None:
    """Whatever its troubles say."""
    state = ProcessState(("心不全\n",), {"embed": 2}, {"embed": 0.5})

    assert ProcessState.from_line(state.line()) == state


@pytest.mark.parametrize("line", ["{}", "[]", "1", '{"troubles": 1, "items": {}, "seconds": {}}'])
def test_other_json_is_refused(line: str) -> None:
    """A library may print on standard output."""
    with pytest.raises(ValueError, match="state of a process"):
        ProcessState.from_line(line)


def test_two_states_are_added() -> None:
    """A trouble that both have is said once; figures are summed."""
    one = ProcessState(("a", "b"), {"embed": 2}, {"embed": 0.5})
    other = ProcessState(("b", "c"), {"embed": 1, "read": 3}, {"read": 2.0})

    assert one.combined_with(other) == ProcessState(
        ("a", "b", "c"), {"embed": 3, "read": 3}, {"embed": 0.5, "read": 2.0}
    )
