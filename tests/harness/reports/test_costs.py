"""What a call costs, in the terminal: only where it differs from the reference's."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from grader.record import Cost, SubmissionResult
from grader.reports import costs, terminal
from harness.records import ALICE, COURSE, GPU

SAME = (Cost("operations", 17, 17), Cost("copies", 0, 0))
TABLE = """\
  gpu: What one call costs, counted without a clock

                      yours   reference
    operations          340          17   20 times
    copies                2           0
    bytes allocated      96          96
"""


def shown(result: SubmissionResult) -> str:
    out = io.StringIO()
    terminal.show(Console(file=out, width=100), COURSE, result, lambda verb, stage: verb + stage)
    return out.getvalue()


def test_the_table_keeps_its_columns() -> None:
    assert TABLE in shown(ALICE)


def test_what_costs_the_same_is_not_shown() -> None:
    stage = replace(ALICE.stages[2], checks=(replace(GPU[0], cost=SAME),))
    assert costs.TITLE not in shown(replace(ALICE, stages=(stage,)))


@pytest.mark.parametrize(
    ("yours", "reference", "told"),
    [
        (104, 100, ""),
        (150, 100, "1.5 times"),
        (5, 10, "0.5 times"),
        (12_345_678, 1_000, "12,346 times"),
        (3, 0, ""),
        (0, 0, ""),
    ],
)
def test_how_many_times(yours: int, reference: int, told: str) -> None:
    assert costs.cells(Cost("a", yours, reference))[3] == told
