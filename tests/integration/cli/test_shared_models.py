"""`lyra models pull --index` and `--shared`: a language model out of a package index, and for everyone."""

import asyncio
import json
import shutil
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from lyra.ml.remote import IsolatedModels
from lyra.model_store.store import chosen_strong
from lyra.settings import Settings
from tests import tiny_gguf, tiny_models

PART = 40_000
GO_ON = "The other readers go on without it."
PULL_SHARED = "Pull it again with `lyra models pull talker --shared --index`."
ADAPTER_REMEDY = "Reinstall lyra-reader-strong, or point the setting models.adapter at intact weights."


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "origin").mkdir()
    return tiny_gguf.write_model(tmp_path / "origin" / "base.gguf")


@pytest.fixture
def index(tmp_path: Path, base: Path) -> Path:
    """A folder of packages that carry the file in three parts."""
    folder, content = tmp_path / "index", base.read_bytes()
    folder.mkdir()
    for number in range(1, 4):
        write_wheel(folder, number, content[PART * (number - 1) : PART * number])
    return folder


def write_wheel(folder: Path, number: int, part: bytes) -> None:
    name = f"tiny_part{number}-1.0"
    files: Mapping[str, bytes] = {
        f"tiny_part{number}/__init__.py": b"raise SystemExit('imported')\n",
        f"tiny_part{number}/data.bin": part,
        f"{name}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n".encode(),
        f"{name}.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{name}.dist-info/RECORD": b"",
    }
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)


@pytest.fixture
def settings(tmp_path: Path, base: Path, index: Path) -> dict[str, str]:
    """A catalogue that knows where the packages are, an adapter, and pip held off the network."""
    packages = [f"tiny-part{number}==1.0" for number in range(1, 4)]
    entry = tiny_models.pinned(base.parent, "generator") | {"packages": packages}
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text(yaml.safe_dump({"talker": entry}), "utf-8")
    return {
        "LYRA_MODELS__CATALOGUE": str(catalogue),
        "LYRA_MODELS__ADAPTER": str(tiny_gguf.write_adapter(tmp_path / "strong", base)),
        "LYRA_MODELS__STRONG": "auto",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(index),
    }


@pytest.fixture
def everyone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The place of an environment's models."""
    place = tmp_path / "environment" / "share" / "lyra" / "models"
    for module in ("lyra.ml.card", "lyra.model_store.store"):
        monkeypatch.setattr(f"{module}.shared_root", lambda: place)
    return place


def test_a_model_comes_out_of_the_packages_of_an_index(
    lyra: Any, settings: dict[str, str], base: Path, home: Path
) -> None:
    """Joined in their order, checked as a whole; nothing of the packages is left, or was imported."""
    done = lyra("models", "pull", "talker", "--index", "--json", **settings)

    folder = home / "models" / "talker"
    assert (done.code, done.json["purpose"]) == (0, "generator")
    assert json.loads((folder / "card.json").read_text("utf-8"))["base"] == tiny_gguf.sha256(base)
    assert sorted(path.name for path in folder.iterdir()) == [
        "card.json",
        "decoder.json",
        "tokenizer.json",
        "weights.bin",
    ]


def test_only_the_layers_that_the_adapter_wants_are_prepared(
    lyra: Any, settings: dict[str, str], base: Path, home: Path, tmp_path: Path
) -> None:
    """All of them where the adapter was trained over another file."""
    tiny_gguf.write_model(base, layers=3)
    entry = tiny_models.pinned(base.parent, "generator")
    Path(settings["LYRA_MODELS__CATALOGUE"]).write_text(yaml.safe_dump({"one": entry, "two": entry}), "utf-8")
    fitting = tiny_gguf.write_adapter(tmp_path / "fitting", base, layers=2)
    other = tiny_gguf.write_adapter(tmp_path / "other", base, layers=2, base_hash="0" * 64)

    for name, adapter in (("one", fitting), ("two", other)):
        lyra("models", "pull", name, "--from", str(base), **settings | {"LYRA_MODELS__ADAPTER": str(adapter)})

    cards = [json.loads((home / "models" / name / "card.json").read_text("utf-8")) for name in ("one", "two")]
    assert [card["layers"] for card in cards] == [2, 3]


def test_a_model_pulled_by_an_older_lyra_is_listed_as_such(lyra: Any, settings: dict[str, str], home: Path) -> None:
    """A GGUF file that nobody has prepared: it can be seen, not used, and pulled again."""
    old = home / "models" / "talker"
    old.mkdir(parents=True)
    base = tiny_gguf.write_model(old / "base.gguf")
    card = {"name": "talker", "kind": "generator", "files": {"base.gguf": tiny_gguf.sha256(base)}}
    (old / "card.json").write_text(json.dumps(card), "utf-8")

    listed = lyra("models", "list", "--json", **settings)
    used = lyra("models", "use", "talker", **settings)
    pulled = lyra("models", "pull", "talker", "--index", "--json", **settings)

    why = f"The model in {old} was pulled by an older Lyra and is not prepared for this one."
    row = next(one for one in listed.json if one["name"] == "talker")
    assert (row["state"], row["about"]) == ("cannot be used", why)
    assert (used.code, used.err.splitlines()[0]) == (1, f"lyra: The model talker cannot be used: {why}")
    assert (pulled.code, (old / "base.gguf").exists()) == (0, False)


def test_a_transfer_goes_on_with_the_part_that_is_missing(
    lyra: Any, settings: dict[str, str], index: Path, home: Path
) -> None:
    """What came before is neither fetched nor lost."""
    third = index / "tiny_part3-1.0-py3-none-any.whl"
    kept = third.read_bytes()
    third.unlink()
    broken = lyra("models", "pull", "talker", "--index", **settings)
    for number in (1, 2):
        (index / f"tiny_part{number}-1.0-py3-none-any.whl").unlink()
    third.write_bytes(kept)

    done = lyra("models", "pull", "talker", "--index", "--json", **settings)

    assert (broken.code, broken.err.splitlines()[-2:]) == (
        4,
        [
            "lyra: pip could not get the package tiny-part3==1.0.",
            "      Run the same command again: it goes on where it stopped.",
        ],
    )
    assert (done.code, done.json["path"]) == (0, str(home / "models" / "talker"))


@pytest.mark.parametrize(
    ("part", "why"),
    [(b"x" * 12_000, "SHA-256 "), (b"x" * 900_000, "it is longer than ")],
    ids=["other", "longer"],
)
def test_packages_with_another_content_are_refused(
    lyra: Any, settings: dict[str, str], index: Path, home: Path, part: bytes, why: str
) -> None:
    """Nothing of it is kept."""
    write_wheel(index, 3, part)

    done = lyra("models", "pull", "talker", "--index", **settings)

    told = done.err.splitlines()[-2]
    assert (done.code, told.startswith("lyra: base.gguf from "), why in told) == (1, True, True)
    assert [path.name for path in (home / "models" / ".partial" / "talker").glob("base*")] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pull", "judge", "--index", "--from", "."), "--index and --from name two origins."),
        (("pull", "tiny", "--index"), "No package index is known to have the model tiny."),
        (("pull", "tiny", "--shared"), "The model tiny cannot be shared: only a language model that judges can."),
        (("remove", "judge", "--shared"), "There is no model 'judge' on this disk."),
    ],
    ids=["two", "unknown", "embedder", "remove"],
)
def test_wrong_words_are_told(lyra: Any, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """Each with exit code 2."""
    catalogue = tmp_path / "other.yaml"
    entry = tiny_models.pinned(tiny_models.e5_folder(tmp_path / "e5"), "embedder")
    catalogue.write_text(yaml.safe_dump({"tiny": entry}), "utf-8")

    done = lyra("models", *words, LYRA_MODELS__CATALOGUE=str(catalogue))

    assert (done.code, done.err.splitlines()[0]) == (2, f"lyra: {said}")


def test_without_pip_another_way_is_named(lyra: Any, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments made by other tools lack it."""
    monkeypatch.setattr("lyra.model_store.index.find_spec", lambda _: None)

    done = lyra("models", "pull", "talker", "--index", **settings)

    assert (done.code, done.err.splitlines()[0]) == (
        1,
        "lyra: pip, which downloads from the package index, is not in this environment.",
    )


def test_a_shared_model_judges_for_everyone(
    lyra: Any, settings: dict[str, str], everyone: Path, base: Path, tmp_path: Path, home: Path
) -> None:
    """Readable by all, in every list, in use by whoever has chosen nothing, and gone when it is removed."""
    pulled = lyra("models", "pull", "talker", "--from", str(base), "--shared", "--json", **settings)
    readable = (*(everyone / "talker").iterdir(), everyone / "talker", everyone, *everyone.parents[:2])
    modes = {stat.S_IMODE(path.stat().st_mode) for path in readable}
    listed = lyra("models", "list", "--json", **settings)
    verified = lyra("models", "verify", "--json", **settings)
    checked = lyra("doctor", "--json", **settings)
    removed = lyra("models", "remove", "talker", "--shared", "--json", **settings)

    row = next(one for one in listed.json if one["name"] == "talker")
    found = {one["name"]: (one["is_fine"], one["detail"]) for one in checked.json["checks"]}
    assert (pulled.code, pulled.json["path"], modes) == (0, str(everyone / "talker"), {0o755, 0o644})
    assert (row["serves"], row["about"]) == (["strong"], f"for everyone in this environment ({everyone / 'talker'})")
    assert verified.json == {"ok": True, "models": {"talker (shared)": []}}
    assert found["reader strong"][0] is True
    assert found["serves as strong"] == (True, f"{row['model_id']}; not measured here")
    assert (removed.code, (everyone / "talker").exists(), (home / "models").exists()) == (0, False, False)


def test_a_shared_model_that_does_not_fit_is_told(
    lyra: Any, settings: dict[str, str], everyone: Path, base: Path, tmp_path: Path
) -> None:
    """The list and doctor say why, and doctor what to do."""
    lyra("models", "pull", "talker", "--from", str(base), "--shared", **settings)
    other = tiny_gguf.write_adapter(tmp_path / "other", base, layers=3)
    settings |= {"LYRA_MODELS__ADAPTER": str(other)}

    listed = lyra("models", "list", "--json", **settings)
    checked = lyra("doctor", "--json", **settings)

    why = (
        f"The model in {everyone / 'talker'} was prepared with fewer layers (1) than the adapter of the strong reader "
        "wants (3)."
    )
    row = next(one for one in listed.json if one["name"] == "talker")
    found = {one["name"]: (one["is_fine"], one["detail"], one["remedy"]) for one in checked.json["checks"]}
    assert (row["state"], row["serves"], row["about"]) == ("cannot be used", [], why)
    assert found["reader strong"] == (False, f"{why} {GO_ON}", PULL_SHARED)
    assert not {"shared strong reader", "serves as strong", "or as strong"} & set(found)


@pytest.mark.parametrize("card", [None, "{"], ids=["missing", "damaged"])
@pytest.mark.parametrize("whose", ["model", "adapter"])
def test_a_damaged_card_is_told(
    lyra: Any, settings: dict[str, str], everyone: Path, base: Path, whose: str, card: str | None
) -> None:
    """Of the shared model and of the adapter; the remedy gets the one that is damaged."""
    lyra("models", "pull", "talker", "--from", str(base), "--shared", **settings)
    folder = everyone / "talker" if whose == "model" else Path(settings["LYRA_MODELS__ADAPTER"])
    write_or_delete(folder / "card.json", card)

    checked = lyra("doctor", "--json", **settings)
    listed = lyra("models", "list", "--json", **settings)

    found = {one["name"]: one for one in checked.json["checks"]}
    how = "cannot be read: No such file or directory." if card is None else "is not valid JSON."
    why = f"The {folder.name} model's card {folder / 'card.json'} {how}"
    line = found["reader strong"]
    assert (checked.code, line["is_fine"], line["detail"]) == (1, False, f"{why} {GO_ON}")
    assert line["remedy"] == (PULL_SHARED if whose == "model" else ADAPTER_REMEDY)
    assert not {"shared strong reader", "serves as strong", "or as strong"} & set(found)
    assert [(one["state"], one["serves"]) for one in listed.json if one["name"] == "talker"] == [("cannot be used", [])]


def test_a_search_says_that_the_shared_model_is_damaged(
    lyra: Any, settings: dict[str, str], everyone: Path, base: Path, home: Path
) -> None:
    """Without a shared model, or without any strong reader, nothing is said."""
    lyra("models", "pull", "talker", "--from", str(base), "--shared", **settings)
    card = everyone / "talker" / "card.json"
    card.write_text("{", "utf-8")
    models = {"adapter": settings["LYRA_MODELS__ADAPTER"], "strong": "auto"}
    wanted = Settings(data_dir=home, models=models)

    off = Settings(data_dir=home, models=models | {"strong": "off"})
    said = [asyncio.run(troubles(one)) for one in (wanted, off)]
    shutil.rmtree(everyone / "talker")
    said.append(asyncio.run(troubles(wanted)))

    assert said == [(f"The strong reader is out of use: The talker model's card {card} is not valid JSON.",), (), ()]


async def troubles(settings: Settings) -> tuple[str, ...]:
    models = IsolatedModels(settings.models, strong=chosen_strong(settings))
    try:
        assert models.cascade
        return models.troubles()
    finally:
        await models.close()


def write_or_delete(path: Path, content: str | None) -> None:
    path.unlink()
    if content is not None:
        path.write_text(content, "utf-8")


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "own"])
@pytest.mark.parametrize("damage", ["tokenizer.json", "weights.bin", "card.json"])
def test_a_broken_model_does_not_serve(
    lyra: Any, settings: dict[str, str], everyone: Path, base: Path, home: Path, damage: str, shared: bool
) -> None:
    """Doctor has one line for it, and does not propose to calibrate it; `verify` names the file."""
    lyra("models", "pull", "talker", "--from", str(base), *(["--shared"] if shared else []), **settings)
    if not shared:
        lyra("models", "use", "talker", **settings)
    path = (everyone if shared else home / "models") / "talker" / damage
    half = path.read_bytes()[:500]
    path.unlink()
    if damage != "tokenizer.json":
        path.write_bytes(half)

    listed = lyra("models", "list", "--json", **settings)
    checked = lyra("doctor", "--json", **settings)
    verified = lyra("models", "verify", "talker", "--json", **settings)

    row = next(one for one in listed.json if one["name"] == "talker")
    found = {one["name"]: one for one in checked.json["checks"]}
    (problems,) = verified.json["models"].values()
    assert (row["state"], row["serves"]) == ("cannot be used", [])
    assert found["reader strong"]["is_fine"] is False
    assert not {"serves as strong", "or as strong", "shared strong reader"} & set(found)
    assert "models calibrate talker" not in checked.out
    assert (verified.code, len(problems), damage in problems[0]) == (1, 1, True)


def test_a_command_on_the_shared_model_alone_is_told(
    lyra: Any, settings: dict[str, str], everyone: Path, base: Path
) -> None:
    """It need not be chosen, and --shared deletes it."""
    lyra("models", "pull", "talker", "--from", str(base), "--shared", **settings)

    done = [lyra("models", word, "talker", **settings) for word in ("use", "remove")]

    assert [(one.code, one.err.splitlines()) for one in done] == [
        (
            2,
            [
                "lyra: There is no model 'talker' on this disk that is your own.",
                "      Everyone in this environment has one of that name, which judges without being chosen; "
                "`lyra models remove talker --shared` deletes it.",
            ],
        )
    ] * 2


def test_a_pull_that_was_stopped_before_the_hash_was_checked_goes_on(
    lyra: Any, settings: dict[str, str], index: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All parts have come: none is fetched again, and nothing is left of them."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("lyra.model_store.index.check_content", stop)
        stopped = lyra("models", "pull", "talker", "--index", **settings)
    shutil.rmtree(index)
    done = lyra("models", "pull", "talker", "--index", "--json", **settings)

    assert (stopped.code, done.code) == (130, 0)
    assert not list((home / "models" / "talker").glob("base*"))


def test_the_strong_reader_can_be_switched_off(lyra: Any, settings: dict[str, str], everyone: Path, base: Path) -> None:
    """Then neither the shared one judges nor one that was chosen."""
    lyra("models", "pull", "talker", "--from", str(base), "--shared", **settings)
    lyra("models", "pull", "talker", "--from", str(base), **settings)
    lyra("models", "use", "talker", **settings)

    checked = lyra("doctor", "--json", **settings | {"LYRA_MODELS__STRONG": "off"})

    found = {one["name"]: one["detail"] for one in checked.json["checks"]}
    rows = lyra("models", "list", "--json", **settings | {"LYRA_MODELS__STRONG": "off"}).json
    assert found["strong reader"] == "models.strong is off"
    assert not {"reader strong", "serves as strong", "or as strong"} & set(found)
    assert [one["serves"] for one in rows if one["name"] == "talker"] == [[], []]
