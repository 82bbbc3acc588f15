"""A student's page."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.record import Device, Diagnosis, Isolation, Record, Status, SubmissionResult
from grader.reports.html import Figures, student_page
from harness.records import (
    ALICE,
    BOB,
    COLUMNS,
    CONFINED,
    COURSE,
    EVE,
    EXAMPLE,
    TRUSTED,
    check,
    records,
    submissions,
)
from harness.reports import looks
from harness.reports.reading import Page

OURS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section"),
    *("nav", "h1", "h2", "h3", "p", "pre", "ol", "ul", "li", "a", "bdi", "div", "span"),
    *("details", "summary", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "style"),
    *("aria-hidden", "aria-label", "aria-labelledby", "tabindex", "scope", "open"),
}
MARKUP = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</pre></style></title><b>",
    "    </pre><iframe src=//evil>",
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
    "javascript:alert(1)",
]


@given(records())
def test_every_page_is_whole_and_holds_only_our_elements(record: Record) -> None:
    for result in record.submissions:
        page = Page(student_page(result, COURSE, record.isolation))
        assert set(page.tags) <= OURS
        assert {name for name, _ in page.attributes} <= ATTRIBUTES


@pytest.mark.parametrize("markup", MARKUP)
def test_what_a_student_wrote_stays_text(markup: str) -> None:
    bad = check("scores.x", "Shape", 4, Status.FAILED, markup)
    stage = replace(
        ALICE.stages[0],
        status=Status.FAILED,
        checks=(bad, check("scores.y", "Kept", 6, message=markup)),
        diagnosis=(Diagnosis("scores/x", markup, "exact"),),
        message=markup,
    )
    hostile = replace(ALICE, id=markup, stages=(stage,), chain=replace(ALICE.chain, message=markup))
    page = Page(student_page(hostile, COURSE, CONFINED))
    assert set(page.tags) <= OURS
    assert page.text.count(markup.strip()) == 8  # title, name, next, and five times in its place


@given(submissions())
def test_nothing_is_fetched_and_no_script_runs(result: SubmissionResult) -> None:
    page = Page(student_page(result, COURSE, CONFINED))
    assert all(target.startswith("#") for target in page.values("href"))
    assert not page.values("src")
    (policy,) = (text for text in page.values("content") if "default-src" in text)
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


@given(submissions())
def test_links_and_labels_lead_somewhere(result: SubmissionResult) -> None:
    page = Page(student_page(result, COURSE, CONFINED))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {target[1:] for target in page.values("href")} <= set(ids)
    assert set(page.values("aria-labelledby")) <= set(ids)


def test_totals_say_what_was_not_judged() -> None:
    text = Page(student_page(ALICE, COURSE, CONFINED)).text
    assert "28 of 40 judged; 10 not judged here: no accelerator here." in text
    assert "passed 10 of 10 points; 10 not judged here" in text


def test_what_a_call_costs_stands_beside_the_reference_s() -> None:
    text = Page(student_page(ALICE, COURSE, CONFINED)).text
    assert "yours reference operations 340 17 20 times copies 2 0 bytes allocated 96 96" in text


def test_the_accelerator_is_told_where_there_was_one() -> None:
    assert "Speed was judged" not in Page(student_page(ALICE, COURSE, CONFINED)).text
    device = Device("cuda", "A card", "550.1", "1755", "41", "0x0")
    stage = ALICE.stages[0]
    judged = replace(stage, checks=(replace(stage.checks[0], device=device),))
    text = Page(student_page(replace(ALICE, stages=(judged,)), COURSE, CONFINED)).text
    assert "Speed was judged on cuda: A card, driver 550.1, 1755 MHz, 41 °C." in text


def test_the_diagnosis_comes_before_the_numbers() -> None:
    html = student_page(ALICE, COURSE, CONFINED)
    stage = html[html.index('id="stage-softmax"') :]
    assert stage.index(COLUMNS.message) < stage.index("weights differ in 20 of 20 entries")


def test_numbers_keep_their_columns() -> None:
    html = student_page(ALICE, COURSE, CONFINED)
    (block,) = re.findall(r'<pre tabindex="0">(.*?)</pre>', html, re.DOTALL)
    assert [line.split() for line in block.splitlines()][1] == ["yours", "expected"]
    assert len({len(line) for line in block.splitlines()[2:]}) == 1


def test_the_numbers_of_a_diagnosis_keep_their_columns() -> None:
    sentence = "Your columns sum to 1; each row must:\n      key 1  key 2\n      1.00   1.00"
    stages = (replace(ALICE.stages[1], diagnosis=(Diagnosis("softmax/x", sentence, "exact"),)),)
    html = student_page(replace(ALICE, stages=stages), COURSE, CONFINED)
    assert html.count('<pre tabindex="0">key 1  key 2\n1.00   1.00</pre>') == 2  # next, and there


def test_a_hidden_check_shows_title_and_verdict() -> None:
    text = Page(student_page(ALICE, COURSE, CONFINED)).text
    assert "Also not passed Every row adds up to one hidden 0 of 6" in text


def test_remarks_cost_nothing() -> None:
    assert (
        "Remarks, at no cost A copy was made twice."
        in Page(student_page(ALICE, COURSE, CONFINED)).text
    )


def test_an_exception_points_at_the_students_line_only() -> None:
    html = student_page(BOB, COURSE, CONFINED)
    assert "scores.py, line 14, in attention_scores:" in html
    assert "/course/work" not in html


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (ALICE, "Next: Row softmax Every column of your weights sums to 1; each row must."),
        (BOB, "Next: Attention scores TypeError: unsupported operand type(s) for @:"),
        (replace(ALICE, stages=ALICE.stages[:1]), "Everything that could be judged passed."),
        (replace(ALICE, stages=()), "No stage was judged."),
    ],
)
def test_the_page_says_what_comes_next(result: SubmissionResult, said: str) -> None:
    assert said in Page(student_page(result, COURSE, CONFINED)).text


@pytest.mark.parametrize(("isolation", "note"), [(TRUSTED, True), (CONFINED, False)])
def test_a_trusted_run_is_said_to_be_one(isolation: Isolation, note: bool) -> None:
    page = Page(student_page(ALICE, COURSE, isolation))
    text = page.text
    assert ("note" in page.values("class")) is note
    assert ("Submissions were trusted" in text) is note
    assert ("Not enforced: network, files, memory." in text) is note
    assert ("Submissions ran confined, at level 3" in text) is not note


def test_notes_on_the_files_are_shown() -> None:
    noted = replace(ALICE, notes=("/course/work/alice/extra.py was left alone.",))
    assert "extra.py was left alone." in Page(student_page(noted, COURSE, CONFINED)).text
    assert "/course/work" not in student_page(noted, COURSE, CONFINED)


def test_a_figure_stands_in_its_stage_with_its_script() -> None:
    figure = '<figure id="mine"><svg></svg></figure>'
    figures = Figures({"softmax": figure}, css=".f{color:red}", script="let a = 1 < 2 && 3;")
    html = student_page(ALICE, COURSE, CONFINED, figures)
    assert html.index('id="stage-softmax"') < html.index(figure) < html.index('id="stage-gpu"')
    assert ".f{color:red}" in html
    assert "<script>let a = 1 < 2 && 3;</script>" in html
    assert any("script-src 'sha256-" in text for text in Page(html).values("content"))


@given(st.sampled_from(EXAMPLE.submissions))
def test_the_same_record_gives_the_same_page(result: SubmissionResult) -> None:
    assert student_page(result, COURSE, CONFINED) == student_page(result, COURSE, CONFINED)


@pytest.mark.parametrize(("name", "result"), [("alice", ALICE), ("bob", BOB), ("eve", EVE)])
def test_the_examples_look_as_they_did(name: str, result: SubmissionResult) -> None:
    body = student_page(result, COURSE, TRUSTED).partition("<body>")[2]
    looks.matches(f"{name}.html", body)
