"""Messages on a notebook name its cells."""

from dataclasses import replace

import pytest

from grader.intake.places import told_by_cells
from grader.record import Diagnosis
from grader.submission import Place
from harness.records import ALICE, COURSE

PLACES = {
    "softmax": [
        Place(1, "softmax", "# Stage 4", 1),
        Place(10, "", "import math  # and then a comment that goes on and on", 6),
    ]
}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("softmax.py, line 9, in f:", "The cell of Row softmax, line 9, in f:"),
        ("softmax.py does not define f.", "The cell of Row softmax does not define f."),
        (
            "softmax.py, line 12:",
            'Your cell that begins "import math  # and then a comment that g…", line 8:',
        ),
        ('File "softmax.py", line 1', 'File "The cell of Row softmax", line 1'),
        ("scores.py, line 1:", "scores.py, line 1:"),
        ("my_softmax.py, line 1", "my_softmax.py, line 1"),
    ],
)
def test_a_module_and_its_line_become_a_cell_and_its_line(message: str, told: str) -> None:
    stage = ALICE.stages[1]
    bad = replace(stage.checks[0], message=message)
    said = (Diagnosis("softmax/x", message, "exact"),)
    stage = replace(stage, message=message, checks=(bad,), diagnosis=said)
    chain = replace(ALICE.chain, message=message)
    found = told_by_cells(replace(ALICE, stages=(stage,), chain=chain), PLACES, COURSE.titles)
    [stage] = found.stages
    texts = (stage.message, stage.checks[0].message, stage.diagnosis[0].message)
    assert all(text.startswith(told) for text in (*texts, found.chain.message))


def test_modules_keep_their_names() -> None:
    assert told_by_cells(ALICE, {}, COURSE.titles) is ALICE
