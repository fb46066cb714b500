"""Features of the nodes, by order and by name, and edges of negative weight; what they are good for."""
import numpy as np
import pytest

import cafe


def planted(n=600, seed=3):
    """A graph with three communities u % 3, and words of which a few belong to each."""
    rng = np.random.default_rng(seed)
    u, w = rng.integers(0, n, (2, 4 * n))
    inside = rng.random(4 * n) < 0.5
    w = np.where(inside, w - w % 3 + u % 3, w) % n
    words = (rng.random((n, 60)) < 0.05).astype(np.float32)
    topic = rng.integers(0, 10, (n, 3)) + 10 * (np.arange(n) % 3)[:, None]
    np.put_along_axis(words, topic, 1, 1)
    return cafe.Graph(np.column_stack([u, w])), words


def test_a_sparse_matrix_is_its_table():
    sparse = pytest.importorskip("scipy.sparse")
    graph, words = planted()
    words = words[:graph.n_nodes]
    dense = cafe.SphereGCN(n_components=16).fit(graph, features=words)
    rows = cafe.SphereGCN(n_components=16).fit(graph, features=sparse.csr_matrix(words))
    columns = cafe.SphereGCN(n_components=16).fit(graph, features=sparse.csc_matrix(words))
    assert (dense.embedding_ == rows.embedding_).all() and (dense.embedding_ == columns.embedding_).all()
    kinds = {g.kind: g.columns for g in dense.certificate_.groups}
    assert kinds["features"] == kinds["smoothed"] == 5
    report = dense.report_["features"]
    assert report["words"] and report["columns"] == 60 and 0 < report["weight"] <= 0.5
    assert report["weight"] == min(report["correlation"], 0.5)


def test_rows_by_name():
    pandas = pytest.importorskip("pandas")
    graph = cafe.karate()
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(rng.standard_normal((34, 5)), index=graph.nodes)
    model = cafe.SphereGCN(n_components=12).fit(graph, features=table.to_numpy())
    mixed = cafe.SphereGCN(n_components=12).fit(graph, features=table.sample(frac=1, random_state=1))
    assert (model.embedding_ == mixed.embedding_).all()
    assert mixed.report_["features"]["reading"] == "rows by the names of the nodes"


def test_graph_and_features_know_more_than_the_graph():
    graph, words = planted()
    words, truth = words[:graph.n_nodes], graph.nodes % 3

    def right(vectors):
        means = np.array([vectors[truth == c].mean(axis=0) for c in range(3)])
        return (((vectors[:, None] - means) ** 2).sum(axis=2).argmin(axis=1) == truth).mean()

    alone = right(cafe.SphereGCN(n_components=8).fit(graph).embedding_)
    assert right(cafe.SphereGCN(n_components=8).fit(graph, features=words).embedding_) > alone + 0.1
    part = cafe.SoftmaxClustering(n_components=3, feature_weight=0.5).fit(graph, features=words)
    assert part.report_["features"]["weight"] == 0.5
    hard = cafe.LayeredCafe(feature_weight=0.5).fit(graph, features=words)
    assert hard.report_["features"]["weight"] == 0.5 and hard.labels_.max() > 0


def test_refusals():
    graph = cafe.karate()
    with pytest.raises(ValueError, match="34"):
        cafe.SphereGCN().fit(graph, features=np.ones((33, 2)))
    with pytest.raises(ValueError, match="same for all nodes"):
        cafe.SphereGCN().fit(graph, features=np.ones((34, 2)))
    with pytest.raises(ValueError, match="0.99"):
        cafe.SphereGCN(feature_weight=2).fit(graph, features=np.eye(34))
    with pytest.raises(ValueError, match="resolution"):
        cafe.LayeredCafe(resolution=0, feature_weight=0.5).fit(graph, features=np.eye(34, 5))
    model = cafe.SphereGCN(n_components=8).fit(graph, features=np.eye(34))
    with pytest.raises(ValueError, match="call fit again"):
        model.partial_fit(cafe.Graph([(0, 1), (1, 2)]))


def test_signed_graphs():
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 90, (900, 2))
    inside = edges[:, 0] % 3 == edges[:, 1] % 3
    with pytest.raises(ValueError, match="at least 0"):
        cafe.Graph.from_edges(edges, weights=np.where(inside, 1, -1))
    graph = cafe.Graph.from_edges(edges, weights=np.where(inside, 1, -1), signed=True)
    part = cafe.SoftmaxClustering(n_components=3).fit(graph).labels_
    assert len(set(zip(graph.nodes % 3, part))) == 3
    report = cafe.SphereGCN(n_components=8).fit(graph).report_["graph"]
    assert report["negative_edges"] > report["edges"] > 100
    with pytest.raises(ValueError, match="negative"):
        cafe.HOPE(n_components=2).fit(graph)


def test_a_classifier_takes_features():
    graph, words = planted()
    words, truth = words[:graph.n_nodes], np.arange(graph.n_nodes) % 3
    known, other = graph.nodes[:60], graph.nodes[60:]
    model = cafe.NodeClassifier(graph, features=words).fit(known, truth[:60])
    alone = cafe.NodeClassifier(graph).fit(known, truth[:60])
    right = model.score(other, truth[60:])
    assert right > 0.9 and right > alone.score(other, truth[60:])
    again = cafe.NodeClassifier(graph, features=words.copy()).fit(known, truth[:60])
    assert (again.predict_proba(other) == model.predict_proba(other)).all()
    shuffled = cafe.NodeClassifier(graph, features=np.random.default_rng(1).permutation(words)).fit(known, truth[:60])
    assert shuffled.score(other, truth[60:]) < right  # not the vectors of the other table
