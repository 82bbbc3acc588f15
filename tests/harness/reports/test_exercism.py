"""exercism's results.json, version 3."""

import json
from dataclasses import replace
from typing import Any

import jsonschema
from hypothesis import given

from grader.record import Status, SubmissionResult
from grader.reports.exercism import LIMIT, exercism_results
from harness.records import ALICE, BOB, COURSE, check, submissions
from harness.reports import looks

STATUS = {"enum": ["pass", "fail", "error"]}
MESSAGE = {"type": "string", "minLength": 1, "maxLength": LIMIT}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "status", "tests"],
    "properties": {
        "version": {"const": 3},
        "status": STATUS,
        "message": {"anyOf": [{"type": "null"}, MESSAGE]},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "status", "task_id"],
                "properties": {
                    "name": {"type": "string"},
                    "status": STATUS,
                    "message": MESSAGE,
                    "task_id": {"type": "integer", "minimum": 1},
                },
                "if": {"properties": {"status": {"enum": ["fail", "error"]}}},
                "then": {"required": ["message"]},
            },
        },
    },
    "if": {"properties": {"status": {"const": "error"}}},
    "then": {"properties": {"message": MESSAGE}},
    "else": {"properties": {"message": {"type": "null"}}},
}


@given(submissions())
def test_every_result_has_exercisms_form(result: SubmissionResult) -> None:
    jsonschema.validate(exercism_results(result, COURSE), SCHEMA)


@given(submissions())
def test_the_whole_is_what_its_parts_are(result: SubmissionResult) -> None:
    found = exercism_results(result, COURSE)
    parts = {test["status"] for test in found["tests"]}
    assert (found["status"] == "pass") == (parts == {"pass"})
    assert (found["status"] == "error") == (parts <= {"error"})


def test_what_was_not_judged_is_left_out() -> None:
    names = [test["name"] for test in exercism_results(ALICE, COURSE)["tests"]]
    assert "Faster than a loop" not in names
    assert "Every tensor is made where the input is" in names


def test_the_first_failure_carries_the_diagnosis() -> None:
    tests = exercism_results(ALICE, COURSE)["tests"]
    first = next(test for test in tests if test["status"] != "pass")
    assert first["message"].startswith("Every column of your weights sums to 1; each row must.")


def test_long_messages_are_cut_at_a_whole_character() -> None:
    long = check("scores.x", "Long", 1, Status.FAILED, "é" * LIMIT)
    stage = replace(ALICE.stages[0], checks=(long,))
    (test,) = exercism_results(replace(ALICE, stages=(stage,)), COURSE)["tests"]
    assert len(test["message"].encode()) == LIMIT - 1


def test_the_examples_look_as_they_did() -> None:
    found = [exercism_results(result, COURSE) for result in (ALICE, BOB)]
    looks.matches("exercism.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")
