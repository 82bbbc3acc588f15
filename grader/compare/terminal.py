"""A comparison in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from ..devices.timing import Timing
from ..reports import costs
from ..reports.words import verdict
from .comparison import Comparison
from .outputs import Gap


def show(out: Console, found: Comparison) -> None:
    """Numbers, cost, time; then, where it may be seen, the code and other right answers."""
    name, result = found.stage.name, found.result
    out.print(Text(f"{name}: yours beside the reference", "bold"))
    points = f"{result.points:g} of {result.max_judged:g} points"
    out.print(Text(f"  Yours: {verdict(result.status)}, {points}"))
    for gap in found.gaps:
        out.print()
        out.print(Text(_told(gap)))
    if found.cost:
        out.print(Text(f"\n{costs.TITLE}\n{costs.text(found.cost)}"))
    if found.pace is not None:
        out.print(Text(f"\n{pace(found.pace)}"))
    if found.reference is None:
        out.print(Text(f"\n{hidden(found)}", "dim"))
        return
    _code(out, found)
    for variant in found.variants:
        out.print(Text(f"\nAlso right: {variant.sentence}", "bold"))
        out.print(Syntax(variant.source, "python", theme="ansi_dark", word_wrap=True))


def _told(gap: Gap) -> str:
    head = f"{gap.function}, over {gap.calls} calls:"
    if gap.trouble:
        return f"{head} the results cannot be compared.\n{gap.trouble}"
    if not gap.ulps:
        return f"{head} every number is the same, to the last bit."
    numbers = "number" if gap.ulps == 1 else "numbers"
    return (
        f"{head} at most {gap.ulps:,} float32 {numbers} (ulps) apart,\n  in {gap.where}:\n"
        f"    yours {gap.yours:.9g}, reference {gap.reference:.9g}"
    )


def pace(timing: Timing) -> str:
    """A measured ratio with its spread, in words."""
    return (
        f"Time: yours is {timing.ratio:.2f} times as fast as the reference on this machine's CPU\n"
        f"  (95 % sure: {timing.low:.2f} to {timing.high:.2f}; {timing.pairs} pairs, in turn)"
    )


def hidden(found: Comparison) -> str:
    """Why the solution is not shown, and how to see it all the same."""
    return (
        "The solution is shown once your stage passes.\n"
        f"To see it now: nox -s compare -- {found.stage.name} --reveal"
    )


def _code(out: Console, found: Comparison) -> None:
    yours, reference = found.yours or {}, found.reference or {}
    for name in dict.fromkeys((*reference, *yours)):
        table = Table(box=None, padding=(0, 1), expand=True, title_justify="left")
        for title in ("yours", "reference"):
            table.add_column(title, ratio=1, header_style="bold")
        sides = (yours.get(name, "—"), reference.get(name, "—"))
        table.add_row(*(Syntax(s, "python", theme="ansi_dark", word_wrap=True) for s in sides))
        out.print()
        out.print(table)
