from pathlib import Path

import pytest

from grader.figures import NAMES, bundle

MOST_BYTES = 60_000


def test_the_committed_script_is_current() -> None:
    assert bundle.main(["--check"]) == 0, "run: python -m grader.figures.bundle"


def test_all_figures_together_stay_small() -> None:
    assert (bundle.STATIC / "figures.js").stat().st_size < MOST_BYTES


def test_a_changed_module_is_noticed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in bundle.STATIC.glob("*.mjs"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    assert bundle.main(["--check"]) == 1
    assert bundle.main([]) == 0
    assert bundle.main(["--check"]) == 0
    with (tmp_path / "tensor.mjs").open("a") as module:
        module.write("export const more = 1;\n")
    assert bundle.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().out


def test_the_script_can_stand_inside_a_page() -> None:
    assert "</" not in bundle.script()
    assert "http" not in bundle.script().replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_one_module_without_imports(name: str) -> None:
    text = bundle.module(name)
    assert "import " not in text
    assert text.count("export ") == 1
    assert text.endswith(f"export default ${name}.default;\n")
