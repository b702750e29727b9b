"""What the demonstration asks of each topic: the truth file's question, hypotheses and queries, in its language."""

from collections.abc import Iterator
from dataclasses import dataclass

from lyra.errors import InvalidParams
from simweb.truth import Claim, Truth, load_truth

# The order in which they are shown: English and Japanese together, all Japanese, all English.
TOPICS = ("dpp4", "kosodate", "alp2")
QUERIES = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """One search of the plan."""

    query: str
    refute: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """One topic's session."""

    topic: str
    truth: Truth
    language: str
    searches: tuple[Asked, ...]

    @property
    def question(self) -> str:
        return self.truth.question[self.language]

    @property
    def hypotheses(self) -> tuple[Claim, ...]:
        return tuple(self.truth.claim(name) for name in self.truth.hypotheses)

    def text(self, claim: Claim) -> str:
        return claim.text[self.language]

    @property
    def meaning(self) -> str:
        """What is looked for by meaning: a contested hypothesis, in the topic's own words."""
        contested = (claim for claim in self.hypotheses if claim.is_contested)
        return self.text(next(contested, self.hypotheses[0]))


def plan_of(topic: str, queries: int = QUERIES) -> Plan:
    """The plan of a topic of the simulated web; `queries` searches and one for evidence against."""
    if topic not in known_topics():
        raise InvalidParams(
            f"The simulated web has no topic {topic[:40]!r}.", remedy=f"Use one of: {', '.join(known_topics())}."
        )
    truth = load_truth(topic)
    language = next(iter(truth.question))
    return Plan(topic, truth, language, tuple(_searches(truth, language, queries)))


def known_topics() -> tuple[str, ...]:
    """Those of the demonstration; the simulated web has others, which only measure."""
    return TOPICS


def _searches(truth: Truth, language: str, count: int) -> Iterator[Asked]:
    """Spread over what the truth file asks, the last one in another language where it has such, then one against."""
    others = [name for name in truth.queries if name not in (language, "refute")]
    own = count - 1 if others and count > 1 else count
    asked = truth.queries[language]
    yield from (Asked(query) for query in asked[:: max(1, len(asked) // own)][:own])
    for name in others[: count - own]:
        yield Asked(truth.queries[name][0])
    yield Asked(truth.queries.get("refute", asked)[0], refute=True)
