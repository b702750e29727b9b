"""Near-duplicates."""

import numpy as np
import pytest

from lyra.evidence.duplicates import DuplicateIndex, SetIndex, bands_and_rows

STORY = (
    "A popular group of diabetes pills does not lead to more hospital stays for heart failure, according to a study of "
    "1.5 million patients that contradicts an earlier trial. The study used medical records from four countries and "
    "compared people who took the pills with people who took other drugs for diabetes over three years."
)
RETOUCHED = STORY.replace("A popular group", "WASHINGTON — A popular group").replace("three years", "about three years")
REWRITTEN = (
    "People who take gliptins are no more likely to be admitted to hospital with heart failure than people who take "
    "other tablets, researchers reported after following patients in four countries for three years."
)
KIJI = (
    "糖尿病の治療に広く使われる飲み薬「DPP-4阻害薬」を服用している人は、皮膚に水ぶくれができる難病を発症するリスクが約2倍に"
    "高まることが、全国の診療報酬データを使った研究で分かった。研究チームは約168万人のデータを分析した。"
)
MATOME = KIJI.replace("研究チームは", "研究グループは")
BETSU = "リナグリプチンは胆汁中に排泄されるため、腎機能が低下した患者でも用量を調節する必要がないとされている。"


@pytest.mark.parametrize(
    ("first", "second", "is_copy"),
    [
        pytest.param(STORY, STORY, True, id="the same words"),
        pytest.param(STORY, STORY.upper(), True, id="another case"),
        pytest.param(STORY, RETOUCHED, True, id="a dateline and a word more"),
        pytest.param(STORY, REWRITTEN, False, id="the same news in other words"),
        pytest.param(KIJI, MATOME, True, id="Japanese, one word changed"),
        pytest.param(KIJI, BETSU, False, id="Japanese, another subject"),
        pytest.param("", "", False, id="nothing is no copy of nothing"),
        pytest.param("Read more", "Read more", True, id="shorter than one n-gram"),
    ],
)
def test_copies_are_told_from_texts_on_the_same_subject(first: str, second: str, is_copy: bool) -> None:
    """Jaccard ≥ 0.8 over 5-grams (SPEC §13)."""
    index = DuplicateIndex()
    index.add("f_1", first)

    found = index.add("f_2", second)

    assert found == ("f_1" if is_copy else "f_2")


def test_just_below_the_threshold_is_no_copy() -> None:
    """The exact Jaccard decides, not MinHash's estimate: 73 of 97 shared 5-grams are 0.753."""
    words = [f"word{number}" for number in range(89)]
    changed = [*words[:77], *(f"other{number}" for number in range(12))]
    index = DuplicateIndex()
    index.add("f_1", " ".join(words))

    found = index.add("f_2", " ".join(changed))

    assert found == "f_2"


def test_the_threshold_is_the_users() -> None:
    """The setting must arrive: the same pair is one text at 0.7."""
    words = [f"word{number}" for number in range(89)]
    changed = [*words[:77], *(f"other{number}" for number in range(12))]
    index = DuplicateIndex(0.7)
    index.add("f_1", " ".join(words))

    found = index.add("f_2", " ".join(changed))

    assert found == "f_1"


def test_copies_of_copies_name_the_first() -> None:
    """One key for all printings of a story, so that they are one vote."""
    index = DuplicateIndex()

    found = index.add_all([("f_1", STORY), ("f_2", RETOUCHED), ("f_3", RETOUCHED), ("f_4", REWRITTEN)])

    assert found == {"f_1": "f_1", "f_2": "f_1", "f_3": "f_1", "f_4": "f_4"}


def test_adding_again_changes_nothing() -> None:
    """After a crash the same page is read again."""
    index = DuplicateIndex()
    index.add_all([("f_1", STORY), ("f_2", RETOUCHED)])

    found = index.add("f_2", "quite another text by now, which is not looked at")

    assert (found, len(index)) == ("f_1", 2)


def test_an_index_built_again_gives_the_same_answers() -> None:
    """Each process builds its index from the stored fragments, in their order."""
    texts = [("f_1", STORY), ("f_2", KIJI), ("f_3", RETOUCHED), ("f_4", MATOME), ("f_5", BETSU)]
    grown, rebuilt = DuplicateIndex(), DuplicateIndex()
    one_by_one = {name: grown.add(name, text) for name, text in texts}

    assert rebuilt.add_all(texts) == one_by_one


def test_a_damaged_text_is_indexed_like_any_other() -> None:
    """Lone surrogates come out of broken pages; they must not stop the indexing."""
    index = DuplicateIndex()
    index.add("f_1", STORY + "\ud800")

    found = index.add("f_2", STORY + "\ud800")

    assert found == "f_1"


@pytest.mark.parametrize(("threshold", "bands"), [(0.1, (64, 2)), (0.5, (25, 5)), (0.7, (14, 9)), (0.9, (5, 25))])
def test_bands_follow_the_threshold(threshold: float, bands: tuple[int, int]) -> None:
    """What datasketch's integrals give for 128 permutations."""
    assert bands_and_rows(threshold) == bands


def test_the_permutations_are_datasketchs() -> None:
    """`MinHash(num_perm=128)` of datasketch 2.0 over 1, 2, 3."""
    first = SetIndex(0.7).keys(np.array([1, 2, 3], np.uint32))[0]

    assert np.frombuffer(first, np.uint32).tolist() == [
        277274469,
        2241546430,
        1311794348,
        1610968749,
        520608637,
        813258858,
        3246914503,
        988005700,
        804100870,
    ]


def test_sets_that_are_alike_meet_and_others_do_not() -> None:
    """Nine tenths in common share a band, nothing in common none."""
    index = SetIndex(0.7)
    members = np.arange(200, dtype=np.uint32)
    index.add("f_1", index.keys(members))

    assert index.alike(index.keys(members[10:])) == {"f_1"}
    assert index.alike(index.keys(members + np.uint32(1000))) == set()
