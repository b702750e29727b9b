"""`lyra bench`: placeholder wiring until measurements are registered."""

import typer


def add_to(app: typer.Typer) -> None:
    """Measurements are added below."""
