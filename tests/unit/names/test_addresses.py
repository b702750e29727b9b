"""Japanese addresses in normal form."""

import pytest

from lyra.names.addresses import Address, read_address


@pytest.mark.parametrize(
    "text",
    ["〒100-0001 東京都千代田区丸の内二丁目６番１号", "東京都千代田区丸の内2-6-1", "東京都千代田区丸の内２丁目６－１"],
    ids=["kanji", "dashes", "wide"],
)
def test_numbers_are_written_one_way(text: str) -> None:
    """丁目, 番 and 号 in any writing are numbers with dashes; the post code goes."""
    assert read_address(text) == Address("13", "千代田区丸の内2-6-1")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("Toyota, Aichi, Japan", "23", id="latin"),
        pytest.param("京都府京都市", "26", id="kyoto-is-no-tokyo"),
        pytest.param("Osaka or Kyoto", None, id="two-named"),
        pytest.param("Rue de Paris 1", None, id="abroad"),
        pytest.param("千代田区", None, id="no-prefecture"),
    ],
)
def test_the_prefecture_is_known_by_its_code(text: str, code: str | None) -> None:
    """JIS X 0401; where none or several are named, none is guessed."""
    assert read_address(text).prefecture == code


def test_tens_and_hundreds_in_chinese_numerals() -> None:
    """百二十三番 is 123."""
    assert read_address("北海道札幌市百二十三番十号").rest == "札幌市123-10"
