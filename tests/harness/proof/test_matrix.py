"""The matrix as a page: a table for each stage, a line for each known answer."""

from pathlib import Path

from grader import course as courses
from grader.diagnosis.matrix import page
from harness.proof.test_proof import rows

ROOT = Path(__file__).parents[3]


def test_the_page_has_a_line_for_each_answer_and_a_mark_for_each_loss() -> None:
    text = page(courses.load(ROOT), rows("softmax"))
    lines = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert lines.keys() == {row.answer.id.partition("/")[2] for row in rows("softmax")}
    assert lines["no_shift"].count("✗") == 1
    assert lines["no_shift"].endswith("| no_shift |")
    assert lines["logsumexp"].count("✗") == 0
    assert lines["logsumexp"].endswith("| right |")
