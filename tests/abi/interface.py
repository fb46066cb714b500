"""interface.py [FOLDER]: what the public headers of FOLDER/include promise, a line each, sorted.

    function NAME: RESULT(ARGUMENTS)    number NAME VALUE    field STRUCT.NAME OFFSET SIZE
    struct NAME SIZE                    for a struct that may not grow

A struct may not grow where it is part of another struct or in arrays there. A pointer in a struct is
no array where a function of the library returns such a pointer: an object's own result.
"""
import ctypes
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ["CAFE_SOURCE"] = sys.argv[1] if len(sys.argv) > 1 else str(ROOT)
sys.path.insert(0, str(ROOT / "python"))
import generate_abi  # noqa: E402

abi = {}
exec(generate_abi.generated(private=False), abi)
structs = {name: kind for name, kind in abi.items()
           if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and hasattr(kind, "_fields_")}
inside = {field[1] for kind in structs.values() for field in kind._fields_}
returned = {result for result, _ in abi["FUNCTIONS"].values()}
lines = [f"number {member} {value}" for members in abi["ENUMS"].values() for member, value in members.items()]
for name, (result, arguments) in abi["FUNCTIONS"].items():
    kinds = [kind.__name__.replace("LP_", "*") if kind else "void" for kind in (result, *arguments)]
    lines.append(f"function {name}: {kinds[0]}({', '.join(kinds[1:])})")
for name, kind in structs.items():
    pointer = ctypes.POINTER(kind)
    if kind in inside or (pointer in inside and pointer not in returned):
        lines.append(f"struct {name} {ctypes.sizeof(kind)}")
    for field in kind._fields_:
        place = getattr(kind, field[0])
        lines.append(f"field {name}.{field[0]} {place.offset} {place.size}")
print(*sorted(lines), sep="\n")
