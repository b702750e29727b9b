"""`lyra models` against a hub on loopback: what a user does from the first pull to removing the model."""

import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import model_server, tiny_gguf, tiny_models
from tests.hub_server import Hub, serving


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_models.e5_folder(tmp_path / "origin")


@pytest.fixture
def hub(folder: Path) -> Iterator[Hub]:
    with serving(folder) as running:
        yield running


@pytest.fixture
def settings(hub: Hub, folder: Path, tmp_path: Path) -> dict[str, str]:
    """A catalogue that pins the tiny model as `tiny`, and the hub that has it."""
    catalogue = tmp_path / "catalogue.yaml"
    entry = tiny_models.pinned(folder, "embedder", prefix="query: ")
    catalogue.write_text(yaml.safe_dump({"tiny": entry}), "utf-8")
    return {"LYRA_MODELS__HUB": hub.address, "LYRA_MODELS__CATALOGUE": str(catalogue)}


def test_a_pinned_model_is_pulled_used_checked_and_removed(lyra: Any, settings: dict[str, str], home: Path) -> None:
    """The whole life of an embedder: its files by hash, its quality, its role, and none of it left at the end."""
    pulled = lyra("models", "pull", "tiny", "--json", **settings)
    used = lyra("models", "use", "tiny", "--json", **settings)
    listed = lyra("models", "list", "--json", **settings)
    verified = lyra("models", "verify", "--json", **settings)
    refused = lyra("models", "remove", "tiny", **settings)
    lyra("models", "use", "bundled", **settings)
    removed = lyra("models", "remove", "tiny", "--json", **settings)

    assert (pulled.code, pulled.json["purpose"], sorted(pulled.json["quality"])) == (0, "embedder", ["en", "ja"])
    assert used.json["in_use"] == {"embedder": "tiny"}
    rows = {row["name"]: (row["state"], row["serves"]) for row in listed.json}
    assert rows["tiny"] == ("on this disk", ["embedder"])
    assert rows["lyra-bilingual-minilm"] == ("on this disk", [])
    assert rows["judge"] == ("can be pulled", [])
    assert verified.json == {"ok": True, "models": {"tiny": []}}
    assert (refused.code, refused.err.splitlines()[0]) == (2, "lyra: The model tiny is in use as embedder.")
    assert (removed.code, (home / "models" / "tiny").exists()) == (0, False)


def test_a_broken_transfer_goes_on_where_it_stopped(lyra: Any, settings: dict[str, str], hub: Hub) -> None:
    """The second request asks for the rest alone."""
    hub.breaks_after = 20

    done = lyra("models", "pull", "tiny", **settings)

    asked = [found for path, found in hub.requests if path == "/cdn/1_Pooling/config.json"]
    assert (done.code, asked) == (0, [None, "bytes=20-"])


def test_a_server_without_ranges_is_read_from_the_beginning(lyra: Any, settings: dict[str, str], hub: Hub) -> None:
    """What had come is not put twice."""
    hub.breaks_after, hub.ignores_ranges = 20, True

    done = lyra("models", "pull", "tiny", **settings)

    assert done.code == 0


def test_a_file_of_another_content_is_refused_and_deleted(
    lyra: Any, settings: dict[str, str], hub: Hub, folder: Path, home: Path
) -> None:
    """Nothing that has another hash stays on the disk, and the model is not there."""
    content = (folder / "config.json").read_bytes()
    hub.altered["config.json"] = content[:-1] + b" "

    done = lyra("models", "pull", "tiny", **settings)

    assert done.code == 1
    assert "is not the file that was pinned (SHA-256" in done.err
    assert not list((home / "models" / ".partial" / "tiny").glob("config.json*"))
    assert not (home / "models" / "tiny").exists()


def test_a_file_that_does_not_end_is_cut_off(lyra: Any, settings: dict[str, str], hub: Hub, folder: Path) -> None:
    """A server cannot fill the disk: what is longer than the pin is refused at once."""
    hub.altered["config.json"] = (folder / "config.json").read_bytes() + b" " * 1_000_000

    done = lyra("models", "pull", "tiny", **settings)

    assert (done.code, "it is longer than" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("status", "said"),
    [(404, "The hub does not have"), (401, "The hub asks for a sign-in"), (503, "The hub answered with status 503")],
)
def test_a_hub_that_refuses_is_told(lyra: Any, settings: dict[str, str], hub: Hub, status: int, said: str) -> None:
    """Each refusal has its own sentence."""
    hub.status = status

    done = lyra("models", "pull", "tiny", **settings)

    assert (done.code, said in done.err) == (1, True)


def test_a_hub_that_is_not_there_can_be_asked_again(lyra: Any, settings: dict[str, str]) -> None:
    """The error says that the same command goes on."""
    done = lyra("models", "pull", "tiny", **(settings | {"LYRA_MODELS__HUB": "http://127.0.0.1:9"}))

    assert (done.code, "Run the same command again" in done.err) == (4, True)


def test_a_hub_without_tls_elsewhere_is_refused(lyra: Any, settings: dict[str, str]) -> None:
    """Only this machine is asked in the clear."""
    done = lyra("models", "pull", "tiny", **(settings | {"LYRA_MODELS__HUB": "http://hub.example.org"}))

    assert (done.code, "has no TLS" in done.err) == (2, True)


def test_damage_on_the_disk_is_found(lyra: Any, settings: dict[str, str], home: Path) -> None:
    """`verify` names the file and exits with an error."""
    lyra("models", "pull", "tiny", **settings)
    path = home / "models" / "tiny" / "onnx" / "model.onnx"
    path.write_bytes(path.read_bytes()[:-1] + b"\0")

    done = lyra("models", "verify", **settings)

    assert (done.code, done.out.startswith("tiny: onnx/model.onnx has another content")) == (1, True)


def test_a_folder_of_ones_own_needs_no_catalogue(lyra: Any, tmp_path: Path) -> None:
    """A reader in another maker's layout is pinned as it is, and calibrated before it may judge."""
    origin = tiny_models.nli_folder(tmp_path / "nli", ("contradiction", "entailment", "neutral"))

    pulled = lyra("models", "pull", "mine", "--from", str(origin), "--purpose", "reader", "--json")
    used = lyra("models", "use", "mine", "--json")

    assert (pulled.code, pulled.json["is_calibrated"]) == (0, True)
    assert pulled.json["quality"]["en"]["n"] == 485
    assert used.json["roles"] == ["large"]


def test_a_reader_without_calibration_may_not_judge(lyra: Any, tmp_path: Path, home: Path) -> None:
    """Taking the calibration off the card takes the right to serve."""
    origin = tiny_models.nli_folder(tmp_path / "nli")
    lyra("models", "pull", "mine", "--from", str(origin), "--purpose", "reader")
    card = home / "models" / "mine" / "card.json"
    card.write_text(json.dumps(json.loads(card.read_text("utf-8")) | {"calibration": {}}), "utf-8")

    done = lyra("models", "use", "mine")

    assert (done.code, done.err.splitlines()[0]) == (
        1, "lyra: The model mine is not calibrated, so it may not judge.",
    )  # fmt: skip


def test_a_language_model_is_prepared_and_its_file_deleted(lyra: Any, tmp_path: Path, home: Path) -> None:
    """`--from FILE` takes the pinned content alone; the card still names what it was made from."""
    origin = tmp_path / "origin"
    origin.mkdir()
    base = tiny_gguf.write_model(origin / "base.gguf")
    digest = tiny_gguf.sha256(base)
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text(yaml.safe_dump({"talker": tiny_models.pinned(origin, "generator")}), "utf-8")
    settings = {"LYRA_MODELS__CATALOGUE": str(catalogue)}

    done = lyra("models", "pull", "talker", "--from", str(base), "--json", **settings)
    verified = lyra("models", "verify", "--json", **settings)
    base.write_bytes(base.read_bytes() + b"!")
    other = lyra("models", "pull", "talker", "--from", str(base), **settings)

    folder = home / "models" / "talker"
    card = json.loads((folder / "card.json").read_text("utf-8"))
    assert (done.code, done.json["purpose"], done.json["quality"]) == (0, "generator", {})
    assert sorted(path.name for path in folder.iterdir()) == [
        "card.json",
        "decoder.json",
        "tokenizer.json",
        "weights.bin",
    ]
    assert (card["base"], card["layers"], verified.json) == (digest, 1, {"ok": True, "models": {"talker": []}})
    assert (other.code, "is not the file that was pinned" in other.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pull", "nobody"), "No catalogue names a model 'nobody'."),
        (("use", "nobody"), "There is no model 'nobody' on this disk."),
        (("remove", "../etc"), "There is no model '../etc' on this disk."),
        (("use", "bundled", "--role", "king"), "There is no role 'king'."),
        (("pull", "judge", "--from", "/nonexistent"), "/nonexistent does not exist."),
    ],
    ids=["pull", "use", "remove", "role", "from"],
)
def test_wrong_words_are_told(lyra: Any, words: tuple[str, ...], said: str) -> None:
    """Each with exit code 2."""
    done = lyra("models", *words)

    assert (done.code, done.err.splitlines()[0]) == (2, f"lyra: {said}")


def test_a_shared_reader_is_calibrated_before_it_judges(lyra: Any) -> None:
    """Doctor asks for it, one command does it, and doctor is content."""
    with model_server.serving("classifier") as server:
        settings = {"LYRA_MODELS__STANCE__URL": server.address}
        before = lyra("doctor", "--json", **settings)
        calibrated = lyra("models", "calibrate", "stance-endpoint", "--json", **settings)
        after = lyra("doctor", "--json", **settings)

    said = [{one["name"]: one["is_fine"] for one in done.json["checks"]}["stance endpoint"] for done in (before, after)]
    assert (calibrated.code, calibrated.json["quality"]["ja"]["n"]) == (0, 496)
    assert said == [False, True]


def test_doctor_says_what_serves_and_what_another_would_give(lyra: Any, settings: dict[str, str]) -> None:
    """Measured figures where there are some, and "not measured" where there are none."""
    lyra("models", "pull", "tiny", **settings)
    lyra("models", "use", "tiny", **settings)

    done = lyra("doctor", "--json", **settings)

    found = [
        (one["name"], one["detail"]) for one in done.json["checks"] if one["name"].startswith(("serves as", "or as"))
    ]
    details = dict(found)
    assert details["serves as embedder"].startswith("tiny@abc123+")
    assert "measured here, nDCG@10: en " in details["serves as embedder"]
    assert details["or as embedder"] == "lyra-bilingual-minilm (30 MB): what it would gain is not measured here"
    assert details["serves as small"].endswith("; not measured here (`lyra models calibrate bundled`)")


def test_another_machine_is_named_and_not_asked(lyra: Any) -> None:
    """Without --network doctor stays on this machine."""
    elsewhere = {
        "LYRA_MODELS__EMBEDDING__URL": "https://models.example.invalid",
        "LYRA_MODELS__EMBEDDING__ALLOW_REMOTE": "true",
    }

    done = lyra("doctor", "--json", **elsewhere)

    (line,) = [one for one in done.json["checks"] if one["name"] == "embedding endpoint"]
    assert (line["is_fine"], line["detail"]) == (
        True,
        "models.example.invalid, ANOTHER MACHINE; your own documents stay here; not asked without --network",
    )


def test_one_model_is_pulled_by_one_process_at_a_time(lyra: Any, settings: dict[str, str], home: Path) -> None:
    """The second is told, and disturbs nothing."""
    folder = home / "models" / ".partial" / "tiny"
    folder.mkdir(parents=True)
    with (folder / ".pulling").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        done = lyra("models", "pull", "tiny", **settings)

    assert (done.code, done.err.splitlines()[0]) == (
        2, "lyra: The model tiny is being pulled by another process.",
    )  # fmt: skip


def test_a_damaged_choice_is_told_and_mended_by_the_bundled_models(lyra: Any, home: Path) -> None:
    """No command guesses which models serve."""
    (home / "models").mkdir(parents=True)
    (home / "models" / "in_use.json").write_text("{", "utf-8")

    refused = lyra("models", "list")
    mended = lyra("models", "use", "bundled", "--json")
    listed = lyra("models", "list", "--json")

    assert (refused.code, "it is damaged" in refused.err) == (1, True)
    assert (mended.code, mended.json["in_use"], listed.code) == (0, {}, 0)


def test_a_wrong_layout_is_told_and_nothing_is_installed(lyra: Any, tmp_path: Path, home: Path) -> None:
    """The graph is tried in the isolated process before the model is there."""
    origin = tiny_models.e5_folder(tmp_path / "e5")
    (origin / "onnx" / "model.onnx").write_bytes(tiny_models.encoder_graph(11, output="features"))

    done = lyra("models", "pull", "mine", "--from", str(origin), "--purpose", "embedder")

    assert (done.code, "its outputs are features" in done.err) == (1, True)
    assert not (home / "models" / "mine").exists()


@pytest.fixture
def talker(tmp_path: Path, lyra: Any) -> Path:
    """A language model of the user's own, pulled under the name `talker`; the file it was pulled from."""
    origin = tmp_path / "language_model"
    origin.mkdir()
    base = tiny_gguf.write_model(origin / "base.gguf")
    catalogue = tmp_path / "generators.yaml"
    catalogue.write_text(yaml.safe_dump({"talker": tiny_models.pinned(origin, "generator")}), "utf-8")
    assert lyra("models", "pull", "talker", "--from", str(base), LYRA_MODELS__CATALOGUE=str(catalogue)).code == 0
    return base


def test_a_language_model_that_the_adapter_does_not_know_is_refused(
    lyra: Any, talker: Path, tmp_path: Path, home: Path
) -> None:
    """It could be loaded by nobody: the adapter belongs to one file. Nothing is chosen."""
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", talker, base_hash="0" * 64)

    refused = lyra("models", "use", "talker", LYRA_MODELS__ADAPTER=str(adapter))

    assert (refused.code, refused.err.splitlines()) == (
        1,
        [
            f"lyra: The model in {home / 'models' / 'talker'} is not the one that the adapter of the strong reader "
            "was trained over "
            f"(SHA-256 {tiny_gguf.sha256(talker)[:12]}…, not 000000000000…), so it may not judge.",
            "      `lyra models pull judge` gets the one that may; then `lyra models use judge`.",
        ],
    )
    assert (home / "models" / "in_use.json").exists() is False


def test_a_language_model_changed_after_its_pull_is_refused(
    lyra: Any, talker: Path, tmp_path: Path, home: Path
) -> None:
    """The files on the disk count, not what the card says of them."""
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", talker)
    weights = home / "models" / "talker" / "weights.bin"
    expected = tiny_gguf.sha256(weights)
    weights.chmod(0o600)
    weights.write_bytes(b"cut short")

    refused = lyra("models", "use", "talker", LYRA_MODELS__ADAPTER=str(adapter))

    assert refused.err.splitlines()[0] == (
        f"lyra: The model file {weights} is not the one its card names "
        f"(SHA-256 {tiny_gguf.sha256(weights)[:12]}…, not {expected[:12]}…)."
    )


def test_an_adapter_for_more_layers_than_were_prepared_is_refused(
    lyra: Any, talker: Path, tmp_path: Path, home: Path
) -> None:
    """The remedy is to pull the model again."""
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", talker, layers=5)

    refused = lyra("models", "use", "talker", LYRA_MODELS__ADAPTER=str(adapter))

    assert (refused.code, refused.err.splitlines()) == (
        1,
        [
            f"lyra: The model in {home / 'models' / 'talker'} was prepared with fewer layers (1) than the adapter of "
            "the strong reader wants (5).",
            "      Pull it again with `lyra models pull talker`.",
        ],
    )


def test_a_language_model_whose_card_is_gone_leaves_the_others_at_work(
    lyra: Any, talker: Path, tmp_path: Path, home: Path
) -> None:
    """The server and every command still start; the strong reader alone is out of use."""
    adapter = tiny_gguf.write_adapter(tmp_path / "strong", talker)
    lyra("models", "use", "talker", LYRA_MODELS__ADAPTER=str(adapter))
    (home / "models" / "talker" / "card.json").unlink()

    listed = lyra("task", "list", "--json", LYRA_MODELS__ADAPTER=str(adapter), LYRA_MODELS__STRONG="auto")

    assert (listed.code, listed.err) == (0, "")
