"""What a search could not do, in sentences."""

from lyra.model.search import SearchOutcome, SearchProblem
from lyra.research.problems import problem_texts
from lyra.translate import in_language, translate

BLOCKED, FAILED = SearchOutcome.BLOCKED, SearchOutcome.FAILED


def test_keys_stand_in_one_sentence_and_the_rest_follows() -> None:
    """Each problem once, in the order in which it was met."""
    found = (
        SearchProblem("mojeek", BLOCKED, "captcha"),
        SearchProblem("estat", BLOCKED, "not asked", "registries.estat_key"),
        SearchProblem("ptab", BLOCKED, "not asked", "registries.uspto_key"),
        SearchProblem("mojeek", BLOCKED, "captcha"),
        SearchProblem("https://example.org/1", None, "403 from the site"),
        SearchProblem("rdap", FAILED, None),
    )

    texts = problem_texts(found)

    assert texts == (
        "Not asked for want of a free key: estat (registries.estat_key), ptab (registries.uspto_key).",
        "mojeek blocked: captcha",
        "https://example.org/1 403 from the site",
        "rdap failed",
    )


def test_a_registry_s_answer_is_said_in_japanese_to_its_end() -> None:
    """The sentence, the reason in it, and what was wrong with the answer."""
    (text,) = problem_texts([SearchProblem("crtsh", FAILED, "The API's answer is no list of certificates.")])

    with in_language("ja"):
        told = translate(text)

    assert told == "crtsh は失敗しました: API の応答が想定した形ではありません（証明書の一覧ではありません）。"
