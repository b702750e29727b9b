"""What the catalogue asks of an academic API."""

from collections.abc import Sequence
from typing import Protocol

from lyra.model.page import Identifier
from lyra.model.work import AcademicAnswer, Work


class AcademicApi(Protocol):
    """An API of scholarly works; what the network does becomes an outcome, never an exception."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        """Works that match a query, best first."""

    async def by_identifiers(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> AcademicAnswer:
        """The works behind these identifiers that the API knows, in as few requests as it allows."""

    async def links(self, work: Work, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        """Links from and to `work`: at most `limit` references and as many citations."""
