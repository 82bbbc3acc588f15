"""Mixing and attention, the checks that a learner may read: shapes and the worked example."""

import pytest

from grader.subject import Subject
from grader.suite import Draw, expect
from stages.probes import mixing as probes


@pytest.mark.check("One mix of values for each query, with 0, 1 and 2 batch axes", points=1)
def test_mix_shapes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.mix_shapes):
        expect.shape(student, probe)


@pytest.mark.check("The mixed values of the worked example", points=1)
def test_mix_example(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.worked_mix):
        expect.numbers(student, probe)


@pytest.mark.check(
    "Attention's output has a row for each query and a column for each d_v", points=1
)
def test_attention_shapes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.attention_shapes):
        expect.shape(student, probe)


@pytest.mark.check("Attention's output in the worked example", points=1)
def test_attention_example(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.worked_attention):
        expect.numbers(student, probe)
