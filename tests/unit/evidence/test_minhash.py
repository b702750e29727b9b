"""MinHash and LSH: the same permutations and bands as ever, so that the same texts meet."""

import numpy as np
import pytest

from lyra.evidence.duplicates import SetIndex, bands_and_rows


@pytest.mark.parametrize(("threshold", "bands"), [(0.1, (64, 2)), (0.5, (25, 5)), (0.7, (14, 9)), (0.9, (5, 25))])
def test_bands_follow_the_threshold(threshold: float, bands: tuple[int, int]) -> None:
    """What datasketch's integrals give for 128 permutations."""
    assert bands_and_rows(threshold) == bands


def test_the_permutations_are_datasketchs() -> None:
    """`MinHash(num_perm=128)` of datasketch 2.0 over 1, 2, 3."""
    first = SetIndex(0.7).keys(np.array([1, 2, 3], np.uint32))[0]

    assert np.frombuffer(first, np.uint32).tolist() == [
        277274469,
        2241546430,
        1311794348,
        1610968749,
        520608637,
        813258858,
        3246914503,
        988005700,
        804100870,
    ]


def test_sets_that_are_alike_meet_and_others_do_not() -> None:
    """Nine tenths in common share a band, nothing in common none."""
    index = SetIndex(0.7)
    members = np.arange(200, dtype=np.uint32)
    index.add("f_1", index.keys(members))

    assert index.alike(index.keys(members[10:])) == {"f_1"}
    assert index.alike(index.keys(members + np.uint32(1000))) == set()
