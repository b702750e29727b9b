"""What was measured of models, in words: one line for a table, a comparison for `lyra doctor`."""

from collections.abc import Mapping

from lyra.model_store.overview import PULLABLE, ModelRow

Quality = Mapping[str, Mapping[str, float]]


def quality_text(purpose: str, quality: Quality) -> str:
    """What was measured, by language."""
    if purpose == "embedder":
        return ", ".join(f"{language} nDCG@10 {one['ndcg']:.2f}" for language, one in quality.items())
    return ", ".join(
        f"{language} right {one['right']:.0%}, opposite {one['opposite']:.0%}" for language, one in quality.items()
    )


def served_text(row: ModelRow) -> str:
    """Which model serves, and how good it is here."""
    if not row.quality:
        return f"{row.model_id or row.name}; not measured here (`lyra models calibrate {_measurable(row)}`)"
    found = quality_text(row.purpose, row.quality)
    return f"{row.model_id or row.name}; measured here: {found}; {row.items_per_s:g} a second"


def other_text(other: ModelRow, serving: ModelRow) -> str:
    """What another model would gain and cost."""
    cost = f"{other.size_bytes / 1e6:.0f} MB" + (" to pull" if other.state == PULLABLE else "")
    if not (other.quality and serving.quality):
        return f"{other.name} ({cost}): what it would gain is not measured here"
    figure = "ndcg" if other.purpose == "embedder" else "right"
    gains = [
        f"{language} {other.quality[language][figure] - one[figure]:+.2f}"
        for language, one in serving.quality.items()
        if language in other.quality
    ]
    pace = f", {other.items_per_s / serving.items_per_s:.1f} times its pace" if serving.items_per_s else ""
    return f"{other.name} ({cost}{pace}): {', '.join(gains)}"


def _measurable(row: ModelRow) -> str:
    return row.name if row.model_id and not row.model_id.startswith("lyra-") else "bundled"
