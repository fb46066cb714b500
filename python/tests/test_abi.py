"""The generated prototypes are what the compiler says; versions are checked."""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import cafe
from cafe import _abi, _library
from cafe._library import lib
from cafe._options import Table

ROOT = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
HEADERS = ["cafe/lab.h", *sorted(f"cafe-private/{path.name}" for path in (ROOT / "include/cafe-private").glob("*.h"))]
COMPILER = shutil.which(os.environ.get("CC", "cc"))
needs_compiler = pytest.mark.skipif(not COMPILER, reason="no C compiler")


def test_every_function_is_in_the_library():
    assert [n for n in _abi.FUNCTIONS if not hasattr(lib._dll, n)] == []


@needs_compiler
def test_structs_have_the_compiler_s_layout(tmp_path):
    """Sizes and offsets of all structs, printed by a C program."""
    structs = {n: s for n, s in vars(_abi).items()
               if isinstance(s, type) and issubclass(s, ctypes.Structure)
               and getattr(s, "_fields_", None)}
    lines = [f"#include <{name}>" for name in HEADERS] + ["#include <stdio.h>", "int main(void) {"]
    ours = []
    for name, struct in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        ours.append(f"{name} {ctypes.sizeof(struct)}")
        for field, _ in struct._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            ours.append(f"{name}.{field} {getattr(struct, field).offset}")
    source, program = tmp_path / "layout.c", tmp_path / "layout"
    source.write_text("\n".join(lines + ["return 0; }"]))
    subprocess.run([COMPILER, f"-I{ROOT / 'include'}", str(source), "-o", str(program)], check=True)
    theirs = subprocess.run([str(program)], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert ours == theirs.splitlines()


def test_option_tables_describe_the_structs():
    names = [name[5:-8] for name in vars(_abi) if name.startswith("cafe_") and name.endswith("_options")]
    names = [name for name in names if name not in ("context", "method")]
    assert "sphere" in names and "classify" in names
    for name in names:
        table, struct = Table.named(name), getattr(_abi, f"cafe_{name}_options")
        assert ctypes.sizeof(struct) == table.pointer.contents.struct_size
        offsets = {getattr(struct, field).offset for field, _ in struct._fields_}
        rows = table.pointer.contents
        assert {rows.options[i].offset for i in range(rows.count)} <= offsets


@pytest.mark.parametrize("version, abi", [(b"0.2.0", 1), (b"1.0.0", 1), (b"0.1.7", 2)])
def test_another_version_is_refused(version, abi):
    class Other:
        _name = "libother.so"

        class cafe_version:
            restype = None

            def __new__(cls):
                return version

        class cafe_abi_version:
            restype = None

            def __new__(cls):
                return abi

    with pytest.raises(ImportError, match="does not go with"):
        _library._check(Other)


def test_a_missing_library_is_named():
    code = ("import pathlib; pathlib.Path.exists = lambda self: False\n"
            "import os; os.environ['CAFE_LIBRARY'] = 'libnowhere.so'\n"
            "import cafe")
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0
    assert "ImportError" in done.stderr and "libnowhere.so" in done.stderr
