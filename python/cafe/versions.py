"""What is installed: for reports of errors."""
import os
import platform
import sys
from typing import Any, Dict, List

from . import _abi
from ._call import Context
from ._library import lib

PACKAGES = ("numpy", "scipy", "sklearn", "pandas", "networkx", "igraph", "tqdm", "pyarrow", "polars",
            "duckdb")


def versions() -> Dict[str, Any]:
    """The versions that show_versions() prints, as a dict."""
    system = {"python": sys.version.replace("\n", " "), "executable": sys.executable,
              "machine": platform.platform(), "processors": len(os.sched_getaffinity(0))}
    library = {"cafe": lib.version, "interface": lib.cafe_abi_version(),
               "headers": ".".join(map(str, _abi.VERSION)), "library": lib.path,
               "engines": ", ".join(_engines())}
    return {"system": system, "cafe": library,
            "packages": {name: _version(name) for name in PACKAGES}}


def _engines() -> List[str]:
    """Those that may be loaded, as `cafe version --verbose` lists them."""
    context = Context(1)
    found = context.make("cafe_engine_list_make", "cafe_engine_list", 0)  # the names are its own
    engines = (lib.cafe_engine_list_get(found.pointer, i).contents
               for i in range(lib.cafe_engine_list_count(found.pointer)))
    return [engine.name.decode() for engine in engines if not engine.problem]


def _version(name: str) -> Any:
    try:
        module = __import__(name)
    except ImportError:
        return None
    return getattr(module, "__version__", "unknown")


def show_versions() -> None:
    """Prints the versions of Python, of this package, its library and what it works with."""
    for title, values in versions().items():
        print(f"{title}:")
        width = max(map(len, values))
        for name, value in values.items():
            print(f"    {name.rjust(width)}: {value}")
