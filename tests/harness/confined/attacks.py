"""Submissions that try to gain something: their text, and what should stop them."""

from __future__ import annotations

from dataclasses import dataclass

FROM_WORKER_UP = 1
"""The lowest level that confines."""


@dataclass(frozen=True)
class BreakOut:
    """An attempt on the machine. `attack(hints)` returns something true if it succeeds.

    Attributes:
        name: what it tries.
        body: the body of `attack`; `hints` says where things are.
        since: the lowest level that stops it.
        root: whether it needs root even where nothing stops it.
    """

    name: str
    body: str
    since: int = FROM_WORKER_UP
    root: bool = False


BREAK_OUTS = (
    BreakOut("read a hidden test", "return open(hints['file']).read()"),
    BreakOut("list the hidden tests", "return os.listdir(os.path.dirname(hints['file']))"),
    BreakOut("tell whether a file exists", "return os.stat(hints['file']).st_size", since=2),
    BreakOut("read another's environment", "return open(f'/proc/{hints[\"pid\"]}/environ').read()"),
    BreakOut("read another's arguments", "return open(f'/proc/{hints[\"pid\"]}/cmdline').read()"),
    BreakOut("open another's memory", "return open(f'/proc/{hints[\"pid\"]}/mem', 'rb')"),
    BreakOut("look for other processes", "return os.listdir('/proc')"),
    BreakOut(
        "write results", "return open(hints['folder'] + '/results.json', 'w').write('full marks')"
    ),
    BreakOut("delete a file", "os.remove(hints['victim']); return True"),
    BreakOut("link to a file", "os.symlink(hints['file'], hints['folder'] + '/link'); return True"),
    BreakOut("change a mode", "os.chmod(hints['file'], 0o777); return True"),
    BreakOut("listen on a port", "return socket.create_server(('127.0.0.1', 0))"),
    BreakOut(
        "connect over the network", "return socket.create_connection(('127.0.0.1', hints['port']))"
    ),
    BreakOut(
        "connect to a socket in the file tree",
        "s = socket.socket(socket.AF_UNIX); s.connect(hints['socket']); return True",
    ),
    BreakOut("make a pair of sockets", "return socket.socketpair()"),
    BreakOut("signal another", "os.kill(hints['pid'], 0); return True"),
    BreakOut("kill everybody in reach", "os.kill(os.getppid(), 0); return True"),
    BreakOut(
        "signal as a descriptor's owner",
        "fcntl.fcntl(1, fcntl.F_SETOWN, hints['pid']); return True",
    ),
    BreakOut(
        "change another's limits", "return resource.prlimit(hints['pid'], resource.RLIMIT_NOFILE)"
    ),
    BreakOut("lower another's priority", "os.setpriority(0, hints['pid'], 19); return True"),
    BreakOut("trace another", "return C.ptrace(0x4206, hints['pid'], 0, 0) == 0"),
    BreakOut("take hold of another", "return os.pidfd_open(hints['pid'])"),
    BreakOut("start a program", "return os.posix_spawn('/bin/true', ['true'], {})"),
    BreakOut("become a program", "os.execv(sys.executable, ['python', '-c', hints['mark']])"),
    BreakOut("fork", "return os.fork() or os._exit(0)"),
    BreakOut("make a namespace", "return C.unshare(0x10000000) == 0"),
    BreakOut("make a call that no list knows", "return C.personality(0xFFFFFFFF) >= 0"),
    BreakOut("make a file in memory", "return os.memfd_create('f')"),
    BreakOut("share memory with others", "return C.shmget(1, 4096, 0o1666) >= 0"),
    BreakOut(
        "load machine code of one's own",
        "own = os.path.join(tempfile.gettempdir(), 'own.so')\n"
        "    shutil.copyfile(_bisect.__file__, own)\n"
        "    return ctypes.CDLL(own)",
    ),
    BreakOut(
        "keep capabilities",
        "held = (ctypes.c_uint32 * 6)()\n"
        "    C.capget((ctypes.c_uint32 * 2)(0x20080522, 0), held)\n"
        "    return any(held)",
        root=True,
    ),
)

HEAD = """
import _bisect, ctypes, fcntl, os, resource, shutil, socket, sys, tempfile
C = ctypes.CDLL(None)
def attack(hints):
    """


@dataclass(frozen=True)
class Cheat:
    """An attempt on the judge. It succeeds where it makes a wrong answer pass.

    Attributes:
        name: what it tries.
        text: the module `answer`; the judge calls `answer(x)`.
        check: which of `CHECKS` judges it.
        beside: files that it brings along.
    """

    name: str
    text: str
    check: str = "equality"
    beside: tuple[tuple[str, str], ...] = ()


CHECKS = {
    "numbers": """
import random
import torch
def check(answer):
    expected = torch.ones(3) * (2 + random.random())
    got = answer(torch.ones(3))
    assert torch.allclose(got, expected)
""",
    "equality": """
import random
def check(answer):
    expected = 2 + random.random()
    assert answer(1.0) == expected
""",
    "speed": """
import time
def check(answer):
    start = time.perf_counter()
    answer(1.0)
    assert time.perf_counter() - start < 0.5
""",
}

CHEATS = (
    Cheat("leave with success when loaded", "import os; os._exit(0)"),
    Cheat("leave with success when called", "import os\ndef answer(x): os._exit(0)"),
    Cheat(
        "leave with success at the end",
        "import atexit, os; atexit.register(os._exit, 0)\ndef answer(x): return x",
    ),
    Cheat("skip the test", "import pytest\ndef answer(x): pytest.skip('not today')"),
    Cheat("expect the failure", "import pytest\ndef answer(x): pytest.xfail('as expected')"),
    Cheat(
        "replace the comparison",
        "import torch; torch.allclose = lambda *a, **k: True\ndef answer(x): return x",
        "numbers",
    ),
    Cheat(
        "agree with everything",
        "import torch\n"
        "class Agreeable(torch.Tensor):\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, func, types, args=(), kwargs=None): return True\n"
        "def answer(x): return x.as_subclass(Agreeable)",
        "numbers",
    ),
    Cheat(
        "equal everything",
        "class Equal(float):\n"
        "    def __eq__(self, other): return True\n"
        "    __hash__ = None\n"
        "def answer(x): return Equal()",
    ),
    Cheat(
        "be unpickled",
        "class Equal:\n"
        "    def __reduce__(self): return (float, (2.5,))\n"
        "    def __eq__(self, other): return True\n"
        "def answer(x): return Equal()",
    ),
    Cheat(
        "read the judge's variables",
        "import sys\ndef answer(x): return sys._getframe(1).f_locals['expected']",
    ),
    Cheat(
        "search the judge's memory",
        "import gc, torch\n"
        "def answer(x):\n"
        "    found = [o for o in gc.get_objects() if type(o) is torch.Tensor and o.shape == (3,)]\n"
        "    return next(o for o in found if (o > 1.5).all())",
        "numbers",
    ),
    Cheat(
        "fix the judge's random numbers",
        "import random; random.random = lambda: 0.0\ndef answer(x): return x * 2",
    ),
    Cheat(
        "rewrite the judge",
        "import sys\n"
        "def answer(x):\n"
        "    judge = sys._getframe(1)\n"
        "    judge.f_globals['torch'] = type('T', (), {'allclose': lambda *a: True})\n"
        "    return x",
        "numbers",
    ),
    Cheat(
        "stop the clock",
        "import time\ndef answer(x): time.sleep(1)\ntime.perf_counter = lambda: 0.0",
        "speed",
    ),
    Cheat(
        "bring a conftest.py",
        "def answer(x): return x",
        beside=(("conftest.py", "def pytest_sessionfinish(session): session.exitstatus = 0"),),
    ),
    Cheat(
        "bring a pytest.ini",
        "def answer(x): return x",
        beside=(("pytest.ini", "[pytest]\naddopts = --collect-only"),),
    ),
)
