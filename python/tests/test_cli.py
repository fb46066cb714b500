"""The same bits as the command line tool with the same options."""
import os
import shutil
import subprocess

import numpy as np
import pytest

import cafe
from cafe._names import NAMES

TOOL = os.environ.get("CAFE") or shutil.which("cafe")
pytestmark = pytest.mark.skipif(not TOOL, reason="the tool is not there: set $CAFE")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    tool(folder, "generate", "planted", "--nodes", "1500", "--edges", "9000", "--blocks", "8",
         "-o", "g.txt", "--labels", "g.labels")
    lines = (folder / "g.labels").read_text().split("\n")
    (folder / "some.labels").write_text("\n".join(lines[:300]) + "\n")
    return folder


def tool(folder, *arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


RUNS = [
    (cafe.SphereGCN, {}, []),
    (cafe.SphereGCN, dict(n_components=16, max_iter=7, beta=0.8, ends="both", output_form="ritz",
                          residual=1e-5, random_state=9), []),
    (cafe.SphereGCN, dict(n_components=12, sampling="walk", window=3), []),
    (cafe.SphereGCN, dict(n_components=12, sampling="walk", samples=20000, random_state=4), []),
    (cafe.SphereGCN, dict(n_components=8, sampling="pagerank", damping=0.5, propagate=True,
                          propagate_mu=0.3), []),
    (cafe.CafeGCN, dict(n_components=24, theta=3.0, output_form="hhat"), ["--method", "cafe"]),
    (cafe.LayeredCafe, dict(n_components=40), ["--method", "layers"]),
    (cafe.DeepWalk, dict(n_components=16, walks=5, length=10), ["--method", "deepwalk"]),
    (cafe.Spectral, dict(n_components=5, tol=1e-9), ["--method", "spectral"]),
    (cafe.HOPE, dict(n_components=8), ["--method", "hope"]),
    (cafe.SDNE, dict(n_components=8, epochs=2, random_state=2), ["--method", "sdne"]),
]


TOOL_S = {python: tool for tool, python in NAMES.items()}


def words(options):
    found = []
    for name, value in options.items():
        name = TOOL_S.get(name, name.replace("_", "-"))
        found += [f"--{name}"] if value is True else [f"--{name}", repr(value).strip("'")]
    return found


@pytest.mark.parametrize("number", range(len(RUNS)))
def test_vectors(number, files):
    cls, options, more = RUNS[number]
    name = f"v{number}.npy"
    tool(files, "embed", "g.txt", "-o", name, "-q", *more, *words(options))
    ours = cls(**options).fit_transform(files / "g.txt")
    theirs = np.load(files / name)
    assert ours.dtype == theirs.dtype == np.float32 and ours.shape == theirs.shape
    assert ours.tobytes() == theirs.tobytes()


def labels_of(path, graph):
    known = dict(line.split() for line in path.read_text().split("\n") if line)
    return {node: int(known[str(node)]) for node in graph.nodes.tolist() if str(node) in known}


@pytest.mark.parametrize("cls, method", [(cafe.CafeGCN, "cafe"),
                                         (cafe.LabelPropagation, "label-propagation")])
def test_labels(cls, method, files):
    graph = cafe.Graph(files / "g.txt")
    tool(files, "embed", "g.txt", "-o", f"{method}.npy", "-q", "--method", method, "--labels",
         "some.labels")
    ours = cls().fit(graph, labels_of(files / "some.labels", graph))
    assert ours.embedding_.tobytes() == np.load(files / f"{method}.npy").tobytes()


@pytest.mark.parametrize("model, more", [
    (cafe.LayeredCafe(), []), (cafe.LayeredCafe(resolution=2.0, refine=False),
                               ["--resolution", "2.0", "--refine", "no"]),
    (cafe.SoftmaxClustering(n_components=20), ["--method", "softmax", "--columns", "20"]),
    (cafe.SoftmaxClustering(start="layers", rows="sparse"),
     ["--method", "softmax", "--start", "layers", "--rows", "sparse"])])
def test_communities(model, more, files):
    text = tool(files, "cluster", "g.txt", "-o", "-", "-q", *more)
    theirs = [int(line.split("\t")[1]) for line in text.splitlines()]
    assert model.fit(files / "g.txt").communities_.tolist() == theirs


def test_reduce(files, rng):
    x = rng.normal(size=(200, 9)).astype(np.float32)
    np.save(files / "x.npy", x)
    tool(files, "reduce", "x.npy", "-o", "r.npy", "-q", "--columns", "4")
    assert cafe.Reduce(n_components=4).fit(x).embedding_.tobytes() == np.load(files / "r.npy").tobytes()


def test_map(files):
    tool(files, "embed", "g.txt", "-o", "m.npy", "-q", "--columns", "8")
    tool(files, "map", "g.txt", "m.npy", "-o", "map.npy", "-q")
    points = cafe.layout(files / "g.txt", np.load(files / "m.npy"))
    assert points.tobytes() == np.load(files / "map.npy").tobytes()


def test_page(files):
    tool(files, "embed", "g.txt", "-o", "p.npy", "-q", "--columns", "8")
    x = np.load(files / "p.npy")
    np.save(files / "array.npy", x)  # which says no more than the array does
    tool(files, "view", "g.txt", "array.npy", "-o", "theirs.html", "-q", "--title", "T")
    cafe.view(files / "g.txt", x, files / "ours.html", title="T")
    assert (files / "ours.html").read_bytes() == (files / "theirs.html").read_bytes()


def test_place(files):
    (files / "new.txt").write_text("n0 1\nn0 2\nn0 5\nn1 7\nn1 3\n")
    tool(files, "embed", "g.txt", "-o", "q.npy", "-q", "--columns", "8")
    tool(files, "place", "g.txt", "q.npy", "new.txt", "-o", "new.npy", "-q", "--form", "walk")
    graph, vectors = cafe.Graph(files / "g.txt"), np.load(files / "q.npy")
    ours = cafe.place(graph, vectors, [[1, 2, 5], [7, 3]], form="walk")
    assert ours.tobytes() == np.load(files / "new.npy").tobytes()
    rows = np.zeros((2, graph.n_nodes))
    rows[0, [graph.index(u) for u in (1, 2, 5)]] = rows[1, [graph.index(u) for u in (7, 3)]] = 1
    assert np.array_equal(ours, cafe.place(graph, vectors, rows, form="walk"))
    again, bound = cafe.place(graph, vectors, rows, form="walk", return_bound=True)
    assert np.array_equal(ours, again) and np.isinf(bound).all() and bound.shape == (2,)
    with pytest.raises(ValueError, match="form"):
        cafe.place(graph, vectors, rows)
    with pytest.raises(ValueError, match="not in the graph: 'nobody'"):
        cafe.place(graph, vectors, [["nobody"]], form="walk")


def test_update(files):
    (files / "change.txt").write_text("+ 3 900\n+ 5 1400\n+ 7 1600\n")
    tool(files, "embed", "g.txt", "-o", "old.npy", "-q", "--columns", "8", "--output-form", "raw")
    tool(files, "update", "g.txt", "change.txt", "--from", "old.npy", "-o", "later.npy", "-q",
         "--graph-out", "later.cafe")
    later = cafe.Graph(files / "later.cafe")
    ours = cafe.SphereGCN(8, output_form="raw").partial_fit(files / "g.txt").partial_fit(later)
    assert ours.embedding_.tobytes() == np.load(files / "later.npy").tobytes()
