"""Telling a person: address, title and reason only, never a secret, and an honest answer where it was shown."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lyra.archive.redact import REDACTED, redacted_url
from lyra.clock import Clock
from lyra.handoff.channels import Channel, Message
from lyra.ids import new_id
from lyra.model.event import Event
from lyra.storage import journal
from lyra.storage.database import Database

TITLES = {
    "info": "Lyra",
    "warning": "Lyra: warning",
    "auth_required": "Lyra: a page waits for you",
    "decision_required": "Lyra: your decision is needed",
}
_SHOWN_DETAILS = ("title", "url", "reason")
_LONGEST_TEXT = 600
_LONGEST_DETAIL = 300
_LOOKED_AT = 4
_URL = re.compile(r"https?://[^\s\"'<>]+")
_USERINFO = re.compile(r"([a-z][a-z0-9+.-]*://)[^/@\s]+@", re.IGNORECASE)
# Words after which a secret stands in headers, assignments, JSON and sentences, and what it looks like there: after a
# colon or an equals sign anything, after a mere word only what no word looks like.
_NAME = (
    r"(?:cookie|authorization|token|password|passwd|passphrase|secret|api[ _-]?key|access[ _-]?key|sess(?:ion)?[_-]?id"
    r"|パスワード|暗証番号|トークン|(?:認証|確認)コード)(?:[_-][\w-]{1,40})?"
    r"|\b(?:bearer|pwd|otp|sid|pin(?=\W{0,3}\d))|session(?=\s*=)"
)
_ASSIGNED = (
    r"[\"']?\s*[:=：＝]\s*)(?:(?:bearer|basic|digest|negotiate)\s+)?"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&]+(?:;\s*[^\s;=]+=[^\s;]+)*)"
)
_TOLD = r"\s*は\s*)[!-~]{4,}"
_BESIDE = r"\s+(?:is\s+)?)(?=\S*\d)\S{6,}"
_SECRET = re.compile("|".join(f"((?:{_NAME}){rest}" for rest in (_ASSIGNED, _TOLD, _BESIDE)), re.IGNORECASE)
# Tokens that are known by their form, whatever stands before them.
_TOKEN = re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(?:sk|pk|gh[oprsu]|github_pat|xox[a-z])[-_][\w-]{16,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Shown:
    """Where a notification was shown, and why not elsewhere."""

    notification_id: str
    shown_on: tuple[str, ...] = ()
    not_shown: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_shown(self) -> bool:
        return bool(self.shown_on)


class Notifier:
    """Shows a message on every channel that this machine has, and notes in the journal how that went."""

    def __init__(self, db: Database, clock: Clock, channels: Sequence[Channel]) -> None:
        self._db = db
        self._clock = clock
        self._channels = tuple(channels)

    async def notify(
        self, event: str, message: str, details: Mapping[str, Any] | None = None, timeout_s: float | None = None
    ) -> Shown:
        """Show the message with what may be shown of the details."""
        note = Message(
            TITLES[event],
            text_of(message, details or {}),
            is_urgent=event in ("auth_required", "decision_required"),
            timeout_s=timeout_s,
        )
        reasons: dict[str, str] = {}
        shown_on = []
        for channel in self._channels:
            why_not = channel.why_absent() or await channel.show(note)
            if why_not is None:
                shown_on.append(channel.name)
            else:
                reasons[channel.name] = why_not
        shown = Shown(new_id("n"), tuple(shown_on), reasons)
        await self._note(event, shown)
        return shown

    async def _note(self, event: str, shown: Shown) -> None:
        told = {"event": event, "shown_on": list(shown.shown_on), "not_shown": dict(shown.not_shown)}
        entry = Event("notification", self._clock.now(), shown.notification_id, told)
        await self._db.write(journal.append, (entry,))


def text_of(message: str, details: Mapping[str, Any]) -> str:
    """The words as they are shown: bounded, without control characters and secrets; of the details only address,
    title and reason."""
    lines = [_shown(message, _LONGEST_TEXT)]
    for name in _SHOWN_DETAILS:
        value = details.get(name)
        if isinstance(value, str) and value.strip():
            lines.append(_shown(value, _LONGEST_DETAIL))
    return "\n".join(lines)


def _shown(text: str, longest: int) -> str:
    """Cut twice: nobody looks for secrets in a megabyte, and what masking leaves is shorter."""
    return without_secrets(text[: _LOOKED_AT * longest])[:longest]


def without_secrets(text: str) -> str:
    """The text with passwords, tokens and cookies masked, in words and in addresses."""
    plain = _CONTROL.sub(" ", text).strip()
    plain = _USERINFO.sub(r"\1", plain)
    plain = _URL.sub(lambda found: redacted_url(found.group()), plain)
    plain = _SECRET.sub(lambda found: f"{found.group(found.lastindex or 0)}{REDACTED}", plain)
    return _TOKEN.sub(REDACTED, plain)
