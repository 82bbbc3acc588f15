"""The residual stream, the checks that a learner may read: shapes and the worked example."""

import pytest

from grader.subject import Subject
from grader.suite import Draw, expect
from stages.probes import residual as probes


@pytest.mark.check("The stream keeps its shape when an update is added", points=0.5)
def test_add_shapes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.add_shapes):
        expect.shape(student, probe)


@pytest.mark.check("Stream and update of the worked example add up", points=0.5)
def test_add_example(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.worked_add):
        expect.numbers(student, probe)


@pytest.mark.check(
    "The stream keeps its shape through a block, with 0, 1 and 2 batch axes", points=0.5
)
def test_block_shapes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.block_shapes):
        expect.shape(student, probe)


@pytest.mark.check("The stream after the worked example's attention block", points=0.5)
def test_block_example(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.worked_block):
        expect.numbers(student, probe)
