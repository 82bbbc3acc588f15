"""The record's fields, as a table each, straight from the schema that validates every record."""

import json
from collections.abc import Iterator
from typing import Any

from .markdown import MarkdownDirective, cell

SCHEMA = "grader/record.schema.json"


class RecordSchema(MarkdownDirective):
    """``{record-schema}``: one table an object of the schema."""

    def markdown(self) -> str:
        """The record itself first, then every object that has a name of its own."""
        schema = json.loads(self.uses(SCHEMA).read_text(encoding="utf-8"))
        named = {"record": schema, **schema.get("$defs", {})}
        return "\n\n".join(_table(name, part) for name, part in named.items() if _fields(part))


def _fields(part: dict[str, Any]) -> dict[str, Any]:
    return dict(part.get("properties", {}))


def _table(name: str, part: dict[str, Any]) -> str:
    rows = "\n".join(_rows(part))
    return f"### {name}\n\n| field | holds | meaning |\n|---|---|---|\n{rows}"


def _rows(part: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """One row a field; the fields of an object without a name follow, with their path."""
    for name, spec in _fields(part).items():
        optional = "" if name in part.get("required", ()) else " (optional)"
        meaning = cell(spec.get("description", ""))
        yield f"| `{prefix}{name}`{optional} | {_kind(spec)} | {meaning} |"
        yield from _rows(spec, f"{prefix}{name}.")


def _kind(spec: dict[str, Any]) -> str:
    if "$ref" in spec:
        return str(spec["$ref"]).rsplit("/", 1)[-1]
    if "const" in spec:
        return f"always `{spec['const']}`"
    if "enum" in spec:
        return " or ".join(f"`{value}`" for value in spec["enum"])
    if spec.get("type") == "array":
        return f"list of {_kind(spec['items'])}"
    kind = spec.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
