"""`lyra token`: who may use a shared server, and what they may do there."""

from typing import TYPE_CHECKING, Annotated

import typer

from lyra.cli.context import AsJson, print_fields, print_json, print_rows, run
from lyra.clock import stamp
from lyra.model.person import Person, Role
from lyra.translate import say

if TYPE_CHECKING:
    from lyra.app import Lyra

app = typer.Typer(no_args_is_help=True, help="Give people access to a shared server, and take it back.")

PersonName = Annotated[str, typer.Argument(help="The person's name, as reviews and lists will show it.")]


@app.command("add")
def add(
    ctx: typer.Context,
    name: PersonName,
    role: Annotated[
        Role, typer.Option(help="reader: shared tasks; researcher: also own tasks; admin: everything.")
    ] = Role.RESEARCHER,
    again: Annotated[
        bool, typer.Option("--again", help="The same person whose token was revoked; their tasks are theirs again.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a token for a person. It is shown once; only its hash is kept.

    Example: lyra token add "Sato Hanako" --role researcher
    """
    issued = run(ctx, lambda lyra: lyra.people.add(name, role, is_again=again))
    fields = {**_fields(issued.person), "token": issued.token}
    if as_json:
        print_json(fields)
        return
    typer.echo(issued.token)
    typer.echo(
        say("The token of {name} ({role}) is shown only now.", name=issued.person.name, role=role.value), err=True
    )


@app.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the people who have or had a token; the owner's own is in the file http-token of the data directory.

    Example: lyra token list --json
    """
    rows = [_fields(one) for one in run(ctx, lambda lyra: lyra.people.all_people())]
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo(say("Nobody has a token yet: `lyra token add NAME`."))
        return
    print_rows("People", tuple(rows[0]), rows)


@app.command("revoke")
def revoke(ctx: typer.Context, name: PersonName, as_json: AsJson = False) -> None:
    """End a person's token at once. Their tasks stay, and admins see them.

    Example: lyra token revoke "Sato Hanako"
    """

    async def work(lyra: "Lyra") -> Person:
        return await lyra.people.revoke(name)

    fields = _fields(run(ctx, work))
    print_json(fields) if as_json else print_fields("Revoked", fields)


def _fields(person: Person) -> dict[str, object]:
    times = {
        "created_at": person.created_at,
        "last_used_at": person.last_used_at,
        "revoked_at": person.revoked_at,
    }
    return {
        "name": person.name,
        "role": person.role.value,
        **{key: stamp(value) if value else None for key, value in times.items()},
    }
