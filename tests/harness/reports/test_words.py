"""The words that reports share."""

import doctest
from dataclasses import replace
from types import ModuleType

import pytest

from grader.record import Status
from grader.reports import pages, tables, words
from grader.reports.words import sentence, told, told_with_diagnosis, totals
from harness.records import ALICE, BOB, EVE, check


@pytest.mark.parametrize("module", [words, pages, tables])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_totals_say_what_was_not_judged_and_why() -> None:
    assert totals(ALICE) == "28 of 40 judged; 10 not judged here: no accelerator here"
    assert totals(BOB) == "0 of 50 judged"


def test_the_diagnosis_comes_first() -> None:
    softmax = ALICE.stages[1]
    assert sentence(softmax) == "Every column of your weights sums to 1; each row must."
    first, second = softmax.checks[1:3]
    assert told_with_diagnosis(first, softmax).startswith(sentence(softmax) + "\n\nrow_softmax(")
    assert not told_with_diagnosis(second, softmax).startswith(sentence(softmax))


def test_a_hidden_failure_tells_its_title() -> None:
    silent = check("s.x", "Rows add up", 1, Status.FAILED, hidden=True)
    stage = replace(ALICE.stages[1], checks=(silent,), diagnosis=())
    assert sentence(stage) == "A hidden check did not pass: Rows add up."
    assert told(silent) == "This check is hidden."


def test_a_stage_without_checks_tells_its_state() -> None:
    _, softmax, gpu = BOB.stages
    assert sentence(softmax).startswith("SyntaxError")
    assert sentence(gpu) == "Not started."
    assert sentence(EVE.stages[1]) == "Not submitted."
