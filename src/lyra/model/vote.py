"""Why an edge has no vote (SPEC §13, who may vote): stable codes, and what people are told."""

from enum import StrEnum


class NoVote(StrEnum):
    """The code kept on the edge. Of several reasons the first in this order is told."""

    RETRACTED = "retracted"
    SUPERSEDED = "superseded"
    NOTICE = "notice"
    RETELLS_RETRACTED = "retells_retracted"
    REVIEWED_NEUTRAL = "reviewed_neutral"

    @property
    def sentence(self) -> str:
        """The reason for people, as the end of "no vote: …"."""
        return _SENTENCES[self]


_SENTENCES = {
    NoVote.RETRACTED: "the work was retracted",
    NoVote.SUPERSEDED: "the page no longer holds these words",
    NoVote.NOTICE: "the text tells of a retraction or correction, not of the matter",
    NoVote.RETELLS_RETRACTED: "the text retells a work that was retracted",
    NoVote.REVIEWED_NEUTRAL: "a reviewer found that it says nothing of the claim",
}


def why_no_vote(code: str) -> str:
    """The sentence for a stored code; empty where the edge votes."""
    return NoVote(code).sentence if code else ""
