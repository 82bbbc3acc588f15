"""The same notebook under nbgrader's own kernel: the public verdict, in every way of running."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbgrader.utils import determine_grade

from harness.nbgrader.handing_in import COURSE, ROOT, filled, solution

ANSWERS = {
    "scores": solution("scores"),
    "softmax": "def row_softmax(scores):\n    return scores\n",
    "mixing": "def mix_values(weights, v):\n    return None\n",
}
KEPT = {
    "setup",
    "scores",
    "check-scores",
    "softmax",
    "check-softmax",
    "mixing",
    "check-mixing",
    "check-scaling",
}


def test_stock_nbgrader_gives_the_public_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = nbformat.from_dict(filled(ANSWERS))
    made.cells = [c for c in made.cells if c.metadata.nbgrader.grade_id in KEPT]
    NotebookClient(made, allow_errors=True, timeout=300).execute()
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in made.cells}
    points = {name: COURSE.stage(name).points for name in COURSE.names}
    assert determine_grade(cells["check-scores"])[0] == points["scores"]
    assert 0 < determine_grade(cells["check-softmax"])[0] < points["softmax"]
    assert determine_grade(cells["check-mixing"])[0] == 0
    assert determine_grade(cells["check-scaling"])[0] == 0  # not started
    told = " ".join(o.get("data", {}).get("text/plain", "") for o in cells["check-softmax"].outputs)
    assert "Row softmax: failed" in told
    assert not any(output.get("name") == "stderr" for output in cells["check-scores"].outputs)
