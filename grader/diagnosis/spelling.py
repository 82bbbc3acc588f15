"""The name that was probably meant, for an exception that says that a name is not there."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

_OWNERS: Mapping[str, Any] = MappingProxyType(
    {
        "module 'torch'": torch,
        "module 'torch.nn'": nn,
        "module 'torch.nn.functional'": functional,
        "module 'torch.cuda'": torch.cuda,
        "module 'math'": math,
        "module 'numpy'": np,
        "'Tensor' object": torch.Tensor,
    }
)
_KEYWORDS = ("dim", "keepdim", "dtype", "device", "bias", "decimals", "min", "max", "diagonal")
_NOT_DEFINED = r"NameError: name '(\w+)' is not defined"
_NO_ATTRIBUTE = r"AttributeError: (.+?) has no attribute '(\w+)'"
_NO_KEYWORD = r"unexpected keyword argument '(\w+)'"


def suggested(text: str, source: str) -> str:
    """What was probably meant: "Did you mean `matmul`?", or nothing.

    Args:
        text: an exception's type and message.
        source: the text of the module that raised it.
    """
    found = re.search(_NOT_DEFINED, text)
    if found:
        return _asked(found[1], _words(source))
    found = re.search(_NO_ATTRIBUTE, text)
    if found:
        owner = _OWNERS.get(found[1].rpartition(": ")[2])
        return _asked(found[2], _words(source) if owner is None else _public(owner))
    found = re.search(_NO_KEYWORD, text)
    return _asked(found[1], {*_KEYWORDS, *_words(source)}) if found else ""


def _words(source: str) -> set[str]:
    """The names in a module, without what only stands in its texts and comments."""
    bare = re.sub(r'"""(?:.|\n)*?"""|"[^"\n]*"|\'[^\'\n]*\'|#.*', "", source)
    return {word for word in re.findall(r"[^\W\d]\w*", bare) if not keyword.iskeyword(word)}


def _public(owner: Any) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


def _asked(wrong: str, names: set[str]) -> str:
    """The nearest name; letters of another size come first of all."""
    others = sorted(names - {wrong})
    same = [name for name in others if name.lower() == wrong.lower()]
    near = same or get_close_matches(wrong, others, 1, 0.7)
    return f"Did you mean `{near[0]}`?" if near else ""
