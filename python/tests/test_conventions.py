"""Estimators do what users of scikit-learn's ones expect: transform, predict, set_output, warnings."""
import pickle
import subprocess
import sys
import warnings

import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse
import sklearn
from sklearn.base import ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cafe

modern = pytest.mark.skipif(tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 2),
                            reason="scikit-learn has set_output and folds of adjacencies from 1.2 on")
LABELLED = [cafe.CafeGCN, cafe.LabelPropagation, cafe.SoftmaxClustering]
CLUSTERERS = [cafe.CafeGCN, cafe.LabelPropagation, cafe.LayeredCafe, cafe.SoftmaxClustering]
VECTORS = [cafe.SphereGCN(4), cafe.SphereGCN(4, output_form="raw"), cafe.SphereGCN(4, output_form="walk"),
           cafe.SphereGCN(4, output_form="ritz"), cafe.SphereGCN(4, output_form="hhat"),
           cafe.SphereGCN(4, sampling="walk", window=3), cafe.SphereGCN(4, propagate=True),
           cafe.CafeGCN(4), cafe.CafeGCN(4, output_form="raw"), cafe.LayeredCafe(),
           cafe.DeepWalk(4, walks=5), cafe.HOPE(4), cafe.NetMF(4), cafe.SoftmaxClustering(4)]


@pytest.fixture
def club():
    """Karate with names that are no numbers."""
    graph, faction = cafe.karate(return_labels=True)
    names = np.array([f"m{u:02d}" for u in range(34)])
    source, target, _ = graph.to_edges()
    return cafe.Graph.from_edges(names[source], names[target]), pandas.Series(faction, index=names)


def known(faction):
    return {0: faction[0], 33: faction[33]}


# ---- transform

@pytest.mark.parametrize("model", VECTORS, ids=str)
def test_the_training_graph_gives_the_training_rows(model, karate):
    found = clone(model).fit_transform(karate)
    model.fit(karate)
    for same in (karate, karate.to_scipy(), karate.to_scipy().toarray(), karate.to_networkx()):
        assert np.array_equal(model.transform(same), found)
    pairs = np.column_stack(karate.to_edges()[:2]).tolist()
    assert np.array_equal(model.transform(pairs), found)  # might be 78 new nodes of two links each
    assert len(model.get_feature_names_out()) == found.shape[1]


@pytest.mark.parametrize("model", VECTORS, ids=str)
def test_new_nodes_by_their_links(model, karate):
    model.fit(karate)
    a = karate.to_scipy()
    rows = model.transform(scipy.sparse.vstack([a[0], a[33], a[5]]).tocsr())
    assert rows.shape == (3, model.transform(karate).shape[1]) and np.isfinite(rows).all()
    lists = [karate.neighbors(u).tolist() for u in (0, 33, 5)]
    assert np.array_equal(model.transform(lists), rows)
    assert np.array_equal(model.transform(dict(zip("abc", lists))), rows)
    assert np.array_equal(model.transform([{u: 1.0 for u in row} for row in lists]), rows)
    one, other = model.transform([{0: 9.0, 33: 1.0}, {0: 1.0, 33: 9.0}])
    assert not np.allclose(one, other)
    assert np.allclose(model.transform(lists[::-1]), rows[::-1])


def test_a_twin_comes_to_lie_beside_its_twin(planted):
    """A new node with the links of another one is nearer to it than to most."""
    graph, _ = planted
    a = graph.to_scipy()
    for model in (cafe.SphereGCN(8), cafe.SphereGCN(8, output_form="raw"), cafe.DeepWalk(8, walks=5),
                  cafe.NetMF(8), cafe.LayeredCafe(), cafe.SoftmaxClustering(8)):
        x = np.asarray(model.fit_transform(graph))
        placed = model.transform(a[:50])
        far = np.linalg.norm(x[None] - placed[:, None], axis=2)
        nearer = (far < far[np.arange(50), np.arange(50)][:, None]).mean()
        assert nearer < 0.15, (model, nearer)


def test_a_graph_with_more_nodes(club):
    graph, _ = club
    model = cafe.SphereGCN(4).fit(graph)
    more = graph.to_networkx()
    more.add_edges_from([("new", "m00"), ("new", "m01"), ("late", "m33"), ("new", "late")])
    table = model.set_output(transform="pandas").transform(more)
    assert table.index.tolist() == list(more.nodes)
    alone = model.transform({"late": ["m33"], "new": ["m00", "m01"]})
    assert np.array_equal(table.loc[["late", "new"]], alone)
    assert np.array_equal(table.loc[graph.nodes], model.embedding_)
    fewer = model.transform(graph.to_networkx().subgraph(["m02", "m00", "m01"]))
    assert np.array_equal(fewer, model.to_frame().loc[fewer.index])


def test_links_that_cannot_be(club):
    graph, _ = club
    model = cafe.SphereGCN(4).fit(graph)
    with pytest.raises(ValueError, match="1 of 2 nodes are not in the graph: 'nobody'"):
        model.transform([["m00", "nobody"]])
    with pytest.raises(ValueError, match="more than once: 'm00'"):
        model.transform([["m00", "m00"]])
    with pytest.raises(TypeError, match="found 'm00'"):
        model.transform(["m00", "m01"])
    with pytest.warns(cafe.CafeWarning, match="1 of 2 new nodes have no edge .*'lonely'"):
        rows = model.transform({"lonely": [], "not": ["m00"]})
    assert not rows[0].any() and rows[1].any()
    with pytest.raises(NotFittedError):
        cafe.SphereGCN().transform(graph)


def test_parameters_set_after_fit_do_not_matter(karate):
    model = cafe.SphereGCN(4, output_form="raw").fit(karate)
    rows = model.transform([[0, 1, 2]])
    model.set_params(output_form="walk", degree_exponent=0.0, sampling="walk")
    assert np.array_equal(model.transform([[0, 1, 2]]), rows)
    assert np.array_equal(cafe.place(karate, model, [[0, 1, 2]]), rows)
    assert np.array_equal(cafe.place(karate, model.embedding_, [[0, 1, 2]], form="raw"), rows)


def test_a_pickle_places_too(club):
    model = cafe.SphereGCN(4, sampling="pagerank").fit(club[0], seeds=["m00", "m33"])
    again = pickle.loads(pickle.dumps(model))
    links = [["m00", "m05"]]
    assert np.array_equal(again.transform(links), model.transform(links))
    assert np.array_equal(again.transform(club[0]), model.embedding_)


# ---- pipelines

@modern
def test_a_pipeline_over_a_graph(karate, faction):
    pipe = make_pipeline(cafe.SphereGCN(8), StandardScaler(), LogisticRegression())
    pipe.fit(karate, faction)
    assert pipe.score(karate, faction) > 0.9
    assert pipe.predict([[0, 1, 2], [32, 33, 29]]).tolist() == [0, 1]
    pipe.set_output(transform="pandas")
    assert pipe[:-1].transform(karate).shape == (34, 8)


@modern
def test_folds_of_an_adjacency_are_subgraphs(planted):
    """As for any kernel: fitted to the links among the training nodes, asked with the links of the
    others to them."""
    graph, blocks = planted
    pipe = make_pipeline(cafe.SphereGCN(16), StandardScaler(), LogisticRegression(max_iter=1000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cafe.CafeWarning)
        scores = cross_val_score(pipe, graph.to_scipy(), blocks, cv=4, error_score="raise")
    assert scores.mean() > 0.8


# ---- labels

@pytest.mark.parametrize("cls", LABELLED)
def test_predictions(cls, karate, faction):
    model = cls().fit(karate, known(faction))
    assert model.classes_.tolist() == [0, 1]
    assert np.array_equal(model.predict(karate), model.transduction_)
    proba = model.predict_proba(karate)
    assert proba.shape == (34, 2) and np.allclose(proba.sum(axis=1), 1) and (proba >= 0).all()
    assert np.array_equal(model.classes_[proba.argmax(axis=1)], model.predict(karate))
    assert model.score(karate, faction) == accuracy_score(faction, model.transduction_) > 0.8
    mixed = pandas.Series(faction).sample(frac=1, random_state=0)
    assert model.score(karate, mixed) == model.score(karate, faction)
    assert model.score(karate, {0: faction[0], 5: None}) == 1
    new = model.predict([[0, 1, 2], [32, 33]])
    assert new.tolist() == [0, 1] and model.score([[0, 1, 2], [32, 33]], [0, 1]) == 1
    assert model.score({"a": [0], "b": [33]}, pandas.Series({"b": 1, "a": 0})) == 1
    with pytest.raises(ValueError, match="expected 2 labels"):
        model.score([[0], [33]], [0, 1, 1])


def test_no_labels_no_predictions(karate):
    for cls in (cafe.CafeGCN, cafe.SoftmaxClustering):
        with pytest.raises(NotFittedError, match="knows no labels"):
            cls(3).fit(karate).predict(karate)
        with pytest.raises(NotFittedError):
            cls().predict(karate)
    assert not hasattr(cafe.SphereGCN(), "predict") and not hasattr(cafe.LayeredCafe(), "predict")


def test_defaults_do_not_warn(karate):
    """The number of columns and the length of a run are warned of only where they were chosen."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cls in (cafe.SphereGCN, cafe.CafeGCN, cafe.LayeredCafe, cafe.SoftmaxClustering, cafe.Spectral):
            cls().fit(karate)
    with pytest.warns(cafe.ConvergenceWarning, match="after 2 sweeps"):
        cafe.SphereGCN(2, max_iter=2).fit(karate)


def test_columns_that_are_not_there_are_told(karate):
    with pytest.warns(cafe.CafeWarning, match="LayeredCafe: 1 of 4 columns dropped"):
        model = cafe.LayeredCafe(n_components=4).fit(karate)
    assert model.embedding_.shape == (34, 3)
    assert cafe.LayeredCafe(n_components=3).fit(karate).embedding_.shape == (34, 3)


def test_labels_that_are_no_classes_are_told(karate):
    with pytest.warns(cafe.CafeWarning, match="all are alike"):
        cafe.evaluate_classification(karate, ["a"] * 34, cafe.SphereGCN(4), repeats=2)
    with pytest.warns(cafe.CafeWarning, match="34 classes for 34 labelled nodes"):
        cafe.evaluate_classification(karate, list(range(34)), cafe.SphereGCN(4), repeats=2)


def test_a_matrix_of_other_nodes_is_refused(karate):
    model = cafe.SphereGCN(4).fit(karate)
    for other in (scipy.sparse.csr_matrix((10, 10)), np.ones((10, 10)), np.ones((5, 33))):
        with pytest.raises(ValueError, match="expected a matrix with 34 columns"):
            model.transform(other)


def test_what_is_no_graph_is_told_by_its_type():
    for nothing, name in ((None, "NoneType"), (3, "int"), (iter([(0, 1)]), "list_iterator")):
        with pytest.raises(TypeError, match=f"expected a graph.*found {name}"):
            cafe.SphereGCN(2).fit(nothing)
    with pytest.raises(TypeError, match="networkx.Graph"):
        cafe.SphereGCN(2).fit({0: [1, 2], 1: [2]})


def test_place_takes_what_transform_takes(karate):
    model = cafe.SphereGCN(4).fit(karate)
    new = {"ann": [0, 1], "bob": {33: 2.0, 32: 1.0}}
    assert np.array_equal(cafe.place(karate, model, new), model.transform(new))


def test_files_that_exist_are_told_with_what_helps(karate, tmp_path):
    model, path = cafe.SphereGCN(4).fit(karate), tmp_path / "v.npy"
    model.write(path)
    with pytest.raises(FileExistsError, match="exists.*overwrite=True"):
        model.write(path)
    with pytest.raises(ValueError, match="page.txt: expected a name that ends with .html"):
        cafe.view(karate, model, tmp_path / "page.txt")


def test_reduced_columns_that_are_not_there_are_told():
    table = np.random.default_rng(0).normal(size=(20, 4))
    with pytest.warns(cafe.CafeWarning, match="Reduce: . of n_components=4 columns.*PCA.*keep_empty"):
        assert cafe.Reduce(4, method="sphere", max_iter=200).fit_transform(table).shape[1] < 4
    with pytest.warns(cafe.CafeWarning, match="no column carries information"):
        assert cafe.Reduce(2).fit_transform(np.ones((20, 4))).shape == (20, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", cafe.CafeWarning)
        for k in (1, 2, 3, 4, 8):
            assert cafe.Reduce(k).fit_transform(table).shape[1] == min(k, 4)


def test_reduced_tables_come_back(rng):
    from scipy.sparse import csr_matrix
    table = (rng.normal(size=(50, 3)) @ rng.normal(size=(3, 7)) + 5) * (rng.random((50, 1)) < 0.8)
    model = cafe.Reduce(7).fit(table)
    assert model.n_components_ == 4 and abs(model.explained_variance_ratio_.sum() - 1) < 1e-4
    assert np.allclose(model.inverse_transform(model.transform(table)), table, atol=1e-2)
    with pytest.raises(ValueError, match="X: expected 4 columns"):
        model.inverse_transform(table)
    sparse = cafe.Reduce(7).fit(csr_matrix(table))
    assert (sparse.embedding_ == model.embedding_).all()
    assert (sparse.transform(csr_matrix(table)) == model.transform(table)).all()


def test_where_no_label_came():
    two = cafe.Graph.from_edges([[0, 1], [2, 3]])
    with pytest.warns(cafe.CafeWarning, match="2 of 4 vectors are 0"):
        model = cafe.LabelPropagation().fit(two, {0: "a"})
    assert model.predict(two).tolist() == ["a", "a", None, None]
    assert model.predict_proba(two).tolist() == [[1], [1], [1], [1]]  # the only class there is


# ---- communities

@pytest.mark.parametrize("cls", CLUSTERERS)
def test_clusterers(cls, karate, faction):
    y = known(faction) if cls is cafe.LabelPropagation else None
    model = cls()
    part = model.fit_predict(karate, y)
    assert part is model.labels_ and isinstance(model, ClusterMixin)
    assert sorted(set(part)) == list(range(part.max() + 1))


# ---- containers

@pytest.mark.parametrize("model", [cafe.SphereGCN(4), cafe.HOPE(4), cafe.LayeredCafe(),
                                   cafe.SoftmaxClustering(4), cafe.SoftmaxClustering(4, rows="sparse")],
                         ids=str)
@modern
def test_pandas_output(model, club):
    graph, _ = club
    plain = clone(model).fit_transform(graph)
    plain = plain.toarray() if scipy.sparse.issparse(plain) else plain
    asked = clone(clone(model).set_output(transform="pandas"))  # a clone keeps it
    for table in (asked.fit_transform(graph), asked.transform(graph), asked.transform(graph.to_networkx())):
        assert isinstance(table, pandas.DataFrame) and table.index.tolist() == graph.nodes.tolist()
        assert table.columns.tolist() == asked.get_feature_names_out().tolist()
        assert np.array_equal(table, plain)
    assert asked.transform({"x": ["m00"]}).index.tolist() == ["x"]
    assert not isinstance(asked.set_output(transform="default").transform(graph), pandas.DataFrame)
    with pytest.raises(ValueError, match="transform='xarray'"):
        asked.set_output(transform="xarray")


@modern
def test_pandas_by_configuration(club):
    with sklearn.config_context(transform_output="pandas"):
        table = cafe.SphereGCN(3).fit_transform(club[0])
        assert table.index.tolist() == club[0].nodes.tolist()
        x = pandas.DataFrame(np.eye(6), index=list("uvwxyz"))
        assert cafe.Reduce(2).fit_transform(x).index.tolist() == list("uvwxyz")
    assert isinstance(cafe.SphereGCN(3).fit_transform(club[0]), np.ndarray)


def test_reduce_keeps_the_index(rng):
    x = pandas.DataFrame(rng.normal(size=(20, 5)), index=[f"r{i}" for i in range(20)],
                         columns=list("abcde"))
    model = cafe.Reduce(3).set_output(transform="pandas").fit(x)
    assert model.transform(x[5:]).index.tolist() == x.index[5:].tolist()
    assert model.to_frame().index.tolist() == x.index.tolist()
    assert model.to_frame().columns.tolist() == model.get_feature_names_out().tolist()
    assert model.to_frame("components_").shape == model.components_.shape


# ---- how it was made

def test_explain_knows_how_the_model_was_made(karate, rng):
    attributes = rng.normal(size=(34, 3))
    model = cafe.SphereGCN(4, sampling="twisted", lam=2.0, output_form="ritz", residual=1e-6).fit(
        karate, attributes=attributes)
    why = cafe.explain(model)
    assert np.allclose([d.value for d in why.dimensions], model.ritz_values_, atol=1e-5)
    told = cafe.explain(karate, model.embedding_, sampling="twisted", lam=2.0, attributes=attributes,
                        degree_exponent=0.25)
    assert [d.residual for d in why.dimensions] == [d.residual for d in told.dimensions]
    plain = cafe.explain(karate, model, sampling="edge")
    assert max(d.residual for d in plain.dimensions) > 10 * max(d.residual for d in why.dimensions)
    model.set_params(sampling="edge")  # after the fact
    assert [d.residual for d in cafe.explain(karate, model).dimensions] == \
        [d.residual for d in why.dimensions]


def test_a_model_of_another_graph_is_refused(karate):
    model = cafe.SphereGCN(4).fit(karate)
    other = karate.to_networkx()
    other.remove_edge(0, 1)
    for call in (lambda: cafe.explain(other, model), lambda: cafe.place(other, model, [[0]])):
        with pytest.raises(ValueError, match="SphereGCN was fitted to another graph"):
            call()


# ---- warnings

def test_a_run_that_stops_too_early_says_so(karate):
    with pytest.warns(ConvergenceWarning, match="after 1 sweeps .* tol 0.025; more max_iter") as caught:
        cafe.SphereGCN(4, max_iter=1).fit(karate)
    assert caught[0].filename == __file__
    with pytest.warns(ConvergenceWarning, match="after 2 sweeps"):
        cafe.SoftmaxClustering(4, max_iter=2).fit_predict(karate)
    with pytest.warns(ConvergenceWarning, match="4 of 4 columns did not reach .* 1e-09; more residual_steps"):
        cafe.SphereGCN(4, residual=1e-9, residual_steps=1).fit(karate)
    with pytest.warns(ConvergenceWarning):
        cafe.Reduce(2, max_iter=1, tol=1e-9).fit(np.random.default_rng(0).normal(size=(40, 6)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cafe.SphereGCN(4, max_iter=1, tol=0).fit(karate)  # asked for just that
        cafe.SphereGCN(4).fit(karate)
        cafe.DeepWalk(4, walks=2).fit(karate)  # its passes are not meant to converge
        cafe.LayeredCafe().fit(karate)


def test_the_warning_without_scikit_learn():
    code = """
import sys, warnings
sys.modules["sklearn"] = None
import cafe
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = cafe.SphereGCN(4, max_iter=1).fit(cafe.karate())
assert [c.category for c in caught] == [cafe.ConvergenceWarning]
assert model.set_output(transform="pandas").transform(cafe.karate()).shape == (34, 4)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_networkx_still_knows_its_nodes():
    graph = networkx.les_miserables_graph()
    table = cafe.SphereGCN(5).set_output(transform="pandas").fit_transform(graph)
    assert table.index.tolist() == list(graph)


# ---- graphs that change

@pytest.fixture
def changed(planted):
    """The planted graph, and the same with links gone, links that came and two new nodes."""
    later = planted[0].to_networkx()
    later.remove_edges_from(list(later.edges)[:30])
    later.add_edges_from([(0, 5000), (5000, 7), (1, 1999), (5001, 5000)])
    return planted[0], cafe.Graph(later)


@pytest.mark.parametrize("form", ["raw", "scaled", "walk"])
def test_updates(changed, form):
    before, after = changed
    model = cafe.SphereGCN(8, output_form=form).partial_fit(before)
    assert np.array_equal(model.embedding_, cafe.SphereGCN(8, output_form=form).fit(before).embedding_)
    model.partial_fit(after)
    full = cafe.SphereGCN(8, output_form=form).fit(after)
    assert model.objective_[-1] > 0.99 * full.objective_[-1]
    assert (np.diff(model.objective_) >= 0).all() and model.nodes_.tolist() == after.nodes.tolist()
    assert np.isnan(model.drift_[-2:]).all() and np.nanmean(model.drift_) < 0.05
    assert model.embedding_.shape == full.embedding_.shape
    assert np.array_equal(model.transform(after), model.embedding_)
    again = pickle.loads(pickle.dumps(model)).partial_fit(before)
    assert again.nodes_.tolist() == before.nodes.tolist()  # nodes that are gone are gone


def test_an_update_begins_anywhere(changed):
    before, after = changed
    kept = cafe.SphereGCN(8).partial_fit(before).partial_fit(after)
    solved = cafe.SphereGCN(8).fit(before).partial_fit(after)  # the rows are solved once more
    assert np.array_equal(kept.embedding_, solved.embedding_)
    jobs = cafe.SphereGCN(8, n_jobs=3).fit(before).partial_fit(after)
    assert np.array_equal(kept.embedding_, jobs.embedding_)
    club = cafe.karate()  # half of its columns are of the hubs
    more = cafe.Graph.from_edges([*zip(*map(np.ndarray.tolist, club.to_edges()[:2])), (34, 0)])
    model = cafe.SphereGCN(4).partial_fit(club).partial_fit(more)
    assert model.certificate_.groups[-1].kind == "hubs" and model.rows_.shape == (35, 4) == model.embedding_.shape
    same = cafe.SphereGCN(8, output_form="raw").fit(before)
    x = same.embedding_.copy()
    assert np.array_equal(same.partial_fit(before).embedding_, x) and not same.drift_.any()


def test_updates_by_name(club):
    graph, _ = club
    later = graph.to_networkx()
    later.add_edges_from([("new", "m00"), ("new", "m01")])
    later.remove_edge("m00", "m02")
    turned = networkx.Graph()
    turned.add_nodes_from(list(later)[::-1])
    turned.add_edges_from(later.edges)
    one = cafe.SphereGCN(4, output_form="raw").fit(graph).partial_fit(later).to_frame()
    other = cafe.SphereGCN(4, output_form="raw").fit(graph).partial_fit(turned).to_frame()
    assert np.allclose(one, other.loc[one.index], atol=5e-3)  # another order of the sweep


def test_weights_that_change(karate):
    model = cafe.SphereGCN(4, output_form="raw").fit(karate)
    x = model.embedding_.copy()
    source, target, weight = karate.to_edges()
    weight = np.where(source == 0, 3.0, weight)
    heavier = cafe.Graph.from_edges(np.column_stack([source, target]), weights=weight)
    model.partial_fit(heavier, spread=0.0, max_iter=50, tol=1e-6)
    full = cafe.SphereGCN(4, output_form="raw", max_iter=200, tol=1e-9).fit(heavier)
    assert model.objective_[-1] == pytest.approx(full.objective_[-1], rel=1e-3)
    assert not np.array_equal(x, model.embedding_)


def test_updates_that_cannot_be(karate):
    with pytest.raises(ValueError, match="sampling='walk': an update is of edges"):
        cafe.SphereGCN(4, sampling="walk").fit(karate).partial_fit(karate)
    with pytest.raises(TypeError, match="partial_fit.*'sweeps'; did you mean 'max_iter'"):
        cafe.SphereGCN(4).fit(karate).partial_fit(karate, sweeps=3)
    assert not hasattr(cafe.CafeGCN(), "partial_fit") and not hasattr(cafe.HOPE(), "partial_fit")


# ---- directions

def test_a_direction_that_is_lost_is_told():
    import igraph
    arcs = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 0)]
    one_way = networkx.DiGraph(arcs)
    matrix = scipy.sparse.csr_matrix(networkx.to_numpy_array(one_way))
    uneven = np.array([[0, 2.0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    for source in (one_way, matrix, matrix.toarray(), uneven, igraph.Graph(arcs, directed=True)):
        with pytest.warns(cafe.CafeWarning, match="directed='no'") as caught:
            cafe.Graph(source)
        assert len(caught) == 1 and caught[0].filename == __file__
        with pytest.warns(cafe.CafeWarning):
            cafe.SphereGCN(2, columns_from="top").fit(source)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for source in (one_way, matrix, uneven):
            for rule in ("no", "sum", "flow"):
                cafe.Graph(source, directed=rule)
        both_ways = one_way.to_undirected().to_directed()
        both_ways.add_edge(2, 2)
        cafe.Graph(both_ways, self_loops="drop")
        cafe.Graph(one_way.to_undirected())
        cafe.Graph.from_edges(arcs)  # pairs: who says that they have a direction?
        cafe.Graph(uneven + uneven.T)
        cafe.Graph(matrix + matrix.T + scipy.sparse.eye(4), self_loops="drop")
        cafe.Graph(cafe.karate().to_scipy())
        cafe.Graph(scipy.sparse.triu(uneven + uneven.T))  # half of a symmetric matrix
        cafe.Graph.from_edge_index([[0, 1, 2], [1, 2, 3]])
