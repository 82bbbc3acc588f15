"""What a suite is written with. Suites are ordinary pytest files; this package runs and reads them.

A check is a test function with a mark, and calls the submission through the fixture `student`:

    @pytest.mark.check("Every row adds up to one", points=2)
    def test_rows_add_up(student: Subject, draw: Draw) -> None: ...
"""

from . import expect
from .asked import Mismatch
from .fixtures import Draw, Remark
from .probe import Array, Function, Probe

__all__ = ["Array", "Draw", "Function", "Mismatch", "Probe", "Remark", "expect"]
