"""What is different between two states of a task: pure, so that the same two always give the same report."""

from dataclasses import dataclass

from lyra.model.claim import Verdict
from lyra.model.recheck import Snapshot


@dataclass(frozen=True, slots=True)
class Differences:
    """Ids of pages and claims, each list in the order of its ids."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    corrected: tuple[str, ...]
    gone: tuple[str, ...]
    retracted: tuple[str, ...]
    verdicts: tuple[tuple[str, Verdict, Verdict], ...]
    new_claims: int


def differences(before: Snapshot, after: Snapshot) -> Differences:
    """What is new, changed, corrected, gone or retracted, and which verdicts moved. A page may be in several lists;
    one that was new and is retracted already is in both."""
    new = [page_id for page_id in after.pages if page_id not in before.pages]
    both = [(page_id, before.pages[page_id], now) for page_id, now in after.pages.items() if page_id in before.pages]
    retracted = [page_id for page_id, was, now in both if now.is_retracted and not was.is_retracted]
    retracted += [page_id for page_id in new if after.pages[page_id].is_retracted]
    known = before.verdicts
    return Differences(
        new=tuple(sorted(new)),
        changed=tuple(sorted(page_id for page_id, was, now in both if was.version != now.version)),
        corrected=tuple(sorted(page_id for page_id, was, now in both if now.is_corrected and not was.is_corrected)),
        gone=tuple(sorted(page_id for page_id, was, now in both if now.is_gone and not was.is_gone)),
        retracted=tuple(sorted(retracted)),
        verdicts=tuple(
            (claim_id, known[claim_id], verdict)
            for claim_id, verdict in sorted(after.verdicts.items())
            if claim_id in known and known[claim_id] is not verdict
        ),
        new_claims=sum(claim_id not in known for claim_id in after.verdicts),
    )
