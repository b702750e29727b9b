"""`lyra review`: correct what the model judged of texts and claims; verdicts change at once."""

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import REVIEWER, AsJson, TaskId, label, print_json, print_rows, read_line, run
from lyra.errors import InvalidParams, LyraError
from lyra.model.edge import QueuedEdge, Relation
from lyra.remedies import for_terminal
from lyra.text import is_japanese, strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.answers.calibration import CalibrateAnswer
    from lyra.app import Lyra

_ROWS_READ = 50  # in which the next that was not skipped is looked for
_STANCES = {
    "s": Relation.SUPPORTS,
    "supports": Relation.SUPPORTS,
    "支持": Relation.SUPPORTS,
    "r": Relation.REFUTES,
    "refutes": Relation.REFUTES,
    "反証": Relation.REFUTES,
    "反対": Relation.REFUTES,
    "n": Relation.NEUTRAL,
    "neutral": Relation.NEUTRAL,
    "中立": Relation.NEUTRAL,
}
_SKIP = ("", "skip", "次", "次へ")
_UNDO = ("u", "undo", "取消", "取り消し")
_QUIT = ("q", "quit", "終了")
_KEYS = "s = supports, r = refutes, n = neutral (a reason may follow), Enter = skip, u = undo, q = quit"
_KEYS_JA = "s = 支持, r = 反証, n = 中立（続けて理由を書けます）, Enter = 次へ, u = 取り消し, q = 終了"


def review(
    ctx: typer.Context,
    task_id: TaskId,
    list_: Annotated[bool, typer.Option("--list", help="Show the queue and end.")] = False,
    set_: Annotated[
        tuple[str, str] | None,
        typer.Option("--set", metavar="EDGE STANCE", help="Review one edge: supports, refutes or neutral."),
    ] = None,
    undo: Annotated[str | None, typer.Option(metavar="EDGE", help="Undo the review of an edge.")] = None,
    reason: Annotated[str, typer.Option(help="Why, with --set.")] = "",
    reviewer: Annotated[str, typer.Option(help="Name of the reviewer.")] = REVIEWER,
    hypotheses: Annotated[bool, typer.Option("--hypotheses", help="Only edges of the task's hypotheses.")] = False,
    claim: Annotated[str | None, typer.Option(help="Only edges of this claim.")] = None,
    limit: Annotated[int, typer.Option(help="Rows of --list at most.", min=1, max=1000)] = 20,
    as_json: AsJson = False,
) -> None:
    """Review what texts say of claims: first what would turn a verdict, least sure first.

    Shows each edge with its claim, quote and source and waits for an answer; a reason may follow it ("n only a plan").
    Every answer is written at once, and verdicts follow; leave whenever you like.

    Example: lyra review task_1a2b3c4d5e6f --set e_0123456789abcdef neutral --reason "only the plan of a trial"
    """
    if sum((list_, set_ is not None, undo is not None)) > 1:
        raise InvalidParams("--list, --set and --undo exclude one another.", remedy="Give one of them.")
    view = _QueueFilter(task_id, hypotheses=hypotheses, claim_id=claim)
    if list_:
        _list(ctx, view, limit, as_json=as_json)
    elif set_ is not None:
        _show_review(run(ctx, lambda lyra: _set(lyra, view, *set_, reason, reviewer)), as_json=as_json)
    elif undo is not None:
        _show_review(run(ctx, lambda lyra: _undo(lyra, view, undo)), as_json=as_json)
    else:
        _review_one_by_one(ctx, view, reviewer, as_json=as_json)


@dataclass(frozen=True)
class _QueueFilter:
    """Which part of the review queue is read."""

    task_id: str
    hypotheses: bool
    claim_id: str | None

    async def rows(self, lyra: "Lyra", limit: int) -> tuple[QueuedEdge, ...]:
        from lyra.answers.addresses import redactor_for

        clean = redactor_for(lyra.settings).url
        found = await lyra.reviews.queue(self.task_id, limit, only_hypotheses=self.hypotheses, claim_id=self.claim_id)
        return tuple(replace(one, url=clean(one.url)) for one in found)


def _list(ctx: typer.Context, view: _QueueFilter, limit: int, *, as_json: bool) -> None:
    from lyra.answers.calibration import ReviewQueueRow

    async def work(lyra: "Lyra") -> list[dict[str, Any]]:
        await lyra.tasks.get(view.task_id)
        return [ReviewQueueRow.model_validate(one).model_dump(mode="json") for one in await view.rows(lyra, limit)]

    rows = run(ctx, work)
    if as_json:
        print_json({"ok": True, "task_id": view.task_id, "queue": rows})
        return
    columns = ("edge_id", "turns_verdict", "relation", "probability", "claim_text", "in_context", "url")
    print_rows("To review", columns, rows)


async def _set(
    lyra: "Lyra", view: _QueueFilter, edge_id: str, word: str, reason: str, reviewer: str
) -> "CalibrateAnswer":
    from lyra.answers.calibration import CalibrateAnswer
    from lyra.research.reviewing import ReviewInput

    await lyra.tasks.get(view.task_id)
    stance = _STANCES.get(_plain(word))
    if stance is None:
        raise InvalidParams(f"{word[:40]!r} is not a stance.", remedy="Use supports, refutes or neutral.")
    review = ReviewInput(edge_id, stance.value, reason, reviewer or REVIEWER)
    return CalibrateAnswer.from_review(await lyra.reviews.add_one(review, task_id=view.task_id))


async def _undo(lyra: "Lyra", view: _QueueFilter, edge_id: str) -> "CalibrateAnswer":
    from lyra.answers.calibration import CalibrateAnswer

    await lyra.tasks.get(view.task_id)
    return CalibrateAnswer.from_undone(await lyra.reviews.undo(edge_id, task_id=view.task_id))


def _show_review(answer: "CalibrateAnswer", *, as_json: bool) -> None:
    if as_json:
        print_json(answer.json_fields())
    else:
        typer.echo(_review_line(answer))


def _review_one_by_one(ctx: typer.Context, view: _QueueFilter, reviewer: str, *, as_json: bool) -> None:
    """One edge after another, until none is left or the person leaves."""

    async def work(lyra: "Lyra") -> list[dict[str, Any]]:
        await lyra.tasks.get(view.task_id)
        return await _Session(lyra, view, reviewer).run()

    done = run(ctx, work)
    if as_json:
        print_json({"ok": True, "task_id": view.task_id, "done": done})
    elif not done:
        typer.echo(say("Nothing was reviewed."))


class _Session:
    """A session at the terminal: what was skipped, and what could be taken back."""

    def __init__(self, lyra: "Lyra", view: _QueueFilter, reviewer: str) -> None:
        self._lyra = lyra
        self._view = view
        self._reviewer = reviewer
        self._skipped: set[str] = set()
        self._last: list[str] = []
        self._done: list[dict[str, Any]] = []

    async def run(self) -> list[dict[str, Any]]:
        """Every answer that was written, in order."""
        while (row := await self._next()) is not None:
            _introduce(row)
            if not await self._handle_line(row):
                break
        else:
            typer.echo(say("Nothing is left to review."), err=True)
        return self._done

    async def _next(self) -> QueuedEdge | None:
        rows = await self._view.rows(self._lyra, _ROWS_READ + len(self._skipped))
        return next((row for row in rows if row.edge_id not in self._skipped), None)

    async def _handle_line(self, row: QueuedEdge) -> bool:
        """Read one line of the person and act on it; False to leave."""
        while (line := await read_line()) is not None:
            word, _, rest = line.strip().partition(" ")
            key = _plain(word)
            if key in _QUIT:
                return False
            if key in _SKIP:
                self._skipped.add(row.edge_id)
                return True
            if key in _UNDO:
                if await self._undo_last():
                    return True
            elif key in _STANCES:
                if await self._set_stance(row, _STANCES[key], rest):
                    return True
            else:
                typer.echo(_keys(row), err=True)
        return False

    async def _set_stance(self, row: QueuedEdge, stance: Relation, reason: str) -> bool:
        try:
            answer = await _set(self._lyra, self._view, row.edge_id, stance.value, reason, self._reviewer)
        except LyraError as exc:  # the person sees why, and tries again or skips
            typer.echo(f"{translate(exc.message)} {for_terminal(translate(exc.remedy or ''))}", err=True)
            return False
        self._last.append(row.edge_id)
        self._report(answer)
        return True

    async def _undo_last(self) -> bool:
        if not self._last:
            typer.echo(say("There is nothing to undo."), err=True)
            return False
        edge_id = self._last.pop()
        try:
            self._report(await _undo(self._lyra, self._view, edge_id))
        except LyraError as exc:
            typer.echo(f"{translate(exc.message)} {for_terminal(translate(exc.remedy or ''))}", err=True)
        self._skipped.discard(edge_id)
        return True

    def _report(self, answer: "CalibrateAnswer") -> None:
        self._done.append(answer.cli_fields())
        typer.echo(_review_line(answer), err=True)


def _introduce(row: QueuedEdge) -> None:
    reader = "" if row.raw_probabilities is None else _reader(row.raw_probabilities)
    rule = " · " + say("rule: {rule}", rule=translate(row.rule)) if row.rule else ""
    turns = " · " + say("another relation would turn the verdict") if row.turns_verdict else ""
    others = say(", one of {count} of this source", count=row.edges) if row.edges > 1 else ""
    lines = (
        "",
        f"{label('Claim', 8)}{row.claim_text}  [{translate(row.verdict)}]",
        f"{label('Quote', 8)}{row.in_context}",
        f"{label('Source', 8)}{row.title} {row.url}",
        f"{label('Result', 8)}{translate(row.relation)} {row.probability:.2f}{reader}{rule}{turns}",
        f"{label('Edge', 8)}{row.edge_id}{others}",
        _keys(row),
    )
    typer.echo(strip_control_chars("\n".join(lines)), err=True)


def _reader(raw: tuple[float, float, float]) -> str:
    names = (say("supports"), say("refutes"), say("neutral"))
    shares = ", ".join(f"{name} {value:.2f}" for name, value in zip(names, raw, strict=True))
    return " · " + say("reader: {shares}", shares=shares)


def _keys(row: QueuedEdge) -> str:
    return _KEYS_JA if is_japanese(row.claim_text) else say(_KEYS)


def _review_line(answer: "CalibrateAnswer") -> str:
    words = {"relation": translate(answer.relation or ""), "verdict": translate(answer.verdict or "")}
    return say("{edge_id}: {relation}; the claim is {verdict}.", edge_id=answer.edge_id, **words)


def _plain(word: str) -> str:
    """A word in normal form: half width, small letters."""
    return unicodedata.normalize("NFKC", word).strip().lower()
