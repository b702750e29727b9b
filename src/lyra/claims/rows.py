"""A matrix that grows by rows without being copied for each."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Rows:
    """Float32 rows of one width; room is doubled when it is used up."""

    def __init__(self, room: int = 256) -> None:
        self._room = room
        self._matrix: NDArray[np.float32] | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def extend(self, rows: "NDArray[np.float32]") -> None:
        """Add rows below those there are."""
        import numpy as np

        needed = self._count + len(rows)
        if self._matrix is None or needed > len(self._matrix):
            grown = np.zeros((max(needed, 2 * self._count, self._room), rows.shape[1]), np.float32)
            grown[: self._count] = self.matrix(rows.shape[1])
            self._matrix = grown
        self._matrix[self._count : needed] = rows
        self._count = needed

    def matrix(self, width: int) -> "NDArray[np.float32]":
        """All rows so far, as a view; no rows of the given width where there are none."""
        import numpy as np

        return np.zeros((0, width), np.float32) if self._matrix is None else self._matrix[: self._count]
