"""The site builds without a network, and a fault in a page stops the build."""

from pathlib import Path

import pytest

from harness.docs.site import DOCS, Site, build


def test_every_source_becomes_a_page(site: Site) -> None:
    sources = {
        path.relative_to(DOCS).with_suffix("").as_posix()
        for path in DOCS.rglob("*.md")
        if not path.relative_to(DOCS).parts[0].startswith("_")
    }
    assert sources | {"search"} == set(site.pages)


FAULTS = {
    "a link to a page that is not there": ("{doc}`/nowhere`", "unknown document"),
    "a link to an anchor that is not there": ("[see](#nowhere)", "nowhere"),
    "a reference that is not there": ("{ref}`nowhere`", "undefined label"),
    "a command unknown in formulas": ("```{math}\n\\nowhere\n```", "formula cannot be converted"),
    "a brace that is not closed": ("```{math}\n\\frac{1}{2\n```", "formula cannot be converted"),
    "a parenthesis that is not closed": ("$\\left( x$", "formula cannot be converted"),
    "a stage that is not there": ("```{stage} nowhere\n```", "There is no stage 'nowhere'"),
    "a figure that is not there": ("```{interactive} nowhere\n```", "no figure is called"),
    "a matrix that is not there": ("```{example} NOWHERE\n```", "NOWHERE"),
    "a directive that is not there": ("```{nowhere}\n```", "nowhere"),
}


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(("fault", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_stops_the_build(tmp_path: Path, fault: str, said: str) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text(f"# Page\n\n{fault}\n", encoding="utf-8")
    result = build(tmp_path / "site", source)
    assert result.returncode != 0
    assert said in result.stderr


@pytest.mark.usefixtures("site")
def test_a_page_outside_the_contents_stops_the_build(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text("# Page\n", encoding="utf-8")
    (source / "lost.md").write_text("# Lost\n", encoding="utf-8")
    result = build(tmp_path / "site", source)
    assert result.returncode != 0
    assert "lost.md" in result.stderr
