"""JUnit XML, as its readers want it."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

from grader.record import Record
from grader.reports.junit import junit_xml
from harness.records import BOB, COURSE, EXAMPLE, records
from harness.reports import looks

COUNTS = {"name", "tests", "failures", "errors"}
ATTRIBUTES = {
    "testsuites": COUNTS | {"time"},
    "testsuite": COUNTS | {"skipped"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped"},
}


@given(records())
def test_only_elements_and_attributes_of_the_schema(record: Record) -> None:
    root = ET.fromstring(junit_xml(record, COURSE))  # noqa: S314 - our own
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())


@given(records())
def test_counts_are_those_of_the_cases(record: Record) -> None:
    root = ET.fromstring(junit_xml(record, COURSE))  # noqa: S314 - our own
    for element in [root, *root]:
        assert int(element.attrib["tests"]) == len(list(element.iter("testcase")))
        assert int(element.attrib["failures"]) == len(list(element.iter("failure")))
        assert int(element.attrib["errors"]) == len(list(element.iter("error")))


@given(records())
def test_no_stage_is_without_a_case_and_no_case_has_two_outcomes(record: Record) -> None:
    root = ET.fromstring(junit_xml(record, COURSE))  # noqa: S314 - our own
    assert all(suite.find("testcase") is not None for suite in root)
    assert all(len(case) <= 1 for case in root.iter("testcase"))


@pytest.mark.parametrize(
    ("stage", "tag"), [("Row softmax", "error"), ("Running on an accelerator", "failure")]
)
def test_what_was_not_run_is_not_skipped(stage: str, tag: str) -> None:
    root = ET.fromstring(  # noqa: S314 - our own
        junit_xml(Record("c", "0" * 64, "1", EXAMPLE.isolation, (BOB,)), COURSE)
    )
    assert root.find(f"testsuite[@name='{stage}']/testcase/{tag}") is not None
    assert root.find(".//skipped") is None


def test_the_example_looks_as_it_did() -> None:
    looks.matches("junit.xml", junit_xml(EXAMPLE, COURSE))
