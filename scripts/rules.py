#!/usr/bin/env python3
"""The house rules that need more than grep: each prints its breaches, one a line.

    scripts/rules.py BUILD CORE LAB [RULE ...]    BUILD: a build's folder; CORE: "base graph ...", the folders of src/ in their
                                                  order; LAB: those of lab/

Called by scripts/check. The exit code is 0; who calls counts the lines.
"""
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict

build = pathlib.Path(sys.argv[1])
parts = {"src": sys.argv[2].split(), "lab": sys.argv[3].split()}
layers = parts["src"] + parts["lab"]
LIBRARY = tuple(f"{part}/" for part in parts)


def breach(text):
    print(text, flush=True)


def code(path):
    """The text of a C file without its comments and strings."""
    text = path.read_text()
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S)


def sources(*patterns):
    return sorted(p for pattern in patterns for p in pathlib.Path().glob(pattern))


# ---- includes: a folder includes only itself and folders before it in the lists, which no folder of the lab is for the core

def check_includes():
    for folder in sources("src/*/", "lab/*/"):
        if folder.is_dir() and folder.name not in parts[folder.parts[0]]:
            breach(f"{folder}: not in the list of layers")
    for path in sources("src/*/*.[ch]", "lab/*/*.[ch]"):
        mine = path.parts[1]
        for other in re.findall(r'#include "([^"]*)"', path.read_text()):
            theirs = other.split("/")[0]
            if "/" not in other:
                breach(f'{path}: "{other}" without its folder')
            elif mine in layers and (theirs not in layers or
                                     layers.index(theirs) > layers.index(mine)):
                breach(f"{path}: layer {mine} may not include {other}")


# ---- the system: only src/os includes its headers and uses what one system alone has

STANDARD = set("ctype errno float inttypes limits locale math stdarg stdatomic stdbool stddef stdint stdio stdlib string "
               "strings cpuid immintrin sanitizer/asan_interface isa-l zlib expat lzma zstd zstd_errors".split())
SYSTEM = re.compile(r"\b(_GNU_SOURCE|__linux__|__APPLE__|__EMSCRIPTEN__|_WIN32|mmap|munmap|madvise|dlopen|dlsym|flock|"
                    r"getrandom|renameat2|fallocate|sched_getaffinity|secure_getenv|ioctl|setitimer)\b")


def check_system():
    for path in sources("src/*/*.[ch]", "lab/*/*.[ch]", "cli/*.[ch]"):
        if path.parts[:2] == ("src", "os"):
            continue
        text = path.read_text()
        for header in re.findall(r"#include <([^>]*)\.h>", text):
            if header not in STANDARD and not header.startswith(("cafe/", "cafe-private/")):
                breach(f"{path}: <{header}.h> is included by src/os alone")
        for word in SYSTEM.findall(code(path)):
            if (path.parts[0], word) != ("cli", "_GNU_SOURCE"):  # asprintf()
                breach(f"{path}: {word} is used by src/os alone")
        if '"/proc/' in text:
            breach(f"{path}: /proc is read by src/os alone")


# ---- symbols, as the compiler left them in the objects

class Objects:
    """External names of the objects of a build: who defines them and who uses them."""

    def __init__(self, *parts):
        self.defined, self.used = defaultdict(set), defaultdict(set)
        found = {}
        for path in build.rglob("*.o"):
            source = re.search(r"\.dir/(.*)\.o$", str(path))
            if not source:
                continue
            top = path.relative_to(build).parts[0]
            name = source.group(1) if top == "CMakeFiles" else f"{top}/{source.group(1)}"
            if name.split("/")[0] in parts and pathlib.Path(name).exists():
                found[str(path)] = name
        self.sources = set(found.values())
        for line in symbols(*found):
            where, name, kind = line.split()[:3]
            (self.used if kind in "Uw" else self.defined)[name].add(found[where.rstrip(":")])


def symbols(*objects):
    if not objects:
        return []
    done = subprocess.run(["nm", "-A", "-g", "-P", *objects], stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()


def exported():
    """The public names of both libraries."""
    libraries = [path for name in ("libcafe.so", "libcafe-lab.so") for path in build.glob(name)]
    if not libraries:
        return set()
    done = subprocess.run(["nm", "-D", "-P", "--defined-only", *libraries],
                          stdout=subprocess.PIPE, text=True)
    return {line.split("@")[0].split()[0] for line in done.stdout.splitlines()
            if line.strip() and "CAFE_PRIVATE" not in line}


def marked(mark, *patterns):
    """Names that headers mark by CAFE_LAB or CAFE_PRIVATE, and the headers."""
    return {name: path for path in sources(*patterns)
            for name in re.findall(rf"\b{mark} [^(;]*?\b(cafe_\w+)\s*[(;]", code(path))}


def own(name):
    return not name.startswith("_")  # those of the compiler and of sanitizers do


def prefixes(source):
    """What external names of a source begin with; a command's may begin with the command."""
    if source.startswith(LIBRARY):
        return ("cafe_",)
    return ("cli_", re.split("[_.]", pathlib.Path(source).name)[0] + "_")


def check_symbols():
    """Layers by use; names defined once, under our prefix, and external only if others use them."""
    all_of = Objects("src", "lab", "cli", "classify", "examples", "tests", "fuzz", "bench")
    private = marked("CAFE_PRIVATE", "include/cafe-private/*.h")
    public = exported()
    words = set()
    for path in sources("tests/**/*.[ch]", "fuzz/*.[ch]", "bench/*.[ch]",
                        "engines/**/*.[ch]", "engines/**/*.cu*"):
        words |= set(re.findall(r"\w+", path.read_text()))
    for name, where in sorted(all_of.defined.items()):
        files = sorted(w for w in where if w.startswith(LIBRARY + ("cli/",)))
        if not files or not own(name):
            continue
        if len(files) > 1:
            breach(f"{name}: defined in {' and in '.join(files)}")
        if not name.startswith(prefixes(files[0])) and name != "main":
            breach(f"{files[0]}: {name} is external and does not begin with "
                   f"{' or '.join(prefixes(files[0]))}")
        # tables of options are defined by a macro; tests use them by their init functions
        made = name.endswith("_option_table")
        if public and not made and name not in public | words | {"main"} and not all_of.used[name] - where:
            breach(f"{files[0]}: {name} is used there alone and should be static")
        check_use(name, files[0], all_of.used[name], public, private)
    for name, header in sorted(marked("CAFE_LAB", "src/*/*.h").items()):
        if all_of.sources and not any(user.startswith("lab/") for user in all_of.used[name]):
            breach(f"{header}: {name} is marked by CAFE_LAB, and no folder of lab/ uses it")
    python = set(re.findall(r"\bcafe_\w+", "".join(path.read_text() for path in sources("python/cafe/[!_]*.py",
                                                                                   "python/cafe/_[!a]*.py"))))
    for name, header in sorted(private.items()):
        users = [user for user in all_of.used[name] if user.startswith(("cli/", "classify/"))]
        if all_of.sources and not users and name not in python:
            breach(f"{header}: {name} is marked by CAFE_PRIVATE, and neither the tool nor Python uses it")


def check_use(name, home, users, public, private):
    for user in sorted(users):
        folder, theirs = user.split("/")[1], home.split("/")[1]
        if home.startswith(LIBRARY) and user.startswith(LIBRARY):
            if folder in layers and theirs in layers and \
                    layers.index(theirs) > layers.index(folder):
                breach(f"{user}: layer {folder} may not use {name} of {home}")
        elif home.startswith(LIBRARY) and user.startswith(("cli/", "classify/", "examples/")):
            if home.startswith("src/os/") and user.startswith("cli/"):
                continue
            if public and name not in public and (name not in private or user.startswith("examples/")):
                breach(f"{user}: uses {name} of {home}, which the library does not export")


def check_declarations():
    """No function is declared in two headers, nor in a source file for another's sake."""
    where = defaultdict(set)
    for path in sources("include/cafe*/*.h", "src/*/*.h", "lab/*/*.h", "cli/*.h"):
        text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", " ", code(path), flags=re.M)
        while re.search(r"\{[^{}]*\}", text):
            text = re.sub(r"(extern\s+)?\{[^{}]*\}", ";", text)
        for name in re.findall(r"\b((?:cafe|cli)_\w+)\s*\([^;]*?\)\s*;", text):
            where[name].add(str(path))
    for name, files in sorted(where.items()):
        if len(files) > 1:
            breach(f"{name}: declared in {' and in '.join(sorted(files))}")
    for path in sources("src/*/*.c", "lab/*/*.c", "cli/*.c"):
        for name in re.findall(r"^extern\b[^;(]*?\b((?:cafe|cli)_\w+)\s*\(", code(path), re.M):
            breach(f"{path}: declares {name} itself")


# ---- random streams

# New nodes of a changed graph begin as those of a new one.
SHARED = {"CAFE_STREAM_START"}


def check_streams():
    """All in one file, each number once in its list, each stream used by one folder."""
    home = pathlib.Path("src/base/random.h")
    users = defaultdict(set)
    for path in sources("src/*/*.[ch]", "lab/*/*.[ch]"):
        text = code(path)
        if path != home:
            for name in re.findall(r"\b((?:CAFE_)?STREAM\w*)\s*=[^=]", text):
                breach(f"{path}: {name} belongs into {home}")
            for name in re.findall(r"\bCAFE_STREAM_\w+", text):
                users[name].add(path.parts[1])
        for second in re.findall(r"\bcafe_(?:philox|draws_of)\([^,]*,([^,]*),", text):
            if "stream" not in second.lower():
                breach(f"{path}: random numbers of{second}, which is no named stream")
    known = set()
    for numbers in re.findall(r"\benum\s+\w*stream\s*\{(.*?)\}", code(home), re.S):
        seen = {}
        for name, value in re.findall(r"\b(CAFE_STREAM_\w+)\s*=\s*([^,]+)", numbers):
            number = eval(value, {"__builtins__": {}})  # "40", "12 << 20"
            if number in seen:
                breach(f"{home}: {name} and {seen[number]} have the same number {number}")
            seen[number] = name
        known |= set(seen.values())
    for name in sorted(known - set(users)):
        breach(f"{home}: {name} is not used")
    for name, folders in sorted(users.items()):
        if len(folders) > 1 and name not in SHARED:
            breach(f"{name}: used by {' and by '.join(sorted(folders))}")


# ---- README lines

def first_cells(readme):
    """The names in the first column of a README's tables."""
    rows = re.findall(r"^\|([^|]*)\|", readme.read_text(), flags=re.M)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def included(folder):
    """The other folders whose headers the files of a folder include, in the order of the layers."""
    found = {other for path in folder.glob("*.[ch]")
             for other in re.findall(r'#include "([^"/]*)/', path.read_text())}
    return [name for name in layers if name in found - {folder.name}]


def listed(names):
    """"Includes `a`, `b` and `c`." as a README writes it."""
    quoted = [f"`{name}`" for name in names]
    text = " and ".join([", ".join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)
    return f"Includes {text or 'no other folder'}."


def check_readmes():
    """A folder's README has a line for every file, none for a file that is not there, and the list
    of the folders that it includes."""
    for folder in sources("src/*/", "lab/*/", "classify/"):
        readme = folder / "README.md"
        if not folder.is_dir():
            continue
        if not readme.exists():
            breach(f"{folder}: has no README.md")
            continue
        files = {p.name for p in folder.glob("*.[ch]")}
        stems = {name.rsplit(".", 1)[0] for name in files}
        named = first_cells(readme)
        want = listed(included(folder))
        if folder.name in layers and want not in " ".join(readme.read_text().split()):
            breach(f"{readme}: does not say: {want}")
        for name in named:
            if name not in files | stems:
                breach(f"{readme}: there is no {name}")
        for name in sorted(files):
            if name not in named and name.rsplit(".", 1)[0] not in named:
                breach(f"{readme}: has no line for {name}")
    for part, header in (("src", "cafe"), ("lab", "lab")):
        check_index(pathlib.Path(part))
        check_headers(pathlib.Path(part, "README.md"), pathlib.Path(f"include/cafe/{header}.h"))


def check_headers(index, umbrella):
    """The README of a library lists the headers that its own header includes."""
    if not index.exists() or not umbrella.exists():
        return
    for name in re.findall(r"#include <cafe/(\w+\.h)>", umbrella.read_text()):
        if f"`{name}`" not in index.read_text() and f"`cafe/{name}`" not in index.read_text():
            breach(f"{index}: does not list {name}")


def check_index(part):
    """Likewise the README of a library's folder, for the folders in it."""
    index = part / "README.md"
    if not index.exists():
        return
    named = first_cells(index)
    folders = {p.name for p in part.glob("*/") if p.is_dir()}
    for name in sorted(folders - set(named)):
        breach(f"{index}: has no line for {name}")
    for name in named:
        if name not in folders:
            breach(f"{index}: there is no folder {name}")


# ---- names of files

def check_filenames():
    """No two folders of the library have a source file of one name."""
    where = defaultdict(list)
    for path in sources("src/*/*.c", "lab/*/*.c"):
        where[path.name].append(str(path))
    for name, files in sorted(where.items()):
        if len(files) > 1:
            breach(f"{name}: the name of {' and of '.join(files)}")


# ---- options

# The tool's own: files, and their descriptions, are arguments and attributes in Python, and
# random_state, n_jobs and verbose have scikit-learn's names.
TOOL_ONLY = set("""attributes checkpoint cut dry-run engine every features force graph-size help hierarchy id json keep
                   bound bound-file label labels latency memory-bandwidth memory-limit method network no-refine output partition
                   profile quiet ranks no-heading config log rows scratch seed seeds soft start threads trials tune
                   unknown-nodes verbose w""".split())
# Keywords of cafe.Graph, not of estimators.
GRAPH_ONLY = set("self-loops duplicates weights nodes format directed trust copy reorder source "
                 "target weight header delimiter decimal name ids bipartite min-weight max-weight "
                 "weight-transform top-edges nodes-from signed layer layer-weight time slices coupling".split())
PYTHON_ONLY = set("random_state n_jobs verbose".split())


def names():
    """python_name() of the package: --columns is n_components there."""
    return runpy.run_path("python/cafe/_names.py")["python_name"]


def tool_options():
    def manual(name):
        return subprocess.run([build / "cafe", "help", "--man", name], stdout=subprocess.PIPE,
                              text=True).stdout

    commands = ("embed", "cluster", "reduce")
    text = "".join(map(manual, commands)) + "".join(
        part for part in manual("tune").split("## cafe ") if part.startswith(commands))
    return set(re.findall(r"^(?:\*-\w\*, )?\*(?:--)?([a-z][a-z0-9-]*)\*", text, flags=re.M))


def python_keywords():
    """Of all estimators, from the stubs that the package's own generators make; None: cannot."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("python/cafe", f"{folder}/cafe", ignore=shutil.ignore_patterns("_abi.py"))
        environment = {**os.environ, "CAFE_SOURCE": os.getcwd(),
                       "CAFE_LIBRARY": str(build.resolve() / "libcafe-lab.so.0")}
        for script, target in (("generate_abi.py", "_abi.py"), ("generate_stubs.py", "stubs")):
            shutil.copy(f"python/{script}", folder)  # it imports the package beside it
            done = subprocess.run([sys.executable, f"{folder}/{script}", f"{folder}/cafe/{target}"],
                                  env=environment, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                return print("skipped: options of Python:", done.stderr.splitlines()[-1],
                             file=sys.stderr)
        stubs = pathlib.Path(folder, "cafe", "stubs").read_text()
    inits = re.findall(r"def __init__\(self,(.*?)\) -> None", stubs, re.S)
    return {name for init in inits for name in re.findall(r"(\w+):", init)}


def check_options():
    """Options that estimators have are called the same in the tool and in Python, but for the words
    of one table."""
    theirs = python_keywords() if (build / "cafe").exists() else None
    if theirs is None:
        return
    options, keyword_of = tool_options(), names()
    for name in sorted(options - TOOL_ONLY - GRAPH_ONLY):
        if keyword_of(name) not in theirs:
            breach(f"--{name} of the tool is no keyword in Python")
    for name in sorted(theirs - set(map(keyword_of, options)) - PYTHON_ONLY):
        breach(f"keyword {name} in Python is no option of the tool")


# ---- methods

def methods():
    """(command, name) of every method in the help text of the tool."""
    done = subprocess.run([build / "cafe", "help", "methods"], stdout=subprocess.PIPE, text=True)
    command = None
    for line in done.stdout.splitlines():
        command = (re.findall(r"by cafe (\w+)", line) or [command])[0]
        yield from ((command, name) for name in re.findall(r"^  ([a-z][\w-]*) ", line))


def check_methods():
    """Every method has a document, a test, a line in the change log and a forecast."""
    if not (build / "cafe").exists():
        return print("skipped: methods: there is no tool", file=sys.stderr)
    places = {"document": sources("README.md", "docs/**/*.md"), "test": sources("tests/*.*"),
              "line in the change log": sources("CHANGELOG.md")}
    texts = {what: "\n".join(p.read_text() for p in paths) for what, paths in places.items()}
    for command, name in sorted(set(methods())):
        for what, text in texts.items():
            if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.I):
                breach(f"method {name} has no {what}")
        if command == "embed" and not forecast(name):
            breach(f"method {name} has no forecast")


def forecast(method):
    """cafe embed --dry-run prints the memory of a small graph."""
    with tempfile.TemporaryDirectory() as folder:
        graph, labels = pathlib.Path(folder, "graph.txt"), pathlib.Path(folder, "labels.txt")
        graph.write_text("0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n2 3\n")
        labels.write_text("0 a\n1 a\n4 b\n5 b\n")
        for more in ([], ["--labels", labels]):
            done = subprocess.run([build / "cafe", "embed", graph, "--dry-run", "--method", method,
                                   *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode == 0:
                return "needs" in done.stdout
    return False


# ---- comparisons

OPERAND = r"(<\([^()]*\)|[\w./$\"{}\[\]-]+?)"
SELVES = {"*.sh": rf"\b(?:cmp|diff)(?: -\w+)* {OPERAND} \1(?= |$)",
          "*.[ch]": r"\bassert_\w+_equal\(([\w.>\[\]-]+), \1[,)]|\b(?:mem|str)cmp\(([\w.>\[\]-]+), \2[,)]",
          "*.py": r"array_equal\(([\w.\[\]]+), \1\)|\bassert ([\w.\[\]]+) == \2$"}


def check_selves():
    """No test compares a thing with itself: such a test cannot fail."""
    for pattern, same in SELVES.items():
        for path in sources(f"tests/{pattern}", f"python/tests/{pattern}"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(same, line):
                    breach(f"{path}:{number}: compares a thing with itself: {line.strip()}")


RULES = {"includes": check_includes, "system": check_system, "symbols": check_symbols, "declarations": check_declarations,
         "streams": check_streams, "readmes": check_readmes, "filenames": check_filenames,
         "options": check_options, "methods": check_methods, "selves": check_selves}

for rule in sys.argv[4:] or RULES:
    RULES.get(rule, lambda: breach(f"no rule {rule}"))()
