"""What a sentence says, part by part."""

import pytest

from lyra.report.check.parts import parts_of, without_attribution


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("According to the Harbour Office, landings fell by a third.", "Landings fell by a third."),
        ("Landings fell by a third, according to the Harbour Office.", "Landings fell by a third."),
        ("Landings, according to the Harbour Office, fell by a third.", "Landings fell by a third."),
        ("The dam, Ann Lee writes in the Courier, has held for years.", "The dam has held for years."),
        ("The dam has held for years, she adds.", "The dam has held for years."),
        ("The Office denies that landings fell by a third.", "The Office denies that landings fell by a third."),
        ("港湾新報の記事によると、水揚げは3割減った。", "水揚げは3割減った。"),
        ("漁協の田中氏は、水揚げの減少はすでに止まったとしている。", "水揚げの減少はすでに止まった。"),
        ("漁協は、水揚げが減ったとは述べていない。", "漁協は、水揚げが減ったとは述べていない。"),
    ],
    ids=["before", "behind", "between", "name", "pronoun", "denial", "によると", "としている", "述べていない"],
)
def test_who_says_it_is_left_out(sentence: str, expected: str) -> None:
    """What is compared with a source is what is said; a denial is a statement of its own."""
    assert without_attribution(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Two boats of the fleet lost their nets, but the catch of the season is no smaller.",
            ("Two boats of the fleet lost their nets", "the catch of the season is no smaller."),
        ),
        ("Two boats of the fleet lost their nets, and were not insured against storms at all.", ()),
        ("Two boats lost their nets.", ()),
        (
            "漁協は新しい船を2隻買って、古い網の修理も続けた。",
            ("漁協は新しい船を2隻買って", "古い網の修理も続けた"),
        ),
        (
            "漁協は新しい船を2隻買い入れて、古い網を残らず売却した。",
            ("漁協は新しい船を2隻買い入れて", "漁協は古い網を残らず売却した"),
        ),
        ("県の港では、新しい船を2隻買った。", ()),
        (
            "古い船を直すと、漁獲の赤字は膨らんだ。",
            ("古い船を直すと", "漁獲の赤字は膨らんだ"),
        ),
        ("The fleet lost two boats. It was insured.", ("The fleet lost two boats.", "It was insured.")),
    ],
    ids=["two", "no subject", "one", "own topic", "topic of the first", "no predicate", "condition", "sentences"],
)
def test_parts_of_a_sentence(sentence: str, expected: tuple[str, ...]) -> None:
    """Clauses that say enough by themselves; a Japanese one without a topic has that of the first."""
    assert parts_of(sentence) == expected
