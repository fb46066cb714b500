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
from cafe._call import run as in_context
from cafe._method import Given, Run, method_of
from cafe._names import in_python, python_name
from cafe._options import Table

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build"))
TOOL, RUNS = os.environ.get("CAFE", str(BUILD / "cafe")), BUILD / "tests" / "runs"
LINES = [line.split() for line in (SOURCE / "tests" / "runs.txt").read_text().splitlines()
         if line and not line.startswith("#")]
KINDS = {(cls._method.name, cls._communities): cls for cls in [*embed.CLASSES, *cluster.CLASSES]}
INPUTS = {"labels": "labels.txt", "start": "start.npy", "attributes": "attributes.npy",
          "features": "features.npy", "seeds": "seeds.txt", "partition": "partition.txt", "keep": "keep.txt"}
READING = {o.name: o.type for o in Table.named("graph").options}
VALUES = {"integer": int, "real": float, "switch": "yes".__eq__, "choice": str, "text": str}
EXIT = {"CAFE_ERROR_ARGUMENT": (1, 2), "CAFE_ERROR_LIMIT": (4,)}

# Values that differ from run to run or from place to place: times, paths, and memory beyond the run's own.
OTHERS = {"graph": ["path"], "options": list(INPUTS), "memory": ["disk_free"]}
ALONE = ["seconds", "given", "labels_reading", "tables", "output", "peak_bytes", "allocated_bytes"]

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
    np.save(where / "karate.features.npy", rng.standard_normal((34, 5)).astype(np.float32))
    (where / "karate.seeds.txt").write_text("0\n33\n")
    (where / "karate.partition.txt").write_text("".join(f"{u} {u // 9}\n" for u in range(32)))  # and two new nodes
    (where / "karate.keep.txt").write_text("3\n30\n")
    (where / "signs.txt").write_text("".join(f"{u} {w} {-1 if i % 4 == 0 else 1 + i % 3}\n"
                                             for i, (u, w) in enumerate(edges)))
    (where / "kinds.txt").write_text("a\tb\tkind\tyear\n" + "".join(
        f"{u}\t{w}\t{('calls', 'mails')[i % 3 == 0]}\t{2001 + i % 4}\n" for i, (u, w) in enumerate(edges)))
    subprocess.run([RUNS, SOURCE / "tests" / "runs.txt", where], check=True)
    return where


def of_kind(*purposes):
    return [line for line in LINES if line[1] in purposes and not line[0].startswith("refused-")]


@functools.lru_cache(maxsize=None)
def tuned():
    """The options that the tool takes by --tune."""
    done = subprocess.run([TOOL, "help", "tune"], stdout=subprocess.PIPE, text=True, check=True)
    return set(re.findall("^  ([a-z-]+)=", done.stdout, re.M))


class Line:
    def __init__(self, folder, name, purpose, method, graph, *words):
        self.folder, self.name, self.method, self.graph = folder, name, method, graph
        self.communities, self.prediction = purpose == "communities", purpose == "prediction"
        self.options = dict(word.split("=", 1) for word in words if "=" in word)
        self.inputs = [word for word in words if "=" not in word]
        self.threads, self.seed = self.options.pop("threads", "1"), self.options.pop("seed", "1")
        self.limit = self.options.pop("limit", None)
        self.reading = {n: self.options.pop(n) for n in list(self.options) if n in READING}

    def path(self, ending):
        return self.folder / f"{self.name}.{ending}"

    def file(self, ending):
        return self.folder / f"{self.graph}.{ending}"

    # ---- from the tool

    def by_tool(self):
        """Its exit code and what it says; the report and the result are in files."""
        command = "predict" if self.prediction else "cluster" if self.communities else "embed"
        words = [command, self.file("txt"), "--threads", self.threads, "--seed", self.seed, "-q",
                 "--json", self.path("tool.json"), "-o", self.path("tool.npy" if command == "embed" else "tool.tsv")]
        words += ["--probabilities", self.path("probabilities.tsv")] if self.prediction else ["--method", self.method]
        for name, value in {**self.reading, **self.options}.items():
            if name in tuned():
                words += ["--tune", f"{name}={value}"]
            else:
                words += [f"--{name}"] if value == "yes" else [f"--{name}={value}"]
        for name in self.inputs:
            words += ["--start" if name == "partition" else f"--{name}", self.file(INPUTS[name])]
        if self.limit:
            words += ["--memory-limit", self.limit, "--scratch", self.folder]
        done = subprocess.run([TOOL, *words], capture_output=True, text=True)
        return done.returncode, done.stderr

    # ---- from Python

    def read(self):
        return cafe.Graph.from_file(self.file("txt"), **{python_name(n): VALUES[READING[n]](v)
                                                         for n, v in self.reading.items()})

    def known(self):
        """The labels of some nodes."""
        lines = [line.split() for line in self.file(INPUTS["labels"]).read_text().splitlines() if line[:1] != "#"]
        return {int(u): int(label) if label.isdigit() else label for u, label in lines}

    def estimator(self):
        cls = KINDS[self.method, self.communities]
        types = {p.option.name: p.option.type for p in cls._parameters if p.option}
        values = {python_name(n): VALUES[types[n]](v) for n, v in self.options.items()}
        return cls(**values, n_jobs=int(self.threads), random_state=int(self.seed))

    def given(self):
        """The inputs, by the keywords of fit()."""
        given = {}
        for name in self.inputs:
            if name == "labels":
                given["y"] = self.known()
            elif name == "partition":
                lines = self.file(INPUTS[name]).read_text().splitlines()
                given["start"] = dict(map(int, line.split()) for line in lines)
            elif name in ("seeds", "keep"):
                given[name] = [int(line) for line in self.file(INPUTS[name]).read_text().split()]
            else:
                given[name] = np.load(self.file(INPUTS[name]))
        if self.limit:
            given.update(memory_limit=int(self.limit), scratch=self.folder)
        return given

    def by_python(self):
        """The report and the result."""
        if (self.method, self.communities) in KINDS and "trials" not in self.options:
            model = self.estimator().fit(self.read(), **self.given())
            return model.report_, model.labels_ if self.communities else model.embedding_
        graph, given = self.read(), Given(method_of(self.method), True, self.options, **self.given())

        def work(context):  # that of cafe.trials and cafe.resolution_profile; layers' class has vectors too
            made = Run(context, graph, given).step("WRITE")
            numbered = made.numbered()
            return made.report("cafe/cluster/1"), made.partition() if numbered is None else numbered

        return in_context(work, int(self.threads), int(self.seed))

    def predicted(self):
        """By Python's classifier of nodes."""
        graph, known = self.read(), self.known()
        values = {n: int(v) if v.isdigit() else v for n, v in self.options.items()}
        features = np.load(self.file(INPUTS["features"])) if "features" in self.inputs else None
        model = cafe.NodeClassifier(graph, features=features, random_state=int(self.seed),
                                    n_jobs=int(self.threads), **values)
        return model.fit(list(known), list(known.values()))


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
@pytest.mark.parametrize("line", of_kind("vectors", "communities"), ids=lambda x: x[0])
def test_runs(folder, line):
    run = Line(folder, *line)
    assert not run.path("c.refusal").exists(), run.path("c.refusal").read_text()
    code, said = run.by_tool()
    assert code == 0, said
    last, result = run.by_python()
    reports = [json.loads(run.path("tool.json").read_text()), json.loads(run.path("c.json").read_text()), last]
    tool, c, python = (comparable(report, run.limit) for report in reports)
    assert list(tool) == list(c) == list(python)
    for key, value in tool.items():
        assert c[key] == value and python[key] == value, key
    if run.communities:
        written = run.path("tool.tsv").read_text()
        assert run.path("c.tsv").read_text() == written
        rows = [row.split("\t") for row in written.splitlines()[1:]]  # behind the heading
        assert list(zip(map(str, run.read().nodes), map(str, result))) == [tuple(row[:2]) for row in rows]
        return
    vectors = np.load(run.path("tool.npy"))
    assert vectors.dtype == np.float32 and vectors.shape == result.shape
    assert np.load(run.path("c.npy")).tobytes() == vectors.tobytes() == result.tobytes()
    memory, limit = reports[0]["memory"], None if run.limit is None else int(run.limit)
    if not run.inputs:
        plan = cafe.forecast(run.estimator(), run.read(), memory_limit=limit)
        assert (plan.needed, plan.fits) == (memory["needed"], memory["fits"])


@pytest.mark.parametrize("line", of_kind("prediction"), ids=lambda x: x[0])
def test_predictions(folder, line):
    """Figures to the bit, probabilities too; the tool writes those with six digits."""
    run = Line(folder, *line)
    code, said = run.by_tool()
    assert code == 0, said
    c, tool = (json.loads(run.path(ending).read_text()) for ending in ("c.json", "tool.json"))
    model = run.predicted()
    assert c["predicted"] == tool["predicted"]
    found = c["predicted"]
    assert found["predictor"] == model.predictor_
    shown = {name: model.expected_[name] for name in found if name in model.expected_}
    assert len(shown) > 10 and shown == {name: found[name] for name in shown}
    assert [row["predictor"] for row in found["compared"]] == list(model.compared_["predictor"])
    assert [row["accuracy"] for row in found["compared"]] == list(model.compared_["accuracy"])
    nodes = run.read().nodes
    probabilities = np.fromfile(run.path("c.bytes"), np.float32).reshape(len(nodes), -1)
    sums = probabilities.astype(float).sum(axis=1, keepdims=True)
    assert (model.predict_proba(nodes) == probabilities.astype(float) / sums).all()
    written = np.loadtxt(run.path("probabilities.tsv"), skiprows=1)[:, 1:]
    assert np.allclose(written, probabilities, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("line", [x for x in LINES if x[0].startswith("refused-")], ids=lambda x: x[0])
def test_refusals(folder, line):
    run = Line(folder, *line)
    status, reason = run.path("c.refusal").read_text().splitlines()
    code, said = run.by_tool()
    assert code in EXIT[status]
    assert in_tool(reason) in said and not run.path("tool.json").exists()
    with pytest.raises(cafe.CafeError) as raised:
        run.predicted() if run.prediction else run.by_python()
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
    asked = {word.split("=")[0] for line in LINES for word in line[4:]}
    assert {*INPUTS, "signed", "layer", "layer-weight", "time", "slices", "coupling"} <= asked
    for table in ("trials", "predict", "feature"):
        assert {o.name for o in Table.named(table).options} - {"several"} <= asked, table
