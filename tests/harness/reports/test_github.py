"""Annotations in GitHub Actions."""

import re
from dataclasses import replace
from urllib.parse import unquote

import pytest
from hypothesis import given

from grader.record import StageResult, Status, SubmissionResult
from grader.reports.github import in_actions, workflow_commands
from grader.reports.words import UNFINISHED
from grader.subject.errors import Frame, SubmissionError
from grader.suite.verdict import told
from harness.records import ALICE, BOB, COURSE, check, submissions
from harness.reports import looks

FORM = re.compile(r"::(error|notice) file=([^:,]*),line=(\d+),title=([^:,]*)::([^\r\n]*)")


@given(submissions())
def test_one_command_a_line_for_each_stage_that_is_not_done(result: SubmissionResult) -> None:
    commands = list(workflow_commands(result, COURSE))
    assert len(commands) == sum(stage.status in UNFINISHED for stage in result.stages)
    for command in commands:
        assert FORM.fullmatch(command), command
        assert command.splitlines() == [command] or "\n" not in command


def test_text_comes_back_from_its_escapes() -> None:
    odd = "50%0A wrong, %25:\r\n::error file=x::y, and so on"
    stage = replace(ALICE.stages[0], status=Status.ERROR, checks=(), message=odd)
    (command,) = workflow_commands(replace(ALICE, path="a,b:c", stages=(stage,)), COURSE)
    found = FORM.fullmatch(command)
    assert found
    assert unquote(found[5]) == odd
    assert unquote(found[2]) == "a,b:c/scores.py"


def test_the_line_is_the_one_that_a_verdict_names() -> None:
    raised = SubmissionError("TypeError", "no", (Frame("work/scores.py", 12, "f", "q @ k"),))
    failed = check("scores.x", "Shape", 1, Status.ERROR, told(raised))
    stage = StageResult("scores", Status.FAILED, 1, (failed,))
    (command,) = workflow_commands(replace(ALICE, path="work", stages=(stage,)), COURSE)
    assert command.startswith("::error file=work/scores.py,line=12,")


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [({"GITHUB_ACTIONS": "true"}, True), ({"GITHUB_ACTIONS": "false"}, False), ({}, False)],
)
def test_only_in_actions(environment: dict[str, str], wanted: bool) -> None:
    assert in_actions(environment) is wanted


def test_the_example_looks_as_it_did() -> None:
    lines = [line for result in (ALICE, BOB) for line in workflow_commands(result, COURSE)]
    looks.matches("github.txt", "".join(f"{line}\n" for line in lines))
