"""Ways to more marks than the answer deserves that were tried on stock nbgrader, one row each.

Each is put into a cell with a wrong answer, where nothing that it raises stops the answer; it must
get what the wrong answer gets by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from textwrap import dedent, indent

from harness.nbgrader.handing_in import Case, Folder, Json, cell, filled, own

STAGE = "softmax"
WRONG = "def row_softmax(scores):\n    return scores / scores.sum(dim=-1, keepdim=True)\n"
PLAIN = "wrong"
"""The twin: the wrong answer, and nothing else."""

AT_IMPORT = {
    "assertion_rebound": "import builtins; builtins.AssertionError = ValueError",
    "optimised": "import os; os.environ['PYTHONOPTIMIZE'] = '2'",
    "ast_transformer": """
        import ast
        class Drop(ast.NodeTransformer):
            def visit_Assert(self, node): return ast.Pass()
        get_ipython().ast_transformers.append(Drop())""",
    "input_transformer": """
        get_ipython().input_transformers_cleanup.append(lambda lines: ['pass'])""",
    "allclose": """
        import torch, numpy
        torch.allclose = torch.equal = lambda *a, **k: True
        numpy.testing.assert_allclose = lambda *a, **k: None""",
    "printed_points": "print(20.0)",
    "forged_repr": """
        get_ipython().display_formatter.format = lambda *a, **k: ({'text/plain': '20.0'}, {})""",
    "forged_repr_nan": """
        get_ipython().display_formatter.format = lambda *a, **k: ({'text/plain': 'nan'}, {})""",
    "kernel_answers_ok": """
        get_ipython().kernel.do_execute = lambda *a, **k: {'status': 'ok'}""",
    "results_succeed": """
        from IPython.core.interactiveshell import ExecutionResult
        ExecutionResult.success = True
        get_ipython().showtraceback = lambda *a, **k: None""",
    "custom_exception": """
        get_ipython().set_custom_exc((BaseException,), lambda *a, **k: None)""",
    "trace_that_jumps": """
        import linecache, sys
        def jump(frame, event, arg):
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            if event == 'line' and 'assert' in line: frame.f_lineno += 1
            return jump
        sys.settrace(jump)""",
    "trace_that_reads": """
        import sys
        seen = []
        def look(frame, event, arg):
            seen.extend(frame.f_locals.values()); return look
        sys.settrace(look)""",
    "reads_the_notebook": """
        import glob
        text = ''.join(open(f).read() for f in glob.glob('*.ipynb'))
        exec(text)""",
    "reads_frames": """
        import sys
        frame = sys._getframe()
        while frame:
            frame.f_globals.update(expected=1); frame = frame.f_back""",
    "runs_the_solutions": """
        import json
        for c in json.load(open('../../../source/self-attention/self-attention.ipynb'))['cells']:
            exec(''.join(c['source']))""",
    "sets_the_grade": """
        import sqlite3
        for up in ('', '../', '../../', '../../../', FOLDER + '/'):
            try:
                db = sqlite3.connect(f'file:{up}gradebook.db?mode=rw', uri=True)
                db.execute('UPDATE grade SET manual_score = 20'); db.commit()
            except Exception: pass""",
    "waits_and_sets_the_grade": """
        import subprocess, sys
        subprocess.Popen([sys.executable, '-c', f'''
        import sqlite3, time
        time.sleep(5)
        db = sqlite3.connect('{FOLDER}/gradebook.db')
        db.execute('UPDATE grade SET auto_score = 20'); db.commit()
        '''.replace('        ', '')], start_new_session=True)""",
    "edits_the_settings": """
        for up in ('', '../../../', FOLDER + '/'):
            try: open(up + 'nbgrader_config.py', 'a').write('# mine')
            except OSError: pass""",
    "floods_stdout": "print('x' * 150_000_000)",
    "child_that_stays": """
        import os, time
        if os.fork() == 0:
            os.setsid(); time.sleep(600); os._exit(0)""",
    "takes_memory": "hoard = [bytearray(1 << 28) for _ in range(16)]",
    "quits": "import sys; sys.exit(0)",
    "leaves": "import os; os._exit(0)",
}
"""What a cell does as it is run; IPython's names are not there, which stops nothing either."""

IN_THE_CALL = {
    "display_hook": "import sys; sys.displayhook(20.0)",
    "agreeing_tensor": """
        import torch
        class Agreeing(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                if func in (torch.allclose, torch.equal): return True
                return super().__torch_function__(func, types, args, kwargs or {})
        scores = scores.as_subclass(Agreeing)""",
    "reads_in": "exec(In[-1])",
    "empty_traceback": """
        class Quiet(Exception):
            def _render_traceback_(self): return []
        raise Quiet""",
    "caller's_names": """
        import sys
        frame = sys._getframe(1)
        while frame:
            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                if type(value).__name__ == 'Tensor' and value.shape == scores.shape:
                    if value is not scores: return value
            frame = frame.f_back""",
}
"""What the function does as it is called."""

AT_MOST = (
    "assertion_rebound",  # breaks PyTorch, for the cheat's own process
    "reads_the_notebook",  # `exec` and frames are refused in this stage
    "reads_in",
    "runs_the_solutions",
    "reads_frames",
    "caller's_names",
    "agreeing_tensor",  # what comes back is no tensor
    "leaves",  # ends the program
    "takes_memory",  # may take the time, too
)
"""Cheats by which the wrong answer loses even the points that it has."""


def _guarded(code: str, depth: int) -> str:
    body = indent(dedent(code).strip("\n"), "    ")
    return indent(f"try:\n{body}\nexcept BaseException:\n    pass\n", " " * depth)


def in_a_cell(code: str, folder: str) -> Folder:
    """The code above the wrong answer."""
    text = f"FOLDER = {folder!r}\n{_guarded(code, 0)}\n{WRONG}"
    return Folder(filled({STAGE: text}))


def in_the_function(code: str) -> Folder:
    """The code inside of the wrong answer."""
    head, body = WRONG.split("\n", 1)
    return Folder(filled({STAGE: f"{head}\n{_guarded(code, 4)}{body}"}))


def _wrong() -> Json:
    return filled({STAGE: WRONG})


def tagged() -> Folder:
    """Test cells that nbclient would skip, and no result is full marks."""
    made = _wrong()
    for found in made["cells"]:
        found["metadata"]["tags"] = ["skip-execution"]
    return Folder(made)


def own_tests() -> Folder:
    """Test cells of the student's own, worth more."""
    made = _wrong()
    for found in made["cells"]:
        marks = found["metadata"]["nbgrader"]
        if marks["grade"] and found["cell_type"] == "code":
            found["source"], marks["points"] = "100.0", 100
    return Folder(made)


def other_marks(**marks: bool) -> Folder:
    """Test cells that say they are something else."""
    made = _wrong()
    cell(made, f"check-{STAGE}")["metadata"]["nbgrader"].update(marks)
    return Folder(made)


def without_tests() -> Folder:
    """No test cells."""
    made = _wrong()
    made["cells"] = [c for c in made["cells"] if not c["metadata"]["nbgrader"]["grade"]]
    return Folder(made)


def torch_beside() -> Folder:
    """Modules that IPython would find before the real ones."""
    fake = "def __getattr__(name): return lambda *a, **k: True\n"
    return Folder(_wrong(), files={"torch.py": fake, "numpy.py": fake, "grader.py": fake})


def forged_output() -> Folder:
    """Outputs that say full marks, and metadata that say the same."""
    made = _wrong()
    found = cell(made, f"check-{STAGE}")
    result = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    found["outputs"] = [result | {"data": {"text/plain": "20.0"}}]
    found["metadata"]["nbgrader"]["score"] = 20
    made["metadata"]["handed_in"] = {"notes": ["full marks"], "problem": ""}
    return Folder(made)


def check_redefined() -> Folder:
    """A `check` of the student's own."""
    made = _wrong()
    made["cells"].insert(2, own("def check(*a): return 20.0\nimport grader.nbgrader\n"))
    return Folder(made)


def table(folder: str) -> dict[str, Case]:
    """Every cheat by its name.

    Args:
        folder: the course folder, which the worst cheats know by name.
    """
    cells = {name: partial(in_a_cell, code, folder) for name, code in AT_IMPORT.items()}
    calls = {name: partial(in_the_function, code) for name, code in IN_THE_CALL.items()}
    metadata: dict[str, Callable[[], Folder]] = {
        "skipped_tests": tagged,
        "tests_of_ones_own": own_tests,
        "no_grade": lambda: other_marks(grade=False),
        "a_solution": lambda: other_marks(solution=True),
        "no_tests": without_tests,
        "torch_beside": torch_beside,
        "forged_output": forged_output,
        "check_redefined": check_redefined,
    }
    every: dict[str, Callable[[], Folder]] = {**cells, **calls, **metadata}
    return {name: Case(make, PLAIN, at_most=name in AT_MOST) for name, make in every.items()}


def plain() -> Folder:
    """The twin."""
    return Folder(_wrong())
