"""A user's language model judges: pulled and chosen on the command line, seen by an MCP client in the graph."""

from pathlib import Path
from typing import Any

import yaml

from tests import tiny_gguf, tiny_models

PAGE = "https://journal.cardiomet-trials.org/articles/cardian-53"
STRONG = {"LYRA_MODELS__STRONG": "auto"}
HYPOTHESIS = "Saxagliptin increases hospitalisation for heart failure."

DECIDED = "select distinct reader, relation from edges where target_id = '{}' and relation <> 'neutral'"


def test_a_chosen_language_model_decides_what_others_leave_open(connect: Any, lyra: Any, tmp_path: Path) -> None:
    """It refutes whatever it is asked, so the text that the large reader calls a support refutes, by its word."""
    origin, data = tmp_path / "origin", tmp_path / "data"
    origin.mkdir()
    base = tiny_gguf.write_model(origin / "base.gguf")
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text(yaml.safe_dump({"talker": tiny_models.pinned(origin, "generator")}), "utf-8")
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", base)
    settings = {**STRONG, "LYRA_MODELS__CATALOGUE": str(catalogue), "LYRA_MODELS__ADAPTER": str(adapter)}
    lyra("models", "pull", "talker", "--from", str(base), data_dir=data, **settings)
    used = lyra("models", "use", "talker", "--json", data_dir=data, **settings)

    with connect(data, **settings) as face:
        made = face.call("create_task", query="Is saxagliptin safe?", config={"hypotheses": [{"text": HYPOTHESIS}]})
        face.search(made["task_id"], PAGE)
        rows = face.call("query_graph", sql=DECIDED.format(made["claims"][0]))["rows"]
        warnings = face.call("get_status", task_id=made["task_id"])["warnings"]

    assert used.json["in_use"] == {"strong": "talker"}
    assert rows == [{"reader": "strong", "relation": "refutes"}]
    assert warnings == []


def test_a_language_model_damaged_later_is_told_by_the_search(lyra: Any, tmp_path: Path) -> None:
    """The command's own process had the models, so it says what became of them; the large reader goes on."""
    origin, data = tmp_path / "origin", tmp_path / "data"
    origin.mkdir()
    base = tiny_gguf.write_model(origin / "base.gguf")
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text(yaml.safe_dump({"talker": tiny_models.pinned(origin, "generator")}), "utf-8")
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", base)
    settings = {**STRONG, "LYRA_MODELS__CATALOGUE": str(catalogue), "LYRA_MODELS__ADAPTER": str(adapter)}
    lyra("models", "pull", "talker", "--from", str(base), data_dir=data, **settings)
    lyra("models", "use", "talker", data_dir=data, **settings)
    made = lyra("task", "new", "Is saxagliptin safe?", "-H", HYPOTHESIS, "--json", data_dir=data).json
    weights = data / "models" / "talker" / "weights.bin"
    expected = tiny_gguf.sha256(weights)
    weights.chmod(0o600)
    weights.write_bytes(weights.read_bytes()[:5000])

    searched = lyra("search", made["task_id"], PAGE, "--json", data_dir=data, **settings)

    told = (
        f"The strong reader is out of use: The model file {weights} is not the one its card names "
        f"(SHA-256 {tiny_gguf.sha256(weights)[:12]}…, not {expected[:12]}…)."
    )
    assert (searched.code, searched.json["problems"]) == (0, [told])
