"""When a claim whose evidence grows is assessed again. Pure."""

# A claim of an ordinary search has fewer edges than this, and is assessed with every page that adds one.
_ALWAYS = 256
_STEPS_PER_DOUBLING_BITS = 4


def is_due(before: int, after: int) -> bool:
    """Whether a claim that had `before` edges and has `after` now is assessed at once, or later.

    Assessing looks at every edge, so with every page the whole would grow with the square of the pages. Beyond 256
    edges it is done sixteen times while they double: at the latest when a sixteenth is new, and at the end of the
    search. It depends on the counts alone, so that an interrupted search goes on as one that was not.
    """
    return after > before and (after <= _ALWAYS or _step(after) > _step(before))


def _step(edges: int) -> int:
    """A number that grows by one at every count at which a claim is due."""
    doublings = max(0, edges.bit_length() - _ALWAYS.bit_length())
    return (doublings << _STEPS_PER_DOUBLING_BITS) + (edges >> (doublings + _STEPS_PER_DOUBLING_BITS))
