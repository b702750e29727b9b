"""What a search could not do, in sentences."""

from lyra.model.search import PartlyJudged, SearchOutcome, SearchProblem
from lyra.research.problems import given_up_texts, partly_judged_text, problem_texts
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
    (text,) = problem_texts([SearchProblem("crtsh", FAILED, "The API's answer is not a list of certificates.")])

    with in_language("ja"):
        told = translate(text)

    assert told == "crtsh は失敗しました: API の応答が想定した形ではありません（証明書の一覧ではありません）。"


def given_up(number: int) -> SearchProblem:
    reason = "The page could not be read: the process that reads it ended twice (killed by SIGPROF)."
    return SearchProblem(f"https://example.org/{number}", None, reason)


def test_a_page_that_was_given_up_is_named_with_the_number_of_tries() -> None:
    """And with how its reader ended, also in Japanese."""
    (text,) = problem_texts([given_up(1)])

    with in_language("ja"):
        told = translate(text)

    assert text == "https://example.org/1 was given up after two tries to read it (killed by SIGPROF)"
    assert told == "https://example.org/1 は 2 回とも読み取れなかったため、あきらめました (killed by SIGPROF)"


def test_of_many_pages_that_were_given_up_the_first_are_named() -> None:
    """The others are counted, so that the answer stays small."""
    texts = given_up_texts([given_up(number) for number in range(5)], 1)

    assert texts == (
        "https://example.org/0 was given up after two tries to read it (killed by SIGPROF)",
        "pages given up after two tries to read them, beside these: 4",
    )


def test_a_page_that_was_judged_in_part_is_said_in_both_languages() -> None:
    """How many of its pairs were judged, and how many there are."""
    text = partly_judged_text(PartlyJudged("https://example.org/1", 2000, 39033))

    with in_language("ja"):
        told = translate(text)

    assert text == "https://example.org/1 was judged in part: 2000 of its 39033 pairs of passage and hypothesis"
    assert told == "https://example.org/1 は一部だけ判定しました。段落と仮説の組 39033 件のうち 2000 件です"
