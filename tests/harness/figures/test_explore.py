"""The notebook of experiments runs from the first day, and with what a learner has written."""

import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from harness.docs.site import need_package

ROOT = Path(__file__).parents[3]
NOTEBOOK: Any = nbformat.read(ROOT / "exercises/explore.ipynb", as_version=4)
CODE = [cell for cell in NOTEBOOK.cells if cell.cell_type == "code"]
FIGURES = ("Cloud", "Saturation", "Heatmap")


def test_nothing_that_was_run_is_stored_and_nothing_is_solved() -> None:
    assert all(cell.outputs == [] and cell.execution_count is None for cell in CODE)
    text = "\n".join(cell.source for cell in NOTEBOOK.cells)
    for file in (ROOT / "solutions").glob("*.py"):
        for region in re.findall(r"BEGIN SOLUTION.*?\n(.*?)### END", file.read_text("utf-8"), re.S):
            for line in region.splitlines():
                code = line.strip().removeprefix("return ")
                assert len(code) < 15 or code not in text, f"{file.name}: {code}"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What it prints in a course whose learner has written one function, which says so."""
    need_package("nbclient")
    from nbclient import NotebookClient

    root = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "exercises", root / "exercises")
    (root / "grader").symlink_to(ROOT / "grader")
    own = (ROOT / "solutions/scaling.py").read_text("utf-8")
    own = own.replace("    ### BEGIN", "    print('my own scale')\n    ### BEGIN")
    (root / "exercises/scaling.py").write_text(own, encoding="utf-8")
    run = nbformat.from_dict(NOTEBOOK)
    NotebookClient(run, timeout=120, resources={"metadata": {"path": root / "exercises"}}).execute()
    outputs = [output for cell in run.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    kinds = [kind for output in outputs for kind in output.get("data", ())]
    assert kinds.count("application/vnd.jupyter.widget-view+json") == len(FIGURES) + 1
    return "".join(output.get("text", "") for output in outputs)


def test_own_functions_are_used_and_the_experiments_show_what_the_text_says(printed: str) -> None:
    """Widths grow with the root; gradients vanish; order changes nothing; the head looks back."""
    assert "my own scale" in printed
    assert "Error" not in printed
    lines = [line for line in printed.splitlines() if line != "my own scale"]
    widths = [line.split() for line in lines if re.match(r" +(1|4|16|64|256) +\d+\.\d ", line)]
    assert len(widths) == 5
    for _, root, measured, scaled in widths:
        assert float(measured) == pytest.approx(float(root), rel=0.05)
        assert float(scaled) == pytest.approx(1, rel=0.05)
    saturated = next(line for line in lines if line.startswith("  64   1.0000")).split()
    assert 1000 < float(saturated[-1]) / float(saturated[-2]) < 1500
    difference = next(line for line in lines if line.startswith("largest difference"))
    assert float(difference.split()[-1]) < 1e-12
    assert re.search(r"\[1\.0000, 0\.0000, 0\.0000", printed)
    assert "weight on cat: 0.63, in both cases" in printed
    assert "then 0.93" in printed
