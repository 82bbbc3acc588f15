"""The record: its schema, writing and reading it back."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from grader import record
from grader.record import Chain, Cost, Record, Status
from harness.records import ALICE, BOB, EVE, EXAMPLE, records

SCHEMA = json.loads(record.SCHEMA_FILE.read_text(encoding="utf-8"))


def _published(drawn: Record) -> Any:
    return json.loads(json.dumps(drawn.to_dict()))


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@given(records())
def test_every_record_validates(drawn: Record) -> None:
    jsonschema.validate(_published(drawn), SCHEMA)


@pytest.mark.parametrize("spoil", ["isolation", "seed", "submissions"])
def test_a_record_with_a_part_missing_is_refused(spoil: str) -> None:
    data = _published(EXAMPLE)
    del data[spoil]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)


@given(records())
def test_a_record_survives_its_published_form(drawn: Record) -> None:
    assert record.from_dict(_published(drawn)) == drawn


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_file_is_the_published_form(tmp_path: Path, count: int) -> None:
    some = replace(EXAMPLE, submissions=EXAMPLE.submissions[:count])
    some.write(tmp_path / "record.json")
    text = (tmp_path / "record.json").read_text(encoding="utf-8")
    assert text == json.dumps(some.to_dict(), indent=1, ensure_ascii=False)


def test_a_file_holds_what_no_utf8_can(tmp_path: Path) -> None:
    odd = replace(
        EXAMPLE, submissions=(replace(ALICE, chain=Chain(ALICE.chain.status, "a\udc00z")),)
    )
    odd.write(tmp_path / "record.json")
    assert record.read(tmp_path / "record.json") == odd
    assert [file.name for file in tmp_path.iterdir()] == ["record.json"]


def test_totals_leave_out_what_was_not_judged() -> None:
    assert (ALICE.points, ALICE.max_judged, ALICE.max_points) == (28, 40, 50)
    assert not ALICE.complete
    assert EVE.complete


def test_what_could_not_be_run_has_nothing_left_for_another_machine() -> None:
    stub = BOB.stages[2]
    assert (stub.status, stub.points, stub.max_judged) == (Status.NOT_STARTED, 0, stub.max_points)
    assert BOB.complete


def test_a_check_without_cost_or_device_does_not_mention_them() -> None:
    written = record.submission_to_dict(ALICE)["stages"]
    with_cost = [c["id"] for stage in written for c in stage["checks"] if "cost" in c]
    assert with_cost == ["gpu.device"]
    assert not any("device" in c for stage in written for c in stage["checks"])


@pytest.mark.parametrize(
    ("row", "times"), [(Cost("a", 6, 3), 2), (Cost("a", 0, 0), 1), (Cost("a", 2, 0), math.inf)]
)
def test_times_the_reference(row: Cost, times: float) -> None:
    assert row.times == times


def test_a_check_that_reached_its_limit_says_so() -> None:
    shape, numbers = EVE.stages[0].checks
    assert numbers.out_of_time
    assert not shape.out_of_time
