"""What was measured of models, in words: for a table, and for `lyra doctor`."""

from collections.abc import Mapping

from lyra.model_store.overview import ModelRow, ModelState

Quality = Mapping[str, Mapping[str, float]]


def quality_figures(purpose: str, quality: Quality) -> str:
    """By language: nDCG@10 of an embedder, of a reader the shares that are right and on the opposite side."""
    if purpose == "embedder":
        return ", ".join(f"{language} {one['ndcg']:.2f}" for language, one in quality.items())
    return ", ".join(f"{language} {one['right']:.0%} / {one['opposite']:.0%}" for language, one in quality.items())


def served_text(row: ModelRow) -> str:
    """Which model serves, and how good it is here."""
    found, rate = quality_figures(row.purpose, row.quality), f"{row.items_per_s:g}"
    if row.purpose == "generator":
        return f"{row.model_id}; not measured here"
    if not row.quality:
        return f"{row.model_id}; not measured here (`lyra models calibrate {_measurable(row)}`)"
    if row.purpose == "embedder":
        return f"{row.model_id}; measured here, nDCG@10: {found}; {rate} texts a second"
    return f"{row.model_id}; measured here, right / opposite: {found}; {rate} pairs a second"


def other_text(other: ModelRow, serving: ModelRow) -> str:
    """What another model would gain and cost in place of one that serves."""
    size = f"{other.size_bytes / 1e6:.0f}"
    if other.state is ModelState.PULLABLE:
        return f"{other.name} ({size} MB to pull): what it would gain is not measured here"
    if not (other.quality and serving.quality and serving.items_per_s):
        return f"{other.name} ({size} MB): what it would gain is not measured here"
    figure = "ndcg" if other.purpose == "embedder" else "right"
    both = [language for language in serving.quality if language in other.quality]
    gains = [f"{one} {other.quality[one][figure] - serving.quality[one][figure]:+.2f}" for one in both]
    pace = f"{other.items_per_s / serving.items_per_s:.1f}"
    return f"{other.name} ({size} MB, {pace} times the pace): {', '.join(gains)}"


def _measurable(row: ModelRow) -> str:
    return "bundled" if row.is_bundled else row.name
