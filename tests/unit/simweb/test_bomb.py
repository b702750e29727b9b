"""A gzip bomb is small, valid and grows."""

import gzip

from simweb.bomb import gzip_bomb


def test_a_bomb_expands_to_its_size() -> None:
    """Three mebibytes of spaces come out of a few thousand bytes, with a correct checksum."""
    bomb = gzip_bomb(3 << 20)

    assert gzip.decompress(bomb) == b" " * (3 << 20)
    assert len(bomb) < 5_000
