"""Cafe beside other tools on one graph: the same text in, vectors or labels out, the same threads.

Every tool is a process of its own, from reading the text to the file it wrote. Seconds are of the
wall, CPU seconds are user and system of the process and its children, peak is their largest resident set. 'solve' is
the time that the tool itself reports for its method alone. Of several repeats the one of the fewest CPU seconds counts.
Quality is judged by Cafe for all alike: modularity by `cafe evaluate cluster`, micro F1 by `cafe evaluate classify`
(logistic regression on the same split).
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
CAFE = os.environ.get("CAFE", "build/cafe")
BENCH = os.environ.get("BENCH", "build/bench")
PYTHON = sys.executable
TASKS = ("vectors", "communities", "eigenpairs")

# Words in braces are files and figures of the run: text (ids from 0), mtx, adj (AdjacencyGraph), out,
# threads, columns, scratch. A peer that is not found is left out.
#   (task, name, module that must be there or option that names the program, command)
PEERS = [
    ("vectors", "cafe", None, "{cafe} embed {text} -o {out}.npy -q -f -t {threads} "
     "--columns {columns} --json {scratch}/report.json"),
    ("vectors", "four products (cafe-loop)", None,
     "{bench}/cafe-loop {text} {out}.npy {columns} {threads}"),
    ("vectors", "scikit-learn, randomised SVD", "sklearn",
     "{python} {here}/peer.py sklearn-svd {text} {out}.npy {threads} {columns}"),
    ("vectors", "ProNE", "--prone", "{python} {program} -graph {text} -emb1 {scratch}/sparse.txt "
     "-emb2 {out}.txt -dimension {columns} -step 10 -theta 0.5 -mu 0.2"),
    ("vectors", "LightNE", "--lightne", "{program} -walksperedge 1 -walklen 10 -rounds 1 -s -m "
     "-ne_out {scratch}/ne.txt -pro_out {out}.txt -ne_method netsmf -rank 256 -dim {columns} "
     "-order 10 -analyze 1 -sample 0 -upper 0 {adj}"),
    ("vectors", "Cleora", "--cleora", "{program} --input {text} --columns complex::reflexive::node "
     "--dimension {columns} --number-of-iterations 4 --output-dir {scratch}"),
    ("communities", "cafe", None, "{cafe} cluster {text} -o {out}.tsv -q -f -t {threads} "
     "--json {scratch}/report.json"),
    ("communities", "igraph Louvain", "igraph",
     "{python} {here}/peer.py igraph-louvain {text} {out}.tsv {threads} 0"),
    ("communities", "igraph Leiden, 10 iterations", "igraph",
     "{python} {here}/peer.py igraph-leiden {text} {out}.tsv {threads} 0"),
    ("communities", "leidenalg", "leidenalg",
     "{python} {here}/peer.py leidenalg {text} {out}.tsv {threads} 0"),
    ("communities", "NetworKit PLM", "--networkit",
     "{program} {here}/peer.py networkit-plm {text} {out}.tsv {threads} 0"),
    ("communities", "NetworKit ParallelLeiden", "--networkit",
     "{program} {here}/peer.py networkit-leiden {text} {out}.tsv {threads} 0"),
    ("communities", "GVE-Leiden", "--gve", "{program} {mtx} 1 0 {out}.tsv"),
]
OPTIONS = {"--prone": "proNE.py", "--lightne": "the program", "--cleora": "the program",
           "--networkit": "a Python that has it",
           "--gve": "the program, called as PROGRAM GRAPH.mtx 1 0 OUT.tsv; one that writes no labels there is "
                    "believed the modularity that it prints"}
OUTPUTS = (".npy", ".tsv", ".txt")
# What tools print about themselves: seconds of the method, and GVE's time and modularity.
SOLVE = re.compile(r"\bsolve ([0-9.]+)|\bproducts ([0-9.]+)")
GVE = re.compile(r"[{/]([0-9.]+)ms.* ([0-9.]+) modularity.*leidenStaticOmp")


def tool(*words):
    """Standard output of cafe."""
    return subprocess.run([CAFE, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout


# ---- the graph in the forms that peers read --------------------------------------------------------

class Graph:
    """The same graph with ids from 0: as text, Matrix Market and AdjacencyGraph, the last two on demand."""

    def __init__(self, source, labels, scratch):
        self.scratch = scratch
        self.mtx = scratch / "graph.mtx"
        self.text = scratch / "graph.txt"
        self.labels = None
        tool("convert", source, self.mtx, "-q")
        with open(self.mtx, encoding="ascii") as file, open(self.text, "w", encoding="ascii") as out:
            lines = (line for line in file if not line.startswith("%"))
            self.nodes, _, self.edges = map(int, next(lines).split())
            for line in lines:
                u, w = line.split()[:2]
                out.write(f"{int(u) - 1} {int(w) - 1}\n")
        if labels:
            self.labels = scratch / "labels.txt"
            self.number(labels)

    def number(self, labels):
        """Labels by id: 'node label' lines whose nodes are the names of the graph."""
        names = next(iter(self.scratch.glob("graph.mtx.*")), None)
        index = {}
        if names:
            for i, name in enumerate(names.read_text().splitlines()):
                index[name] = i
        with open(labels, encoding="utf-8") as file, open(self.labels, "w", encoding="utf-8") as out:
            for line in file:
                words = line.split(None, 1)
                if len(words) == 2 and not line.startswith("#"):
                    out.write(f"{index.get(words[0], words[0])} {words[1]}")

    def adjacency(self):
        """The AdjacencyGraph file of Ligra and GBBS."""
        path = self.scratch / "graph.adj"
        if not path.exists():
            rows = [[] for _ in range(self.nodes)]
            for line in open(self.text, encoding="ascii"):
                u, w = map(int, line.split())
                rows[u].append(w)
                rows[w].append(u)
            with open(path, "w", encoding="ascii") as out:
                out.write(f"AdjacencyGraph\n{self.nodes}\n{2 * self.edges}\n")
                start = 0
                for row in rows:
                    out.write(f"{start}\n")
                    start += len(row)
                for row in rows:
                    out.writelines(f"{w}\n" for w in sorted(row))
        return path


# ---- one tool -----------------------------------------------------------------------------------------

def run(words, threads, folder):
    """Standard output, and seconds of the wall and of the processor, and bytes."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads),
               MKL_NUM_THREADS=str(threads))
    with open(folder / "said.txt", "w+", encoding="utf-8") as said:
        began = time.perf_counter()
        process = subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if process.returncode != 0:
        raise RuntimeError(f"exit {process.returncode}: {text.strip()[-300:]}")
    return text, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def solve_seconds(text, report):
    """What the tool says its method took, or None."""
    if report.exists():
        seconds = json.loads(report.read_text())["seconds"]
        return seconds["solve"] + seconds.get("finish", 0)
    found = SOLVE.search(text) or GVE.search(text)
    if not found:
        return None
    return float(found[1]) / 1e3 if found.re is GVE else float(found[1] or found[2])


def judge(task, graph, out, text, a):
    """Modularity or F1 of what was written (GVE may write nothing and say its modularity)."""
    if task == "communities":
        said = GVE.search(text)
        if not out:
            return float(said[2]) if said else None
        return json.loads(tool("evaluate", "cluster", graph.text, "--communities", out, "-q",
                               "--json", "-"))["communities"]["modularity"]
    if not graph.labels or not out:
        return None
    report = json.loads(tool("evaluate", "classify", graph.text, "--labels", graph.labels,
                             "--embedding", out, "--classifier", "logistic", "--train", a.train,
                             "--tune", f"test={a.test}", "--repeats", 1, "-q", "-t", a.threads, "--json", "-"))
    return report["results"][0]["micro_f1"]["mean"]


def measure(task, name, program, command, graph, a):
    """A row of the table, the best of the repeats."""
    folder = graph.scratch / "run"
    best = None
    for _ in range(a.repeats):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        places = dict(cafe=CAFE, bench=BENCH, python=PYTHON, here=HERE, program=program,
                      text=graph.text, mtx=graph.mtx, out=folder / "out", threads=a.threads,
                      columns=a.columns, scratch=folder,
                      adj=graph.adjacency() if "{adj}" in command else "")
        words = [word.format(**places) for word in shlex.split(command)]
        text, wall, cpu, peak = run(words, a.threads, folder)
        solve = solve_seconds(text, folder / "report.json")
        if best is None or cpu < best[1]:
            best = (wall, cpu, solve, peak)
    out = next((path for path in sorted(folder.iterdir()) if path.suffix in OUTPUTS and
                (path.stem == "out" or path.name.startswith("emb")) and path.stat().st_size), None)
    return (name, *best, judge(task, graph, out, text, a))


def found_peers(task, a):
    """(name, program, command) of the peers that are there."""
    for peer_task, name, needs, command in PEERS:
        if peer_task != task or (a.only and not any(word in name for word in a.only.split(","))):
            continue
        program = ""
        if needs and needs.startswith("--"):
            program = getattr(a, needs[2:]) or shutil.which(needs[2:])
            if not program:
                continue
        elif needs and subprocess.run([PYTHON, "-c", f"import {needs}"], stderr=subprocess.DEVNULL,
                                      check=False).returncode:
            print(f"left out: {name} (no {needs})", file=sys.stderr)
            continue
        yield name, program, command
    for given in a.peer:
        kind, _, rest = given.partition(":")
        name, _, command = rest.partition("=")
        if kind == task:
            yield name, "", command


# ---- tables -------------------------------------------------------------------------------------------

def show(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def compare(task, graph, a):
    quality = {"vectors": "micro F1", "communities": "modularity"}[task]
    print(f"\n{task.capitalize()}: {graph.nodes:,} nodes, {graph.edges:,} edges, {a.threads} threads"
          + (f", {a.columns} columns" if task == "vectors" else "") + "\n")
    show([task, "CPU s", "wall s", "solve s", "peak MB", quality])
    show(["---"] + ["---:"] * 5)
    for name, program, command in found_peers(task, a):
        try:
            name, wall, cpu, solve, peak, worth = measure(task, name, program, command, graph, a)
        except (RuntimeError, OSError) as error:
            print(f"{name} failed: {error}", file=sys.stderr)
            continue
        show([name, f"{cpu:.1f}", f"{wall:.1f}", "" if solve is None else f"{solve:.1f}",
              f"{peak / 1e6:.0f}", "" if worth is None else
              f"{worth:.6f}" if task == "communities" else f"{worth:.4f}"])


def eigenpairs(graph, a):
    """cafe-eigen knows its peers itself: it gives the same product to each."""
    print(f"\nEigenpairs: the {a.pairs} largest to {a.residual}, {a.threads} threads\n")
    words = [f"{BENCH}/cafe-eigen", str(graph.text), str(a.pairs), str(a.residual), str(a.threads)]
    text, wall, cpu, peak = run(words, a.threads, graph.scratch)
    print(text.rstrip() + f"\nin all {cpu:.1f} s of the processor, {wall:.1f} s, {peak / 1e6:.0f} MB")


def arguments():
    p = argparse.ArgumentParser(prog="bench/peers", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("graph", nargs="?", help="any file that cafe reads; default: one is generated")
    p.add_argument("labels", nargs="?", help="'node label' lines, for F1")
    p.add_argument("--tasks", default="vectors,communities,eigenpairs")
    p.add_argument("--only", default="", help="names of peers, in part, separated by commas")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--columns", type=int, default=128)
    p.add_argument("--pairs", type=int, default=32)
    p.add_argument("--residual", default="1e-6")
    p.add_argument("--repeats", type=int, default=1)
    p.add_argument("--train", default="0.05", help="share of the nodes that F1 is trained on")
    p.add_argument("--test", default="20000", help="nodes that F1 is tested on")
    p.add_argument("--nodes", type=int, default=100000, help="of the generated graph: planted, 9.65 "
                   "edges a node, a community per 1,000 nodes (at least 100), mixing 0.42389")
    for option, what in OPTIONS.items():
        p.add_argument(option, metavar="PATH", help=f"also {option[2:]}: {what}")
    p.add_argument("--peer", action="append", default=[], metavar="TASK:NAME=COMMAND",
                   help="any other; {text}, {mtx}, {adj}, {out}, {threads}, {columns} and {scratch} are "
                   "filled in; it writes {out}.npy, {out}.txt (word2vec) or, for communities, {out}.tsv")
    return p.parse_args()


def main():
    a = arguments()
    tasks = a.tasks.split(",")
    for task in tasks:
        if task not in TASKS:
            sys.exit(f"bench/peers: no task {task}; there are {', '.join(TASKS)}")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        if not a.graph:
            a.graph, a.labels = scratch / "made.cafe", scratch / "made.labels"
            tool("generate", "planted", "--nodes", a.nodes, "--edges", round(9.65 * a.nodes),
                 "--blocks", max(100, a.nodes // 1000), "--mixing", 0.42389, "-q", "-o", a.graph,
                 "--labels", a.labels)
        graph = Graph(a.graph, a.labels, scratch)
        for task in tasks:
            if task == "eigenpairs":
                eigenpairs(graph, a)
            else:
                compare(task, graph, a)


if __name__ == "__main__":
    main()
