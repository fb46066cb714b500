"""One run, three ways: tests/runs.txt from the tool, from C (tests/runs.c) and from Python. Reports, forecasts, refusals
and results are the same."""
import functools
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import cafe
from cafe import cluster, embed
from cafe._names import in_python, python_name

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build"))
TOOL, RUNS = os.environ.get("CAFE", str(BUILD / "cafe")), BUILD / "tests" / "runs"
LINES = [line.split() for line in (SOURCE / "tests" / "runs.txt").read_text().splitlines()
         if line and not line.startswith("#")]
KINDS = {(cls._method.name, cls._communities): cls for cls in [*embed.CLASSES, *cluster.CLASSES]}
INPUTS = {"labels": "labels.txt", "start": "start.npy", "attributes": "attributes.npy", "seeds": "seeds.txt"}
EXIT = {"CAFE_ERROR_ARGUMENT": (1, 2), "CAFE_ERROR_LIMIT": (4,)}

# Values that differ from run to run or from place to place: times, paths, and memory beyond the run's own.
OTHERS = {"graph": ["path"], "options": list(INPUTS), "memory": ["disk_free"]}
ALONE = ["seconds", "given", "labels_reading", "output", "peak_bytes", "allocated_bytes"]

pytestmark = pytest.mark.skipif(not (RUNS.exists() and os.path.exists(TOOL)),
                                reason=f"no {RUNS} or no {TOOL} (scripts/build -DCAFE_TESTS=ON)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The graphs with their other files, and what C makes of all lines."""
    where = tmp_path_factory.mktemp("runs")
    for ending in ("txt", "labels.txt"):
        (where / f"karate.{ending}").write_bytes((SOURCE / "examples" / f"karate.{ending}").read_bytes())
    subprocess.run([TOOL, "generate", "planted", "--nodes", "3000", "--edges", "15000", "-q",
                    "-o", where / "planted.txt", "--labels", where / "all.in"], check=True)
    known = [line for line in (where / "all.in").read_text().splitlines() if not line.startswith("#")]
    (where / "planted.labels.txt").write_text("\n".join(known[::9]) + "\n")
    edges = [line.split() for line in (where / "karate.txt").read_text().splitlines() if line[:1] != "#"]
    (where / "weighted.txt").write_text("".join(f"{u} {w} {1 + i % 5}\n" for i, (u, w) in enumerate(edges)))
    rng = np.random.default_rng(1)
    np.save(where / "karate.start.npy", rng.random((34, 6), np.float32))
    np.save(where / "karate.attributes.npy", rng.random((34, 2), np.float32))
    (where / "karate.seeds.txt").write_text("0\n33\n")
    subprocess.run([RUNS, SOURCE / "tests" / "runs.txt", where], check=True)
    return where


@functools.lru_cache(maxsize=None)
def tuned():
    """The options that the tool takes by --tune."""
    done = subprocess.run([TOOL, "help", "tune"], stdout=subprocess.PIPE, text=True, check=True)
    return set(re.findall("^  ([a-z-]+)=", done.stdout, re.M))


class Line:
    def __init__(self, folder, name, purpose, method, graph, *words):
        self.folder, self.name, self.method, self.graph = folder, name, method, graph
        self.communities = purpose == "communities"
        self.options = dict(word.split("=") for word in words if "=" in word)
        self.inputs = [word for word in words if "=" not in word]
        self.threads, self.seed = self.options.pop("threads", "1"), self.options.pop("seed", "1")
        self.limit = self.options.pop("limit", None)

    def path(self, ending):
        return self.folder / f"{self.name}.{ending}"

    def file(self, ending):
        return self.folder / f"{self.graph}.{ending}"

    # ---- from the tool

    def by_tool(self):
        """Its exit code and what it says; the report and the result are in files."""
        words = ["cluster" if self.communities else "embed", self.file("txt"), "--method", self.method,
                 "--threads", self.threads, "--seed", self.seed, "-q", "--json", self.path("tool.json"),
                 "-o", self.path("tool.tsv" if self.communities else "tool.npy")]
        for name, value in self.options.items():
            if name in tuned():
                words += ["--tune", f"{name}={value}"]
            else:
                words += [f"--{name}"] if value == "yes" else [f"--{name}={value}"]
        for name in self.inputs:
            words += [f"--{name}", self.file(INPUTS[name])]
        if self.limit:
            words += ["--memory-limit", self.limit, "--scratch", self.folder]
        done = subprocess.run([TOOL, *words], capture_output=True, text=True)
        return done.returncode, done.stderr

    # ---- from Python

    def estimator(self):
        cls = KINDS.get((self.method, self.communities)) or KINDS[self.method, False]
        types = {p.option.name: p.option.type for p in cls._parameters if p.option}
        read = {"integer": int, "real": float, "switch": "yes".__eq__, "choice": str}
        values = {python_name(n): read[types[n]](v) for n, v in self.options.items()}
        return cls(**values, n_jobs=int(self.threads), random_state=int(self.seed))

    def by_python(self):
        given = {}
        for name in self.inputs:
            path = self.file(INPUTS[name])
            if name == "labels":
                pairs = [line.split() for line in path.read_text().splitlines() if line[:1] != "#"]
                given["y"] = {int(u): int(label) if label.isdigit() else label for u, label in pairs}
            else:
                given[name] = [0, 33] if name == "seeds" else np.load(path)
        if self.limit:
            given.update(memory_limit=int(self.limit), scratch=self.folder)
        return self.estimator().fit(cafe.Graph.from_file(self.file("txt")), **given)


def comparable(report, limit):
    """A report without what may differ."""
    kept = {key: value for key, value in report.items() if key not in ALONE}
    for key, inner in OTHERS.items():
        left_out = [*inner, *([] if limit else ["available"])]
        if key in kept:
            kept[key] = {k: v for k, v in kept[key].items() if k not in left_out}
    return kept


def in_tool(text):
    """‘columns’ -> --columns, ‘sampling=walk’ -> --sampling walk, ‘rows=sparse’ -> --tune rows=sparse"""
    def spelled(found):
        name, value = found[1], found[2]
        if name in tuned():
            return f"--tune {name}" + (f"={value}" if value else "")
        return f"--{name}" + (f" {value}" if value else "")
    return re.sub("‘([a-z-]+)(?:=([^’]*))?’", spelled, text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", [x for x in LINES if not x[0].startswith("refused-")], ids=lambda x: x[0])
def test_runs(folder, line):
    run = Line(folder, *line)
    assert not run.path("c.refusal").exists(), run.path("c.refusal").read_text()
    code, said = run.by_tool()
    assert code == 0, said
    model = run.by_python()
    reports = [json.loads(run.path("tool.json").read_text()), json.loads(run.path("c.json").read_text()),
               model.report_]
    tool, c, python = (comparable(report, run.limit) for report in reports)
    if (run.method, run.communities) not in KINDS:  # Python's class of it has vectors too
        assert (model.modularity_, python["graph"]) == (c["modularity"], c["graph"])
        python = c
    assert list(tool) == list(c) == list(python)
    for key, value in tool.items():
        assert c[key] == value and python[key] == value, key
    if run.communities:
        written = run.path("tool.tsv").read_text()
        assert run.path("c.tsv").read_text() == written
        rows = [row.split("\t") for row in written.splitlines()[1:]]  # behind the heading
        assert [(str(u), str(c)) for u, c in zip(model.nodes_, model.labels_)] == [tuple(r) for r in rows]
        return
    vectors = np.load(run.path("tool.npy"))
    assert vectors.dtype == np.float32 and vectors.shape == model.embedding_.shape
    assert np.load(run.path("c.npy")).tobytes() == vectors.tobytes() == model.embedding_.tobytes()
    memory, limit = reports[0]["memory"], None if run.limit is None else int(run.limit)
    if not run.inputs:
        plan = cafe.forecast(run.estimator(), cafe.Graph.from_file(run.file("txt")), memory_limit=limit)
        assert (plan.needed, plan.fits) == (memory["needed"], memory["fits"])


@pytest.mark.parametrize("line", [x for x in LINES if x[0].startswith("refused-")], ids=lambda x: x[0])
def test_refusals(folder, line):
    run = Line(folder, *line)
    status, reason = run.path("c.refusal").read_text().splitlines()
    code, said = run.by_tool()
    assert code in EXIT[status]
    assert in_tool(reason) in said and not run.path("tool.json").exists()
    with pytest.raises(cafe.CafeError) as raised:
        run.by_python()
    assert raised.value.status == status
    assert str(raised.value) == in_python(reason)


def test_a_reduction(folder):
    """What the report tells of the table's file is the tool's alone."""
    table = np.random.default_rng(2).normal(size=(60, 5)).astype(np.float32)
    np.save(folder / "table.npy", table)
    subprocess.run([TOOL, "reduce", folder / "table.npy", "-k", "3", "--threads", "1", "-q", "-o", folder / "r.npy",
                    "--json", folder / "r.json"], check=True)
    model = cafe.Reduce(3).fit(table)
    tool = comparable(json.loads((folder / "r.json").read_text()), None)
    assert np.load(folder / "r.npy").tobytes() == model.embedding_.tobytes()
    assert comparable(model.report_, None) == {key: value for key, value in tool.items() if key != "table"}


def test_there_are_enough():
    names = [line[0] for line in LINES]
    assert len(names) == len(set(names)) >= 40
    assert sum(name.startswith("refused-") for name in names) >= 8
    assert sum("limit=" in word for line in LINES for word in line) >= 4
    assert {method for method, _ in KINDS} <= {line[2] for line in LINES}
