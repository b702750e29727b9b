"""How a person moves through a page: a curved hand, a wheel that slows down, pauses of uneven length. Pure.

Ranges after seeds §4.3.4: Bezier curves with a small tremor, scrolling with inertia, waiting times of a reader.
"""

from dataclasses import dataclass

from lyra.clock import Chance

_MOVE_STEPS = 18
_TREMOR_PX = 1.5
_WHEEL_STEPS = 6
_WHEEL_DECAY = 0.72


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PointerStep:
    """Where the pointer is, how far the wheel turns there, and how long until the next step."""

    at: Point
    wheel_px: float = 0.0
    pause_s: float = 0.0


def movement(start: Point, end: Point, chance: Chance) -> tuple[PointerStep, ...]:
    """A hand's way from one point to another: a cubic Bezier curve, slow at both ends, with a tremor."""
    bend_x, bend_y = (end.x - start.x) * chance.uniform(-0.2, 0.2), (end.y - start.y) * chance.uniform(-0.2, 0.2)
    first = Point(start.x + (end.x - start.x) * 0.3 + bend_y, start.y + (end.y - start.y) * 0.3 - bend_x)
    second = Point(start.x + (end.x - start.x) * 0.7 + bend_y, start.y + (end.y - start.y) * 0.7 - bend_x)
    steps = []
    for number in range(1, _MOVE_STEPS + 1):
        t = _eased(number / _MOVE_STEPS)
        tremor = 0.0 if number == _MOVE_STEPS else _TREMOR_PX
        at = Point(
            _bezier(start.x, first.x, second.x, end.x, t) + chance.uniform(-tremor, tremor),
            _bezier(start.y, first.y, second.y, end.y, t) + chance.uniform(-tremor, tremor),
        )
        steps.append(PointerStep(at, pause_s=chance.uniform(0.006, 0.018)))
    return tuple(steps)


def scroll(at: Point, distance_px: float, chance: Chance) -> tuple[PointerStep, ...]:
    """A turn of the wheel that loses speed; the steps add up to the distance."""
    weights = [_WHEEL_DECAY**number for number in range(_WHEEL_STEPS)]
    scale = distance_px / sum(weights)
    return tuple(PointerStep(at, weight * scale, chance.uniform(0.02, 0.06)) for weight in weights)


def reading(width: float, height: float, scrollable_px: float, chance: Chance) -> tuple[PointerStep, ...]:
    """A short look at a page: the pointer comes in, the page is scrolled a screen or two with pauses, and rests."""
    start = Point(width * chance.uniform(0.3, 0.7), height * chance.uniform(0.05, 0.2))
    place = Point(width * chance.uniform(0.3, 0.7), height * chance.uniform(0.4, 0.7))
    steps = [*movement(start, place, chance), PointerStep(place, pause_s=chance.uniform(0.1, 0.4))]
    remaining = min(scrollable_px, 2 * height)
    while remaining > 40:
        distance = min(remaining, height * chance.uniform(0.5, 0.8))
        steps += [*scroll(place, distance, chance), PointerStep(place, pause_s=chance.uniform(0.15, 0.5))]
        remaining -= distance
    return tuple(steps)


def _eased(t: float) -> float:
    return t * t * (3 - 2 * t)


def _bezier(a: float, b: float, c: float, d: float, t: float) -> float:
    u = 1 - t
    return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d
