"""What a person sees of a demonstration."""

import io

from rich.console import Console

from lyra_bench.demo.show import Side, show_contradiction


def test_both_sides_stand_in_the_context_that_was_judged() -> None:
    """Whole, however long it is, and with its square brackets, which a terminal's markup would swallow."""
    shown = io.StringIO()
    long = "[" + "It was counted. " * 40 + "] The risk rose."
    sides = [
        Side("supports", long, "https://www.fdso.gov/a", "government"),
        Side("refutes", "[Gliptins.] It did not.", "https://blog.example/b", "unverified"),
    ]

    show_contradiction("The risk rises.", 0.4, sides, Console(file=shown, width=200))

    assert shown.getvalue().splitlines() == [
        "",
        "A contradiction (controversy 0.4): The risk rises.",
        f"  for     “{' '.join(long.split())}”",
        "          https://www.fdso.gov/a (government)",
        "  against “[Gliptins.] It did not.”",
        "          https://blog.example/b (unverified)",
    ]
