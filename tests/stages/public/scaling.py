"""Scaling, the checks that a learner may read: shapes, the worked example, the article's row."""

import pytest

from grader.subject import Subject
from grader.suite import Draw, expect
from stages.probes import scaling as probes


@pytest.mark.check("Scaling keeps the shape of the scores, with 0, 1 and 2 batch axes", points=1)
def test_shapes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.shape(student, probe)


@pytest.mark.check("The scaled scores of the worked example", points=1)
def test_worked_example(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.worked):
        expect.numbers(student, probe)


@pytest.mark.check("The row [24, 13, 8, 12] at d_k = 64 becomes [3, 1.625, 1, 1.5]", points=1)
def test_saturated_row(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.saturated_row):
        expect.numbers(student, probe)
