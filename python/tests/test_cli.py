"""The same bits as the command line tool with the same options; runs are in test_same.py."""
import os
import shutil
import subprocess

import numpy as np
import pytest

import cafe

TOOL = os.environ.get("CAFE") or shutil.which("cafe")
pytestmark = pytest.mark.skipif(not TOOL, reason="the tool is not there: set $CAFE")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    tool(folder, "generate", "planted", "--nodes", "1500", "--edges", "9000", "--blocks", "8",
         "-o", "g.txt", "--labels", "g.labels")
    return folder


def tool(folder, *arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_map(files):
    tool(files, "embed", "g.txt", "-o", "m.npy", "-q", "--columns", "8")
    tool(files, "plot", "g.txt", "m.npy", "-o", "map.npy", "-q")
    points = cafe.layout(files / "g.txt", np.load(files / "m.npy"))
    assert points.tobytes() == np.load(files / "map.npy").tobytes()


def test_page(files):
    tool(files, "embed", "g.txt", "-o", "p.npy", "-q", "--columns", "8")
    x = np.load(files / "p.npy")
    np.save(files / "array.npy", x)  # which says no more than the array does
    tool(files, "plot", "g.txt", "array.npy", "-o", "theirs.html", "-q", "--title", "T")
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
