"""Notifications to a person: message, address, title and reason, never a secret; and where they were shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lyra.clock import Clock
from lyra.handoff.desktop import Channel, Notification
from lyra.ids import new_id
from lyra.model.event import Event
from lyra.redact.prose import without_secrets
from lyra.storage import journal
from lyra.storage.database import Database

TITLES = {
    "info": "Lyra",
    "warning": "Lyra: warning",
    "auth_required": "Lyra: a page waits for you",
    "decision_required": "Lyra: your decision is needed",
}
_SHOWN_DETAILS = ("title", "url", "reason")
_MAX_TEXT_CHARS = 600
_MAX_DETAIL_CHARS = 300
_SCAN_FACTOR = 4


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """Where a notification was shown, and why not elsewhere."""

    notification_id: str
    shown_on: tuple[str, ...] = ()
    not_shown: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_shown(self) -> bool:
        return bool(self.shown_on)


class Notifier:
    """Shows a message on every channel of this machine, and records in the journal where it was shown."""

    def __init__(self, db: Database, clock: Clock, channels: Sequence[Channel]) -> None:
        self._db = db
        self._clock = clock
        self._channels = tuple(channels)

    async def notify(
        self, event: str, message: str, details: Mapping[str, Any] | None = None, timeout_s: float | None = None
    ) -> DeliveryReport:
        """Show the message with what may be shown of the details."""
        notification = Notification(
            TITLES[event],
            notification_text(message, details or {}),
            is_urgent=event in ("auth_required", "decision_required"),
            timeout_s=timeout_s,
        )
        reasons: dict[str, str] = {}
        shown_on = []
        for channel in self._channels:
            problem = channel.why_unavailable() or await channel.show(notification)
            if problem is None:
                shown_on.append(channel.name)
            else:
                reasons[channel.name] = problem
        shown = DeliveryReport(new_id("n"), tuple(shown_on), reasons)
        await self._record(event, shown)
        return shown

    async def _record(self, event: str, shown: DeliveryReport) -> None:
        details = {"event": event, "shown_on": list(shown.shown_on), "not_shown": dict(shown.not_shown)}
        entry = Event("notification", self._clock.now(), shown.notification_id, details)
        await self._db.write(journal.append, (entry,))


def notification_text(message: str, details: Mapping[str, Any]) -> str:
    """The text that is shown: bounded, without control characters and secrets; of the details only address,
    title and reason."""
    lines = [_masked(message, _MAX_TEXT_CHARS)]
    for name in _SHOWN_DETAILS:
        value = details.get(name)
        if isinstance(value, str) and value.strip():
            lines.append(_masked(value, _MAX_DETAIL_CHARS))
    return "\n".join(lines)


def _masked(text: str, longest: int) -> str:
    """Cut before masking, so that long texts are not scanned, and after it."""
    return without_secrets(text[: _SCAN_FACTOR * longest])[:longest]
