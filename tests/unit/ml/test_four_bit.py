"""Weights in four bits: exact where they can be, packed as ONNX Runtime reads them."""

import numpy as np

from lyra.ml.four_bit import FourBit, quantise


def test_weights_of_sixteen_levels_come_back_as_they_were() -> None:
    """A block from -8 to 7 has the scale 1 and the zero point 8; the first of two weights is the low half."""
    block = np.tile(np.arange(-8, 8, dtype=np.float32), 2)[None]

    found = quantise(block)

    assert found.scales.tolist() == [[1.0]]
    assert found.zeros.tolist() == [[8]]
    assert found.values[0, 0, :2].tolist() == [0x10, 0x32]
    np.testing.assert_array_equal(found.floats(), block)


def test_a_block_of_nothing_stays_nothing() -> None:
    """Its scale is 0, and nothing is divided by it."""
    found = quantise(np.zeros((2, 64), np.float32))

    np.testing.assert_array_equal(found.floats(), np.zeros((2, 64), np.float32))


def test_a_zero_point_each_lies_in_half_a_byte() -> None:
    """Three blocks of a row take two bytes, of which the last half is empty."""
    rows = np.repeat(np.array([[15, -15, 30]], np.float32), 32, 1)

    found = quantise(rows)

    assert found.zeros.tolist() == [[0xF0, 0x00]]
    np.testing.assert_array_equal(found.floats(), rows)


def test_one_large_weight_is_clipped_for_the_many_small_ones() -> None:
    """The range is narrowed where that lowers the sum of squares."""
    block = np.full((1, 32), 0.45, np.float32)
    block[0, 0] = 10.0

    found = quantise(block).floats()

    whole_range = np.float32(10 / 15)
    assert float(np.square(found - block).sum()) < 31 * (whole_range - 0.45) ** 2


def test_rows_do_not_depend_on_each_other() -> None:
    """Some at a time give the same numbers as all at once."""
    rows = np.random.default_rng(1).standard_normal((6, 96)).astype(np.float32)

    whole, part = quantise(rows), quantise(rows[2:4])

    np.testing.assert_array_equal(
        FourBit(whole.values[2:4], whole.scales[2:4], whole.zeros[2:4]).floats(), part.floats()
    )
