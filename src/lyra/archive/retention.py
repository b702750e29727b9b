"""Which records go when the archive must shrink: the oldest that no evidence rests on. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from lyra.model.archive import RecordUse


def choose_removals(
    uses: Sequence[RecordUse],
    *,
    excess_bytes: int,
    before: datetime | None,
    is_forced: bool,
    sizes: Mapping[str, int],
) -> tuple[RecordUse, ...]:
    """Records last needed before `before`, then the oldest until `excess_bytes` are gained; evidence only by force.

    A record goes together with all that refer to it, and is as young as the youngest of them. `sizes` are the bytes
    that go with a record.
    """
    groups = _families(uses)
    free = [group for group in groups if is_forced or not any(use.is_evidence for use in group)]
    removed: list[RecordUse] = []
    gained = 0
    for group in sorted(free, key=_last_moment):
        is_expired = before is not None and _last_moment(group) < before
        if not is_expired and gained >= excess_bytes:
            continue
        removed += group
        gained += sum(sizes.get(use.ref.record_id, use.ref.length) for use in group)
    return tuple(removed)


def _families(uses: Sequence[RecordUse]) -> list[list[RecordUse]]:
    """Records joined by what they refer to, directly or through others."""
    known = {use.ref.record_id: use for use in uses}
    families: dict[str, list[RecordUse]] = defaultdict(list)
    for use in uses:
        root, seen = use, {use.ref.record_id}
        while root.refers_to in known and root.refers_to not in seen:
            root = known[root.refers_to]
            seen.add(root.ref.record_id)
        families[root.ref.record_id].append(use)
    return list(families.values())


def _last_moment(group: Sequence[RecordUse]) -> datetime:
    return max(use.archived_at for use in group)
