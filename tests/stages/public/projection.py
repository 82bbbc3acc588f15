"""Projections, the checks that a learner may read: shapes and the worked example."""

import pytest

from grader.subject import Subject
from grader.suite import Draw, expect
from stages.probes import projection as probes


@pytest.mark.check("Every token becomes a row of d numbers, with 0, 1 and 2 batch axes", points=1)
def test_shapes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.shape(student, probe)


@pytest.mark.check("The queries, keys and values of the worked example", points=1)
def test_worked_example(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.worked):
        expect.numbers(student, probe)
