"""Gradescope's results.json."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from grader.record import SubmissionResult
from grader.reports.gradescope import gradescope_results
from harness.records import ALICE, BOB, COURSE, submissions
from harness.reports import looks

FORMATS = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["score", "tests"],
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": FORMATS,
        "test_output_format": FORMATS,
        "test_name_format": FORMATS,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": VISIBILITY,
                },
            },
        },
    },
}


@given(submissions())
def test_every_result_has_gradescopes_form(result: SubmissionResult) -> None:
    jsonschema.validate(gradescope_results(result, COURSE), SCHEMA)


@given(submissions())
def test_scores_add_up_to_what_was_judged(result: SubmissionResult) -> None:
    found = gradescope_results(result, COURSE)
    scores = [test for test in found["tests"] if "score" in test]
    assert sum(test["score"] for test in scores) == pytest.approx(found["score"])
    judged = sum(test["max_score"] for test in scores)
    unjudged = [s for s in result.stages if not s.checks and s.status == "not_judged"]
    assert judged == pytest.approx(result.max_judged - sum(s.max_points for s in unjudged))


def test_what_was_not_judged_has_no_score_and_says_why() -> None:
    found = gradescope_results(ALICE, COURSE)
    (speed,) = (test for test in found["tests"] if test["name"] == "Faster than a loop")
    assert speed["output"] == "Not judged here: no accelerator here."
    assert not {"score", "max_score", "status"} & set(speed)
    assert found["output"] == "28 of 40 judged; 10 not judged here: no accelerator here."
    assert found["extra_data"]["complete"] is False


def test_the_examples_look_as_they_did() -> None:
    found = [gradescope_results(result, COURSE) for result in (ALICE, BOB)]
    looks.matches("gradescope.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")
