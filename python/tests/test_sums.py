"""Graphs of several layers and of slices: what they are made of, nodes by name, what they are good for."""
import numpy as np
import pytest

import cafe


def halves(shift, n=240, seed=1):
    """A graph that knows the halves u >> shift & 1 alone."""
    rng = np.random.default_rng(seed)
    u, w = rng.integers(0, n, (2, 12 * n))
    keep = (u != w) & (((u >> shift & 1) == (w >> shift & 1)) | (rng.random(12 * n) < 0.05))
    return cafe.Graph.from_edges(u[keep], w[keep], nodes=n)


def right(graph, truth):
    """The share of nodes whose group is that of the nearest mean of a group's vectors."""
    rows = cafe.SphereGCN(n_components=8).fit_transform(graph)
    means = np.array([rows[truth == k].mean(axis=0) for k in range(4)])
    return (((rows[:, None] - means) ** 2).sum(axis=2).argmin(axis=1) == truth).mean()


def test_layers_show_what_none_shows_alone():
    a, b, truth = halves(0, seed=1), halves(1, seed=2), np.arange(240) % 4
    both = cafe.Sum([a, b], weights=[1, 1], names=["calls", "mails"])
    assert both.layers == ["calls", "mails"] and a.layers == []
    assert right(both, truth) > 0.97 and max(right(a, truth), right(b, truth)) < 0.75
    plain = cafe.Sum([a, b])
    assert np.allclose(cafe.SphereGCN(n_components=8).fit_transform(plain),
                       cafe.SphereGCN(n_components=8).fit_transform(both))
    shares = [cafe.SoftmaxClustering(2).fit(cafe.Sum([a, b], weights=w)).labels_ for w in ([9, 1], [1, 9])]
    for part, half in zip(shares, (truth % 2, truth // 2)):  # the heavy layer decides about two groups
        assert max((part == half).mean(), (part != half).mean()) > 0.97


def test_a_sum_takes_features():
    both = cafe.Sum([halves(0), halves(1)])
    words = np.random.default_rng(0).normal(size=(240, 12))
    model = cafe.SphereGCN(n_components=12).fit(both, features=words)
    assert {g.kind for g in model.certificate_.groups} >= {"features", "smoothed"}


def test_nodes_go_by_their_names():
    both = cafe.Sum([[("ann", "bob"), ("bob", "cy")], [("cy", "dan"), ("ann", "dan")]])
    assert both.nodes.tolist() == ["ann", "bob", "cy", "dan"] and both.n_edges == 4
    times = cafe.Slices([[("ann", "bob"), ("bob", "cy")], [("cy", "dan"), ("ann", "dan")]], names=[2023, 2024])
    assert times.nodes.tolist() == ["ann@2023", "ann@2024", "bob@2023", "cy@2023", "cy@2024", "dan@2024"]
    assert times.layers == ["2023", "2024"] and times.n_edges == 6


def test_a_change_of_group_is_found():
    rng, n = np.random.default_rng(3), 200
    groups = np.arange(n) % 2, (np.arange(n) + (np.arange(n) % 10 == 0)) % 2
    graphs = []
    for group in groups:
        u, w = rng.integers(0, n, (2, 4000))
        keep = (u != w) & ((group[u] == group[w]) | (rng.random(4000) < 0.1))
        graphs.append(cafe.Graph.from_edges(u[keep], w[keep], nodes=n))
    times = cafe.Slices(graphs, coupling=2)
    part = cafe.SoftmaxClustering(2, initial="layers").fit(times).labels_
    name = [tuple(map(int, node.split("@"))) for node in times.nodes]
    truth = np.array([groups[s][u] for u, s in name])
    assert max((part == truth).mean(), (part != truth).mean()) > 0.97


def test_what_is_no_sum_is_refused():
    a, b = halves(0), halves(1)
    with pytest.raises(TypeError, match="graphs"):
        cafe.Sum(a)
    with pytest.raises(ValueError, match="weights"):
        cafe.Sum([a, b], weights=[1])
    with pytest.raises(ValueError, match="names"):
        cafe.Slices([a, b], names=["x"])
    with pytest.raises(cafe.CafeValueError):
        cafe.Sum([a, b], weights=[1, -1])
    with pytest.raises(cafe.CafeValueError):
        cafe.Sum([cafe.Sum([a, b]), b])
    with pytest.raises(cafe.CafeValueError, match="layers or slices"):
        cafe.NetMF(n_components=2).fit(cafe.Sum([a, b]))


def test_layers_explain_the_whole():
    both, words = cafe.Sum([halves(0), halves(1)], names=["calls", "mails"]), np.random.default_rng(2).normal(size=(240, 12))
    model = cafe.SphereGCN(n_components=12, feature_weight=0.2).fit(both, features=words)
    part = np.arange(240) % 4
    why = cafe.explain(both, model, communities=part)
    assert [layer.name for layer in why.layers] == ["calls", "mails", "features"]
    assert np.allclose(sum(layer.columns for layer in why.layers), [d.contribution for d in why.dimensions])
    assert np.allclose(sum(layer.communities for layer in why.layers), [c.strength for c in why.communities])
    assert np.isclose(sum(layer.nodes for layer in why.layers)[7], why.node(7).total)
    assert np.isclose(sum(layer.contribution for layer in why.layers), why.modularity)
    half = cafe.explain(both, np.asarray(model.embedding_), communities=part % 2)  # an array has no features
    assert half.layers[0].part_modularity > 9 * abs(half.layers[1].part_modularity)
    plain = cafe.explain(cafe.SphereGCN(n_components=2).fit(cafe.karate()))
    assert [layer.name for layer in plain.layers] == ["edges"] and plain.layers[0].weight == 1


def test_signs_explain_the_whole():
    edges, weights = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)], [1, 1, 1, -1, 1, 1, 1]
    graph = cafe.Graph(edges, weights=weights, signed=True)
    why = cafe.explain(graph, cafe.SphereGCN(n_components=3).fit(graph), communities=[0, 0, 0, 1, 1, 1])
    assert [layer.name for layer in why.layers] == ["positive", "negative"] and why.layers[1].weight < 0
    assert np.isclose(sum(layer.part_modularity for layer in why.layers), why.partition_modularity)
