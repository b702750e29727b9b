"""`lyra review`: read what the judge read, and say what it says; verdicts follow at once."""

import unicodedata
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.asking import read_line
from lyra.cli.context import REVIEWER, AsJson, print_json, print_table, run
from lyra.cli.task import TaskId
from lyra.errors import InvalidParams, LyraError
from lyra.model.edge import Relation
from lyra.model.review import QueuedEdge
from lyra.text import is_japanese, unsteered

_AHEAD = 50  # rows looked at for the next that was not skipped
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
        typer.Option("--set", metavar="EDGE STANCE", help="Say of one edge: supports, refutes or neutral."),
    ] = None,
    undo: Annotated[str | None, typer.Option(metavar="EDGE", help="Take the review of an edge back.")] = None,
    reason: Annotated[str, typer.Option(help="Why, with --set.")] = "",
    reviewer: Annotated[str, typer.Option(help="Who says so.")] = REVIEWER,
    hypotheses: Annotated[
        bool, typer.Option("--hypotheses", help="Only what speaks of the task's hypotheses.")
    ] = False,
    claim: Annotated[str | None, typer.Option(help="Only what speaks of this claim.")] = None,
    limit: Annotated[int, typer.Option(help="Rows of --list at most.", min=1, max=1000)] = 20,
    as_json: AsJson = False,
) -> None:
    """Review what texts say of claims: first what would turn a verdict, least sure first.

    Shows each edge with its claim, quote and source and waits for a word; a reason may follow it ("n only a plan").
    Every answer is written at once, and verdicts follow; leave whenever you like.

    Example: lyra review task_1a2b3c4d5e6f --set e_0123456789abcdef neutral --reason "only the plan of a trial"
    """
    if sum((list_, set_ is not None, undo is not None)) > 1:
        raise InvalidParams("--list, --set and --undo are three things to do.", remedy="Give one of them.")
    view = _View(task_id, hypotheses=hypotheses, claim_id=claim)
    if list_:
        _list(ctx, view, limit, as_json=as_json)
    elif set_ is not None:
        _show_done(run(ctx, lambda lyra: _set(lyra, view, set_, reason, reviewer)), as_json=as_json)
    elif undo is not None:
        _show_done(run(ctx, lambda lyra: _undo(lyra, view, undo)), as_json=as_json)
    else:
        _walk(ctx, view, reviewer, as_json=as_json)


@dataclass(frozen=True)
class _View:
    """Which part of the queue is looked at."""

    task_id: str
    hypotheses: bool
    claim_id: str | None

    async def rows(self, lyra: Lyra, limit: int) -> tuple[QueuedEdge, ...]:
        return await lyra.reviews.queue(self.task_id, limit, only_hypotheses=self.hypotheses, claim_id=self.claim_id)


def _list(ctx: typer.Context, view: _View, limit: int, *, as_json: bool) -> None:
    from lyra.research.review_answers import queued_fields

    async def work(lyra: Lyra) -> list[dict[str, Any]]:
        await lyra.tasks.get(view.task_id)
        return [queued_fields(one) for one in await view.rows(lyra, limit)]

    rows = run(ctx, work)
    if as_json:
        print_json({"ok": True, "task_id": view.task_id, "queue": rows})
        return
    columns = ("edge_id", "turns_verdict", "relation", "probability", "claim_text", "in_context", "url")
    print_table("To review", columns, [tuple(row[name] for name in columns) for row in rows])


async def _set(lyra: Lyra, view: _View, said: tuple[str, str], reason: str, reviewer: str) -> dict[str, Any]:
    from lyra.research.review_answers import reviewed_fields
    from lyra.research.reviewing import Said

    await lyra.tasks.get(view.task_id)
    stance = _STANCES.get(_plain(said[1]))
    if stance is None:
        raise InvalidParams(f"{said[1][:40]!r} is no stance.", remedy="Use supports, refutes or neutral.")
    one = Said(said[0], stance.value, reason, reviewer or REVIEWER)
    return reviewed_fields(await lyra.reviews.add_one(one, task_id=view.task_id))


async def _undo(lyra: Lyra, view: _View, edge_id: str) -> dict[str, Any]:
    from lyra.research.review_answers import undone_fields

    await lyra.tasks.get(view.task_id)
    return undone_fields(await lyra.reviews.undo(edge_id, task_id=view.task_id))


def _show_done(fields: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, **fields})
    else:
        typer.echo(_told(fields))


def _walk(ctx: typer.Context, view: _View, reviewer: str, *, as_json: bool) -> None:
    """One edge after the other, until none is left or the person leaves."""

    async def work(lyra: Lyra) -> list[dict[str, Any]]:
        await lyra.tasks.get(view.task_id)
        return await _Walk(lyra, view, reviewer).go()

    done = run(ctx, work)
    if as_json:
        print_json({"ok": True, "task_id": view.task_id, "done": done})
    elif not done:
        typer.echo("Nothing was reviewed.")


class _Walk:
    """A session at the terminal: what was skipped, and what could be taken back."""

    def __init__(self, lyra: Lyra, view: _View, reviewer: str) -> None:
        self._lyra = lyra
        self._view = view
        self._reviewer = reviewer
        self._skipped: set[str] = set()
        self._last: list[str] = []
        self._done: list[dict[str, Any]] = []

    async def go(self) -> list[dict[str, Any]]:
        """Every answer that was written, in order."""
        while (row := await self._next()) is not None:
            _introduce(row)
            if not await self._answered(row):
                break
        else:
            typer.echo("Nothing is left to review.", err=True)
        return self._done

    async def _next(self) -> QueuedEdge | None:
        rows = await self._view.rows(self._lyra, _AHEAD + len(self._skipped))
        return next((row for row in rows if row.edge_id not in self._skipped), None)

    async def _answered(self, row: QueuedEdge) -> bool:
        """Take one word of the person and act on it; False for leaving."""
        while (line := await read_line()) is not None:
            word, _, rest = line.strip().partition(" ")
            key = _plain(word)
            if key in _QUIT:
                return False
            if key in _SKIP:
                self._skipped.add(row.edge_id)
                return True
            if key in _UNDO:
                if await self._take_back():
                    return True
            elif key in _STANCES:
                if await self._say(row, _STANCES[key], rest):
                    return True
            else:
                typer.echo(_keys(row), err=True)
        return False

    async def _say(self, row: QueuedEdge, stance: Relation, reason: str) -> bool:
        try:
            fields = await _set(self._lyra, self._view, (row.edge_id, stance.value), reason, self._reviewer)
        except LyraError as exc:  # said again or skipped: the person sees why
            typer.echo(f"{exc.message} {exc.remedy or ''}", err=True)
            return False
        self._last.append(row.edge_id)
        self._report(fields)
        return True

    async def _take_back(self) -> bool:
        if not self._last:
            typer.echo("There is nothing to take back.", err=True)
            return False
        edge_id = self._last.pop()
        try:
            self._report(await _undo(self._lyra, self._view, edge_id))
        except LyraError as exc:
            typer.echo(f"{exc.message} {exc.remedy or ''}", err=True)
        self._skipped.discard(edge_id)
        return True

    def _report(self, fields: dict[str, Any]) -> None:
        self._done.append(fields)
        typer.echo(_told(fields), err=True)


def _introduce(row: QueuedEdge) -> None:
    said = "" if row.raw_probabilities is None else _reader(row.raw_probabilities)
    rule = f" · rule: {row.rule}" if row.rule else ""
    turns = " · another relation would turn the verdict" if row.turns_verdict else ""
    lines = (
        "",
        f"Claim   {row.claim_text}  [{row.verdict}]",
        f"Quote   {row.in_context}",
        f"Source  {row.title} {row.url}",
        f"Result  {row.relation} {row.probability:.2f}{said}{rule}{turns}",
        f"Edge    {row.edge_id}" + (f", one of {row.edges} of this source" if row.edges > 1 else ""),
        _keys(row),
    )
    typer.echo(unsteered("\n".join(lines)), err=True)


def _reader(raw: tuple[float, float, float]) -> str:
    told = ", ".join(f"{name} {value:.2f}" for name, value in zip(("supports", "refutes", "neutral"), raw, strict=True))
    return f" · reader: {told}"


def _keys(row: QueuedEdge) -> str:
    return _KEYS_JA if is_japanese(row.claim_text) else _KEYS


def _told(fields: dict[str, Any]) -> str:
    return f"{fields['edge_id']}: {fields['relation']}; the claim is {fields['verdict']}."


def _plain(word: str) -> str:
    """A word however it was typed: full width, capitals."""
    return unicodedata.normalize("NFKC", word).strip().lower()
