"""Names of nodes from every kind of column, nodes without edges, two sides, several files, and graphs and
communities as containers of nodes."""
import sys

import numpy as np
import pytest

import cafe


def numbered_by_hand(source, target):
    """Names in the order of their appearance, and the numbers of the ends."""
    names, ends = [], []
    for pair in zip(source, target):
        for name in pair:
            if name not in names:
                names.append(name)
            ends.append(names.index(name))
    return names, ends[0::2], ends[1::2]


def draw(count, seed):
    rng = np.random.default_rng(seed)
    pool = np.array(["", "a", "b", "ab", "a b", "ä", "日本", "\U0001F600", "x" * 40, *map(str, range(12))])
    return pool[rng.integers(0, len(pool), (2, count))]


def columns(kind, source, target):
    pandas = pytest.importorskip("pandas")
    if kind == "array":
        return source, target
    if kind == "objects":
        return source.astype(object), target.astype(object)
    if kind == "lists":
        return source.tolist(), target.tolist()
    table = pandas.DataFrame({"source": source, "target": target})
    if kind == "categories":
        table = table.astype("category")
    if kind == "shared":
        words = pandas.CategoricalDtype(["unused", *np.unique([source, target]).tolist()][::-1])
        table = table.astype(words)
    if kind == "one":
        table = table.astype({"source": "category"})
    return table


@pytest.mark.parametrize("with_pandas", [True, False])
@pytest.mark.parametrize("kind", ["array", "objects", "lists", "table", "categories", "shared", "one"])
def test_every_column_of_names_gives_the_same_graph(kind, with_pandas, monkeypatch):
    for seed in range(3):
        source, target = draw(50, seed)
        data = columns(kind, source, target)
        if not with_pandas and kind in ("categories", "shared", "one"):
            pytest.skip("pandas imports itself")
        if not with_pandas:
            monkeypatch.setitem(sys.modules, "pandas", None)
        names, left, right = numbered_by_hand(source.tolist(), target.tolist())
        graph = cafe.Graph.from_edges(*data, self_loops="keep") if isinstance(data, tuple) else \
            cafe.Graph.from_pandas(data, source="source", target="target", self_loops="keep")
        assert graph.nodes.tolist() == names
        expected = cafe.Graph.from_edges(left, right, nodes=len(names), self_loops="keep")
        assert all(np.array_equal(a, b) for a, b in zip(graph.csr()[:2], expected.csr()[:2]))
        monkeypatch.undo()


@pytest.mark.parametrize("names", [
    ["a\0b", "a", "b", "a\0", "\0"], ["\ud800", "a", "\ud800x", "b"], ["", "a", "aa", "aaa"],
    [np.str_("a"), "b", "a", np.str_("c")], ["a", 1, "1", ("a", 1)]], ids=["zeros", "halves", "empty", "numpy", "mixed"])
def test_odd_texts_are_names(names):
    source, target = [names[0], *names], [names[-1], *names[1:], names[0]]
    expected, left, right = numbered_by_hand(source, target)
    by_number = cafe.Graph.from_edges(left, right, self_loops="keep", nodes=len(expected))
    for graph in (cafe.Graph.from_edges(source, target, self_loops="keep"),
                  cafe.Graph.from_edges(list(zip(source, target)), self_loops="keep"),
                  cafe.Graph.from_edges([(u, w, 1.0) for u, w in zip(source, target)], self_loops="keep"),
                  cafe.Graph(list(zip(source, target)), self_loops="keep")):
        assert graph.nodes.tolist() == expected
        assert all(np.array_equal(a, b) for a, b in zip(graph.csr()[:2], by_number.csr()[:2]))


@pytest.mark.parametrize("names", [
    [f"n{i * 7}" for i in range(40)], [*"abc", "a" * 30, 5, ("a",)]], ids=["texts", "mixed"])
def test_many_entries_of_few_objects(names):
    """Long columns whose entries are few objects, two of them for each name: by their addresses."""
    for count in (40001, 40002):
        rng = np.random.default_rng(count)
        copies = [names, ["".join(list(n)) if isinstance(n, str) else n for n in names]]
        picks = rng.integers(0, len(names), (2, count)).tolist()
        source, target = ([kind[i] for i in pick] for kind, pick in zip(copies, picks))
        source[7] = names[0] + "!"
        different = list(dict.fromkeys(n for pair in zip(source, target) for n in pair))
        place = {n: i for i, n in enumerate(different)}
        expected = cafe.Graph.from_edges([place[n] for n in source], [place[n] for n in target], self_loops="keep")
        arrays = [np.empty(count, object), np.empty(count, object)]
        arrays[0][:], arrays[1][:] = source, target
        for ends in ((source, target), arrays, [a[::-1][::-1] for a in arrays]):
            graph = cafe.Graph.from_edges(*ends, self_loops="keep")
            assert graph.nodes.tolist() == different
            assert all(np.array_equal(a, b) for a, b in zip(graph.csr()[:2], expected.csr()[:2]))


def test_arrays_of_different_width_are_the_same_names():
    graph = cafe.Graph.from_edges(np.array(["a", "b"]), np.array(["bcdefgh", "a"]))
    assert graph.nodes.tolist() == ["a", "bcdefgh", "b"] and graph.n_edges == 2
    assert cafe.Graph.from_edges(np.array(["", ""]), np.array(["", ""])).nodes.tolist() == [""]
    assert cafe.Graph.from_edges(np.array(["a", "b"]), ["b", "c"]).nodes.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("with_pandas", [True, False])
def test_missing_names_are_refused(with_pandas, monkeypatch):
    pandas = pytest.importorskip("pandas")
    for missing in (None, float("nan"), pandas.NA):
        table = pandas.DataFrame({"u": ["a", missing], "w": ["b", "c"]}, dtype=object)
        for kind in (object, "category", "string"):
            typed = table.astype(kind)
            if not with_pandas and kind is object:
                monkeypatch.setitem(sys.modules, "pandas", None)
            with pytest.raises(ValueError, match="column 'u' of the edges has missing values"):
                cafe.Graph.from_pandas(typed, source="u", target="w")
            monkeypatch.undo()


# ---- nodes without edges -----------------------------------------------------------------------

def test_nodes_without_edges(tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    graph = cafe.Graph.from_pandas(table, source="source", target="target", nodes=["z", "a", "y"])
    assert graph.nodes.tolist() == ["a", "b", "c", "z", "y"] and graph.counts["isolated"] == 2
    assert cafe.Graph.from_edges(["a"], ["b"], nodes=["b", "q"]).nodes.tolist() == ["a", "b", "q"]
    numbers = pandas.DataFrame({"source": [0, 1], "target": [1, 2]})
    graph = cafe.Graph.from_pandas(numbers, source="source", target="target", nodes=range(5))
    assert graph.names is None and graph.n_nodes == 5
    with pytest.raises(TypeError, match="their own number of nodes"):
        cafe.Graph.from_edges(["a"], ["b"], nodes=5)
    with pytest.raises(ValueError, match="'a' comes twice"):
        cafe.Graph.from_edges(["a"], ["b"], nodes=["a", "a"])


def test_nodes_of_a_file(tmp_path):
    edges, nodes = tmp_path / "edges.txt", tmp_path / "nodes.txt"
    edges.write_text("a b\nb c\n")
    nodes.write_text("z\na\n")
    assert cafe.Graph.from_file(edges, nodes_from=nodes).nodes.tolist() == ["a", "b", "c", "z"]
    edges.write_text("5 7\n7 9\n")
    nodes.write_text("6\n9\n")
    assert cafe.Graph.from_file(edges, nodes_from=nodes).nodes.tolist() == [5, 6, 7, 9]
    nodes.write_text("6\nsix\n")
    with pytest.raises(ValueError, match="nodes.txt:2:1: expected an integer, as the names of the graph are"):
        cafe.Graph.from_file(edges, nodes_from=nodes)
    with pytest.raises(TypeError, match="nodes_from: belongs to files"):
        cafe.Graph([("a", "b")], nodes_from=nodes)


# ---- files -------------------------------------------------------------------------------------

def test_several_files_are_one_list(tmp_path):
    lines = [f"n{i * 7 % 40},n{i * 11 % 40},{i % 5 + 1}" for i in range(300)]
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts"
    parts.mkdir()
    whole.write_text("\n".join(["source,target,weight", *lines]))
    for k in range(3):
        part = parts / f"part-{k}.csv"
        part.write_text("\n".join(["source,target,weight", *lines[100 * k:100 * (k + 1)]]))
    (parts / "_SUCCESS").write_text("")
    one = cafe.Graph.from_file(whole, duplicates="sum")
    paths = [str(parts / f"part-{k}.csv") for k in range(3)]
    for graph in (cafe.Graph.from_file(paths, duplicates="sum"), cafe.Graph.from_file(parts, duplicates="sum")):
        assert graph.nodes.tolist() == one.nodes.tolist() and graph.reading["files"] == 3
        assert all(np.array_equal(a, b) for a, b in zip(graph.csr(), one.csr()))
        assert graph.counts == one.counts


def test_weights_and_sides_of_files_and_arrays(tmp_path):
    path = tmp_path / "ratings.txt"
    path.write_text("1 1 4\n1 2 9\n2 1 1\n")
    graph = cafe.Graph.from_file(path, bipartite=True, weight_transform="sqrt", min_weight=2)
    assert graph.nodes.tolist() == ["1", "2", "right:1", "right:2"] and graph.counts["left_nodes"] == 2
    assert graph["1"] == {"right:1": 2.0, "right:2": 3.0} and graph["2"] == {}
    edges = dict(weights=[4, 9, 1], weight_transform="inverse", top_edges=1)
    graph = cafe.Graph.from_edges([0, 0, 1], [1, 2, 2], **edges)
    assert graph[2] == {1: 1.0} and graph[0] == {1: 0.25} and graph.counts["lighter"] == 1
    with pytest.raises(ValueError, match="no edge is left"):
        cafe.Graph.from_edges([0], [1], min_weight=2)


# ---- containers --------------------------------------------------------------------------------

def test_a_graph_contains_its_nodes():
    graph = cafe.Graph([("ann", "bob", 2), ("bob", "cy", 3)])
    assert list(graph) == ["ann", "bob", "cy"] and "bob" in graph and "dan" not in graph
    assert graph["bob"] == {"ann": 2.0, "cy": 3.0}
    assert list(cafe.karate())[:2] == [0, 1] and 33 in cafe.karate() and 34 not in cafe.karate()
    assert [] not in graph and "0" not in cafe.karate()
    with pytest.raises(KeyError, match="ann"):
        graph["anne"]


def test_communities_are_sets_of_nodes():
    graph, planted = cafe.generate("sbm", nodes=200, edges=2000, blocks=3)
    model = cafe.LayeredCafe().fit(graph)
    assert sorted(node for nodes in model.communities_.values() for node in nodes) == list(range(200))
    for node in (0, 50, 199):
        assert node in model.members(node)
        assert model.members(node) == {u for u in range(200) if model.labels_[u] == model.labels_[node]}
    with pytest.raises(KeyError):
        model.members(200)
    with pytest.raises(AttributeError):
        cafe.LayeredCafe().communities_
    before = model.communities_
    assert model.communities_ is before and model.fit(cafe.karate()).communities_ is not before


@pytest.mark.parametrize("users, items", [([3, 1, 1], [2, 1, 3]), (["ann", "bob", "bob"], ["tea", "bob", "tea"]),
                                          (["ann", "bob", "bob"], ["tea", "jam", "tea"])])
def test_two_sides_of_a_table_are_those_of_a_file(tmp_path, users, items):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"user": users, "item": items, "stars": [1.0, 2.0, 3.0]})
    table.to_csv(tmp_path / "t.csv", index=False)
    words = {"source": "user", "target": "item", "weight": "stars", "bipartite": True}
    graph, read = cafe.Graph.from_pandas(table, **words), cafe.Graph.from_file(tmp_path / "t.csv", **words)
    assert graph.nodes.tolist() == read.nodes.tolist() and graph.n_nodes == len(set(users)) + len(set(items))
    assert (graph.to_scipy() != read.to_scipy()).nnz == 0
    for edges in [(users, items), (np.array(users), np.array(items)), (list(zip(users, items)),)]:
        same = cafe.Graph.from_edges(*edges, weights=[1.0, 2.0, 3.0], bipartite=True)
        assert same.nodes.tolist() == read.nodes.tolist() and (same.to_scipy() != read.to_scipy()).nnz == 0
    assert cafe.Graph.from_edges(users, items, bipartite=True, nodes=["more"]).n_nodes == read.n_nodes + 1
    with pytest.raises(TypeError, match="bipartite"):
        cafe.Graph.from_pandas(table, source="user", target="item", bipartite=1)
    with pytest.raises(ValueError, match="right:"):
        cafe.Graph.from_pandas(pandas.DataFrame({"a": ["right:x", "y"], "b": ["y", "x"]}), source="a", target="b", bipartite=True)
