#!/usr/bin/env python3
"""The oldest systems that shared libraries and programs run on, by the symbols they ask for.

    scripts/portable.py [--limit 2.28] FILE ...

Prints the platform of a wheel that carries them, manylinux_2_NN_x86_64 (PEP 600). It is an error if a file asks for a
version of glibc above the limit, or needs a library that is neither part of glibc nor among the files. It is also
an error if its search path for libraries has more than its own folder; an empty element is the current folder. The
stack must not be executable.
"""
import argparse
import os
import re
import subprocess
import sys

GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}
OLDEST = (2, 17)  # manylinux2014: no tag of PEP 600 is of use below it


def readelf(file: str, *options: str) -> str:
    return subprocess.run(["readelf", "-W", *options, file], check=True, capture_output=True, text=True).stdout


def number(version: str) -> tuple:
    return tuple(int(part) for part in version.split("."))


def faults(file: str, limit: tuple, beside: set) -> list:
    """What is wrong with the file, and the version of glibc it asks for as the last element."""
    dynamic, found, newest = readelf(file, "-d"), [], OLDEST
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if library not in GLIBC | beside:
            found.append(f"needs {library}")
    for kind, path in re.findall(r"\((RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        if path != "$ORIGIN":
            found.append(f"looks for libraries in '{path}' ({kind})")
    for name in sorted(set(re.findall(r"Name: (\S+) +Flags", readelf(file, "-V")))):
        match = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)+)", name)
        if match:
            newest = max(newest, number(match.group(1))[:2])
        elif name.startswith("GLIBC_"):
            found.append(f"asks for {name}, which old versions of glibc lack")
    if newest > limit:
        found.append(f"asks for glibc {'.'.join(map(str, newest))}: " + newer(file, limit))
    if re.search(r"GNU_STACK.* RWE ", readelf(file, "-l")):
        found.append("wants to execute its stack")
    return [*found, newest]


def newer(file: str, limit: tuple) -> str:
    """The symbols above the limit, by name."""
    symbols = re.findall(r"(\S+)@GLIBC_(\d+(?:\.\d+)+)", readelf(file, "--dyn-syms"))
    return ", ".join(sorted({f"{name}@{version}" for name, version in symbols if number(version)[:2] > limit}))


def main() -> int:
    parser = argparse.ArgumentParser(usage="scripts/portable.py [--limit 2.28] FILE ...")
    parser.add_argument("--limit", type=number, default=(2, 28))
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    newest, bad = OLDEST, False
    beside = set(map(os.path.basename, arguments.files))
    for file in arguments.files:
        *found, version = faults(file, arguments.limit, beside)
        newest = max(newest, version)
        for fault in found:
            print(f"{file}: {fault}", file=sys.stderr)
            bad = True
    if not bad:
        print(f"manylinux_{newest[0]}_{newest[1]}_x86_64")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
