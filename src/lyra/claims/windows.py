"""How a premise of several sentences is read against a claim: its most relevant sentence alone, and the whole."""

from collections.abc import Callable

from lyra.text import sentences

Words = Callable[[str], frozenset[str]]


def best_sentence(premise: str, hypothesis: str, words: Words) -> str:
    """The sentence that shares most words with the hypothesis, the first of several; the premise if it is one."""
    spans = sentences(premise)
    if len(spans) <= 1:
        return premise
    wanted = words(hypothesis)
    best = max(range(len(spans)), key=lambda at: (len(wanted & words(premise[slice(*spans[at])])), -at))
    return premise[slice(*spans[best])]


def readings(premise: str, hypothesis: str, words: Words) -> tuple[str, ...]:
    """What the model is asked: the best sentence first, then the whole premise where it says more.

    One sentence tells a stance in a long text more surely; the whole keeps what one sentence leaves out. Their mean
    beat either alone on sources with premises of several sentences, with fewer neutral pairs read as refutes.
    """
    best = best_sentence(premise, hypothesis, words)
    return (best,) if best == premise.strip() or best == premise else (best, premise)
