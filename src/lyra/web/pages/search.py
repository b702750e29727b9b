"""Search over everything, by words or by meaning."""

from starlette.requests import Request
from starlette.responses import Response

from lyra.app import Lyra
from lyra.model.claim import AssessedClaim
from lyra.model.dashboard import TextHit
from lyra.storage import claims, dashboard, full_text
from lyra.text import normalise
from lyra.web.pages.parts import lyra_of
from lyra.web.render import page

_HITS = 20
_MIN_SIMILARITY = 0.5
_MAX_CHARS = 1000


async def search(request: Request) -> Response:
    """Tasks, claims and texts of pages with these words, or claims that mean something like them."""
    words = normalise(request.query_params.get("q", "")).strip()[:_MAX_CHARS]
    by_meaning = request.query_params.get("by") == "meaning"
    if not words:
        hits: tuple[TextHit, ...] = ()
    elif by_meaning:
        hits = await _by_meaning(request, words)
    else:
        hits = await lyra_of(request).db.read(full_text.search, words, _HITS, lyra_of(request).person)
    db = lyra_of(request).db
    return page(
        request,
        "search.html",
        words_searched=words,
        by_meaning=by_meaning,
        hits=hits,
        retracted=await db.read(dashboard.retracted_sources, [hit.id for hit in hits if hit.kind == "claim"]),
        retracted_pages=await db.read(dashboard.retracted_pages, [hit.page_id for hit in hits if hit.page_id]),
    )


async def _by_meaning(request: Request, words: str) -> tuple[TextHit, ...]:
    lyra = lyra_of(request)
    near = await lyra.graph.similar(words, target="claims", task_id=None, top_k=_HITS, min_similarity=_MIN_SIMILARITY)
    found = [one for hit in near.hits if (one := await lyra.db.read(claims.get, hit.id)) is not None]
    return tuple([await _hit(lyra, one) for one in found])


async def _hit(lyra: Lyra, found: AssessedClaim) -> TextHit:
    claim = found.claim
    task = await lyra.tasks.get(claim.task_id)
    return TextHit("claim", claim.id, claim.claim_text, task.id, task.query)
