"""Runs on several processes of this machine, beside their forecast and beside SLEPc.

A sweep's seconds are the difference between a run of some sweeps and one of a single sweep, by the number of
sweeps between them. CPU seconds are user and system of all processes, the peak is the largest resident set of any.
The forecast gets the rates that this machine has while as many processes are at it (cafe-ranks). If there are more
processes than cores, the clock shows no gain; CPU seconds show the cost. 'Same bits' compares the vectors with those of
the first number of processes. Of several repeats the one of the fewest CPU seconds counts. Solvers of eigenpairs have a
thread a rank, BLAS included.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

CAFE = os.environ.get("CAFE", "build/cafe")
BENCH = os.environ.get("BENCH", "build/bench")
os.environ.setdefault("CAFE_ENGINE_PATH", str(pathlib.Path(CAFE).resolve().parent))  # cafe-ranks lies elsewhere
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of SLEPc
PHASES = ("read", "sample", "solve", "finish", "write", "total")


def mpirun(ranks):
    """What starts so many processes."""
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    words = shlex.split(os.environ.get("MPIRUN", "mpirun --oversubscribe"))
    return [*words, *(root if "MPIRUN" not in os.environ else []), "-n", str(ranks)]


class Run:
    """A command at its end: seconds, CPU seconds, the largest resident set, what it printed."""

    def __init__(self, words, check=True):
        words = list(map(str, words))
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            began = time.monotonic()
            process = subprocess.Popen(words, stdout=out, stderr=err)
            _, status, use = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = time.monotonic() - began
            self.cpu, self.peak = use.ru_utime + use.ru_stime, 1024 * use.ru_maxrss
            for file in (out, err):
                file.seek(0)
            self.out, self.err, self.code = out.read(), err.read(), process.returncode
        if check and self.code != 0:
            sys.exit(f"bench/distributed: {shlex.join(words)}\n{self.err}")


def best(words, repeats):
    """The run of the fewest CPU seconds, and the report that it wrote."""
    found = None
    for _ in range(repeats):
        run = Run(words)
        run.report = json.loads(pathlib.Path(words[words.index("--json") + 1]).read_text())
        if not found or run.cpu < found.cpu:
            found = run
    return found


def value(tree, key):
    """Of a report: the first value under that key, wherever it stands; None: there is none."""
    if not isinstance(tree, dict):
        return None
    if key in tree:
        return tree[key]
    return next((v for v in (value(t, key) for t in tree.values()) if v is not None), None)


def table(heading, rows):
    print("| " + " | ".join(heading) + " |")
    print("|" + "--:|" * len(heading))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def mega(count):
    return "–" if count is None else f"{count / 1e6:.1f}"


def seconds(value):
    return "–" if value is None else f"{value:.3g}"


class Bench:
    def __init__(self, options, folder):
        self.o, self.folder = options, pathlib.Path(folder)

    def generated(self, nodes):
        path = self.folder / f"{nodes}.cafe"
        edges = nodes * self.o.edges // self.o.nodes
        Run([CAFE, "generate", "planted", "--nodes", nodes, "--edges", edges, "--blocks",
             max(nodes // 1000, 2), "--mixing", 0.2, "--seed", 1, "-q", "-f", "-o", path])
        return path

    def embed(self, graph, ranks, engine, sweeps):
        """The run, and its vectors."""
        o, out = self.o, self.folder / f"{engine}.{ranks}.npy"
        start = mpirun(ranks) if engine == "petsc" else []
        words = [*start, CAFE, "embed", graph, "-o", out, "-f", "-q", "--json", self.folder / "report.json",
                 "--columns", o.columns, "--sweeps", sweeps, "--tune", "tolerance=0", "--columns-from", "top",
                 "--threads", o.threads, "--engine", engine]
        return best(words, o.repeats), out

    def forecast(self, graph, ranks):
        o = self.o
        rates = json.loads(Run([*mpirun(ranks), f"{BENCH}/cafe-ranks", "rates", graph, o.columns]).out)
        words = [CAFE, "embed", graph, "--dry-run", "-q", "--json", "-", "--columns", o.columns, "--sweeps", o.sweeps,
                 "--threads", o.threads, "--columns-from", "top", "--tune", f"ranks={ranks}",
                 "--tune", f"memory-bandwidth={rates['memory']:.0f}B", "--tune", f"latency={rates['latency']}"]
        if ranks > 1:
            words += ["--tune", f"network={rates['network']:.0f}B"]
        return json.loads(Run(words).out)["distributed"], rates

    def line(self, graph, ranks, engine, reference):
        """A row of the table, the rates of its forecast, and the file."""
        o = self.o
        one, _ = self.embed(graph, ranks, engine, 1)
        run, out = self.embed(graph, ranks, engine, o.sweeps)
        told, rates = self.forecast(graph, ranks)
        phases = value(run.report, "seconds")
        sweep = (phases["solve"] - value(one.report, "seconds")["solve"]) / (o.sweeps - 1)
        cpu = (run.cpu - one.cpu) / (o.sweeps - 1)
        bits = out.read_bytes()
        same = "" if reference is None else "yes" if bits == reference else "NO"
        sent = value(run.report, "bytes_per_sweep")
        row = [engine, str(ranks), *(f"{phases[p]:.2f}" for p in PHASES), f"{run.cpu:.2f}",
               mega(run.peak), mega(told["rank_bytes"]), mega(sent), mega(told["bytes_per_sweep"]),
               seconds(sweep), seconds(told["sweep_seconds"]), seconds(cpu), same]
        return row, rates, bits

    def tables(self, graph, graphs=None):
        """Of one graph for all numbers of ranks, or of one for each."""
        heading = ["engine", "ranks", *PHASES, "CPU s", "peak MB", "told", "sent MB a sweep", "told",
                   "a sweep, s", "told", "CPU s", "same bits"]
        rows, shown, reference = [], [], None
        for engine, ranks in [("processor", 1), *(("petsc", r) for r in self.o.ranks)]:
            at = graphs[ranks] if graphs else graph
            row, rates, bits = self.line(at, ranks, engine, None if graphs else reference)
            reference = bits if engine == "petsc" and not reference else reference
            rows.append(row)
            if engine == "petsc":
                shown.append([str(ranks), f"{rates['memory'] / 1e9:.2f}", f"{rates['network'] / 1e9:.2f}",
                              f"{rates['latency']:.0f}"])
        table(heading, rows)
        print("Rates of a rank while all are busy, as measured:\n")
        table(["ranks", "memory GB/s", "network GB/s", "latency us"], shown)

    def solver(self, ranks, which, graph):
        """Eigenpairs by cafe-ranks: the run of the fewest CPU seconds of the solver."""
        o, found = self.o, None
        for _ in range(o.repeats):
            run = json.loads(Run([*mpirun(ranks), f"{BENCH}/cafe-ranks", which, graph, o.pairs, o.residual]).out)
            found = run if not found or run["cpu"] < found["cpu"] else found
        return [str(ranks), f"{found['seconds']:.2f}", f"{found['cpu']:.2f}", mega(found["peak"]),
                str(found["products"]), f"{min(found['converged'], o.pairs)} of {o.pairs}"]

    def peers(self, graph):
        """Eigenpairs to a residual, of ours and of SLEPc."""
        o, rows = self.o, []
        for ranks in o.ranks:
            rows.append(["eigensolver", *self.solver(ranks, "eigen", graph)])
            rows.append(["SLEPc Krylov-Schur", *self.solver(ranks, "slepc", graph)])
            words = [*mpirun(ranks), CAFE, "embed", graph, "-o", self.folder / "pairs.npy", "-f", "-q", "--json",
                     self.folder / "report.json", "--columns", o.pairs, "--output-form", "ritz", "--residual",
                     o.residual, "--tune", "degree-exponent=0", "--columns-from", "top", "--threads", 1, "--engine", "petsc"]
            ours = best(words, o.repeats)
            phases = value(ours.report, "seconds")
            rows.append(["cafe --residual, the whole run", str(ranks), f"{phases['solve'] + phases['finish']:.2f}",
                         f"{ours.cpu:.2f}", mega(ours.peak), "",
                         f"{value(ours.report, 'columns_converged')} of {o.pairs}"])
        table(["solver", "ranks", "solve s", "CPU s", "peak MB", "products", "converged"], rows)


def main():
    parser = argparse.ArgumentParser(prog="bench/distributed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", nargs="?", help="a .cafe file; generated without one")
    parser.add_argument("--ranks", type=lambda t: [int(r) for r in t.split(",")], default=[1, 2, 4])
    parser.add_argument("--columns", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1, help="of each rank")
    parser.add_argument("--sweeps", type=int, default=6)
    parser.add_argument("--nodes", type=int, default=100000, help="of the generated graph")
    parser.add_argument("--edges", type=int, default=1000000)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=16, help="eigenpairs of the peers")
    parser.add_argument("--residual", default="1e-6", help="theirs, as a share of |Q|")
    parser.add_argument("--only", choices=("strong", "weak", "peers"))
    options = parser.parse_args()
    if options.sweeps < 2:
        parser.error("--sweeps: a sweep's seconds are a difference, so 2 at least")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        graph = options.graph or bench.generated(options.nodes)
        print(f"{os.cpu_count()} cores, {options.columns} columns, {options.threads} threads a rank\n")
        if options.only in (None, "strong"):
            print("The same graph on more and more ranks:\n")
            bench.tables(graph)
        if options.only in (None, "weak") and not options.graph:
            print("A graph that grows with the ranks:\n")
            bench.tables(None, {r: bench.generated(r * options.nodes // 2) for r in {1, *options.ranks}})
        if options.only in (None, "peers"):
            print("Eigenpairs of Q, the largest:\n")
            bench.peers(graph)


main()
