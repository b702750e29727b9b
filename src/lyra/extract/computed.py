"""How the text of an element looks: from what is declared of it and what it inherits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lyra.extract.appearance import AFTER_SCREEN_PX, BEFORE_SCREEN_PX, hides_all, plain_gradient
from lyra.extract.colours import FAINT, WHITE, Colour, alpha, blended, colour, is_clear, is_near
from lyra.extract.declared import INHERITING
from lyra.extract.lengths import FONT_PX, length, number
from lyra.extract.selectors import split_outside

# A font below this is not read.
_TINY_PX = 3.0
# Letters drawn back over most of the one before lie on each other.
_PILED_EM = -0.6
_FONT_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "initial": 16.0}
_PAINTS = frozenset(
    "color -webkit-text-fill-color background-color background-image background-clip text-shadow -webkit-text-stroke "
    "-webkit-text-stroke-color".split()
)


@dataclass(frozen=True, slots=True)
class Computed:
    """What an element passes on to those inside it; `behind` is the colour there, None where it is not known."""

    is_not_rendered: bool = False
    opacity: float = 1.0
    is_visible: bool = True
    font_px: float = FONT_PX
    indent_px: float = 0.0
    spacing_px: float = 0.0
    color: str = ""
    fill: str = ""
    shadow: str = ""
    stroke: str = ""
    through: str = ""
    behind: Colour | None = WHITE
    is_painted_over: bool = False

    @property
    def is_seen(self) -> bool:
        """Whether text that stands directly in the element is."""
        return not (
            self.is_not_rendered
            or not self.is_visible
            or self.is_painted_over
            or self.font_px < _TINY_PX
            or not BEFORE_SCREEN_PX < self.indent_px < AFTER_SCREEN_PX
            or self.spacing_px < _PILED_EM * self.font_px
        )


def computed(around: Computed, values: Mapping[str, str], *, is_open: bool = False) -> Computed:
    """The values of an element inside another one.

    `is_open`: a sheet elsewhere may give the element a background, so that what is behind its children is unknown
    where the page itself gives none.
    """
    if not values:
        return _opened(around) if is_open else around
    opacity = around.opacity * _opacity(values)
    font_px = _font_px(values.get("font-size", ""), around.font_px)
    paint = _painted(around, values, is_open=is_open) if not _PAINTS.isdisjoint(values) else around
    found = replace(
        paint,
        is_not_rendered=around.is_not_rendered or opacity <= FAINT or hides_all(values),
        opacity=opacity,
        is_visible=_is_visible(values.get("visibility", ""), around.is_visible),
        font_px=font_px,
        indent_px=_inherited(values.get("text-indent", ""), around.indent_px, font_px),
        spacing_px=_inherited(values.get("letter-spacing", ""), around.spacing_px, font_px),
    )
    return _opened(found) if is_open and not _has_background(values) else found


def _opened(around: Computed) -> Computed:
    return replace(around, behind=None) if around.behind is not None else around


def _has_background(values: Mapping[str, str]) -> bool:
    color = values.get("background-color", "")
    return colour(color) is not None and not is_clear(color)


def _opacity(values: Mapping[str, str]) -> float:
    return min(1.0, max(0.0, number(values.get("opacity", ""), 1)))


def _is_visible(value: str, inherited: bool) -> bool:
    return inherited if value in INHERITING or "(" in value else value not in ("hidden", "collapse")


def _font_px(value: str, inherited: float) -> float:
    if value in INHERITING:
        return inherited
    found = length(value, whole=inherited, font_px=inherited)
    if found is None:
        return inherited / 1.2 if value == "smaller" else _FONT_SIZES.get(value, max(inherited, FONT_PX))
    # Scripts set the font that `rem` is of: only next to nothing of it is small for certain.
    return max(found, _TINY_PX) if value.endswith("rem") and found > 1 else max(0.0, found)


def _inherited(value: str, inherited: float, font_px: float) -> float:
    if value in INHERITING:
        return inherited
    return length(value, font_px=font_px) or 0.0


def _painted(around: Computed, values: Mapping[str, str], *, is_open: bool) -> Computed:
    """The colours of the letters and of what is behind them."""
    color = _taken(values, "color", around.color)
    fill = _taken(values, "-webkit-text-fill-color", around.fill)
    shadow = _taken(values, "text-shadow", around.shadow)
    stroke = _taken(values, "-webkit-text-stroke", around.stroke)
    stroke = _taken(values, "-webkit-text-stroke-color", stroke)
    ink = fill if fill not in ("", "currentcolor") else color
    background = values.get("background-color", "")
    picture = values.get("background-image", "")
    if "text" in values.get("background-clip", "").split():
        through = _through(background, picture) or ("picture" if is_open else "")
        behind = around.behind
    else:
        through, behind = around.through, _behind(around.behind, background, picture, ink)
    inks = [ink, *_shadows(shadow, ink), *([stroke] if colour(stroke) else [])]
    if through and is_clear(ink):
        inks.append("" if through == "picture" else through)
    return Computed(
        color=color,
        fill=fill,
        shadow=shadow,
        stroke=stroke,
        through=through,
        behind=behind,
        is_painted_over=not any(_shows(one, behind) for one in inks),
    )


def _taken(values: Mapping[str, str], name: str, inherited: str) -> str:
    value = values.get(name, "")
    if value in INHERITING or (name == "color" and value == "currentcolor"):
        return inherited
    if value == "initial":
        return "black" if name == "color" else ""
    return value


def _through(background: str, picture: str) -> str:
    """What shows through letters that the background is clipped to: a picture, a colour or nothing."""
    if _is_picture(picture) or "var(" in background:
        return "picture"
    return background if colour(background) and not is_clear(background) else ""


def _is_picture(picture: str) -> bool:
    return any(word in picture for word in ("url(", "gradient(", "image-set(", "var("))


def _behind(around: Colour | None, background: str, picture: str, ink: str) -> Colour | None:
    if "var(" in background:
        return None
    if _is_picture(picture):
        background = plain_gradient(picture)
        if not background:
            return None
    if background == "currentcolor":
        background = ink
    color, share = colour(background), alpha(background)
    if color is None:
        return None if "(" in background else around
    if share <= FAINT:
        return around
    if share < 1:
        return blended(color, share, around) if around is not None else None
    return color


def _shadows(shadow: str, ink: str) -> list[str]:
    """The colours of the shadows of letters."""
    if shadow in ("", "none"):
        return []
    return [ink if colour(one) is None and "(" not in one else one for one in split_outside(shadow, ",")]


def _shows(ink: str, behind: Colour | None) -> bool:
    """Whether letters of a colour are seen; they are where it is not known."""
    if is_clear(ink):
        return False
    color = colour(ink)
    if color is None or behind is None:
        return True
    return not is_near(blended(color, alpha(ink), behind), behind)
