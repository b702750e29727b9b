"""What the strong reader is asked, in tokens: the beginning that all prompts share, what is told of the page, the text
behind it, and the claim.

Text and claim are cut into tokens apart, as in training: no token reaches over the space behind a colon. Within each
part it is one string, for signs at the end of a text join the line break behind them.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.text import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_TEXT_CHARS, MAX_CLAIM_CHARS, MAX_PAGE_CHARS = 1600, 400, 640
# Japanese takes about a token a character; what takes more is no language, and is cut further.
MAX_TEXT_TOKENS, MAX_CLAIM_TOKENS, MAX_TOKENS = 2048, 640, 4096
_TEXT, _CLAIM = "{text}", "{claim}"
_BEHIND_PAGE = "\n\n"
_CONTROL = "<|"  # begins the model's own control tokens
_BEGINNING = re.compile(r".*[^\W_](?=[\W_]+\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """The parts of a card's prompt; `encode` cuts a string into tokens.

    `beginning` ends behind a letter or digit and in front of a sign or space, where no text can move the border of
    tokens: its tokens and those of a text are those of both together.
    """

    beginning: str
    before_text: str
    after_text: str
    before_claim: str
    after_claim: str
    encode: "Callable[[str], list[int]]"

    def beginning_tokens(self) -> list[int]:
        """What all prompts begin with."""
        return self.encode(self.beginning)

    def page_tokens(self, page: str) -> list[int]:
        """From there to the text, where something is told of its page; line breaks end a token."""
        told = plain(page, MAX_PAGE_CHARS)
        return self._bounded(self.before_text, told, _BEHIND_PAGE, MAX_TEXT_TOKENS) if told else []

    def text_tokens(self, text: str, *, is_behind_page: bool = False) -> list[int]:
        """From there to where a claim begins."""
        before = "" if is_behind_page else self.before_text
        return self._bounded(before, plain(text, MAX_TEXT_CHARS), self.after_text, MAX_TEXT_TOKENS)

    def claim_tokens(self, claim: str) -> list[int]:
        """The rest of the prompt."""
        return self._bounded(self.before_claim, plain(claim, MAX_CLAIM_CHARS), self.after_claim, MAX_CLAIM_TOKENS)

    def _bounded(self, before: str, said: str, after: str, most: int) -> list[int]:
        while len(found := self.encode(before + said + after)) > most and said:
            said = said[: len(said) // 2]
        return found


def parse_prompt(template: str, encode: "Callable[[str], list[int]]") -> JudgePrompt:
    """A card's `prompt`, whose text stands before its claim."""
    before, _, rest = template.partition(_TEXT)
    between, _, after = rest.partition(_CLAIM)
    found = _BEGINNING.match(before)
    beginning = found[0] if found else ""
    shared = between.removesuffix(" ")
    return JudgePrompt(beginning, before.removeprefix(beginning), shared, between[len(shared) :], after, encode)


def plain(text: str, longest: int) -> str:
    """Foreign text without the model's control tokens, cut."""
    return without_surrogates(text).strip().replace(_CONTROL, "<")[:longest].strip()
