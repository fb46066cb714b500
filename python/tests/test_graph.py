"""Graphs from every kind of input are the same graph; what need not be copied is not."""
import gzip
import os
import pickle
import types

import igraph
import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse

import cafe


def edges_of(graph):
    """{(u, w): weight} with u <= w, by name."""
    matrix = scipy.sparse.triu(graph.to_scipy()).tocoo()
    names = graph.nodes.tolist()
    return {tuple(sorted((names[u], names[w]))): float(v)
            for u, w, v in zip(matrix.row, matrix.col, matrix.data)}


@pytest.fixture(scope="module")
def arrays():
    """Distinct links of 60 nodes, with weights that float32 holds exactly."""
    rng = np.random.default_rng(11)
    full = networkx.gnm_random_graph(60, 150, seed=4)
    edges = np.array(full.edges)
    return edges, rng.integers(1, 64, len(edges)) / 8


@pytest.fixture(scope="module")
def wanted(arrays):
    return {tuple(sorted(e)): w for e, w in zip(arrays[0].tolist(), arrays[1])}


def weighted_networkx(arrays):
    graph = networkx.Graph()
    graph.add_nodes_from(range(60))
    graph.add_weighted_edges_from([(u, w, x) for (u, w), x in zip(arrays[0].tolist(), arrays[1])])
    return graph


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_format_of_scipy(arrays, wanted, form, dtype):
    matrix = networkx.to_scipy_sparse_array(weighted_networkx(arrays), nodelist=range(60))
    graph = cafe.Graph(getattr(scipy.sparse.csr_matrix(matrix, dtype=dtype), f"to{form}")())
    assert edges_of(graph) == wanted and graph.n_nodes == 60


def test_a_triangle_of_the_adjacency_is_enough(arrays, wanted):
    matrix = scipy.sparse.coo_matrix((arrays[1], arrays[0].T), shape=(60, 60))
    assert edges_of(cafe.Graph(matrix)) == wanted


def test_edges_with_weights(arrays, wanted):
    edges, weights = arrays
    assert edges_of(cafe.Graph(edges, weights=weights, nodes=60)) == wanted
    assert edges_of(cafe.Graph(edges.T, weights=weights, nodes=60)) == wanted
    assert edges_of(cafe.Graph(edges[:, ::-1].tolist(), weights=weights.tolist())) == wanted
    assert set(edges_of(cafe.Graph(edges)).values()) == {1.0}


class Tensor:
    """What a tensor of PyTorch can do, as far as we use it."""

    def __init__(self, array):
        self.array, self.where = array, "cuda"

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.array


def test_edge_index(arrays, wanted):
    edges, weights = arrays
    data = types.SimpleNamespace(edge_index=Tensor(edges.T), edge_weight=Tensor(weights),
                                 num_nodes=60)
    assert edges_of(cafe.Graph(data)) == wanted
    both = np.concatenate([edges.T, edges.T[::-1]], axis=1)  # as PyTorch Geometric lists edges
    assert cafe.Graph(types.SimpleNamespace(edge_index=both, num_nodes=70)).n_edges == len(edges)
    assert cafe.Graph(types.SimpleNamespace(edge_index=both, num_nodes=70)).n_nodes == 70
    assert edges_of(cafe.Graph(Tensor(edges.T), weights=Tensor(weights))) == wanted


def test_networkx_and_igraph(arrays, wanted):
    assert edges_of(cafe.Graph(weighted_networkx(arrays))) == wanted
    other = igraph.Graph(60, arrays[0].tolist(), edge_attrs={"weight": arrays[1].tolist()})
    assert edges_of(cafe.Graph(other)) == wanted
    assert set(edges_of(cafe.Graph(other, weights=False)).values()) == {1.0}


def test_names_are_kept(arrays, wanted):
    names = {i: f"node {i}" for i in range(60)}
    named = {tuple(sorted((names[u], names[w]))): x for (u, w), x in wanted.items()}
    relabelled = networkx.relabel_nodes(weighted_networkx(arrays), names)
    assert edges_of(cafe.Graph(relabelled)) == named
    table = pandas.DataFrame({"source": [names[u] for u, _ in arrays[0].tolist()],
                              "target": [names[w] for _, w in arrays[0].tolist()],
                              "weight": arrays[1]})
    assert edges_of(cafe.Graph(table)) == named
    graph = cafe.Graph(relabelled)
    assert graph.index("node 7") == 7 and graph.names[7] == "node 7"
    with pytest.raises(KeyError):
        graph.index("node 77")


def test_names_of_any_kind():
    mixed = networkx.Graph([((0, 0), (0, 1)), ("a", (0, 0)), (7, "a")])
    graph = cafe.Graph(mixed)
    assert graph.nodes.tolist() == [(0, 0), (0, 1), "a", 7]
    assert graph.index((0, 1)) == 1 and graph.index(7) == 3
    large = pandas.DataFrame({"a": [10**12, 5], "b": [5, 10**13]})
    assert cafe.Graph.from_pandas(large, source="a", target="b").nodes.tolist() == [5, 10**12, 10**13]
    given = cafe.Graph.from_edges(np.array([[0, 1], [1, 2]]), names=["x", "y", "z"])
    assert given.nodes.tolist() == list("xyz")


HOSTILE = ["a, b", "c d", " e ", "#f", 'g"', '"h"', "+", "-", "12", "i;j", "k\tl", "\x1b[31m", "=m",
           "source", "target", "\ufeffn", "\u65e5", "o" * 65535]


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "mtx", "graph", "cafe"])
def test_names_written(tmp_path, ending):
    """Names that came from Python are in the file, whatever they hold."""
    n = len(HOSTILE)
    links = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    path = tmp_path / f"g.{ending}"
    cafe.Graph(links, names=HOSTILE).write(path)
    assert cafe.Graph(path).nodes.tolist() == HOSTILE
    numbers = [10 * u - 50 for u in range(n)]
    cafe.Graph(links, names=numbers).write(path, overwrite=True)
    assert cafe.Graph(path).nodes.tolist() == numbers
    for bad in ("a\nb", "a\0b", "", "c d"):
        with pytest.raises(ValueError):
            cafe.Graph(links, names=[bad] + HOSTILE[1:]).write(path, overwrite=True)


def test_files(tmp_path, arrays, wanted):
    text = "".join(f"{u}\t{w}\t{x}\n" for (u, w), x in zip(arrays[0].tolist(), arrays[1]))
    (tmp_path / "g.txt").write_text(text)
    with gzip.open(tmp_path / "g.txt.gz", "wt") as file:
        file.write(text)
    graph = cafe.Graph(tmp_path / "g.txt")
    assert edges_of(graph) == {e: w for e, w in wanted.items()}
    assert edges_of(cafe.Graph(str(tmp_path / "g.txt.gz"))) == wanted
    assert set(edges_of(cafe.Graph(tmp_path / "g.txt", weights=False)).values()) == {1.0}
    graph.write(tmp_path / "g.cafe")
    assert edges_of(cafe.Graph(tmp_path / "g.cafe")) == wanted
    with pytest.raises(FileExistsError):
        graph.write(tmp_path / "g.cafe")
    graph.write(tmp_path / "g.cafe", overwrite=True)
    (tmp_path / "n.txt").write_text("anna bert\nbert 7\n")
    assert cafe.Graph(tmp_path / "n.txt").nodes.tolist() == ["anna", "bert", "7"]
    (tmp_path / "i.txt").write_text("10 30\n30 20\n")
    assert cafe.Graph(tmp_path / "i.txt").nodes.tolist() == [10, 20, 30]


def test_errors_have_the_library_s_message(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        cafe.Graph(tmp_path / "none.txt")
    (tmp_path / "bad.txt").write_text("0 1\n1 2 3 4 x\n")
    with pytest.raises(ValueError, match=r"bad\.txt:2:") as caught:
        cafe.Graph(tmp_path / "bad.txt", format="edges")
    assert isinstance(caught.value, cafe.CafeError)
    assert caught.value.status == "CAFE_ERROR_FORMAT"
    with pytest.raises(ValueError, match="self_loops takes one of drop"):
        cafe.Graph([[0, 1]], self_loops="maybe")
    with pytest.raises(TypeError, match="Graph.* argument 'loops'; did you mean 'self_loops'"):
        cafe.Graph([[0, 1]], loops="keep")


@pytest.mark.parametrize("data", [np.zeros((3, 5)), np.zeros(3), [[0.5, 1.0]], [[-1, 2]],
                                  scipy.sparse.csr_matrix((3, 4)), [[0, 2**40]]])
def test_what_is_no_graph(data):
    with pytest.raises(ValueError):
        cafe.Graph(data)


def test_wrong_weights():
    with pytest.raises(ValueError, match="weights"):
        cafe.Graph.from_edges([[0, 1], [1, 2]], weights=[1, 2, 3])
    with pytest.raises(ValueError):
        cafe.Graph.from_edges([[0, 1], [1, 2]], weights=[1, float("nan")])


def test_what_was_dropped_is_counted():
    counts = cafe.Graph([[0, 1], [1, 0], [2, 2], [1, 2], [1, 2]]).counts
    assert (counts["edges"], counts["self_loops"], counts["duplicates"], counts["reversed"]) == \
        (2, 1, 1, 1)


def test_directed_rules_match_scipy(rng):
    links = np.unique(rng.integers(0, 30, (200, 2)), axis=0)
    links = links[links[:, 0] != links[:, 1]]
    a = scipy.sparse.csr_matrix((np.ones(len(links)), links.T), shape=(30, 30))
    found = cafe.Graph(links, nodes=30, directed="sum").to_scipy()
    assert abs(found - (a + a.T)).max() == 0
    cocited = (a @ a.T + a.T @ a).tolil()
    cocited.setdiag(0)
    assert abs(cafe.Graph(a, directed="cocitation").to_scipy() - cocited).max() < 1e-5


# ---- nothing is guessed

TRIPLES = [(0, 1, 2.5), (1, 2, 1.0), (0, 2, 1.0)]


@pytest.mark.parametrize("data, constructor", [
    (np.array(TRIPLES), "from_edges"), (np.array(TRIPLES), "from_adjacency"), ([[0, 0], [1, 2]], "from_edge_index"),
    (np.array(TRIPLES + TRIPLES), "from_edges"), (np.array(TRIPLES[:2]), "from_edge_index"),
    ([[0, 1, 2], [1, 5, 1]], r"from_edges\(x\[:, :2\], weights=x\[:, 2\]\)"),
    (pandas.DataFrame(np.eye(4)), "from_adjacency"),
    (pandas.DataFrame({"id": [7, 8], "from": [0, 1], "to": [1, 2]}), "from_pandas"),
])
def test_what_has_two_meanings_is_refused(data, constructor):
    with pytest.raises(ValueError, match=constructor):
        cafe.Graph(data)


def test_what_is_certain_by_its_constructor():
    assert edges_of(cafe.Graph.from_edges([t[:2] for t in TRIPLES],
                                          weights=[t[2] for t in TRIPLES])) == \
        {(0, 1): 2.5, (1, 2): 1.0, (0, 2): 1.0}
    index = types.SimpleNamespace(edge_index=[[0, 0], [1, 2]])
    for graph in (cafe.Graph(index), cafe.Graph.from_edge_index([[0, 0], [1, 2]])):
        assert edges_of(graph) == {(0, 1): 1.0, (0, 2): 1.0}
    assert edges_of(cafe.Graph.from_edge_index([[0, 0], [1, 2]], edge_attr=[[3], [4]])) == \
        {(0, 1): 3.0, (0, 2): 4.0}
    assert edges_of(cafe.Graph.from_edges([[0, 0], [1, 2]], self_loops="keep")) == \
        {(0, 0): 2.0, (1, 2): 1.0}
    table = pandas.DataFrame([[0, 2, 0], [2, 0, 1], [0, 1, 0]], index=list("abc"), columns=list("abc"))
    assert edges_of(cafe.Graph.from_adjacency(table)) == {("a", "b"): 2.0, ("b", "c"): 1.0}
    with pytest.raises(ValueError, match="named alike"):
        cafe.Graph.from_adjacency(table[["b", "a", "c"]])
    named = pandas.DataFrame({"id": [7, 8], "from": [0, 1], "to": [1, 2], "w": [0.5, 2]})
    assert edges_of(cafe.Graph.from_pandas(named, source="from", target="to", weight="w")) == \
        {(0, 1): 0.5, (1, 2): 2.0}
    assert cafe.Graph.from_edges([0, 1], [1, 5], nodes=9).n_nodes == 9


def test_numbers_far_apart_do_not_make_nodes_between_them():
    far = [7, 3 * 10 ** 6], [3, 7]
    with pytest.raises(ValueError, match="nodes=3000001 takes them all; a pandas table takes only"):
        cafe.Graph.from_edges(*far)
    assert cafe.Graph.from_edges(*far, nodes=3000001).n_nodes == 3000001
    table = pandas.DataFrame({"source": far[0], "target": far[1]})
    assert sorted(cafe.Graph.from_pandas(table, source="source", target="target").nodes) == [3, 7, 3 * 10 ** 6]


def test_weights_that_do_not_belong(arrays, tmp_path):
    graph = weighted_networkx(arrays)
    other = igraph.Graph(3, [(0, 1)], edge_attrs={"strength": [2]})
    table = pandas.DataFrame({"source": [0], "target": [1], "weight": [3]})
    for data in (graph, other, table):
        with pytest.raises(ValueError, match="nosuch"):
            cafe.Graph(data, weights="nosuch")
    assert edges_of(cafe.Graph(other, weights="strength")) == {(0, 1): 2.0}
    for data in (graph, networkx.to_scipy_sparse_array(graph), np.ones((5, 5))):
        with pytest.raises(TypeError, match="weights"):
            cafe.Graph(data, weights=arrays[1])
    with pytest.raises(ValueError, match="weights: expected 1"):
        cafe.Graph(table, weights=[1, 2])


@pytest.mark.parametrize("options", [{"nodes": 9}, {"format": "edges"}, {"trust": True}])
def test_options_that_do_not_belong(options):
    with pytest.raises(TypeError, match=next(iter(options))):
        cafe.Graph(scipy.sparse.eye(5, k=1), **options)
    with pytest.raises(TypeError, match=next(iter(options))):
        cafe.Graph.from_scipy(scipy.sparse.eye(5, k=1), **options)


def test_entries_that_are_there_twice_count_together():
    doubled = scipy.sparse.csr_matrix((np.array([1, 2, 3], np.float32), np.array([1, 1, 0]),
                                       np.array([0, 2, 3])), shape=(2, 2))
    graph = cafe.Graph.from_scipy(doubled)
    assert edges_of(graph) == {(0, 1): 3.0} and not graph.shared
    assert doubled.nnz == 3  # the caller's stays as it is


def test_masked_arrays_files_and_repeated_names():
    with pytest.raises(TypeError, match="masked"):
        cafe.Graph(np.ma.masked_equal(np.eye(5), 0))
    with open(os.devnull) as file, pytest.raises(TypeError, match="from_file"):
        cafe.Graph(file)
    with pytest.raises(ValueError, match="'a' comes twice"):
        cafe.Graph([[0, 1], [1, 2], [0, 2]], names=["a", "b", "a"])


def test_nullable_and_object_columns():
    table = pandas.DataFrame({"source": pandas.array([3, 1], dtype="Int64"),
                              "target": pandas.array([1, 2], dtype="Int64"),
                              "weight": pandas.array([0.5, 2], dtype="Float64")})
    assert edges_of(cafe.Graph(table)) == {(1, 3): 0.5, (1, 2): 2.0}
    table["weight"] = np.array([1, 2.5], dtype=object)
    assert edges_of(cafe.Graph(table)) == {(1, 3): 1.0, (1, 2): 2.5}
    table["weight"] = ["a", 2]
    with pytest.raises(ValueError, match="column 'weight': expected real numbers"):
        cafe.Graph(table)
    table["weight"] = pandas.array([None, 2], dtype="Float64")
    with pytest.raises(ValueError, match="column 'weight' has missing values"):
        cafe.Graph(table)
    pair = pandas.DataFrame({"source": [("a", 1), "b"], "target": ["b", ("a", 1)]})
    assert cafe.Graph(pair).nodes.tolist() == [("a", 1), "b"]


def test_points_keep_their_index(rng):
    table = pandas.DataFrame(rng.normal(size=(30, 3)), index=[f"p{i}" for i in range(30)])
    assert cafe.Graph.from_points(table, n_neighbors=4).nodes.tolist() == list(table.index)


# ---- and back

def test_back_to_other_libraries(arrays, wanted):
    graph = cafe.Graph(arrays[0], weights=arrays[1], names=[f"n{i}" for i in range(60)])
    named = edges_of(graph)
    assert edges_of(cafe.Graph(graph.to_networkx())) == named
    assert edges_of(cafe.Graph(graph.to_igraph())) == named
    source, target, weight = graph.to_edges()
    assert {tuple(sorted(e)): float(w) for *e, w in zip(source.tolist(), target.tolist(), weight)} \
        == named
    assert set(graph.neighbors("n5").tolist()) == \
        {b if a == "n5" else a for a, b in named if "n5" in (a, b)}
    some = [f"n{i}" for i in range(0, 60, 2)]
    assert edges_of(graph.subgraph(some)) == {e: w for e, w in named.items() if set(e) <= set(some)}
    with pytest.raises(KeyError):
        graph.subgraph(["n5", "n60"])


# ---- memory

class _Rows:
    """What a CSR matrix looks like from outside, with arrays that nothing has checked."""

    def __init__(self, indptr, indices, data, shape=(3, 3)):
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape

    def tocsr(self):
        return self


@pytest.mark.parametrize("indptr, indices, data, error", [
    ([0, 1, 3, 99], [1, 0, 2, 1], [1, 1, 2, 2], "ends at 99, but there are 4 indices"),
    ([0, 3, 1, 4], [1, 0, 2, 1], [1, 1, 2, 2], "ascend from 0"),
    ([1, 1, 3, 4], [1, 0, 2, 1], [1, 1, 2, 2], "ascend from 0"),
    ([0, 1, 4], [1, 0, 2, 1], [1, 1, 2, 2], "expected 4 offsets"),
    ([0, 1, 3, 4], [1, 0, 2, 1], [1, 2], "weights: expected 4"),
    ([0, 1, 3, 4], [1, 0, 2**32 + 1, 1], [1, 1, 2, 2], "indices: expected 0 to 2"),
    ([0, 1, 3, 4], [1, 0, -1, 1], [1, 1, 2, 2], "indices: expected 0 to 2"),
    ([0, 1, 3, 4], np.array([1, 0, 7, 1], np.int32), [1, 1, 2, 2], "indices: expected 0 to 2"),
    ([0.0, 1.0, 3.0, 4.0], [1, 0, 2, 1], [1, 1, 2, 2], "indptr: expected whole numbers"),
    ([[0, 1, 3, 4]], [1, 0, 2, 1], [1, 1, 2, 2], "indptr: expected whole numbers"),
    ([0, 1, 3, 4], [[1, 0], [2, 1]], [1, 1, 2, 2], "indices: expected whole numbers"),
    ([0, 1, 3, 4], [1, 0, 2, 1], [[1, 1], [2, 2]], "weights: expected 4"),
    ([0, 1, 3, 4], [1.0, 0.0, 2.5, 1.0], [1, 1, 2, 2], "indices: expected whole numbers"),
])
def test_arrays_that_do_not_fit_are_refused(indptr, indices, data, error):
    rows = _Rows(np.array(indptr), np.array(indices), np.array(data, dtype=np.float32))
    with pytest.raises(ValueError, match=error):
        cafe.Graph(rows)


def test_a_file_that_changes_leaves_its_graph_as_it_was(tmp_path):
    path = tmp_path / "g.cafe"
    graph, _ = cafe.generate("sbm", nodes=200, edges=900, random_state=1)
    graph.write(path)
    read = cafe.Graph(path)
    before = cafe.LayeredCafe().fit(read).labels_
    with open(path, "r+b") as file:  # ids outside of every array
        file.seek(256)
        file.write(b"\x7f" * (path.stat().st_size - 256))
    assert (cafe.LayeredCafe().fit(read).labels_ == before).all()
    with open(path, "r+b") as file:
        file.truncate(10)
    assert (cafe.LayeredCafe().fit(read).labels_ == before).all()
    with pytest.raises(TypeError, match="belongs to arrays"):
        cafe.Graph(path, copy=True)


def short_rows(arrays):
    """With float32 and int32, whatever networkx and scipy make of them."""
    rows = networkx.to_scipy_sparse_array(weighted_networkx(arrays), nodelist=range(60), format="csr")
    matrix = scipy.sparse.csr_matrix(rows, dtype=np.float32)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix


def test_fitting_rows_need_not_be_copied(arrays):
    matrix = short_rows(arrays)
    graph = cafe.Graph(matrix, copy=False)
    offsets, targets, weights = graph.csr()
    assert targets.ctypes.data == matrix.indices.ctypes.data
    assert weights.ctypes.data == matrix.data.ctypes.data
    ones = scipy.sparse.csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr))
    graph = cafe.Graph(ones, copy=False)  # float64, but all ones: no weights at all
    assert graph.csr()[1].ctypes.data == ones.indices.ctypes.data and graph.csr()[2] is None


def test_the_callers_arrays_stay_as_they_are(arrays):
    matrix = short_rows(arrays)
    before = [a.copy() for a in (matrix.data, matrix.indices, matrix.indptr)]
    for copy in (None, True, False):
        graph = cafe.Graph(matrix, copy=copy)
        assert graph.shared == (copy is False) and ("shared" in repr(graph)) == graph.shared
        cafe.SphereGCN(2).fit(graph)
    cafe.SphereGCN(2).fit(matrix)
    for array, was in zip((matrix.data, matrix.indices, matrix.indptr), before):
        assert array.flags.writeable and np.array_equal(array, was)
    matrix.data[0] = 7  # as its owner may
    with pytest.raises(ValueError, match="arrays that the graph shares changed"):
        cafe.SphereGCN(2).fit(graph)
    model = cafe.SphereGCN(2).fit(matrix.maximum(matrix.T))
    assert not model.graph_.shared


def test_views_keep_the_graph(arrays):
    offsets, targets, _ = cafe.Graph(arrays[0]).csr()  # the graph itself is gone
    filler = [np.full(len(targets), -1, np.int32) for _ in range(200)]
    assert targets.min() == 0 and targets.max() == 59 and offsets[-1] == len(targets)
    assert len(filler) == 200
    with pytest.raises(ValueError):
        targets[0] = 1


def test_arrays_outlive_the_matrix(arrays):
    matrix = scipy.sparse.csr_matrix(networkx.to_scipy_sparse_array(weighted_networkx(arrays)))
    want = matrix.copy()
    graph = cafe.Graph(matrix)
    del matrix
    assert abs(graph.to_scipy() - want).max() == 0


def test_pickle(arrays, wanted):
    graph = cafe.Graph(arrays[0], weights=arrays[1], names=[f"n{i}" for i in range(60)])
    again = pickle.loads(pickle.dumps(graph))
    assert edges_of(again) == edges_of(graph) and again.nodes.tolist() == graph.nodes.tolist()
    loops = cafe.Graph.from_edges([[0, 0], [0, 1]], self_loops="keep")
    assert abs(pickle.loads(pickle.dumps(loops)).to_scipy() - loops.to_scipy()).max() == 0


def test_degrees_and_frames(arrays):
    graph = cafe.Graph(arrays[0], weights=arrays[1])
    assert np.allclose(graph.degrees, np.asarray(graph.to_scipy().sum(axis=1)).ravel())
    table = graph.frame(np.zeros((60, 3)))
    assert table.shape == (60, 3) and table.index.tolist() == list(range(60))
    assert len(graph) == 60 and "60 nodes, 150 edges, weighted" in repr(graph)


def test_a_graph_of_a_graph(karate):
    named = cafe.Graph(karate, names=[f"n{i}" for i in range(34)])
    assert named.csr()[1].ctypes.data == karate.csr()[1].ctypes.data
    assert named.nodes[3] == "n3" and karate.names is None
    with pytest.raises(TypeError):
        cafe.Graph(karate, weights=False)


def test_empty_and_tiny():
    assert cafe.Graph(np.zeros((0, 2), int), nodes=3).n_nodes == 3
    with pytest.raises(ValueError, match="edge"):
        cafe.SphereGCN().fit(cafe.Graph(np.zeros((0, 2), int), nodes=3))


def test_karate_is_the_example(tmp_path):
    import os
    import pathlib
    root = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
    example = cafe.Graph(root / "examples" / "karate.txt")
    graph, faction = cafe.karate(return_labels=True)
    assert edges_of(graph) == edges_of(example)
    lines = (root / "examples" / "karate.labels.txt").read_text().split("\n")
    known = dict(line.split() for line in lines if line and line[0] != "#")
    assert all(faction[int(u)] == int(c) for u, c in known.items())


def test_points(rng):
    x = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 50])
    graph = cafe.Graph.from_points(x, n_neighbors=4)
    assert graph.n_nodes == 60 and graph.counts["components"] >= 2
