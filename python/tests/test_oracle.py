"""Results against SciPy, scikit-learn, networkx and igraph."""
import igraph
import networkx
import numpy as np
import pytest
from scipy.sparse import diags
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn import metrics

import cafe


def modularity_operator(graph, exponent=0.0):
    """Q = A / 2m - p p^T, never formed, of links that weigh a(u,w) / (d_u d_w)^exponent."""
    a = graph.to_scipy().astype(np.float64)
    factor = diags(np.asarray(a.sum(axis=1)).ravel() ** -exponent)
    a = factor @ a @ factor
    total = a.sum()
    p = np.asarray(a.sum(axis=1)).ravel() / total

    def product(x):
        return a @ x / total - p[:, None] * (p @ x.reshape(len(p), -1)) if x.ndim > 1 else \
            a @ x / total - p * (p @ x)

    return LinearOperator(a.shape, matvec=product, matmat=product, dtype=np.float64), p


@pytest.fixture(scope="module", params=["karate", "planted", "weighted"])
def graph(request, planted):
    if request.param == "karate":
        return cafe.karate()
    if request.param == "planted":
        return planted[0]
    return cafe.Graph(networkx.les_miserables_graph())


def test_refined_ritz_values_are_eigenvalues(graph):
    model = cafe.SphereGCN(n_components=6, output_form="ritz", residual=1e-6).fit(graph)
    q, _ = modularity_operator(graph, model.degree_exponent)
    exact = np.sort(eigsh(q, k=6, which="LA", return_eigenvectors=False, tol=1e-12))[::-1]
    assert np.allclose(model.ritz_values_, exact, atol=1e-5 * exact[0])
    v = model.embedding_.astype(np.float64)
    residual = np.linalg.norm(q @ v - v * model.ritz_values_, axis=0)
    assert (residual <= model.residuals_ + 1e-6 * exact[0]).all()


def test_generalised_ritz_values(graph):
    """The walk form: Q v = rho D v, the eigenvalues of D^-1/2 Q D^-1/2."""
    model = cafe.SphereGCN(n_components=4, residual=1e-6).fit(graph)
    q, p = modularity_operator(graph, model.degree_exponent)
    root = 1 / np.sqrt(p)
    scaled = LinearOperator(q.shape, matvec=lambda x: root * (q @ (root * x.ravel())),
                            dtype=np.float64)
    assert model.certificate_.generalised
    exact = np.sort(eigsh(scaled, k=4, which="LA", return_eigenvectors=False, tol=1e-12))[::-1]
    assert np.allclose(model.ritz_values_, exact, atol=1e-4)


def test_spectral_vectors(graph):
    q, _ = modularity_operator(graph)
    model = cafe.Spectral(n_components=3).fit(graph)
    values, vectors = eigsh(q, k=3, which="LA", tol=1e-12)
    for j in range(3):
        cosine = abs(vectors[:, 2 - j] @ model.embedding_[:, j])
        assert cosine == pytest.approx(1, abs=1e-4)
    assert np.allclose(model.certificate_.groups[0].values, values[::-1], atol=1e-6)


def test_the_objective_is_a_trace(graph):
    for exponent in (0, 0.25, 0.5):
        q, _ = modularity_operator(graph, exponent)
        model = cafe.SphereGCN(n_components=5, output_form="raw", degree_exponent=exponent).fit(graph)
        h = model.embedding_.astype(np.float64)
        assert np.allclose(np.linalg.norm(h, axis=1), 1, atol=1e-5)
        assert model.objective_[-1] == pytest.approx(np.sum(h * (q @ h)), abs=1e-5)
    q, _ = modularity_operator(graph)
    model = cafe.CafeGCN(n_components=5, output_form="raw").fit(graph)
    h = model.embedding_.astype(np.float64)
    assert np.allclose(h.sum(axis=1), 1, atol=1e-5)
    assert model.objective_[-1] == pytest.approx(np.sum(h * (q @ h)), abs=1e-5)
    assert model.certificate_.objective == model.objective_[-1]


def networkx_of(graph):
    return networkx.from_scipy_sparse_array(graph.to_scipy())


def igraph_of(graph):
    matrix = graph.to_scipy().tocoo()
    upper = matrix.row < matrix.col
    edges = np.stack([matrix.row[upper], matrix.col[upper]], axis=1).tolist()
    return igraph.Graph(graph.n_nodes, edges, edge_attrs={"weight": matrix.data[upper].tolist()})


@pytest.mark.parametrize("model", [cafe.LayeredCafe(), cafe.CafeGCN(n_components=12),
                                   cafe.SoftmaxClustering(n_components=12, initial="layers")])
def test_modularity_is_that_of_networkx_and_igraph(model, graph):
    part = model.fit(graph).labels_
    sets = [set(np.flatnonzero(part == c).tolist()) for c in range(part.max() + 1)]
    theirs = networkx.algorithms.community.modularity(networkx_of(graph), sets)
    assert model.modularity_ == pytest.approx(theirs, abs=1e-6)
    other = igraph_of(graph)
    theirs = other.modularity(part.tolist(), weights=other.es["weight"])
    assert model.modularity_ == pytest.approx(theirs, abs=1e-6)


def test_communities_are_as_good_as_louvain_s(graph):
    ours = cafe.LayeredCafe().fit(graph).modularity_
    other = igraph_of(graph)
    assert ours >= other.community_multilevel(weights=other.es["weight"]).modularity - 0.005


def test_communities_are_connected(graph):
    part = cafe.LayeredCafe().fit(graph).labels_
    whole = networkx_of(graph)
    for c in range(part.max() + 1):
        assert networkx.is_connected(whole.subgraph(np.flatnonzero(part == c).tolist()))


def test_blocks_are_found(planted):
    graph, blocks = planted
    found = cafe.LayeredCafe().fit_predict(graph)
    assert metrics.normalized_mutual_info_score(blocks, found) > 0.9
    model = cafe.SphereGCN(n_components=16).fit(graph)
    assert metrics.silhouette_score(model.embedding_, blocks) > 0.2


def test_label_propagation_is_harmonic(graph):
    """Unlabelled rows are the weighted mean of their neighbours' ones."""
    given = np.arange(0, graph.n_nodes, 10)
    known = {node: i % 2 for i, node in enumerate(graph.nodes[given].tolist())}
    model = cafe.LabelPropagation(tol=1e-7).fit(graph, known)
    assert model.converged_
    a = graph.to_scipy().astype(np.float64)
    means = a @ model.memberships_ / np.asarray(a.sum(axis=1))
    free = np.setdiff1d(np.arange(graph.n_nodes), given)
    assert np.allclose(means[free], model.memberships_[free], atol=1e-4)


def test_harmonic_labels_are_those_of_networkx_and_of_a_dense_solution(graph):
    given = np.arange(0, graph.n_nodes, 10)
    known = {node: i % 3 for i, node in enumerate(graph.nodes[given].tolist())}
    model = cafe.LabelPropagation(kind="harmonic", tol=1e-9, class_mass="no").fit(graph, known)
    a = graph.to_scipy().astype(np.float64).toarray()
    free = np.setdiff1d(np.arange(graph.n_nodes), given)
    laplacian = np.diag(a.sum(axis=1)) - a
    y = np.eye(3)[np.arange(len(given)) % 3]
    dense = np.linalg.solve(laplacian[np.ix_(free, free)], a[np.ix_(free, given)] @ y)
    assert np.allclose(model.memberships_[free], dense, atol=1e-6)
    other = networkx_of(graph)
    for i, u in enumerate(given):
        other.nodes[u]["label"] = i % 3
    labels = np.array(networkx.algorithms.node_classification.harmonic_function(other, max_iter=3000))
    clear = np.diff(np.sort(dense, axis=1)[:, 1:], axis=1)[:, 0] > 1e-4
    assert clear.sum() > len(free) // 2
    assert np.array_equal(labels[free][clear], dense.argmax(axis=1)[clear])


def test_explanation_adds_up(graph):
    model = cafe.SphereGCN(n_components=4, output_form="hhat").fit(graph)
    q, _ = modularity_operator(graph, model.degree_exponent)
    why = cafe.explain(model)
    v = model.embedding_.astype(np.float64)
    each = np.einsum("ij,ij->j", v, q @ v)
    assert np.allclose([d.contribution for d in why.dimensions], each, atol=1e-6)
    assert sum(d.share for d in why.dimensions) == pytest.approx(1)
    assert sum(c.strength for c in why.communities) == pytest.approx(why.partition_modularity)
    j = int(np.argmax(v[:, 0]))
    assert why.dimensions[0].high[0][0] == graph.nodes[j]
    card = why.node(graph.nodes[0])
    parts = card.own + card.linked_pull + card.linked_push + card.other_pull + card.other_push
    assert card.total == pytest.approx(parts, abs=1e-9)
    assert card.total == pytest.approx(v[0] @ (q @ v)[0], abs=1e-7)


def test_an_explanation_is_of_the_operator_that_was_solved(karate):
    for exponent in (0.1, 0.25, 0.5):
        model = cafe.SphereGCN(n_components=4, columns_from="top", degree_exponent=exponent).fit(karate)
        why = cafe.explain(model)
        assert (why.sampling, why.degree_exponent) == ("edge", exponent)
        assert f"degree exponent {exponent:g}" in repr(why)
        found = [d.value for d in why.dimensions]
        assert found == pytest.approx(model.certificate_.groups[0].values, abs=1e-5)
    assert cafe.explain(karate, model.embedding_).degree_exponent == 0


def test_no_partition_is_above_the_ceiling(karate):
    why = cafe.explain(karate, cafe.SphereGCN(n_components=4).fit(karate), next=3, degree_exponent=0)
    assert why.partition_modularity <= why.ceiling.bound
    assert why.ceiling.bound == pytest.approx(0.4198, abs=0.2)
    assert len(why.spectrum.values) >= 4 + 3 - 1
