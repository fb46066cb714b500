"""Null models by name beside other programs: the same partition has the same value there, planted groups are found."""
import networkx
import numpy as np
import pytest

import cafe


def planted(seed, n=160, groups=4, edges=3000, mixing=0.2):
    """Directed edges between groups u % groups; every fifth node sends more than the others."""
    rng = np.random.default_rng(seed)
    u, w = rng.integers(0, n, (2, 4 * edges))
    keep = (u != w) & ((u % 5 == 0) | (rng.random(4 * edges) < 0.3))
    keep &= (u % groups == w % groups) | (rng.random(4 * edges) < mixing)
    pairs = np.unique(np.stack([u[keep], w[keep]], axis=1), axis=0)
    return pairs[rng.permutation(len(pairs))[:edges]]


def communities(labels):
    return [set(np.flatnonzero(labels == k).tolist()) for k in np.unique(labels)]


@pytest.mark.parametrize("resolution", [1, 1.3])
def test_directed_is_that_of_networkx(resolution):
    pairs = planted(1)
    graph = cafe.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=160, directed="sum")
    model = cafe.LayeredCafe(null="directed", resolution=resolution).fit(graph)
    there = networkx.DiGraph(pairs.tolist())
    value = networkx.algorithms.community.modularity(there, communities(model.labels_), resolution=resolution)
    assert model.modularity_ == pytest.approx(value, abs=1e-7)
    if resolution == 1:
        assert (model.labels_ == model.labels_[np.arange(160) % 4]).all()


def test_directed_counts_loops_as_networkx_does():
    pairs = np.concatenate([planted(8), np.repeat(np.arange(0, 40), 2).reshape(-1, 2)])
    graph = cafe.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=160, directed="sum", self_loops="keep")
    model = cafe.LayeredCafe(null="directed").fit(graph)
    value = networkx.algorithms.community.modularity(networkx.DiGraph(pairs.tolist()), communities(model.labels_))
    assert model.modularity_ == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize("resolution", [0.7, 1, 2.5])
def test_constant_is_cpm_of_leidenalg(resolution):
    leidenalg, igraph = pytest.importorskip("leidenalg"), pytest.importorskip("igraph")
    pairs = planted(2)
    graph = cafe.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=160, directed="sum")
    model = cafe.LayeredCafe(null="constant", resolution=resolution).fit(graph)
    twice, n = 2 * len(pairs), 160
    there = igraph.Graph(n, pairs.tolist())
    density = resolution * twice / n ** 2

    def of(part):  # leidenalg has n (n - 1) ordered pairs, the distribution n^2: the diagonal is a constant
        return (part.quality() - density * n) / twice

    same = leidenalg.CPMVertexPartition(there, model.labels_.tolist(), resolution_parameter=density)
    assert model.modularity_ == pytest.approx(of(same), abs=1e-7)
    best = max(of(leidenalg.find_partition(there, leidenalg.CPMVertexPartition, seed=seed, n_iterations=-1,
                                           resolution_parameter=density)) for seed in range(3))
    assert model.modularity_ > best - 2e-3


def test_two_sided_is_that_of_barber():
    rng = np.random.default_rng(3)
    u, v = rng.integers(0, 100, 9000), rng.integers(0, 60, 9000)
    keep = (u % 3 == v % 3) | (rng.random(9000) < 0.15)
    pairs = np.unique(np.stack([u[keep], 100 + v[keep]], axis=1), axis=0)
    pairs = pairs[rng.permutation(len(pairs))[:1200]]
    graph = cafe.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=160)
    model = cafe.LayeredCafe(null="two-sided").fit(graph)
    a = np.zeros((160, 160))
    a[pairs[:, 0], pairs[:, 1]] = 1
    expected = a.sum(axis=1)[:, None] * a.sum(axis=0)[None] / a.sum()
    together = model.labels_[:, None] == model.labels_[None]
    assert model.modularity_ == pytest.approx(((a - expected) * together).sum() / a.sum(), abs=1e-7)
    truth = np.concatenate([np.arange(100) % 3, np.arange(60) % 3])
    assert ((truth[:, None] == truth[None]) == together).mean() > 0.95


@pytest.mark.parametrize("null", ["constant", "directed", "none"])
def test_vectors_take_null_models(null):
    pairs = planted(4)
    graph = cafe.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=160, directed="sum")
    rows = cafe.SphereGCN(n_components=8, null=null).fit_transform(graph)
    rows = rows[np.linalg.norm(rows, axis=1) > 0]
    truth = np.arange(160) % 4
    means = np.array([rows[truth == k].mean(axis=0) for k in range(4)])
    nearest = (((rows[:, None] - means) ** 2).sum(axis=2)).argmin(axis=1)
    assert (nearest == truth).mean() > 0.9


def test_signed_graphs_have_communities():
    rng = np.random.default_rng(5)
    u, w = rng.integers(0, 200, (2, 3000))
    keep = u != w
    u, w = u[keep], w[keep]
    weights = np.where((u % 4 == w % 4) != (rng.random(len(u)) < 0.05), 1.0, -1.0)
    graph = cafe.Graph((u, w), weights=weights, signed=True)
    labels = cafe.LayeredCafe().fit(graph).labels_
    truth = np.arange(200) % 4
    assert ((truth[:, None] == truth[None]) == (labels[:, None] == labels[None])).mean() > 0.97


def test_slices_and_layers_have_communities():
    graphs = []
    for seed in (6, 7):
        pairs = planted(seed, edges=1500)
        graphs.append(cafe.Graph.from_edges(pairs[:, 0], pairs[:, 1], nodes=160))
    labels = cafe.LayeredCafe().fit(cafe.Sum(graphs)).labels_
    assert (labels == labels[np.arange(160) % 4]).mean() > 0.97
    times = cafe.Slices(graphs)
    truth = np.array([int(str(name).split("@")[0]) % 4 for name in times.nodes])
    labels = cafe.LayeredCafe().fit(times).labels_
    assert ((truth[:, None] == truth[None]) == (labels[:, None] == labels[None])).mean() > 0.95


def test_directions_are_needed():
    with pytest.raises(ValueError, match="directed"):
        cafe.LayeredCafe(null="directed").fit([(0, 1), (1, 2)])
