"""`nox -s bench -- NAME`: what is fast, what is small, as ratios measured side by side in one run.

Nothing here is a test: the machines that run this are noisy, and a second is not a behaviour.
"""

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
TOOLS = {"__main__", "cpu", "in_cells", "paired"}
NAMES = sorted({file.stem for file in HERE.glob("*.py")} - TOOLS)


def main() -> int:
    """Run the measurements that are named; list them if none is."""
    chosen = sys.argv[1:]
    unknown = [name for name in chosen if name not in NAMES]
    if unknown or not chosen:
        print(f"What to measure: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]
    for name in chosen:
        importlib.import_module(f"bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
