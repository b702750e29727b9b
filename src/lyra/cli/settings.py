"""`lyra settings`: every setting, its value and what it means."""

from typing import Any

import typer
from pydantic import BaseModel

from lyra.cli.context import AsJson, print_json, print_table


def show(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show every setting with its present value; set one by file, LYRA_SECTION__NAME or flag."""
    rows = described(ctx.obj.settings())
    if as_json:
        print_json(rows)
    else:
        print_table("Settings", ("setting", "value", "meaning"), [tuple(row.values()) for row in rows])


def described(section: BaseModel, prefix: str = "") -> list[dict[str, Any]]:
    """Dotted name, value and description of every field, keys masked."""
    rows: list[dict[str, Any]] = []
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            rows += described(value, f"{prefix}{name}.")
        else:
            shown = "set" if name.endswith("_key") and value else value
            rows.append({"setting": prefix + name, "value": shown, "meaning": field.description})
    return rows
