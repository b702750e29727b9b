"""`lyra doctor --privacy`: what can leave this machine."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console

from lyra.cli.context import print_json
from lyra.privacy import OutgoingData, outgoing_data
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.settings import Settings

_STAYS = (
    "Everything else stays on this machine: the models run in a process without network, the dashboard and the server "
    "listen on 127.0.0.1 unless --host says otherwise, and data lies in {data_dir}. `lyra bench egress` records every "
    "connection of a run."
)


def show_privacy(settings: "Settings", *, as_json: bool) -> None:
    """Print what can leave this machine by the settings in force; nothing is asked."""
    found = outgoing_data(settings)
    if as_json:
        print_json({"ok": True, "outgoing": [asdict(one) for one in found]})
        return
    console = Console()
    for one in found:
        _show(console, one)
    console.print(say(_STAYS, data_dir=settings.data_dir), highlight=False, markup=False, soft_wrap=True)


def _show(console: Console, one: OutgoingData) -> None:
    state = say("on") if one.is_on else say("off")
    console.print(f"{translate(one.part)} ({state})", style="bold" if one.is_on else "dim", highlight=False)
    rows = [(say("to"), one.receiver), (say("sends"), one.sends), (say("why"), one.why)]
    if one.is_on:
        rows.append((say("to switch it off"), one.switch_off))
    for name, value in rows:
        console.print(f"  {name}: {translate(value)}", highlight=False, markup=False, soft_wrap=True)
