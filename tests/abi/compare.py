"""What the headers of a release promise, against today's: python3 compare.py RELEASE.py TODAY.py

Both files are what python/generate_abi.py makes of the headers. Prints every promise that is broken:
a function that is gone or has another signature, a number of an enum that changed, a field that is
gone or elsewhere, a closed struct of another size.
"""
import ctypes
import importlib.util
import sys


def load(path):
    spec = importlib.util.spec_from_file_location(path.replace("/", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def structs(module):
    return {name: kind for name, kind in vars(module).items()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and name != "Structure"}


def signature(kinds):
    return [kind.__name__ if kind else "void" for kind in kinds]


def closed(module, kind):
    """Part of another struct, or in arrays there: not even its end may change. A pointer in a struct
    is no array where a function of the library returns such a pointer: an object's own result."""
    inside = {field[1] for other in structs(module).values()
              for field in getattr(other, "_fields_", [])}
    returned = {result for result, _ in module.FUNCTIONS.values()}
    pointer = ctypes.POINTER(kind)
    return kind in inside or (pointer in inside and pointer not in returned)


def layout(kind):
    return {field[0]: (getattr(kind, field[0]).offset, getattr(kind, field[0]).size)
            for field in getattr(kind, "_fields_", [])}


release, today = load(sys.argv[1]), load(sys.argv[2])
for name, (result, arguments) in release.FUNCTIONS.items():
    now = today.FUNCTIONS.get(name)
    if not now or signature([now[0], *now[1]]) != signature([result, *arguments]):
        print(f"{name}: gone, or its signature changed")
for name, members in release.ENUMS.items():
    for member, number in members.items():
        if today.ENUMS.get(name, {}).get(member) != number:
            print(f"{member}: no longer {number}")
for name, kind in structs(release).items():
    now = structs(today).get(name)
    for field, place in layout(kind).items():
        if not now or layout(now).get(field) != place:
            print(f"{name}: {field} is gone or elsewhere")
    if now and closed(release, kind) and ctypes.sizeof(now) != ctypes.sizeof(kind):
        print(f"{name}: closed, and of another size")
