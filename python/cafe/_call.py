"""Calls of the library: contexts, errors, Ctrl-C, progress.

A long call runs in a worker thread while the caller's thread waits in short steps. During a call of
ctypes other Python threads continue, because it drops the interpreter lock. Ctrl-C reaches the
waiting thread. It asks the context to stop and raises KeyboardInterrupt when the context has
stopped. There are no callbacks from C: an exception raised in one would be lost.

Each call has a context of its own, so that calls of several threads and of a forked child do not
meet.
"""
import _thread
import ctypes
import errno
import numbers
import os
import sys
import time
from dataclasses import dataclass
from typing import (Any, Callable, Dict, Iterable, List, Optional, Sequence, Type, TypeVar,
                    Union)

from . import _abi
from ._library import lib
from ._names import in_python, nearest_names

T = TypeVar("T")
POLL_SECONDS = 0.05
BEGIN_SECONDS = 2.0  # a thread takes a millisecond to begin
NO_THREAD = "out of memory: a thread could not begin"
STATUS = _abi.ENUMS["cafe_status"]


# ---- errors ------------------------------------------------------------------------------------

class CafeError(Exception):
    """An error of the library, with its message. `status` is its name, as CAFE_ERROR_NUMERIC."""

    status = ""


class CafeValueError(CafeError, ValueError):
    """An argument out of its range, or malformed input."""


class CafeMemoryError(CafeError, MemoryError):
    """Out of memory, or a run that would not fit into it."""


class CafeOSError(CafeError, OSError):
    """A file could not be read or written, or a resource was refused. `errno`, `strerror` and
    `filename` as in every OSError."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.text = str(arguments[0]) if len(arguments) == 1 else ""

    def __str__(self) -> str:
        return self.text or super().__str__()


class CafeNotFoundError(CafeOSError, FileNotFoundError):
    """There is no such file."""


class CafePermissionError(CafeOSError, PermissionError):
    """The file may not be read or written."""


class CafeFolderError(CafeOSError, IsADirectoryError):
    """A folder where a file was expected."""


class CafeExistsError(CafeOSError, FileExistsError):
    """The output file exists."""


class CafeCancelled(CafeError):
    """The call was asked to stop."""


class CafeNodeError(CafeError, KeyError):
    """A node that a graph does not have. Its message, with the names that are nearest, is made when it
    is asked for: many are raised and caught."""

    def __init__(self, node: Any, names: Any = None) -> None:
        super().__init__(node)
        self.node, self._known = node, names

    def __str__(self) -> str:
        if self._known is None:
            return f"no node {self.node!r}"
        if isinstance(self._known, int):
            return f"no node {self.node!r}: the nodes are 0 to {self._known - 1}"
        return f"no node {self.node!r}{nearest_names(self.node, self._known)}"


_ERRORS: Dict[str, Type[CafeError]] = {
    "CAFE_ERROR_ARGUMENT": CafeValueError, "CAFE_ERROR_FORMAT": CafeValueError,
    "CAFE_ERROR_MEMORY": CafeMemoryError, "CAFE_ERROR_LIMIT": CafeMemoryError,
    "CAFE_ERROR_IO": CafeOSError, "CAFE_ERROR_SYSTEM": CafeOSError,
    "CAFE_ERROR_EXISTS": CafeExistsError, "CAFE_ERROR_CANCELLED": CafeCancelled,
}


_SYSTEM: Dict[int, Type[CafeOSError]] = {
    errno.ENOENT: CafeNotFoundError, errno.ENOTDIR: CafeNotFoundError,
    errno.EACCES: CafePermissionError, errno.EPERM: CafePermissionError,
    errno.EISDIR: CafeFolderError, errno.EEXIST: CafeExistsError,
}


def error_of(status: int, text: str = "", number: int = 0, path: Optional[str] = None) -> CafeError:
    """The exception for a status: by the errno behind it, if available."""
    name = lib.cafe_status_name(status).decode()
    message = in_python(text) or lib.cafe_status_message(status).decode()
    kind: Type[CafeError] = _ERRORS.get(name, CafeError)
    if kind is CafeExistsError:
        message += " (overwrite=True does)"
    number = number or (errno.EEXIST if kind is CafeExistsError else 0)
    if not issubclass(kind, CafeOSError) or not number:
        error = kind(message)
    else:
        error = told = _SYSTEM.get(number, kind)(number, os.strerror(number), path)
        told.text = message
    error.status = name
    return error


def c_text(value: Any) -> bytes:
    """A text for the library, which reads up to the first NUL: a text with one is refused."""
    return _without_nul(str(value).encode("utf-8", "surrogateescape"))


def c_path(path: Any) -> bytes:
    """A path for the library."""
    return _without_nul(os.fsencode(path))


def c_shown(value: Any) -> bytes:
    """A text that is shown and nothing else: what cannot be shown is replaced."""
    return str(value).encode("utf-8", "replace").replace(b"\0", b"?")


def c_texts(values: Iterable[Any], one: Callable[[Any], bytes] = c_text) -> Any:
    """Texts for the library, one after the other; the array keeps them."""
    texts = [one(value) for value in values]
    return (ctypes.c_char_p * len(texts))(*texts)


def _without_nul(found: bytes) -> bytes:
    if b"\0" in found:
        raise ValueError(f"{os.fsdecode(found)!r}: expected a text without NUL")
    return found


def _path_in(text: str, arguments: Sequence[Any]) -> Optional[str]:
    """The argument that is the path at the head of the text."""
    paths = [os.fsdecode(a) for a in arguments if isinstance(a, bytes)]
    return next((path for path in paths if path and text.startswith(f"{path}:")), None)


# ---- handles -----------------------------------------------------------------------------------

class _Owned:
    """An object of the library's, freed once nobody uses it: neither its handle nor what was made
    from it. Python's collector frees what a cycle holds in any order, the library's objects must go
    before their context: so users are counted here. A list as counter, since its pop() is whole
    even when the collector runs in another thread."""

    __slots__ = ("pointer", "free", "keep", "parents", "users", "once")

    def __init__(self, pointer: Any, free: Callable[[Any], None], keep: Sequence[Any]) -> None:
        self.pointer, self.free, self.keep = pointer, free, keep
        self.users, self.once = [True], [True]
        self.parents: List[_Owned] = [thing.owned for thing in keep if hasattr(thing, "owned")]
        for other in self.parents:
            other.users.append(True)

    def release(self) -> None:
        self.users.pop()
        if self.users:
            return
        try:
            self.once.pop()
        except IndexError:
            return  # another thread was quicker
        if self.pointer:
            self.free(self.pointer)
        for other in self.parents:
            other.release()
        self.keep, self.parents = (), []


class Handle:
    """A pointer to something of the library's, freed with it. `keep` is what must live as long:
    the context it was made with, handles it was made from, arrays it borrows."""

    __slots__ = ("pointer", "owned")

    def __init__(self, pointer: Any, free: Callable[[Any], None], *keep: Any) -> None:
        self.pointer = pointer
        self.owned: Optional[_Owned] = _Owned(pointer, free, keep)

    def replace(self, pointer: Any) -> None:
        """The library freed what was here and gave another in its place."""
        assert self.owned is not None
        self.pointer = self.owned.pointer = pointer

    def close(self) -> None:
        owned, self.owned, self.pointer = self.owned, None, None
        if owned is not None:
            owned.release()

    def __del__(self) -> None:
        self.close()


def of_size(kind: Any) -> Any:
    """Inputs for the library: all 0 but their size, which tells our version of the struct."""
    return kind(ctypes.sizeof(kind))


class Context:
    """A context of the library: threads, seed, progress, cancellation."""

    def __init__(self, threads: int = 0, seed: int = 1, engine: Optional[str] = None) -> None:
        options = of_size(_abi.cafe_context_options)
        options.threads, options.seed = threads, seed
        if engine is not None and not isinstance(engine, str):
            raise TypeError(f"engine={engine!r}: expected the name of an engine, or None")
        options.engine = c_text(engine) if engine is not None else None
        pointer = ctypes.POINTER(_abi.cafe_context)()
        status = lib.cafe_context_create(options, pointer)
        if status != 0:
            raise error_of(status, f"threads={threads}" if status == 1 else "")
        lib.cafe_lab_add(pointer)
        self.pointer = pointer
        self.cancelled = False
        self.owned = _Owned(pointer, lib.cafe_context_free, ())

    def __del__(self) -> None:
        if hasattr(self, "owned"):  # else it was never made
            self.owned.release()

    def check(self, status: int, arguments: Sequence[Any] = ()) -> None:
        if status != 0:
            text = lib.cafe_error(self.pointer).decode(errors="replace")
            raise error_of(status, text, lib.cafe_error_number(self.pointer),
                           _path_in(text, arguments))

    def call(self, name: str, *arguments: Any) -> None:
        """A function that takes the context first and returns a status."""
        self.check(getattr(lib, name)(self.pointer, *arguments), arguments)

    def figures(self, name: str, kind: str, *arguments: Any) -> Any:
        """What a function writes into a struct, its last argument, of the size that we know."""
        found = getattr(_abi, kind)()
        self.call(f"{name}_sized", *arguments, found, ctypes.sizeof(found))
        return found

    def make(self, name: str, kind: str, *arguments: Any, keep: Sequence[Any] = ()) -> Handle:
        """A function whose last argument is the address of what it makes."""
        pointer = ctypes.POINTER(getattr(_abi, kind))()
        self.call(name, *arguments, pointer)
        return Handle(pointer, getattr(lib, f"{kind}_free"), self, *keep)

    def cancel(self) -> None:
        self.cancelled = True
        lib.cafe_cancel(self.pointer)

    def progress(self) -> "Progress":
        now = _abi.cafe_progress()
        lib.cafe_get_progress_sized(self.pointer, now, ctypes.sizeof(now))
        return Progress((now.phase or b"").decode(), now.step, now.steps, now.value)


# ---- progress ----------------------------------------------------------------------------------

@dataclass(frozen=True)
class Progress:
    """How far a call is: its phase ("sweep"), step of steps (0: unknown), the phase's measure."""

    phase: str
    step: int
    steps: int
    value: float


Verbose = Union[bool, int, Callable[[Progress], None]]


class _Bar:
    """One bar for the whole call, whose title is the phase, by tqdm if it is installed. Otherwise a
    line that is rewritten on a terminal, and a line per phase elsewhere."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.phase = ""
        self.width = 0
        try:
            from tqdm.auto import tqdm
            self.make: Any = tqdm
        except ImportError:
            self.make = None

    def __call__(self, now: Progress) -> None:
        if not now.phase:
            return
        if self.make is None:
            return self.line(now)
        if self.bar is None:
            self.bar = self.make(total=now.steps or None)
        if now.phase != self.phase:
            self.phase = now.phase
            self.bar.reset()
            self.bar.total = now.steps or None
            self.bar.set_description(now.phase, refresh=False)
        self.bar.set_postfix_str(f"{now.value:.6g}" if now.value else "", refresh=False)
        self.bar.update(max(0, now.step - self.bar.n))

    def line(self, now: Progress) -> None:
        of = f" {now.step}/{now.steps}" if now.steps else ""
        text = f"{now.phase}{of}" + (f" {now.value:.6g}" if now.value else "")
        if sys.stderr.isatty():
            print(f"\r{text.ljust(self.width)}", end="", file=sys.stderr, flush=True)
            self.width = len(text)
        elif now.phase != self.phase:
            print(text, file=sys.stderr)
        self.phase = now.phase

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        elif self.width:
            print(file=sys.stderr)
        self.bar, self.width = None, 0


def _teller(verbose: Verbose) -> Optional[Callable[[Progress], None]]:
    if callable(verbose):
        return verbose
    return _Bar() if verbose else None


# ---- the call ----------------------------------------------------------------------------------

def seed_of(random_state: Any) -> int:
    """None: the library's default, 1; an integer: itself; a generator of NumPy: drawn from it."""
    if random_state is None:
        return 1
    if hasattr(random_state, "randint"):
        return int(random_state.randint(0, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(0, 2**63 - 1))
    if isinstance(random_state, bool) or not isinstance(random_state, numbers.Integral):
        raise TypeError(f"random_state={random_state!r}: expected a whole number or a generator")
    seed = int(random_state)
    if not 0 <= seed < 2**64:
        raise ValueError(f"random_state={random_state!r}: expected 0 to 2**64 - 1")
    return seed


def threads_of(n_jobs: Optional[int]) -> int:
    """As joblib counts: None is 1; -1 one per CPU this process may run on (0 for the library), -2 all
    but one of them."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs={n_jobs!r}: expected None or a whole number")
    if n_jobs == 0:
        raise ValueError("n_jobs=0: expected None, -1 or a positive number")
    if n_jobs >= -1:
        return max(0, int(n_jobs))
    return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


class _Worker:
    """A thread that work() runs in. threading.Thread waits without end for one that lacks the memory to
    begin; this one is given up. It does not keep the interpreter, so that a second Ctrl-C can leave it
    behind; it holds what it works on."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work, self._begun, self._given_up = work, False, False
        self._ended = _thread.allocate_lock()
        self._ended.acquire()
        self._since = time.monotonic()
        try:
            _thread.start_new_thread(self._run, ())
        except RuntimeError as error:
            raise CafeMemoryError(f"out of memory: {error}") from None

    def _run(self) -> None:
        self._begun = True
        try:
            if not self._given_up:
                self._work()
        finally:
            self._ended.release()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended after so many seconds at most."""
        if not self._begun and time.monotonic() > self._since + BEGIN_SECONDS:
            self._given_up = True  # should it begin now, it ends at once
            if not self._begun:
                raise CafeMemoryError(NO_THREAD)
        if self._ended.acquire(timeout=seconds):
            self._ended.release()
            return True
        return False

    def end(self) -> None:
        """Waits for its end, but not without end: a second is what Ctrl-C may take."""
        if self._begun:
            self.wait(1)


def run(work: Callable[[Context], T], threads: int = 0, seed: int = 1,
        verbose: Verbose = False, engine: Optional[str] = None) -> T:
    """work(context) in a worker thread, while this one polls: progress, Ctrl-C."""
    context, tell = Context(threads, seed, engine), _teller(verbose)
    result: List[T] = []
    failure: List[BaseException] = []

    def target() -> None:
        try:
            result.append(work(context))
        except BaseException as error:  # raised again below, in the caller's thread
            failure.append(error)

    worker = _Worker(target)
    try:
        while not worker.wait(POLL_SECONDS):
            if tell is not None:
                tell(context.progress())
        if tell is not None:
            tell(context.progress())
    except BaseException:
        context.cancel()
        worker.end()
        raise
    finally:
        if isinstance(tell, _Bar):
            tell.close()
    if failure:
        error = failure.pop()
        try:
            raise error
        finally:
            del error  # else it would hold this frame, and this frame it
    if not result:
        raise CafeMemoryError(NO_THREAD)
    return result[0]


def seconds() -> float:
    return time.perf_counter()
