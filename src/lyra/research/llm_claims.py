"""Claims said so that they can be understood alone, by the user's own language model.

The exact quote stays. What the model writes is kept only where rules and the readers find the same statement in it;
otherwise the rules' claim stays as it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from lyra.claims.rewriting import points_back, rewriting_fault
from lyra.claims.stance import StanceJudge
from lyra.claims.windows import Setting
from lyra.errors import LlmTimeSpent, ModelError, ObeyedOrder
from lyra.ml.language_models import SearchLlm
from lyra.ml.prompts import prompt
from lyra.model.claim import Statement
from lyra.model.edge import Relation
from lyra.model.page import StoredPage
from lyra.redact.redactor import PLAIN, Redactor
from lyra.research.search_run import is_own_document

_TITLE_CHARS = 300
_PASSAGE_CHARS = 1_200


class RewrittenStatement(BaseModel):
    """What a model says a sentence is without the words that point back."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(min_length=1, max_length=600)


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What became of one statement: its new words where they passed, and what the journal says of it.

    `obeyed` says that the model obeyed an order of the page.
    """

    text: str | None
    details: Mapping[str, Any] = field(default_factory=dict)
    obeyed: bool = False


class Rewriter(Protocol):
    """Says a statement so that it can be understood alone."""

    async def rewrite(self, stored: StoredPage, statement: Statement, before: str) -> Rewriting | None:
        """None where nothing was asked; `before` is what stands before the statement."""


class LlmRewriter:
    """Asks the model of the use `claims`, and lets the readers check its answer against the quote."""

    def __init__(self, llm: SearchLlm, judge: StanceJudge, session: str) -> None:
        self._llm = llm
        self._judge = judge
        self._session = session

    async def rewrite(self, stored: StoredPage, statement: Statement, before: str) -> Rewriting | None:
        page = stored.page
        model = self._llm.generator("claims", is_own_document=is_own_document(page.url))
        if model is None or not points_back(statement):
            return None
        asked = prompt("claims")
        passage = before[-_PASSAGE_CHARS:]
        material = {"title": page.title[:_TITLE_CHARS], "passage": passage, "sentence": statement.quote}
        told: dict[str, Any] = {
            "quote": statement.quote,
            "model": model.model_id,
            "server": model.place,
            "prompt": asked.id,
        }
        try:
            said = await model.complete(asked.text, material, RewrittenStatement, session=self._session)
        except LlmTimeSpent:
            return None
        except ModelError as exc:
            return Rewriting(None, {**told, "outcome": exc.message}, isinstance(exc, ObeyedOrder))
        text = " ".join(said.answer.statement.split())
        fault = rewriting_fault(statement, text, f"{page.title}\n{passage}")
        if fault is None:
            fault = await self._reading_fault(f"{passage} {statement.quote}", text, page.title)
        told |= {"statement": text, "outcome": fault or "kept", "seconds": said.seconds}
        return Rewriting(text if fault is None else None, told)

    async def _reading_fault(self, read: str, text: str, title: str) -> str | None:
        (stance,) = await self._judge.judge([(read.strip(), text)], [Setting(title)])
        return None if stance.label is Relation.SUPPORTS else f"the readers say {stance.label.value}"


@dataclass
class RecordedRewriter:
    """The rewritings of a recording, by page and by the rules' statement, in which the journal has no secrets."""

    redactor: Redactor = PLAIN
    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def learn(self, page_id: str, rewritten: Mapping[str, str]) -> None:
        self.known |= {(page_id, self.redactor.text(before)): after for before, after in rewritten.items()}

    async def rewrite(self, stored: StoredPage, statement: Statement, before: str) -> Rewriting | None:
        found = self.known.get((stored.page.id, self.redactor.text(statement.text)))
        return None if found is None else Rewriting(found)
