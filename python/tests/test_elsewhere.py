"""Functions for other programs: their objects, their definitions of quality, and the bits of the tool."""
import copy
import importlib.metadata
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas
import pytest

import cafe
import cafe.graphrag
import cafe.igraph
import cafe.networkx
import cafe.scanpy

ROOT = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
TOOL = os.environ.get("CAFE") or shutil.which("cafe")
DISPATCH = "cafe" in getattr(getattr(nx.utils, "backends", None), "backends", ())
igraph = pytest.importorskip("igraph")


class Cells:
    """Stands in for an AnnData: the attributes that cafe.scanpy uses."""

    def __init__(self, matrix, key="neighbors", name="connectivities"):
        self.obs = pandas.DataFrame(index=[f"cell{i}" for i in range(matrix.shape[0])])
        self.obsm, self.obsp = {}, {name: matrix}
        self.uns = {key: {"connectivities_key": name, "distances_key": "distances", "params": {}}}

    def copy(self):
        return copy.deepcopy(self)


@pytest.fixture
def matrix(planted):
    """A symmetric graph with weights, as scanpy.pp.neighbors leaves it."""
    return cafe.Graph.from_points(np.random.default_rng(0).normal(size=(300, 5)), n_neighbors=10).to_scipy()


def multigraph(seed, directed=False, nodes=60, edges=300):
    """With loops, repeated edges and weights that floats have exactly."""
    rng = np.random.default_rng(seed)
    u = rng.integers(0, nodes, edges)
    w = np.where(rng.random(edges) < 0.7, u % 4 + 4 * rng.integers(0, nodes // 4, edges), rng.integers(0, nodes, edges))
    return np.column_stack([u, w]), rng.integers(1, 8, edges) / 4


# ---- igraph

def test_igraph_has_the_bits_of_the_estimator_and_of_the_tool(karate, tmp_path):
    g = karate.to_igraph()
    found = cafe.igraph.cluster(g, resolution=1.4, seed=5)
    assert isinstance(found, igraph.VertexClustering)
    model = cafe.LayeredCafe(resolution=1.4, random_state=5).fit(karate)
    assert found.membership == model.labels_.tolist() and found.quality == model.modularity_
    if not TOOL:
        pytest.skip("the tool is not there: set $CAFE")
    karate.write(tmp_path / "karate.txt")
    done = subprocess.run([TOOL, "cluster", tmp_path / "karate.txt", "--resolution", "1.4", "--seed", "5", "-q",
                           "--no-heading", "-o", "-"], capture_output=True, text=True, check=True)
    told = dict(map(int, line.split()) for line in done.stdout.splitlines())
    assert found.membership == [told[u] for u in karate.nodes.tolist()]


@pytest.mark.parametrize("directed", [False, True])
def test_igraph_measures_the_same_modularity(directed):
    pairs, weights = multigraph(1)
    g = igraph.Graph(60, pairs.tolist(), directed=directed)
    g.es["w"] = weights
    for given in (None, "w", weights.tolist()):
        found = cafe.igraph.cluster(g, weights=given)
        assert found.quality == pytest.approx(g.modularity(found.membership, weights=given), abs=1e-6)
        assert found.modularity == g.modularity(found.membership, weights=given)
    assert found.membership == cafe.igraph.cluster(g, weights="w").membership


@pytest.mark.parametrize("resolution", [0.02, 0.1, 0.5])
def test_igraph_has_cpm_in_its_units(resolution):
    pairs, weights = multigraph(2)
    pairs, weights = pairs[pairs[:, 0] != pairs[:, 1]], weights[pairs[:, 0] != pairs[:, 1]]
    g = igraph.Graph(60, pairs.tolist())

    def quality(part):
        part = np.asarray(part)
        inside = weights[part[pairs[:, 0]] == part[pairs[:, 1]]].sum()
        return (2 * inside - resolution * (np.bincount(part) ** 2).sum()) / (2 * weights.sum())

    found = cafe.igraph.cluster(g, "CPM", weights, resolution)
    assert found.quality == pytest.approx(quality(found.membership), abs=1e-6)
    name = "resolution_parameter" if igraph.__version_info__ < (0, 10, 5) else "resolution"
    theirs = g.community_leiden("CPM", weights=weights.tolist(), n_iterations=-1, **{name: resolution})
    assert quality(found.membership) > quality(theirs.membership) - 2e-3


def test_igraph_begins_with_a_membership(karate):
    g = karate.to_igraph()
    best = cafe.igraph.cluster(g)
    again = cafe.igraph.cluster(g, initial_membership=[7 * c + 3 for c in best.membership], seed=9)
    assert again.membership == best.membership  # a best partition stays, gaps in the numbers go
    with pytest.raises(ValueError):
        cafe.igraph.cluster(g, initial_membership=[0, 1])


def test_igraph_refuses_what_has_no_meaning(karate):
    g = karate.to_igraph()
    with pytest.raises(ValueError, match="'modularity' or 'CPM'"):
        cafe.igraph.cluster(g, "entropy")
    with pytest.raises(ValueError, match="as_undirected"):
        cafe.igraph.cluster(igraph.Graph(3, [(0, 1), (1, 2)], directed=True), "CPM")
    with pytest.raises(TypeError, match="a graph of igraph"):
        cafe.igraph.cluster(karate)
    with pytest.raises(TypeError):
        cafe.igraph.cluster(g, beta=0.01)
    assert cafe.igraph.cluster(igraph.Graph(3)).membership == [0, 1, 2]


# ---- networkx

def test_networkx_finds_the_backend_by_an_entry_point():
    try:
        points = importlib.metadata.distribution("cafe-graph").entry_points
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    module = [p for p in points if p.group == "networkx.backends" and p.name == "cafe"][0].load()
    assert module is cafe.networkx
    for name in ("louvain_communities", "louvain_partitions", "leiden_communities", "leiden_partitions"):
        assert callable(getattr(module, name))


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_networkx_measures_the_same_modularity(kind):
    pairs, weights = multigraph(3)
    graph = kind()
    graph.add_weighted_edges_from((f"n{u}", w, x) for (u, w), x in zip(pairs.tolist(), weights.tolist()))
    for weight in ("weight", None):
        found = cafe.networkx.louvain_communities(graph, weight)
        assert set().union(*found) == set(graph) and sum(map(len, found)) == len(graph)
        assert [len(c) for c in found] == sorted(map(len, found), reverse=True)
        value = nx.algorithms.community.modularity(graph, found, weight=weight)
        own = cafe.networkx._found(graph, weight, 1, "modularity", None, {})[1].quality
        assert own == pytest.approx(value, abs=1e-6)
        if not hasattr(nx.algorithms.community, "louvain_communities"):
            continue  # before 2.7
        once = [nx.algorithms.community.louvain_communities(graph, weight, seed=s) for s in range(3)]
        assert value > np.mean([nx.algorithms.community.modularity(graph, c, weight=weight) for c in once]) - 1e-6


@pytest.mark.parametrize("directed", [False, True])
def test_networkx_has_cpm_in_its_units(directed):
    pairs, _ = multigraph(4)
    graph = (nx.DiGraph if directed else nx.Graph)(pairs[pairs[:, 0] != pairs[:, 1]].tolist())
    graph.add_nodes_from(range(60))
    g = 0.1

    def quality(found):  # of constant_potts_model of networkx
        inside = sum(graph.subgraph(c).number_of_edges() for c in found)
        return inside - g * sum(len(c) ** 2 for c in found) / (1 if directed else 2)

    found = cafe.networkx.leiden_communities(graph, resolution=g, metric="cpm")
    whole = [set(graph)]
    merged = [found[0] | found[1], *found[2:]]
    own = cafe.networkx._found(graph, "weight", g, "cpm", None, {})[1].quality
    assert own == pytest.approx(quality(found) / graph.number_of_edges(), abs=1e-6)
    assert quality(found) > max(quality(whole), quality(merged), quality([{u} for u in graph]))


def test_networkx_has_the_bits_of_the_estimator(karate):
    graph = karate.to_networkx()
    model = cafe.LayeredCafe(random_state=4).fit(karate)
    expected = [set(model.communities_[c]) for c in sorted(model.communities_)]
    assert cafe.networkx.louvain_communities(graph, seed=4) == expected
    assert cafe.networkx.louvain_communities(karate, random_state=4, seed=random.Random(1)) == expected
    assert cafe.networkx.leiden_communities(graph, seed=4) == expected
    twice = [cafe.networkx.louvain_communities(graph, seed=random.Random(8)) for _ in range(2)]
    assert twice[0] == twice[1]


def test_networkx_gets_layers_finest_first():
    graph = nx.connected_caveman_graph(40, 5)
    levels = list(cafe.networkx.louvain_partitions(graph))
    assert len(levels) > 1 and levels[-1] == cafe.networkx.louvain_communities(graph)
    for fine, coarse in zip(levels, levels[1:]):
        assert len(fine) > len(coarse)
        assert all(any(c <= d for d in coarse) for c in fine)
    assert list(cafe.networkx.leiden_partitions(graph)) == levels


def test_networkx_nodes_of_any_kind():
    graph = nx.Graph([((1, 2), "a"), ("a", frozenset("x")), (3, 4)])
    graph.add_node("alone")
    found = cafe.networkx.louvain_communities(graph)
    assert sorted(map(len, found)) == [1, 2, 3] and {"alone"} in found and {3, 4} in found
    assert cafe.networkx.louvain_communities(nx.empty_graph(3)) == [{0}, {1}, {2}]
    assert set(cafe.networkx.convert_to_nx(cafe.networkx.convert_from_nx(graph)).edges) == set(graph.edges)
    assert cafe.networkx.convert_to_nx([1]) == [1]


def test_networkx_is_refused_what_has_no_meaning(karate):
    graph = karate.to_networkx()
    for given in ({"max_level": 1}, {"threshold": 0.1}):
        with pytest.raises(NotImplementedError, match="no such argument"):
            cafe.networkx.louvain_communities(graph, **given)
    with pytest.raises(NotImplementedError, match="metric"):
        cafe.networkx.leiden_communities(graph, metric="surprise")
    weighted = cafe.Graph.from_edges([0, 1], [1, 2], weights=[1, 2])
    with pytest.raises(NotImplementedError, match="weight=None"):
        cafe.networkx.louvain_communities(weighted, weight=None)


@pytest.mark.skipif(not DISPATCH, reason="networkx 3.2 or later calls backends; or cafe is not installed beside it")
def test_networkx_calls_the_backend(karate):
    graph = karate.to_networkx()
    assert nx.community.louvain_communities(graph, backend="cafe", random_state=4) == \
        cafe.networkx.louvain_communities(graph, seed=4)
    assert nx.community.louvain_communities(karate, seed=3) == nx.community.louvain_communities(
        graph, seed=3, backend="cafe")
    with pytest.raises(NotImplementedError, match="cafe"):
        nx.community.louvain_communities(graph, max_level=1, backend="cafe")


# ---- scanpy, by a stand-in

def test_scanpy_writes_obs_and_uns(matrix):
    cells = Cells(matrix)
    assert cafe.scanpy.cluster(cells, 1.3, random_state=7) is None
    model = cafe.LayeredCafe(resolution=1.3, random_state=7).fit(matrix)
    labels = model.labels_
    column = cells.obs["cafe"]
    assert column.tolist() == labels.astype(str).tolist()
    assert column.cat.categories.tolist() == [str(c) for c in range(labels.max() + 1)] and not column.cat.ordered
    sizes = column.value_counts(sort=False)
    assert (np.diff(sizes) <= 0).all() and labels.max() > 9  # "10" stands behind "2"
    assert cells.uns["cafe"]["params"] == {"resolution": 1.3, "n_iterations": -1, "random_state": 7}
    assert cells.uns["cafe"]["modularity"] == model.modularity_


def test_scanpy_takes_the_graph_from_where_scanpy_does(matrix):
    plain = Cells(matrix)
    cafe.scanpy.cluster(plain, key_added="x")
    expected = plain.obs["x"].tolist()
    other = Cells(matrix, "bbknn", "bbknn_connectivities")
    with pytest.raises(KeyError, match="neighbors"):
        cafe.scanpy.cluster(other)
    for given in ({"neighbors_key": "bbknn"}, {"obsp": "bbknn_connectivities"}, {"adjacency": matrix}):
        copied = cafe.scanpy.cluster(other, copy=True, **given)
        assert copied.obs["cafe"].tolist() == expected and "cafe" not in other.obs
    with pytest.raises(ValueError, match="one of them"):
        cafe.scanpy.cluster(other, neighbors_key="bbknn", obsp="bbknn_connectivities")
    cafe.scanpy.cluster(plain, use_weights=False)
    ones = cafe.LayeredCafe(random_state=0).fit(cafe.Graph.from_scipy((matrix != 0).astype(float))).labels_
    assert plain.obs["cafe"].tolist() == ones.astype(str).tolist()


def test_scanpy_divides_some_clusters(matrix):
    cells = Cells(matrix)
    cafe.scanpy.cluster(cells, 0.3)
    before = cells.obs["cafe"].astype(str)
    cafe.scanpy.cluster(cells, 2, restrict_to=("cafe", ["0", "1"]))
    after, inside = cells.obs["cafe_R"].astype(str), before.isin(["0", "1"])
    assert (after[~inside] == before[~inside]).all() and after[inside].str.match(r"0-1,\d+$").all()
    part = cafe.LayeredCafe(resolution=2, random_state=0).fit(matrix[inside.to_numpy()][:, inside.to_numpy()])
    assert after[inside].str[4:].astype(int).tolist() == part.labels_.tolist()
    with pytest.raises(ValueError, match="'z' is no category"):
        cafe.scanpy.cluster(cells, restrict_to=("cafe", ["z"]))


def test_scanpy_graphs_with_directions():
    pairs, weights = multigraph(6)
    from scipy.sparse import csr_matrix
    one_way = csr_matrix((weights, pairs.T), shape=(60, 60))
    cells = Cells(one_way)
    cafe.scanpy.cluster(cells, directed=True)
    part, a = cells.obs["cafe"].cat.codes.to_numpy(), one_way.toarray()
    expected = np.outer(a.sum(axis=1), a.sum(axis=0)) / a.sum()
    value = ((a - expected) * (part[:, None] == part[None])).sum() / a.sum()
    assert cells.uns["cafe"]["modularity"] == pytest.approx(value, abs=1e-6)
    both = Cells((one_way + one_way.T).tocsr())
    cafe.scanpy.cluster(both, directed=True)
    cafe.scanpy.cluster(both, directed=False, key_added="no")
    assert both.obs["cafe"].tolist() == both.obs["no"].tolist()


def test_scanpy_vectors(matrix):
    cells = Cells(matrix)
    cafe.scanpy.embed(cells, 8, random_state=3)
    model = cafe.SphereGCN(8, random_state=3).fit(matrix)
    assert np.array_equal(cells.obsm["X_cafe"], model.embedding_)
    assert np.array_equal(cells.uns["X_cafe"]["ritz_values"], model.ritz_values_)
    with pytest.raises(TypeError, match="flavor"):
        cafe.scanpy.cluster(cells, flavor="igraph")


# ---- GraphRAG

@pytest.fixture
def story():
    """Relationships and entities as GraphRAG's tables have them."""
    graph, _ = cafe.generate("planted", nodes=200, edges=900, blocks=4, mixing=0.1, random_state=2)
    source, target, _ = graph.to_edges()
    relationships = pandas.DataFrame({
        "id": [f"r{i}" for i in range(len(source))], "source": [f"E{u:03d}" for u in source],
        "target": [f"E{u:03d}" for u in target], "weight": 1.0,
        "text_unit_ids": [[f"t{i % 17}"] for i in range(len(source))]})
    entities = pandas.DataFrame({"title": [f"E{u:03d}" for u in range(200)], "id": [f"id{u}" for u in range(200)]})
    return relationships, entities


def test_graphrag_levels_are_nested(story):
    relationships, entities = story
    table = cafe.graphrag.communities(relationships, entities, max_cluster_size=15)
    assert tuple(table.columns) == cafe.graphrag.COLUMNS and table["level"].max() >= 1
    assert table["community"].is_unique and table["id"].is_unique
    rows = table.set_index("community")
    for number, row in rows.iterrows():
        assert row["size"] == len(row["entity_ids"]) and row["title"] == f"Community {number}"
        assert (row["level"] == 0) == (row["parent"] == -1)
        if row["parent"] != -1:
            above = rows.loc[row["parent"]]
            assert above["level"] == row["level"] - 1 and number in above["children"] and above["size"] > 15
            assert set(row["entity_ids"]) < set(above["entity_ids"])
        both = relationships[["source", "target"]].isin({"E" + e[2:].zfill(3) for e in row["entity_ids"]}).all(axis=1)
        assert row["relationship_ids"] == sorted(relationships["id"][both])
        assert row["text_unit_ids"] == sorted({t for units in relationships["text_unit_ids"][both] for t in units})
    for level in range(table["level"].max() + 1):
        members = [e for ids in table["entity_ids"][table["level"] == level] for e in ids]
        assert len(members) == len(set(members))


def test_graphrag_level_0_is_that_of_the_estimator(story):
    relationships, _ = story
    table = cafe.graphrag.communities(relationships, use_lcc=False, seed=6)
    model = cafe.LayeredCafe(random_state=6).fit(cafe.Graph.from_pandas(
        relationships.sort_values(["source", "target"]), source="source", target="target"))
    top = table[table["level"] == 0]
    assert sorted(map(sorted, top["entity_ids"])) == sorted(sorted(c) for c in model.communities_.values() if len(c) > 1)
    again = cafe.graphrag.communities(relationships.sample(frac=1, random_state=1), use_lcc=False, seed=6)
    assert again[["id", "level", "parent"]].equals(table[["id", "level", "parent"]])


def test_graphrag_odd_tables():
    rows = [("B", "A", 1.0), ("A", "B", 9.0), ("A", "A", 1.0), ("X", "Y", 1.0), ("B", "C", 1.0), ("C", "A", 1.0)]
    table = pandas.DataFrame(rows, columns=["source", "target", "weight"])
    names, matrix = cafe.graphrag._matrix(table)
    assert names.tolist() == ["A", "B", "C", "X", "Y"] and matrix[0, 1] == matrix[1, 0] == 9 and matrix[0, 0] == 0
    found = cafe.graphrag.communities(table)
    assert found["entity_ids"].tolist() == [["A", "B", "C"]]  # the largest component
    assert found["relationship_ids"].tolist() == [[0, 1, 2, 4, 5]]
    assert len(cafe.graphrag.communities(table, use_lcc=False)) == 2
    assert cafe.graphrag.communities(table[:0]).shape == (0, 12)
    only = cafe.graphrag.communities(table, pandas.DataFrame({"title": ["A"], "id": ["one"]}))
    assert only["entity_ids"].tolist() == [["one"]] and only["size"].tolist() == [1]


# ---- the page, and what is not imported

def test_the_page(matrix):
    text = (ROOT / "docs" / "elsewhere.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) == 4
    names = {"adata": Cells(matrix)}
    for block in blocks:
        if "backend=" in block and not DISPATCH:
            block = block.replace("nx.community.", "cafe.networkx.").replace(' backend="cafe",', "")
        exec(block, names)
    assert names["adata"].obsm["X_cafe"].shape == (300, 4) and "cafe" in names["adata"].obs
    assert isinstance(names["found"], list) and len(names["table"])


def test_nothing_of_other_programs_is_imported():
    code = ("import sys, cafe.scanpy, cafe.networkx, cafe.igraph, cafe.graphrag\n"
            "print([n for n in ('scanpy', 'anndata', 'networkx', 'igraph', 'pandas') if n in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
