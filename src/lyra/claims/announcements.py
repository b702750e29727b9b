"""Sentences that say nothing: questions, aims, and what was done rather than what came of it."""

import re

from lyra.claims.verbs import is_finite
from lyra.word_lists import WordLists, word_lists


def is_no_statement(sentence: str) -> bool:
    """Whether a sentence asks, requests, or tells what was done and not what came of it."""
    return is_question(sentence) or _is_request(sentence) or _is_aim(sentence) or describes_method(sentence)


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question, or says that something is one."""
    return bool(_lists().pattern("question").search(sentence))


def describes_method(sentence: str) -> bool:
    """Whether a sentence tells what is meant to be done or was done, and not what came of it."""
    return bool(_lists().pattern("method").search(sentence))


def _is_request(sentence: str) -> bool:
    """Whether it asks people for something, in Japanese; who asks does not say that they do it."""
    return bool(word_lists("lyra.claims", "statements", "ja").pattern("request").search(sentence))


def _is_aim(sentence: str) -> bool:
    """ "To compare A, B and C in adults." is one; "To cut costs, the ministry raised the fee." tells what was done."""
    main = _lists().pattern("main_clause").search(sentence)
    tells = main is not None and any(is_finite(word) for word in re.findall(r"[a-z]+", main.group(1)))
    return bool(_lists().pattern("aim").search(sentence)) and not tells


def _lists() -> WordLists:
    return word_lists("lyra.claims", "announcements", "en", "ja")
