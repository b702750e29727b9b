"""What predictions come from."""

import pytest

from lyra.calibration.versions import basis_name


@pytest.mark.parametrize(
    ("bundled", "basis"),
    [
        pytest.param("two_answers-1a2b3c4d", "two_answers-1a2b3c4d", id="two answers: it names the weights itself"),
        pytest.param("vector-705aaa71", "lyra-stance@0.1.0+66a34e80 vector-705aaa71", id="one model's, of an old edge"),
    ],
)
def test_a_basis_names_weights_and_bundled_calibration(bundled: str, basis: str) -> None:
    """Whichever reader decided, corrections of the two answers are learned together."""
    assert basis_name("lyra-stance@0.1.0+66a34e80", bundled) == basis
