"""The site builds without a network, and a fault in a page stops the build."""

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


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory, site: Site) -> dict[str, str]:
    """What one build says of a page for each fault, by the page's name, and of a lost page."""
    assert site.folder.is_dir(), "without a fault the same build succeeds"
    source = tmp_path_factory.mktemp("faults")
    names = {fault: f"fault-{number:02}" for number, fault in enumerate(FAULTS)}
    for fault, name in names.items():
        (source / f"{name}.md").write_text(f"# Page\n\n{FAULTS[fault][0]}\n", encoding="utf-8")
    (source / "lost.md").write_text("# Lost\n", encoding="utf-8")
    contents = "\n".join(["# Pages", "", "```{toctree}", *names.values(), "```"])
    (source / "index.md").write_text(contents, encoding="utf-8")
    result = build(tmp_path_factory.mktemp("site-of-faults"), source)
    assert result.returncode != 0
    assert "/lost.md" in result.stderr, result.stderr
    by_page = dict.fromkeys([*names.values(), "lost"], "")
    for line in result.stderr.splitlines():
        for name in by_page:
            if f"/{name}.md" in line:
                by_page[name] += line
    return {**{fault: by_page[name] for fault, name in names.items()}, "lost": by_page["lost"]}


def test_every_fault_stops_the_build_and_is_said_with_its_page(complaints: dict[str, str]) -> None:
    """One test, because one build shows them all."""
    due = {fault: said for fault, (_, said) in FAULTS.items()} | {"lost": "toctree"}
    unsaid = {
        fault: complaints[fault] for fault, said in due.items() if said not in complaints[fault]
    }
    assert not unsaid
