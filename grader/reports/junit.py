"""JUnit XML: a test suite for each stage of each submission, a test case for each check.

The elements and attributes are those of the schema that pytest checks its own output against
(testing/example_scripts/junit-10.xsd in pytest-dev/pytest); Jenkins, GitLab and GitHub actions read
them. `skipped` means not judged here and nothing else: an unwritten stage is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from ..course import Course
from ..record import Record, StageResult, Status, SubmissionResult
from .redacted import for_student
from .words import points, sentence, told_with_diagnosis, verdict

_ELEMENTS = {Status.ERROR: "error", Status.NOT_JUDGED: "skipped"}
"""What stands in a test case that did not pass; `failure`, where nothing else is said."""
_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def junit_xml(record: Record, course: Course) -> str:
    """The record as one JUnit document, without what students may not read."""
    root = ET.Element("testsuites", name=course.title)
    for result in map(for_student, record.submissions):
        root.extend(_suites(result, course, alone=len(record.submissions) == 1))
    _count(root, "failures", "errors")
    root.set("time", _seconds(sum(result.seconds for result in record.submissions)))
    ET.indent(root, " ")
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return f"{document.decode()}\n"


def _suites(result: SubmissionResult, course: Course, alone: bool) -> Iterator[ET.Element]:
    for stage in result.stages:
        title = course.stage(stage.stage).title
        suite = ET.Element("testsuite", name=title if alone else f"{result.id}: {title}")
        _properties(suite, stage)
        suite.extend(_cases(stage, f"{course.name}.{stage.stage}", title))
        _count(suite, *_COUNTS)
        yield suite


def _properties(suite: ET.Element, stage: StageResult) -> None:
    held = ET.SubElement(suite, "properties")
    for name in ("points", "max_points", "max_judged"):
        ET.SubElement(held, "property", name=name, value=points(getattr(stage, name)))


def _cases(stage: StageResult, classname: str, title: str) -> Iterator[ET.Element]:
    for check in stage.checks:
        case = ET.Element("testcase", classname=classname, name=check.title)
        if check.status is not Status.PASSED:
            _outcome(case, check.status, told_with_diagnosis(check, stage))
        yield case
    if not stage.checks:
        case = ET.Element("testcase", classname=classname, name=title)
        _outcome(case, stage.status, sentence(stage))
        yield case


def _outcome(case: ET.Element, status: Status, text: str) -> None:
    tag = _ELEMENTS.get(status, "failure")
    first = text.partition("\n")[0] or verdict(status)
    ET.SubElement(case, tag, type=status.value, message=first).text = text


def _count(element: ET.Element, *names: str) -> None:
    element.set("tests", str(sum(1 for _ in element.iter("testcase"))))
    for name in names:
        element.set(name, str(sum(1 for _ in element.iter(_COUNTS[name]))))


def _seconds(value: float) -> str:
    return f"{value:.3f}"
