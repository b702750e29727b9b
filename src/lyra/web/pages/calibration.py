"""How sure the models may be: what was learned from reviews, and how well it holds."""

from starlette.requests import Request
from starlette.responses import Response

from lyra.calibration.reports import ReliabilityDiagram
from lyra.errors import CalibrationError
from lyra.model.calibration import CalibrationSource
from lyra.web import figures
from lyra.web.pages.parts import lyra_of
from lyra.web.render import page

_EVALUATIONS = 20


async def calibration(request: Request) -> Response:
    """Figures of each source, its reliability diagram, and its evaluations."""
    lyra = lyra_of(request)
    parts = []
    for source in CalibrationSource:
        evaluations, total = await lyra.calibration.evaluations(source, limit=_EVALUATIONS)
        diagram = await _diagram(request, source)
        figure = figures.reliability(diagram) if diagram else None
        parts.append((await lyra.calibration.stats(source), diagram, figure, evaluations, total))
    return page(request, "calibration.html", parts=parts)


async def _diagram(request: Request, source: CalibrationSource) -> ReliabilityDiagram | None:
    """None where nothing was measured yet."""
    try:
        return await lyra_of(request).calibration.diagram(source)
    except CalibrationError:
        return None
