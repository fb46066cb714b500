"""libcafe-lab, which brings libcafe with it: where it is found, that it is the right one, and the
functions of both with their prototypes.

It is looked for beside this file (a wheel carries both), then where $CAFE_LIBRARY says, then as the
system's libcafe-lab.so.0.
"""
import ctypes
import os
import pathlib
from typing import Any

from . import _abi

SONAME = "libcafe-lab.so.0"
ABI = 1


def _load() -> ctypes.CDLL:
    beside = pathlib.Path(__file__).with_name(SONAME)
    given = os.environ.get("CAFE_LIBRARY")
    name = str(beside) if beside.exists() else given or SONAME
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"cafe needs {SONAME}, which was not found beside the package, in $CAFE_LIBRARY or on "
            f"the system ({error})") from error


def _check(library: ctypes.CDLL) -> str:
    """The library's version; an ImportError when its interface is not the one we were made for."""
    library.cafe_version.restype = ctypes.c_char_p
    library.cafe_abi_version.restype = ctypes.c_int32
    version, abi = library.cafe_version().decode(), library.cafe_abi_version()
    ours = ".".join(map(str, _abi.VERSION))
    # before 1.0 a minor version may change the interface
    if abi != ABI or version.split(".")[:2] != ours.split(".")[:2]:
        raise ImportError(f"cafe {ours} (interface {ABI}) does not go with {SONAME} {version} "
                          f"(interface {abi}): {library._name}")
    return version


class Library:
    """The functions of the public headers as attributes, each given its prototype when first used.
    """

    def __init__(self) -> None:
        self._dll = _load()
        self.version = _check(self._dll)
        self.path = self._dll._name

    def __getattr__(self, name: str) -> Any:
        if name not in _abi.FUNCTIONS:
            raise AttributeError(name)
        function = getattr(self._dll, name)
        function.restype, function.argtypes = _abi.FUNCTIONS[name]
        setattr(self, name, function)
        return function


lib = Library()
