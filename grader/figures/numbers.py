"""Numbers on their way to a page: nested lists that JSON can hold, and the one rule of rounding."""

import math
from decimal import ROUND_HALF_UP, Decimal

Nested = float | str | list["Nested"]

MOST_NUMBERS = 200_000
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def nested(value: object) -> Nested:
    """A NumPy array, torch tensor, number or nested sequence as lists of plain numbers.

    NaN and infinities become text, because JSON has no numbers for them; whole floats become ints.

    Raises:
        TypeError: something in it is not a real number.
        ValueError: it holds more numbers than a page can show.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    if hasattr(value, "tolist"):
        _refuse_size(math.prod(value.shape))  # type: ignore[attr-defined]  # array or tensor
        value = value.tolist()
    if isinstance(value, list | tuple):
        _refuse_size(len(value))
        return [nested(item) for item in value]
    return _number(value)


def _refuse_size(count: int) -> None:
    if count > MOST_NUMBERS:
        raise ValueError(f"{count:,} numbers are more than a figure can show")


def _number(value: object) -> float | str:
    if not isinstance(value, int | float):
        kind = getattr(value, "type_name", type(value).__name__)  # of another process: only a name
        raise TypeError(f"expected a tensor of real numbers, got {kind}")
    if not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    return int(value) if value == int(value) else value


def rounded(value: float) -> str:
    """A number as the figures show it (`text` in `static/ui.mjs` is the same rule).

    In full where it has at most three decimals, but for the last bits; from 1,000 on to the nearest
    whole; else two decimals, and what those would show as zero as a power of ten. Halves are
    rounded away from zero, as JavaScript does.
    """
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "NaN")
    short = float(f"{value:.3f}")
    if abs(value) >= 1000:  # where decimals stop to matter
        shown = f"{Decimal(value).quantize(Decimal(1), rounding=ROUND_HALF_UP):,}"
    elif abs(value - short) <= 1e-12 * abs(value):  # a few units in the last place
        shown = f"{short:.3f}".rstrip("0").rstrip(".") if short else "0"
    elif abs(value) >= 0.005:  # half of the last decimal shown
        shown = str(Decimal(value).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))
    else:
        mantissa, power = f"{value:.1e}".split("e")
        return f"{mantissa.replace('-', '−')}·10{str(int(power)).translate(_SUPERSCRIPT)}"
    return shown.replace("-", "−")
