"""What `lyra doctor` says of the models."""

import json
from pathlib import Path

from lyra.health import examine
from lyra.settings import Models, Settings


async def test_a_card_whose_calibration_is_unfit_is_found(copied_weights: Path, tmp_path: Path) -> None:
    """The files are intact and the models answer, but no command could judge with them."""
    path = copied_weights / "stance" / "card.json"
    card = json.loads(path.read_text("utf-8"))
    card["calibration"]["ja"] = {"temperature": 0}
    path.write_text(json.dumps(card), "utf-8")
    settings = Settings(data_dir=tmp_path / "data", models=Models(directory=copied_weights))

    findings = {one.name: one for one in await examine(settings)}

    assert (findings["models"].is_fine, findings["models"].detail) == (
        False,
        "The model card's calibration for 'ja' is unfit: the temperature must be a number above 0.",
    )
