"""Who asks: the owner of the data directory, or a person with a token of a shared server."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.errors import NotAllowed


class Role(StrEnum):
    """What a person may do; each may do what those before it may."""

    READER = "reader"
    RESEARCHER = "researcher"
    ADMIN = "admin"

    def includes(self, needed: "Role") -> bool:
        """Whether this role may do what needs the other."""
        order = tuple(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Person:
    """Someone with a token. Readers see shared tasks, researchers also their own, admins everything."""

    id: str
    name: str
    role: Role
    created_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def sees_everything(self) -> bool:
        return self.role is Role.ADMIN

    def require(self, needed: Role) -> None:
        """Raise NotAllowed where the role does not allow what needs another."""
        if not self.role.includes(needed):
            raise NotAllowed(
                f"This needs the role {needed.value}; yours is {self.role.value}.",
                remedy="Ask an admin of this server.",
            )

    def sees(self, owner: str | None, *, is_shared: bool) -> bool:
        """Whether the person sees a task of that owner; one without an owner belongs to the admins."""
        return self.sees_everything or is_shared or self.owns(owner)

    def may_change(self, owner: str | None) -> bool:
        """Whether the person may search in, review and stop a task of that owner."""
        return self.sees_everything or self.owns(owner)

    def owns(self, owner: str | None) -> bool:
        return self.role.includes(Role.RESEARCHER) and owner is not None and owner == self.id


# Whoever runs Lyra on the machine itself: the terminal, a client over stdio, the token of the data directory.
OWNER = Person("", "owner", Role.ADMIN)
