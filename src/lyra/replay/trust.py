"""Trust as it was: the levels that the journal tells of, and the user's overrides of then."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from lyra.clock import Clock
from lyra.disk import put_whole
from lyra.model.trust import TrustLevel, TrustPromotion
from lyra.redact.redactor import Redactor
from lyra.research.trust import DomainTrust
from lyra.storage.database import Database
from lyra.trust.levels import TrustList


class RecordedTrust(DomainTrust):
    """Other tasks may have taught levels to the original; here nothing is learned, and what was in force is recorded.

    Addresses are known without their secrets, as the journal names them; older journals name some of them whole.
    An address that the recording does not name, as other settings may judge other pairs, gets its level by the list.
    """

    def __init__(self, db: Database, clock: Clock, file: Path, redactor: Redactor) -> None:
        super().__init__(db, clock, TrustList(file))
        self._file = file
        self._redactor = redactor
        self._levels: dict[str, TrustLevel] = {}
        self._written: dict[str, str] = {}

    def learn(self, levels: Mapping[str, str]) -> None:
        """Levels of addresses from here on."""
        self._levels |= {self._redactor.text(address): TrustLevel(level) for address, level in levels.items()}

    def override(self, levels: Mapping[str, str]) -> None:
        """The user's own list from here on."""
        if self._written != levels:
            lines = [f"- domain: {json.dumps(host)}\n  trust_level: {level}" for host, level in sorted(levels.items())]
            put_whole(self._file, "user_overrides:\n" + "\n".join(lines) + "\n" if lines else "")
            self._written = dict(levels)

    async def levels(self, addresses: Iterable[str]) -> dict[str, TrustLevel]:
        names = {one: self._redactor.text(one) for one in addresses}
        listed = await super().levels([one for one, name in names.items() if name not in self._levels])
        return {one: self._levels[name] if name in self._levels else listed[one] for one, name in names.items()}

    async def set_promotions(self, claim_ids: Iterable[str], found: Iterable[TrustPromotion]) -> None:
        """Nothing: what was learned is recorded."""
