#!/usr/bin/env python3
"""scripts/api.py [--check]: writes docs/api.md, the overview of the public functions, from include/cafe.

Each header is a group; each function stands with the first sentence of the comment above it.
--check: exit code 1 when the page is not what the headers say.
"""
import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"
# header -> title, in the order a reader meets them; a header that is not listed comes last
TITLES = {
    "context": "Contexts", "status": "Status codes", "option": "Options", "engine": "Engines",
    "graph": "Graphs", "labels": "Labels", "facts": "Facts", "generate": "Random graphs", "points": "Graphs from points",
    "sample": "Sampled graphs", "operator": "Operators", "method": "Methods", "embedding": "Embeddings",
    "cluster": "Communities", "reduce": "Tables", "bounds": "Bounds", "explain": "Explanations",
    "lab": "The lab", "lab_option": "Options of the lab", "evaluate": "Evaluation", "predict": "Prediction", "rank": "Centralities", "recommend": "Recommendation",
    "similar": "Similar vectors", "files": "Files", "arrow": "Arrow", "paper": "The paper's tables",
    "update": "Graphs that change", "map": "Maps", "report": "Reports",
    "view": "Pages", "overview": "Overviews", "plot": "Pictures",
    "storage": "Storage",
}


def sentence(comment: str) -> str:
    """The first sentence of a C comment, on one line."""
    text = " ".join(re.split(r"\n \*\n", comment)[0].strip("/* \n").replace("\n *", "\n").split())
    ends = re.finditer(r"(?<![ (]\w)(?<!e\.g)(?<!i\.e)[.:](?= [A-Z(]|$)", text)
    cut = next((e.start() for e in ends if e.group() == "." or text.count(" ", 0, e.start()) > 2), len(text))
    text = text[:cut]
    return text.replace("|", "\\|").replace("<", "&lt;").rstrip(".:")


def functions(text: str):
    """(name, first sentence) of each function; functions that follow each other share a comment."""
    comment = ""
    for match in re.finditer(r"^/\*.*?\*/|CAFE_OPTIONS\((\w+)\)|CAFE_API\b([^;]*);|^typedef [^;{]*;|^\}[^;\n]*$|\n\n",
                             text, re.S | re.M):
        token = match.group(0)
        if token.startswith("/*"):
            comment = "" if re.match(r"/\* -{2,}", token) else sentence(token)
        elif match.group(1) and match.group(1) != "name":
            yield f"cafe_{match.group(1)}_options_init", f"defaults of `cafe_{match.group(1)}_options`"
        elif match.group(2):
            name = re.search(r"(cafe_\w+)\(", match.group(2))
            if name:
                yield re.sub("_sized$", "", name.group(1)), comment
        elif token.startswith(("typedef", "}")) or token == "\n\n":
            comment = ""


def page() -> str:
    headers = {p.stem: p.read_text() for p in sorted((ROOT / "include" / "cafe").glob("*.h"))}
    lab = set(re.findall(r"#include <cafe/(\w+)\.h>", headers.get("lab", ""))) | {"lab"}
    headers.pop("cafe")
    order = [h for h in TITLES if h in headers] + [h for h in headers if h not in TITLES]
    lines = ["# Public functions", "", "Written by `scripts/api.py` from the headers, which have the details. [types.md](types.md)",
             "shows how the types fit together.", ""]
    lines += groups_of("libcafe: `cafe/cafe.h`", [h for h in order if h not in lab], headers)
    lines += groups_of("libcafe-lab: `cafe/lab.h`", [h for h in order if h in lab], headers)
    return "\n".join(lines)


def groups_of(library: str, order, headers):
    """The lines of a library, of which there are none without headers."""
    lines = [f"## {library}", ""] if order else []
    for name in order:
        intro = sentence(re.search(r"/\*.*?\*/", headers[name], re.S).group(0))
        lines += [f"### {TITLES.get(name, name.capitalize())}: [`cafe/{name}.h`](../include/cafe/{name}.h)", "",
                  f"{intro}.", "", "| function | |", "|---|---|"]
        body = headers[name].split("*/", 1)[1]
        groups = itertools.groupby(functions(body), lambda pair: pair[1])
        for _, group in groups:
            group = list(group)
            lines.append(f"| {', '.join(f'`{f}`' for f, _ in group)} | {group[0][1]} |")
        lines = lines[:-2] if lines[-1] == "|---|---|" else lines + [""]
    return lines


def left_out(text: str):
    """Functions of the headers that the page does not name; an option table goes with its init function."""
    for path in sorted((ROOT / "include" / "cafe").glob("*.h")):
        for declared in re.findall(r"^CAFE_API\b[^;(]*?\b(cafe_\w+)\(", path.read_text(), re.M):
            if f"`{re.sub('_sized$', '', declared)}`" not in text:
                yield f"docs/api.md lacks {declared}() of {path.name}"


text = page()
missing = list(left_out(text))
if missing:
    print(*missing, sep="\n")
    sys.exit(1)
if sys.argv[1:] == ["--check"]:
    if not PAGE.exists() or PAGE.read_text() != text:
        print("docs/api.md is not what the headers say: run scripts/api.py")
        sys.exit(1)
else:
    PAGE.write_text(text)
