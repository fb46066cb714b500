"""No silent wrong answer: data with two meanings are refused, omissions are reported, and
what belongs to the caller stays as it is."""
import gc
import pathlib
import pickle
import subprocess
import sys
import warnings
import weakref

import igraph
import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone

import cafe


# ---- paths

def test_a_path_with_a_nul_is_refused(karate, tmp_path):
    """The library would read it up to the NUL."""
    text, model = str(tmp_path / "g.txt"), cafe.SphereGCN(3).fit(karate)
    karate.write(text)
    model.write(tmp_path / "v.npy")
    for path in (text + "\0.gz", pathlib.Path(text + "\0"), str(tmp_path / "v.npy") + "\0x.npy",
                 str(tmp_path / "new\0.html"), str(tmp_path / "new\0.svg")):
        for call in (lambda: cafe.Graph(path), lambda: cafe.Graph.from_file(path),
                     lambda: karate.write(path, overwrite=True), lambda: model.write(path),
                     lambda: cafe.write_vectors(model, path), lambda: cafe.read_vectors(karate, path),
                     lambda: cafe.SphereGCN(3).fit(karate, checkpoint=path),
                     lambda: cafe.LayeredCafe().fit(karate, checkpoint=path),
                     lambda: cafe.view(karate, model, path), lambda: cafe.view(karate, model).save(path),
                     lambda: cafe.plot(model, graph=karate).save(path), lambda: cafe.load(path),
                     lambda: cafe.datasets.read_labels(karate, path),
                     lambda: cafe.reproduce(data=path, tables=["classification"])):
            with pytest.raises((ValueError, FileNotFoundError, TypeError)):
                call()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.txt", "v.npy"]


def test_other_paths_stay_fine(karate, tmp_path):
    karate.write(str(tmp_path / "ä.txt").encode())
    assert cafe.Graph(tmp_path / "ä.txt").n_edges == 78


def test_texts_with_a_nul(karate, tmp_path):
    model = cafe.SphereGCN(3).fit(karate)
    names = [f"n\0{u}" for u in range(34)]
    with pytest.raises(ValueError, match="NUL"):
        cafe.Graph(karate, names=names).write(tmp_path / "g.txt")
    with pytest.raises(ValueError, match="NUL"):
        cafe.write_vectors(model, tmp_path / "v.tsv", names=names)
    with pytest.raises(ValueError, match="NUL"):
        karate.write(tmp_path / "g.gml", attributes={"a\0b": range(34)})
    with pytest.raises(ValueError, match="NUL"):
        cafe.SphereGCN(3, engine="processor\0").fit(karate)
    with pytest.raises(ValueError, match="NUL"):
        cafe.Graph.from_file(tmp_path / "x.txt", source="a\0", target="b")


# ---- matrices

def changed(kind, **arrays):
    """A matrix of scipy with other arrays than its constructor would take."""
    matrix = scipy.sparse.csr_matrix(networkx.to_numpy_array(networkx.path_graph(5))).asformat(kind)
    for name, array in arrays.items():
        setattr(matrix, name, np.asarray(array))
    return matrix


@pytest.mark.parametrize("matrix, error", [
    (changed("coo", row=[-1, 1, 1, 2, 2, 3, 3, 4]), "rows: expected 0 to 4, found -1"),
    (changed("coo", col=[1, 0, 2, 1, 3, 2, 4, 2**30]), "columns: expected 0 to 4"),
    (changed("coo", row=[0, 1]), "one length"), (changed("coo", row=np.zeros(8)), "whole numbers"),
    (changed("csr", indices=[1, 0, 2, 1, 3, 2, 4, -3]), "indices: expected 0 to 4"),
    (changed("csr", indptr=[0, 5, 3, 5, 7, 8]), "ascend from 0"),
    (changed("csr", indptr=[0, 1, 3, 5, 7, 99]), "ends at 99"),
    (changed("csr", indptr=[0, 1, 8]), "expected 6 offsets"),
    (changed("csc", indices=[1, 0, 2, 1, 3, 2, 4, 77]), "indices: expected 0 to 4"),
    (changed("csc", indptr=[8, 7, 5, 3, 1, 0]), "ascend from 0"),
    (changed("csc", data=[1.0]), "data: expected 8"),
    (changed("bsr", indices=[1, 0, 2, 1, 3, 2, 4, 9]), "indices: expected 0 to 4")])
def test_indices_are_looked_at_before_scipy_follows_them(karate, matrix, error):
    for call in (lambda: cafe.Graph(matrix), lambda: cafe.Graph.from_scipy(matrix),
                 lambda: cafe.SphereGCN(2).fit(matrix)):
        with pytest.raises(ValueError, match=error):
            call()
    graph = networkx.path_graph(5)
    with pytest.raises(ValueError, match=error):
        cafe.place(graph, np.ones((5, 1)), matrix, form="raw")


def test_every_format_of_scipy():
    matrix = scipy.sparse.csr_matrix(networkx.to_numpy_array(networkx.path_graph(6)))
    for kind in ("csr", "csc", "coo", "bsr", "dia", "dok", "lil"):
        assert cafe.Graph(matrix.asformat(kind)).n_edges == 5


@pytest.mark.parametrize("weight", [1e-300, 1e-46, -1e-300, 1e-40, np.float32(1e-40), np.float16(6e-8) * 0 + 1e-39])
def test_weights_that_float32_cannot_hold(weight):
    pairs, weights = [(0, 1), (1, 2)], [weight, 1.0]
    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "weight": weights})
    dense = np.zeros((4, 4))
    dense[[0, 1], [1, 2]] = weights
    tables = networkx.Graph()
    tables.add_weighted_edges_from([(0, 1, weight), (1, 2, 1.0)])
    for call in (lambda: cafe.Graph(pairs, weights=weights), lambda: cafe.Graph(table),
                 lambda: cafe.Graph(dense, directed="no"), lambda: cafe.Graph(tables),
                 lambda: cafe.Graph(scipy.sparse.csr_matrix(dense), directed="no"),
                 lambda: cafe.Graph([(0, 1, weight), (1, 2, 1.0)]),
                 lambda: cafe.SphereGCN(2).fit(cafe.karate()).transform({"new": {0: weight}})):
        with pytest.raises(ValueError, match="weight"):
            call()


@pytest.mark.parametrize("weight", ["5", "5 ", "0x10", b"5"])
def test_text_is_no_weight(karate, weight):
    for call in (lambda: cafe.Graph([(0, 1, weight), (1, 2, 1)]),
                 lambda: cafe.SphereGCN(2).fit(karate).transform({"new": {0: weight}}),
                 lambda: cafe.update(karate, cafe.SphereGCN(2, output_form="raw", columns_from="top").fit(karate),
                                     added=[(0, 33, weight)])):
        with pytest.raises(ValueError, match="weight"):
            call()


# ---- lists of tuples

def test_a_list_of_tuples_is_a_list_of_edges():
    weighted = cafe.Graph([(0, 1, 2), (1, 5, 1)])
    assert weighted.n_nodes == 6 and weighted.to_edges()[2].tolist() == [2.0, 1.0]
    assert cafe.Graph.from_edges([(0, 1, 2), (1, 5, 1)]).weighted
    assert cafe.Graph([(0, 1), (1, 5)]).n_edges == 2
    assert cafe.Graph([(0, 1)]).n_edges == 1
    assert cafe.Graph([("a", "b", 2.5), ("b", "c", 1)]).nodes.tolist() == ["a", "b", "c"]
    assert cafe.Graph([(0, 1), (1, 5)], weights=[3, 1]).weighted
    assert not cafe.Graph([(0, 1, 2), (1, 5, 1)], weights=False).weighted
    assert cafe.SphereGCN(2).fit([(0, 1, 2), (1, 5, 1), (0, 5, 1)]).embedding_.shape[0] == 6
    for odd in ([(0, 1), (1, 2, 3)], [(0,), (1,)], [(0, 1, 2, 3)] * 2, [("a", "b", "c")]):
        with pytest.raises(ValueError, match="edges: expected|weights: expected"):
            cafe.Graph(odd)
    with pytest.raises(ValueError, match="weights are given"):
        cafe.Graph([(0, 1, 2), (1, 5, 1)], weights=[1, 2])


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 3)])
def test_arrays_of_two_meanings(shape):
    data = np.arange(np.prod(shape)).reshape(shape)
    for x in (data, data.tolist()):
        with pytest.raises(ValueError, match=r"Graph\.from_edges\(.*or Graph\.from"):
            cafe.Graph(x)


# ---- what is left out

LOSSES = "left out of the graph: 1 loops .*2 repeated edges"


def lossy():
    edges = [(0, 1), (1, 0), (0, 1), (0, 1), (2, 2), (1, 2)]
    yield edges
    yield np.array(edges)
    yield np.array(edges).T
    yield pandas.DataFrame(edges, columns=["source", "target"])


def test_loops_and_repeated_edges_are_told(tmp_path):
    for data in lossy():
        with pytest.warns(cafe.CafeWarning, match=LOSSES) as caught:
            assert cafe.Graph(data).n_edges == 2
        assert len(caught) == 1 and caught[0].filename == __file__
        with pytest.warns(cafe.CafeWarning, match=LOSSES):
            cafe.SphereGCN(1).fit(data)
    (tmp_path / "g.txt").write_text("0 1\n0 1\n0 1\n2 2\n1 2\n")
    with pytest.warns(cafe.CafeWarning, match=LOSSES):
        graph = cafe.Graph(tmp_path / "g.txt")
    multi = [(0, 1), (1, 0), (0, 1), (2, 2), (1, 2)]
    for data in (networkx.MultiGraph(multi), igraph.Graph(multi)):
        with pytest.warns(cafe.CafeWarning, match=LOSSES):
            cafe.Graph(data)
    for data in (np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1), networkx.Graph([(0, 1), (1, 1)])):
        with pytest.warns(cafe.CafeWarning, match="1 loops|5 loops"):
            cafe.Graph(data)
    with pytest.warns(cafe.CafeWarning, match="1 edges of weight 0"):
        cafe.Graph([(0, 1, 1), (1, 2, 0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for data in lossy():
            cafe.Graph(data, self_loops="drop", duplicates="one")
            cafe.Graph(data, self_loops="keep", duplicates="sum")
        graph.write(tmp_path / "g.cafe")
        cafe.Graph(tmp_path / "g.cafe")
        pickle.loads(pickle.dumps(graph))
        cafe.Graph(graph)
        cafe.Graph([(0, 1), (1, 0), (1, 2)])  # both directions of an edge
        cafe.SphereGCN(2).fit(cafe.karate()).transform([(1, 1 + 1), (3, 4)])  # links of new nodes


# ---- columns

def test_fewer_columns_than_asked_for(karate):
    for count in (34, 64):
        with pytest.warns(cafe.CafeWarning, match=f"{count} columns asked for, cut to 33: the graph has 34"):
            assert cafe.SphereGCN(count).fit(karate).embedding_.shape == (34, 33)
    with pytest.warns(cafe.CafeWarning, match="65 columns asked for, cut to 34"):
        cafe.Spectral(65).fit(karate)
    with pytest.warns(cafe.CafeWarning, match="50 columns asked for, cut to 34"):
        cafe.SoftmaxClustering(50).fit(karate)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cafe.SphereGCN(33).fit(karate)
        cafe.LayeredCafe().fit(karate)  # as many as there are communities


# ---- labels

def test_minus_one_may_be_a_class(karate, faction):
    signs = np.array([-1, 1])[faction]
    for embedding in (None, cafe.CafeGCN(), cafe.LabelPropagation(), cafe.SphereGCN(4)):
        right = cafe.NodeClassifier(karate, embedding=embedding).fit(karate.nodes[::2], faction[::2])
        model = clone(right).fit(karate.nodes[::2], signs[::2])
        assert model.classes_.tolist() == [-1, 1]
        assert np.array_equal(model.predict(karate.nodes), np.array([-1, 1])[right.predict(karate.nodes)])
        assert np.array_equal(model.predict_proba(karate.nodes), right.predict_proba(karate.nodes))
        assert model.score(karate.nodes, signs) == right.score(karate.nodes, faction) > 0.8
    three = np.array([-1, 0, 1])[np.arange(34) % 3]
    model = cafe.NodeClassifier(karate, embedding=cafe.CafeGCN()).fit(karate.nodes, three)
    assert model.score(karate.nodes, three) > 0.9


def test_minus_one_may_be_unknown(karate, faction):
    y = np.where(np.arange(34) % 2, -1, faction)
    for labels in (y, y.astype(float), y.tolist(), pandas.Series(y), dict(enumerate(y.tolist()))):
        for model in (cafe.CafeGCN(), cafe.LabelPropagation(), cafe.SoftmaxClustering(2)):
            with pytest.raises(ValueError, match="y: -1 may be a class or no label"):
                model.fit(karate, labels)
    with pytest.raises(ValueError, match="-1 may be"):
        cafe.CafeGCN().fit(karate, faction).score(karate, y)
    with pytest.raises(ValueError, match="-1 may be"):
        cafe.evaluate_classification(karate, y, cafe.SphereGCN(2), train=0.5, repeats=1)
    known = cafe.CafeGCN().fit(karate, np.where(y == -1, None, y))
    assert known.classes_.tolist() == [0, 1] and known.score(karate, faction) > 0.8


# ---- models of NodeClassifier

def test_a_model_is_nobody_elses(faction):
    graph = cafe.karate()
    first = cafe.NodeClassifier(graph, embedding=cafe.SphereGCN(4)).fit(graph.nodes, faction)
    before = first.model_.embedding_.copy()
    first.model_.embedding_[:] = 0
    first.model_.fit(cafe.les_miserables())
    second = clone(first).fit(graph.nodes, faction)
    assert second.model_ is not first.model_ and second.model_.graph_ is graph
    assert np.array_equal(second.model_.embedding_, before)
    assert second.score(graph.nodes, faction) > 0.9


def test_a_graph_is_freed(faction):
    graph = cafe.karate()
    model = cafe.NodeClassifier(graph, embedding=cafe.SphereGCN(4)).fit(graph.nodes, faction)
    alive = weakref.ref(graph)
    del graph, model
    gc.collect()
    assert alive() is None


# ---- partial_fit

def test_new_edges_are_not_the_whole_graph(karate):
    new = [(0, 9), (1, 3), (2, 3)]
    for edges in (new, np.array(new), np.array(new * 2).T,
                  pandas.DataFrame(new, columns=["source", "target"])):
        model = cafe.SphereGCN(4).fit(karate)
        with pytest.raises(ValueError, match="cafe.update"):
            model.partial_fit(edges)
        assert len(model.embedding_) == 34
    assert cafe.SphereGCN(2).partial_fit(new + [(0, 2), (9, 3)]).embedding_.shape[0] == 10  # a fit
    for small in (cafe.Graph(new), cafe.Graph(new, nodes=34)):
        with pytest.warns(cafe.CafeWarning, match="of the 34 nodes and 78 edges"):
            cafe.SphereGCN(4).fit(karate).partial_fit(small)
    later = karate.to_networkx()
    later.remove_node(11)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cafe.SphereGCN(4).fit(karate).partial_fit(later).embedding_.shape == (33, 4)


# ---- labels and links of other kinds

def test_labels_of_two_kinds(karate, faction):
    for y in ([1, "1"] * 17, ["a", 2.5] * 17, [True, "True"] * 17, [(1, 2)] * 34, "a" * 34, 5,
              {0: [1, 2], 1: 3}):
        with pytest.raises(TypeError, match="label"):
            cafe.LabelPropagation().fit(karate, y)
    with pytest.raises(TypeError, match="label"):
        cafe.NodeClassifier(karate).fit(karate.nodes, [1, "1"] * 17)
    model = cafe.LabelPropagation().fit(karate, faction)
    classifier = cafe.NodeClassifier(karate, embedding=cafe.SphereGCN(4)).fit(karate.nodes, faction)
    for call in (lambda: model.score(karate, faction.astype(str)),
                 lambda: classifier.score(karate.nodes, faction.astype(str))):
        with pytest.raises(ValueError, match="y: its labels are"):
            call()
    assert model.score(karate, faction.astype(float)) == model.score(karate, faction) > 0.9


def test_links_of_new_nodes_are_not_guessed(karate):
    model = cafe.SphereGCN(3).fit(karate)
    pairs = [[0, 1], [2, 3], [4, 5]]
    assert model.transform(pairs).shape == (3, 3)
    assert model.transform(cafe.Graph(np.array(pairs))).shape == (6, 3)
    with pytest.raises(ValueError, match=r"transform\(x.tolist\(\)\) or transform\(cafe.Graph\(x\)\)"):
        model.transform(np.array(pairs))
    with pytest.warns(cafe.CafeWarning, match="1 of 2 new nodes have no edge"):
        model.transform({"x": {0: 0.0}, "y": {1: 2.0}})


def test_names_stay_apart(karate):
    table = pandas.DataFrame({"source": pandas.to_datetime(["2020-01-01", "2021-01-01"]), "target": ["a", "b"]})
    assert cafe.Graph(table).nodes[0] == pandas.Timestamp("2020-01-01")
    for name in (True, np.bool_(True), 1.0, "1", -1):
        with pytest.raises(KeyError):
            karate.index(name)


# ---- the tools

@pytest.mark.parametrize("value", [0, -1, 2.5, "3", True, float("nan")])
def test_counts_are_whole_numbers(karate, value):
    model = cafe.SphereGCN(3).fit(karate)
    index = cafe.SimilarIndex(model)
    for call in (lambda: cafe.rank(karate, top=value), lambda: cafe.recommend(karate, 0, value),
                 lambda: cafe.most_similar(model, 0, value), lambda: index.search(model.embedding_, value),
                 lambda: cafe.layout_quality(model, model.embedding_[:, :2], n_neighbors=value),
                 lambda: cafe.layout_quality(model, model.embedding_[:, :2], nodes=value),
                 lambda: cafe.forecast(model, karate, memory_limit=value)):
        with pytest.raises((TypeError, ValueError), match="expected"):
            call()


def test_vectors_to_compare_are_numbers(karate):
    rows = np.ones((5, 2))
    for bad in (rows.astype(str), rows * 1j, np.ma.masked_equal(rows, 1), [["1", "2"]] * 5):
        with pytest.raises((TypeError, ValueError), match="vectors"):
            cafe.most_similar(bad, 0, 2)
    with pytest.raises(ValueError, match="come twice"):
        cafe.SimilarIndex(rows, names=list("aabcd"))
    table = pandas.DataFrame(np.arange(10.0).reshape(5, 2), index=list("abcde"))
    assert set(cafe.most_similar(table, "a", 4)["node"]) == set("bcde")
    with pytest.raises(ValueError, match="values"):
        cafe.plot(rows, columns=(0, 1), values=["1"] * 5)


def test_edges_that_come(karate):
    raw = cafe.SphereGCN(3, output_form="raw", columns_from="top").fit(karate)
    for added in (["ab", "cd"], [0, 1], [(True, 9)], [(0, 9, 1e-46)]):
        with pytest.raises(ValueError, match="added|weights"):
            cafe.update(karate, raw, added=added)
    with pytest.warns(cafe.CafeWarning, match="left out of the graph: 1 loops"):
        cafe.update(karate, raw, added=[(0, 0), (0, 9)])


def test_tables_of_labels(karate, faction):
    model = cafe.SphereGCN(3).fit(karate)
    table = np.eye(2)[faction]
    assert cafe.evaluate_classification(karate, table, model, train=0.5, repeats=1)["accuracy"]
    for bad in (np.full((34, 2), 0.5), np.full((34, 2), np.nan), 2 * table - 1, faction[:, None]):
        with pytest.raises(ValueError, match="labels: expected a table of 0 and 1"):
            cafe.evaluate_classification(karate, bad, model, train=0.5, repeats=1)
    for bad in ({0: ["x"], 33: "ab"}, [["x"]] * 33 + ["ab"]):
        with pytest.raises(TypeError, match="list of labels"):
            cafe.evaluate_classification(karate, bad, model, train=0.5, repeats=1)
    with pytest.raises(ValueError, match="train='0.5'"):
        cafe.evaluate_classification(karate, faction, model, train="0.5", repeats=1)


def test_columns_of_a_page_go_by_name(karate, rng):
    names = np.array([f"m{u:02d}" for u in range(34)])
    named = cafe.Graph(karate, names=names)
    model = cafe.SphereGCN(3).fit(named)
    table = pandas.DataFrame({"year": np.arange(1900, 1934)}, index=names)
    page = cafe.view(named, model, table=table, random_state=1).html
    assert cafe.view(named, model, table=table.iloc[rng.permutation(34)], random_state=1).html == page
    with pytest.raises(ValueError, match="not of nodes"):
        cafe.view(named, model, table=table.reset_index(drop=True))


def test_attributes_stay_exact(karate, tmp_path):
    numbers = [2**40 + u for u in range(34)]
    karate.write(tmp_path / "g.gml", attributes={"number": numbers})
    assert f"{2**40 + 33}" in (tmp_path / "g.gml").read_text()
    with pytest.raises(ValueError, match="float32"):
        karate.write(tmp_path / "h.gml", attributes={"x": [1e300] * 34})


def test_a_node_has_one_label(karate):
    for embedding in (None, cafe.LabelPropagation()):
        model = cafe.NodeClassifier(karate, embedding=embedding)
        assert model.fit([0, 0, 33], [0, 0, 1]).predict([0])[0] == 0  # as a bootstrap draws them
        with pytest.raises(ValueError, match="y: 1 nodes have several labels: 0"):
            model.fit([0, 0, 33], [0, 1, 1])
        with pytest.raises(ValueError, match="X: expected nodes, found none"):
            model.fit([], [])


@pytest.mark.parametrize("classes", [["7", "007"], ["1", "0x1"], ["1", "+1"], ["1", "1_0"], ["1", "\u0661"], ["1", "\u00b2"]])
def test_classes_of_a_file_stay_apart(tmp_path, classes):
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n2 3\n")
    (tmp_path / "labels.txt").write_text(f"0 {classes[0]}\n1 {classes[1]}\n2 {classes[0]}\n", encoding="utf-8")
    found = cafe.load(tmp_path)
    assert found.labels.tolist() == [classes[0], classes[1], classes[0], None]
    (tmp_path / "labels.txt").write_text("0 -3\n1 7\n2 7\n3 10\n")
    assert cafe.load(tmp_path).labels.tolist() == [-3, 7, 7, 10]


@pytest.mark.parametrize("text", ["5", "5 ", " 5", "0x10", b"5"])
def test_text_is_no_table(rng, text):
    table = rng.normal(size=(20, 3))
    model = cafe.Reduce(2).fit(table)
    mixed = table.astype(object)
    mixed[3, 1] = text
    for bad in (np.full((20, 3), text), [[text] * 3] * 20, mixed, pandas.DataFrame(mixed)):
        for call in (lambda: cafe.Reduce(2).fit(bad), lambda: model.transform(bad)):
            with pytest.raises(ValueError, match="found text"):
                call()


def test_tables_without_scikit_learn():
    code = """
import sys
sys.modules["sklearn"] = None
import numpy as np, cafe
for bad in (np.ones((9, 2)) * 1j, [["1", "2"]] * 9, [[1, None]] * 9):
    try:
        cafe.Reduce(2).fit(bad)
    except ValueError as error:
        print("X: expected real numbers" in str(error))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n" * 3, done.stderr
