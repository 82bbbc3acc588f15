"""The figures' ES modules as single scripts: `python -m grader.figures.bundle [--check]`.

The modules use only `import { a, b } from "./x.mjs"`, `export const`, `export function`, `export
class` and `export default { … }`, so joining them takes no bundler: each becomes a function that
returns what it exports. Two things are made from them:

- `script()`: one classic script with all figures and their host, for pages. It is committed as
  `static/figures.js`, because module scripts do not load from file://.
- `module(name)`: one self-contained ES module with one figure, for a notebook widget.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from grader.figures.content import NAMES

STATIC = Path(__file__).parent / "static"

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default (.*);$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+|\n(?=\n)", re.MULTILINE)

Sources = Mapping[str, str]


def sources() -> dict[str, str]:
    """The text of every module, by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.mjs"))}


def _needs(name: str, texts: Sources) -> list[str]:
    """The modules that `name` rests on, each before its users, `name` last."""
    order: list[str] = []
    for _, needed in _IMPORT.findall(texts[name]):
        order += [module for module in _needs(needed, texts) if module not in order]
    return [*order, name]


def _joined(names: list[str], texts: Sources) -> str:
    return "".join(f"const ${name} = (() => {{\n{_body(texts[name])}}})();\n" for name in names)


def _body(text: str) -> str:
    """A module as the body of a function: imports from constants, exports returned."""
    exported = _EXPORT.findall(text)
    text = _IMPORT.sub(r"const \1 = $\2;\n", text)
    text = _DEFAULT.sub(r"const render_ = \1;", _EXPORT.sub("", text))
    returned = [*exported, *(["default: render_"] if "const render_ =" in text else [])]
    return _INDENT.sub("", _COMMENT.sub("", text)) + f"return {{ {', '.join(returned)} }};\n"


def module(name: str, texts: Sources | None = None) -> str:
    """One figure with all that it rests on, as an ES module in anywidget's form."""
    texts = texts or sources()
    return _joined(_needs(name, texts), texts) + f"export default ${name}.default;\n"


def script(texts: Sources | None = None) -> str:
    """All figures and their host as one classic script, safe to stand inside a page."""
    texts = texts or sources()
    order: list[str] = []
    for name in (*NAMES, "host"):
        order += [needed for needed in _needs(name, texts) if needed not in order]
    table = ", ".join(f"{name}: ${name}.default" for name in NAMES)
    text = f'"use strict";\n(() => {{\n{_joined(order, texts)}$host.start({{ {table} }});\n}})();\n'
    return text.replace("</", "<\\/")


def main(arguments: list[str]) -> int:
    """Write `static/figures.js`, or with `--check` say whether it is current."""
    target, text = STATIC / "figures.js", script()
    if arguments == ["--check"]:
        current = target.is_file() and target.read_text(encoding="utf-8") == text
        state = "current" if current else "out of date: run python -m grader.figures.bundle"
        print(f"{target.name} is {state}")  # noqa: T201 - a command's answer
        return 0 if current else 1
    target.write_text(text, encoding="utf-8")
    print(f"{target.name}: {len(text.encode()):,} bytes")  # noqa: T201 - a command's answer
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
