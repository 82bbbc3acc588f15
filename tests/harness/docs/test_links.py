"""Links inside the site lead somewhere, and no page takes anything from outside it."""

import re

from harness.docs.site import Site

RESOURCES = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


def test_every_page_is_reached_from_the_contents(site: Site) -> None:
    reached, waiting = set(), ["index"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [page for page, _ in site.links(name, ".sidebar-tree a[href]")]
    assert reached | {"search"} == set(site.pages)


def test_internal_links_lead_to_a_page_and_a_place_on_it(site: Site) -> None:
    ids = {name: {tag["id"] for tag in page.select("[id]")} for name, page in site.pages.items()}
    broken = [
        f"{name}: {page}#{anchor}"
        for name in site.pages
        for page, anchor in site.links(name)
        if page not in ids or (anchor and anchor not in ids[page])
    ]
    assert not broken


def test_resources_lie_in_the_site(site: Site) -> None:
    wanted = {
        (name, str(tag[attribute]).partition("?")[0])
        for name, page in site.pages.items()
        for element, attribute in RESOURCES.items()
        for tag in page.select(f"{element}[{attribute}]")
        if tag.name != "link" or {"stylesheet", "icon"} & set(tag.get("rel") or ())
    }
    assert wanted
    missing = [
        f"{name}: {address}"
        for name, address in sorted(wanted)
        if not ((site.folder / name).parent / address).is_file()
    ]
    assert not missing


def test_styles_fetch_nothing_from_outside(site: Site) -> None:
    outside = re.compile(r"@import|url\(\s*['\"]?(?!data:|#)(?:[a-z]+:)?//")
    guilty = [
        path.name
        for path in site.folder.rglob("*.css")
        if outside.search(path.read_text(encoding="utf-8"))
    ]
    assert not guilty
