"""The readers in their process: any pair of texts, any accident to the weights of one."""

from pathlib import Path

import numpy as np
import pytest

from lyra.errors import ModelError
from lyra.ml.card import load_card
from lyra.ml.remote import IsolatedModels
from lyra.settings import Models

from .conftest import change_card, rehash

SAYS_NOTHING = [-12.0, 0.0]
CLAIM = "Sitagliptin lowers HbA1c."
GUITAR = "A man is playing a guitar on stage."
GUITAR_JA = "男性が舞台でギターを弾いている。"
SILENT = ("The festival attracted more visitors than in the previous year.", "Sitagliptin causes pancreatitis.")
BEARING = (GUITAR, "A man is playing an instrument.")
JAPANESE = (GUITAR_JA, "男性が楽器を演奏している。")
DISTINCT = [("It rained.", "It rained."), ("It was dry.", "It rained."), ("", "It rained."), ("雨が降った。", "雨だ。")]


def damage(directory: Path) -> None:
    path = directory / "model.onnx"
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("text", "claim", "bears", "is_for"),
    [
        pytest.param(*BEARING, True, True, id="supports"),
        pytest.param(GUITAR, "Nobody is playing an instrument.", True, False, id="refutes"),
        pytest.param(*JAPANESE, True, True, id="supports, Japanese"),
        pytest.param(GUITAR_JA, "舞台には誰もいない。", True, False, id="refutes, Japanese"),
    ],
)
async def test_answers_tell_support_from_refutation(
    calm_models: IsolatedModels, text: str, claim: str, bears: bool, is_for: bool
) -> None:
    """The two columns are whether the text bears on the claim and which side it takes, in English and Japanese."""
    ((bearing, side),) = await calm_models.readers[0].answers([(text, claim)])

    assert (bearing > 0, side > 0) == (bears, is_for)


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(SILENT, id="English"),
        pytest.param((GUITAR_JA, "図書館は1962年に建てられた。"), id="Japanese"),
    ],
)
async def test_a_text_on_something_else_does_not_bear(calm_models: IsolatedModels, pair: tuple[str, str]) -> None:
    """Whatever its side would be."""
    ((bearing, _),) = await calm_models.readers[0].answers([pair])

    assert bearing < -3


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        pytest.param("", CLAIM, id="empty text"),
        pytest.param(CLAIM, "", id="empty claim"),
        pytest.param("", "", id="both empty"),
        pytest.param(" \n\t ", CLAIM, id="white space"),
        pytest.param("🎉😀", CLAIM, id="emoji"),
        pytest.param(CLAIM, "🎉😀", id="emoji for a claim"),
        pytest.param("§", CLAIM, id="one sign"),
        pytest.param("... !? ---", CLAIM, id="signs alone"),
        pytest.param("\x00\x00", CLAIM, id="control characters"),
        pytest.param("\ud800", CLAIM, id="lone surrogate"),
    ],
)
async def test_pair_with_nothing_said_surely_does_not_bear(calm_models: IsolatedModels, text: str, claim: str) -> None:
    """What says nothing neither supports nor refutes, whatever a model would make of an empty text."""
    rows = [(await reader.answers([(text, claim)])).tolist() for reader in calm_models.readers]

    assert rows == [[SAYS_NOTHING]] * len(calm_models.readers)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        pytest.param("a", CLAIM, id="one letter"),
        pytest.param("雨", CLAIM, id="one character"),
        pytest.param("5", "7", id="one digit each"),
        pytest.param(
            "HbA1cは0.7ポイント低下した in the sitagliptin group ✓ 🎉 снизил", CLAIM, id="several scripts in one text"
        ),
        pytest.param("シタグリプチンはHbA1cを低下させた。", CLAIM, id="Japanese text, English claim"),
        pytest.param("HbA1c \ud83d fell.", CLAIM, id="lone surrogate among words"),
        pytest.param("x" * 1_000_000, CLAIM, id="one endless word"),
    ],
)
async def test_odd_pairs_are_answered_alike_alone_and_in_company(
    calm_models: IsolatedModels, text: str, claim: str
) -> None:
    """No text fails a batch, and none is read differently because of what stands beside it."""
    alone = await calm_models.cascade.read([(text, claim)])

    together = await calm_models.cascade.read([SILENT, (text, claim), JAPANESE])

    assert together[1:2] == alone
    assert np.isfinite([alone[0].bears, alone[0].side]).all()


async def test_long_pair_is_cut_at_the_text(calm_models: IsolatedModels) -> None:
    """10 MB of text change nothing behind the model's room: the claim is always read whole."""
    start = "The trial enrolled 14,671 patients with type 2 diabetes and cardiovascular disease. " * 100
    claim = "The trial enrolled patients with diabetes."

    rows = await calm_models.readers[0].answers([(start, claim), (start * 1_200, claim)])

    assert rows[0].tobytes() == rows[1].tobytes()


async def test_claim_longer_than_the_model_is_judged_by_its_beginning(calm_models: IsolatedModels) -> None:
    """A claim alone may exceed the room; it is cut to half of it instead of failing the batch."""
    claim = "The trial enrolled patients with type 2 diabetes. " * 200

    rows = await calm_models.readers[0].answers([("The trial enrolled diabetics.", claim)])

    assert rows.shape == (1, 2)
    assert np.isfinite(rows).all()


async def test_no_pairs_no_process(models: IsolatedModels) -> None:
    """An empty call gives no answers and starts nothing."""
    found = await models.cascade.read([])

    assert (found, models.status().is_running) == ([], False)


async def test_ten_thousand_pairs_keep_their_order(copied_weights: Path) -> None:
    """Each is answered as it is alone, to the last bit."""
    models = IsolatedModels(Models(directory=copied_weights))
    alone = [answer for pair in DISTINCT for answer in await models.cascade.read([pair])]

    found = await models.cascade.read(DISTINCT * 2_500)
    await models.close()

    assert found == alone * 2_500


async def test_the_large_reader_decides_what_may_bear(two_readers: Path) -> None:
    """The small one keeps what is surely neutral, in both languages."""
    models = IsolatedModels(Models(directory=two_readers))

    found = await models.cascade.read([SILENT, BEARING, JAPANESE])
    await models.close()

    assert [answer.reader for answer in found] == ["small", "large", "large"]
    assert [answer.model_id for answer in found] == [
        load_card(two_readers / name).model_id for name in ("small", "large", "large")
    ]


async def test_the_threshold_is_the_small_reader_s(two_readers: Path) -> None:
    """Its card says from which chance the large one is asked."""
    change_card(two_readers / "small", asks_from={"en": 1.0})
    models = IsolatedModels(Models(directory=two_readers))

    found = await models.cascade.read([BEARING])
    await models.close()

    assert [answer.reader for answer in found] == ["small"]


async def test_with_a_damaged_large_reader_the_small_one_goes_on(two_readers: Path) -> None:
    """And whoever asks for the task's status is told."""
    damage(two_readers / "large")
    models = IsolatedModels(Models(directory=two_readers))

    found = await models.cascade.read([SILENT, BEARING, JAPANESE])
    (trouble,) = models.troubles()
    await models.close()

    path = two_readers / "large" / "model.onnx"
    assert [answer.reader for answer in found] == ["small", "small", "small"]
    assert trouble.startswith(f"The large reader is out of use: The model file {path} is not the one its card names")


async def test_with_a_damaged_small_reader_the_large_one_goes_on(two_readers: Path) -> None:
    """For every pair, in both languages."""
    damage(two_readers / "small")
    models = IsolatedModels(Models(directory=two_readers))

    found = await models.cascade.read([SILENT, BEARING, JAPANESE])
    (trouble,) = models.troubles()
    await models.close()

    assert [answer.reader for answer in found] == ["large", "large", "large"]
    assert trouble.startswith("The small reader is out of use: The model file ")


async def test_with_a_damaged_small_reader_alone_nothing_can_be_judged(copied_weights: Path) -> None:
    """Nobody is left who reads; the error names the file."""
    damage(copied_weights / "small")
    models = IsolatedModels(Models(directory=copied_weights))

    with pytest.raises(ModelError) as caught:
        await models.cascade.read([BEARING])
    await models.close()

    path = copied_weights / "small" / "model.onnx"
    assert caught.value.message.startswith(f"No reader can judge: The model file {path} is not the one its card names")
    assert caught.value.remedy == "Run `lyra doctor`; reinstall the reader it names."


@pytest.mark.parametrize(("reader", "left"), [("small", "large"), ("large", "small")])
async def test_a_reader_without_a_card_leaves_the_other(two_readers: Path, reader: str, left: str) -> None:
    """An unfit card is as good as none: the other judges what it can."""
    (two_readers / reader / "card.json").write_text("{", "utf-8")
    models = IsolatedModels(Models(directory=two_readers))

    found = await models.cascade.read([SILENT, BEARING])
    await models.close()

    assert [one.name for one in models.readers] == [left]
    assert [answer.reader for answer in found] == [left, left]


async def test_without_any_fit_card_there_are_no_readers(two_readers: Path) -> None:
    """The error says of each card what is wrong."""
    (two_readers / "small" / "card.json").write_text("{", "utf-8")
    (two_readers / "large" / "card.json").unlink()
    models = IsolatedModels(Models(directory=two_readers))

    with pytest.raises(ModelError) as caught:
        _ = models.readers
    await models.close()

    assert caught.value.message == (
        f"The small model's card {two_readers / 'small' / 'card.json'} is not valid JSON. "
        f"The large model's card {two_readers / 'large' / 'card.json'} cannot be read: No such file or directory."
    )


async def test_weights_of_a_reader_exchanged_under_a_running_server_are_refused(copied_weights: Path) -> None:
    """Edges already name the first ones; the server must be started anew."""
    models = IsolatedModels(Models(directory=copied_weights))
    reader = models.readers[0]
    tokenizer = copied_weights / "small" / "tokenizer.json"
    tokenizer.write_bytes(tokenizer.read_bytes() + b"\n")
    rehash(copied_weights / "small", "tokenizer.json")

    with pytest.raises(ModelError, match=r"The small weights in .* changed while the server was running"):
        await reader.answers([BEARING])
    await models.close()
