"""Arguments from Python are checked before the library sees them. Nothing is silently read as
something else, and arrays that others may write into do no harm."""
import fractions
import types

import igraph
import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse

import cafe

EDGES = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])


# ---- names

def test_names_stay_what_they_are():
    graph = cafe.Graph([("a", 1), ("b", 1), ("a", "b")])
    assert graph.nodes.tolist() == ["a", 1, "b"] and graph.index(1) == 1
    pairs = [(("a", 1), ("b", 2)), (("b", 2), "c"), (("a", 1), "c")]
    for made in (cafe.Graph(pairs), cafe.Graph.from_edges(pairs),
                 cafe.Graph.from_edges([p[0] for p in pairs], [p[1] for p in pairs])):
        assert made.nodes.tolist() == [("a", 1), ("b", 2), "c"]
    assert cafe.Graph.from_edges([1, 2], ["a", "b"]).nodes.tolist() == [1, "a", 2, "b"]
    assert cafe.Graph.from_edges(np.array([[0, 1], [1, 2]], dtype=object)).names is None
    assert cafe.Graph(EDGES, names=["1", 1, True + 1, 3.5]).nodes.tolist() == ["1", 1, 2, 3.5]


@pytest.mark.parametrize("names, error", [
    ("abcd", TypeError), ({0: "a", 1: "b", 2: "c", 3: "d"}, TypeError), (set("abcd"), TypeError),
    ([["a"], "b", "c", "d"], TypeError), (["a", None, "c", "d"], ValueError),
    (["a", float("nan"), "c", "d"], ValueError), (["a", pandas.NA, "c", "d"], ValueError),
    (np.ma.masked_equal([1, 2, 3, 4], 2), TypeError), (["a", "b", "c"], ValueError),
    ([1, "a", True, "b"], ValueError)])
def test_names_that_are_none(names, error):
    with pytest.raises(error, match="names"):
        cafe.Graph(EDGES, names=names)


def test_names_in_the_place_of_others_are_refused(tmp_path):
    (tmp_path / "g.txt").write_text("a b\nb c\n")
    for data in (networkx.Graph([("a", "b")]), [["a", "b"]], tmp_path / "g.txt"):
        with pytest.raises(TypeError, match="names of their own"):
            cafe.Graph(data, names=["x", "y"])


@pytest.mark.parametrize("edges", [
    np.array([[True, False]] * 3), np.array([[0.0, 1.0]] * 3), np.array([[0j, 1j]] * 3),
    [["a", None], ["b", "c"], ["c", "a"]], [[-1, 2], [0, 1], [1, 2]],
    np.array([["a", float("nan")]] * 3, dtype=object), [[0, 2**70], [0, 1], [1, 2]],
    np.array([[0, 2**63]] * 3, dtype=np.uint64)])
def test_edges_between_no_nodes(edges):
    with pytest.raises(ValueError, match="edges|indices"):
        cafe.Graph.from_edges(edges)


@pytest.mark.parametrize("nodes, error", [(2.5, TypeError), (True, TypeError), ("9", TypeError),
                                          (-1, ValueError), (2**31, ValueError), (0, ValueError),
                                          (3, ValueError)])
def test_numbers_of_nodes(nodes, error):
    with pytest.raises(error, match="nodes"):
        cafe.Graph(EDGES, nodes=nodes)
    with pytest.raises(error, match="nodes"):
        cafe.Graph.from_edge_index(EDGES.T, num_nodes=nodes)


def test_a_number_of_nodes_beside_names():
    with pytest.raises(TypeError, match="nodes"):
        cafe.Graph([["a", "b"]], nodes=5)


# ---- weights

@pytest.mark.parametrize("weights", [
    ["1", "2", "3", "4"], [1, None, 2, 3], [1j, 2, 3, 4], np.array([1, "2", 3, 4], dtype=object),
    np.ones((4, 1)), np.ones(3), 2.0, np.array(["2020"] * 4, "M8[D]"),
    [fractions.Fraction(1, 2)] * 4, [1, -2, 3, 4], [1e300, 1, 1, 1], [np.inf, 1, 1, 1]])
def test_weights_that_are_none(weights):
    with pytest.raises(ValueError, match="weight"):
        cafe.Graph(EDGES, weights=weights)


def test_weights_as_objects_and_nullable():
    wanted = [0.5, 1.0, 2.0, 3.0]
    for weights in (np.array(wanted, dtype=object), pandas.array(wanted, dtype="Float64"),
                    pandas.Series(wanted), np.array(wanted, np.float16), np.array(wanted, ">f8")):
        assert cafe.Graph(EDGES, weights=weights).to_edges()[2].tolist() == [0.5, 2.0, 1.0, 3.0]


def test_masked_arrays_are_refused_everywhere(karate):
    hidden = np.ma.masked_equal(np.eye(34), 0)
    model = cafe.SphereGCN(2).fit(karate)
    for call in (lambda: cafe.Graph(EDGES, weights=np.ma.masked_equal([1, 2, 3, 4], 2)),
                 lambda: cafe.Graph.from_edges(np.ma.masked_equal(EDGES, 2)),
                 lambda: cafe.Graph.from_edges(np.ma.masked_equal(EDGES[:, 0], 2), EDGES[:, 1]),
                 lambda: cafe.Graph.from_adjacency(hidden),
                 lambda: cafe.Graph.from_points(hidden),
                 lambda: cafe.Reduce(2).fit(hidden),
                 lambda: cafe.SphereGCN(2).fit(karate, start=hidden),
                 lambda: cafe.SphereGCN(2, sampling="twisted").fit(karate, attributes=hidden),
                 lambda: cafe.explain(karate, hidden), lambda: cafe.layout(karate, hidden),
                 lambda: cafe.place(karate, model, hidden[:2]),
                 lambda: cafe.CafeGCN().fit(karate, np.ma.masked_equal(np.arange(34) % 3, 2))):
        with pytest.raises(TypeError, match="masked"):
            call()


def test_weights_of_graphs_left_out():
    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=5)
    other = igraph.Graph(3, [(0, 1)], edge_attrs={"weight": [2]})
    assert not cafe.Graph.from_networkx(graph, weight=False).weighted
    assert not cafe.Graph.from_igraph(other, weight=False).weighted
    for weight in (True, 5):
        with pytest.raises(TypeError, match="weight"):
            cafe.Graph.from_networkx(graph, weight=weight)
    graph.add_edge("b", "c", weight="heavy")
    with pytest.raises(ValueError, match="weights: expected real numbers"):
        cafe.Graph(graph)


def test_edge_attr_may_be_weights_or_features():
    data = types.SimpleNamespace(edge_index=EDGES.T, edge_attr=np.ones((4, 3)), edge_weight=None)
    with pytest.raises(ValueError, match="edge_attr"):
        cafe.Graph(data)
    assert not cafe.Graph.from_edge_index(data, edge_attr=False).weighted
    given = cafe.Graph.from_edge_index(data, edge_attr=[[1], [2], [3], [4]])
    assert given.to_edges()[2].tolist() == [1.0, 3.0, 2.0, 4.0]
    with pytest.raises(ValueError, match="weights: expected 4"):
        cafe.Graph.from_edge_index(data, edge_attr=data.edge_attr)


# ---- tables

def test_tables_that_are_uncertain():
    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "Weight": [2, 3]})
    with pytest.raises(ValueError, match="'Weight' may hold weights"):
        cafe.Graph(table)
    assert cafe.Graph.from_pandas(table, source="source", target="target", weight="Weight").weighted
    with pytest.raises(ValueError, match="one column"):
        cafe.Graph.from_pandas(table, source="source", target="source")
    twice = pandas.DataFrame([[0, 1, 2]], columns=["source", "target", "target"])
    with pytest.raises(ValueError, match="2 columns 'target'"):
        cafe.Graph(twice)
    with pytest.raises(ValueError, match="no column 'to'"):
        cafe.Graph.from_pandas(table, source="source", target="to")
    with pytest.raises(TypeError, match="weight=False"):
        cafe.Graph.from_pandas(table, source="source", target="target", weight=False)
    with pytest.raises(ValueError, match="its index"):
        cafe.Graph.from_pandas(table, source="source", target="target",
                               weight=pandas.Series([1, 2], index=[1, 0]))


def test_a_column_is_no_adjacency():
    with pytest.raises(ValueError, match="square"):
        cafe.Graph.from_adjacency(pandas.Series([1, 2, 3]))


def test_columns_of_every_kind():
    def graph(source, target, weight=None):
        table = pandas.DataFrame({0: source, 1: target, 2: weight if weight is not None else 1})
        return cafe.Graph.from_pandas(table, source=0, target=1, weight=2)

    assert graph(["x", "y"], ["y", "z"], [2, 3]).to_edges()[2].tolist() == [2.0, 3.0]
    assert graph(pandas.Categorical(["x", "y"]), ["y", "z"]).nodes.tolist() == ["x", "y", "z"]
    assert graph(pandas.array(["x", "y"], dtype="string"), ["y", "z"]).n_nodes == 3
    assert graph(np.array([7, 9], np.uint64), np.array([9, 8])).nodes.tolist() == [7, 8, 9]
    assert graph([0, 1], [1, 2]).names is None
    for bad in ([0.5, 1.5], [True, False], [1, None], [None, "a"]):
        with pytest.raises(ValueError, match="column 0"):
            graph(bad, ["y", "z"])
    for bad in (["1", "2"], [1j, 2j], [None, 1.0]):
        with pytest.raises(ValueError, match="column 2"):
            graph(["x", "y"], ["y", "z"], bad)


@pytest.mark.parametrize("make, data", [
    (cafe.Graph.from_scipy, EDGES), (cafe.Graph.from_networkx, EDGES),
    (cafe.Graph.from_igraph, EDGES), (cafe.Graph.from_file, EDGES),
    (lambda x: cafe.Graph.from_pandas(x, source=0, target=1), EDGES),
    (lambda x: cafe.Graph.from_arrow(x, source=0, target=1), EDGES)])
def test_constructors_say_what_they_take(make, data):
    with pytest.raises(TypeError, match="expected"):
        make(data)


def test_points_and_reduced_tables_keep_their_index(rng):
    table = pandas.DataFrame(rng.normal(size=(30, 3)), index=[f"p{i}" for i in range(30)])
    model = cafe.Reduce(2).fit(table)
    assert model.to_frame().index.tolist() == list(table.index)
    table.index = ["p"] * 30
    with pytest.raises(ValueError, match="'p' comes twice"):
        cafe.Graph.from_points(table, n_neighbors=4)
    for bad in (np.array([["1", "2"]] * 9), np.full((9, 2), 1e300), [[1, None]] * 9):
        with pytest.raises(ValueError, match="x: expected"):
            cafe.Graph.from_points(bad, n_neighbors=3)


@pytest.mark.parametrize("options", [{"random_state": float("inf")}, {"random_state": "a"},
                                     {"random_state": 2.5}, {"n_jobs": "a"}, {"n_jobs": 1.5}])
def test_seeds_and_threads_that_are_no_numbers(karate, options):
    with pytest.raises(TypeError, match=next(iter(options))):
        cafe.SphereGCN(2, **options).fit(karate)


def test_labels_and_tables_that_do_not_fit(karate):
    with pytest.raises(TypeError, match="labels of one kind"):
        cafe.CafeGCN().fit(karate, {0: "a", 1: 2, 33: frozenset([3])})
    for wrong in (np.zeros((34, 2, 2)), np.zeros(33), 5):
        with pytest.raises(ValueError, match="a row per node, 34"):
            karate.frame(wrong)


def test_options_of_another_sampling(karate):
    with pytest.raises(ValueError, match="window"):
        cafe.SphereGCN(2, window=3).fit(karate)


@pytest.mark.parametrize("wide", [0, 1, 3])
def test_maps_are_of_the_plane(karate, wide, tmp_path):
    with pytest.raises(ValueError, match="map: expected"):
        cafe.view(karate, np.ones((34, 2)), tmp_path / "x.html", map=np.ones((34, wide)))


# ---- memory that others hold

def symmetric(n=60):
    matrix = scipy.sparse.random(n, n, 0.1, format="csr", dtype=np.float32, random_state=1)
    matrix = scipy.sparse.triu(matrix, 1)
    matrix = (matrix + matrix.T).tocsr()
    matrix.sort_indices()
    return scipy.sparse.csr_matrix((matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()))


def shares(graph, array):
    return any(np.may_share_memory(array, own) for own in graph.csr())


def test_arrays_are_copied_unless_sharing_is_asked_for():
    for copy in (None, True):
        matrix = symmetric()
        graph = cafe.Graph(matrix, copy=copy)
        assert not graph.shared and not shares(graph, matrix.indices) and not shares(graph, matrix.data)
        before = graph.to_edges()[1].tolist()
        matrix.indices[:] = 0
        assert graph.to_edges()[1].tolist() == before
        cafe.LayeredCafe().fit(graph)
    matrix = symmetric()
    graph = cafe.Graph(matrix, copy=False)
    assert graph.shared and shares(graph, matrix.indices) and shares(graph, matrix.data)
    with pytest.raises(TypeError, match="copy"):
        cafe.Graph(matrix, copy="no")


@pytest.mark.parametrize("value", [0, 59, -1, 2**30, -2**31])
def test_shared_arrays_that_change_give_no_result(value):
    matrix = symmetric()
    view = matrix.indices[:]
    graph = cafe.Graph(matrix, copy=False)
    model = cafe.SphereGCN(3).fit(graph)
    assert graph.shared
    view[5] = value
    for call in (lambda: cafe.LayeredCafe().fit(graph), lambda: cafe.SphereGCN(3).fit(graph),
                 lambda: cafe.SoftmaxClustering(3).fit(graph), lambda: cafe.explain(graph, model),
                 lambda: cafe.layout(graph, model), lambda: cafe.view(graph, model),
                 lambda: cafe.place(graph, model, [[0, 1]]), lambda: graph.write("/nonexistent/g.txt")):
        with pytest.raises(ValueError, match="arrays that the graph shares changed"):
            call()


def test_arrays_that_are_not_aligned():
    raw = np.zeros(4 * len(EDGES) + 1, np.uint8)
    crooked = raw[1:].view(np.int32)
    crooked[:] = EDGES[:, 0]
    assert cafe.Graph.from_edges(crooked, EDGES[:, 1]).n_edges == 4
    assert cafe.Graph.from_edges(EDGES[::-1].astype(">i4")[::1]).n_edges == 4
