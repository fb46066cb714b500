"""Estimators keep scikit-learn's conventions, and give the results they promise."""
import inspect
import os
import pickle
import re
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, adjusted_rand_score
from sklearn.model_selection import GridSearchCV, ParameterGrid, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import cafe
from cafe._call import threads_of

BASELINES = [cafe.GraphFactorization, cafe.DeepWalk, cafe.Node2vec, cafe.LINE, cafe.HOPE,
             cafe.GraRep, cafe.SDNE, cafe.Spectral]
VECTORS = [cafe.SphereGCN, cafe.CafeGCN, cafe.LayeredCafe, *BASELINES]
ALL = [*VECTORS, cafe.LabelPropagation, cafe.SoftmaxClustering, cafe.Reduce]


# ---- conventions

@pytest.mark.parametrize("cls", ALL)
def test_parameters(cls):
    model = cls()
    params = model.get_params()
    assert "random_state" in params and "n_jobs" in params and "verbose" in params
    assert all(getattr(model, name) is value for name, value in params.items())
    again = clone(model.set_params(random_state=7))
    assert again.get_params() == model.get_params() and again.random_state == 7
    assert repr(again) == f"{cls.__name__}(random_state=7)"
    with pytest.raises(ValueError):
        model.set_params(no_such_option=1)
    with pytest.raises(TypeError):
        cls(no_such_option=1)
    assert set(vars(cls())) == set(params)  # __init__ stores nothing else
    assert all(f"\n{name} : " in cls.__doc__ for name in params)


def test_the_names_are_the_ecosystem_s():
    found = {cls: set(cls().get_params()) for cls in ALL}
    words = {word for names in found.values() for word in names}
    assert {"n_components", "max_iter", "tol", "random_state", "n_jobs", "lam"} <= words
    assert not words & {"columns", "sweeps", "tolerance", "seed", "threads", "neighbours", "lambda_"}
    for cls in ALL:
        first, *others = list(inspect.signature(cls.__init__).parameters.values())[1:]
        assert first.name == "n_components" or "n_components" not in found[cls]
        assert all(other.kind is other.KEYWORD_ONLY for other in others)
        assert not [name for name in found[cls] if name.endswith("_")]  # those are results


def test_the_first_argument_needs_no_name(karate):
    assert cafe.SphereGCN(32).n_components == 32 and cafe.Reduce(3).n_components == 3
    assert cafe.LayeredCafe(5).n_components == 5 and cafe.SphereGCN(5).fit_transform(karate).shape[1] == 5
    with pytest.raises(TypeError, match="positional"):
        cafe.SphereGCN(32, 5)
    with pytest.raises(TypeError, match="n_components"):
        cafe.SphereGCN(32, n_components=5)


def test_jobs_are_counted_as_joblib_does():
    cpus = len(os.sched_getaffinity(0))
    assert [threads_of(jobs) for jobs in (None, 1, 3, -1)] == [1, 1, 3, 0]
    assert threads_of(-2) == max(1, cpus - 1) and threads_of(-10**6) == 1
    alone = cafe.SphereGCN(n_components=2).fit(cafe.karate())
    assert alone.report_["options"]["threads"] == 1


def test_messages_have_python_s_names(karate):
    with pytest.raises(ValueError, match="^n_components takes"):
        cafe.SphereGCN(n_components=0).fit(karate)
    with pytest.raises(ValueError, match="output_form"):
        cafe.SphereGCN(n_components=2, output_form="cooked").fit(karate)
    assert not [cls for cls in ALL if re.search(r"--[a-z]", cls.__doc__.partition("Attributes")[0])]


def test_nothing_is_validated_before_fit(karate):
    model = cafe.SphereGCN(n_components="many", beta=-3)
    assert model.n_components == "many"
    with pytest.raises(TypeError, match="n_components='many'"):
        model.fit(karate)
    with pytest.raises(ValueError, match="beta"):
        model.set_params(n_components=3).fit(karate)
    with pytest.raises(ValueError, match="n_jobs=0"):
        cafe.SphereGCN(n_jobs=0).fit(karate)
    with pytest.raises(ValueError, match="sampling takes one of edge.walk.* not 'edges'"):
        cafe.SphereGCN(sampling="edges").fit(karate)


def test_reduce_passes_scikit_learn_s_checks():
    check_estimator(cafe.Reduce(n_components=3))
    check_estimator(cafe.Reduce(n_components=2, method="sphere", n_jobs=1))


@pytest.mark.parametrize("cls", VECTORS)
def test_vectors(cls, karate):
    model = cls(n_components=8, random_state=3)
    x = model.fit_transform(karate)
    assert x is model.embedding_ and x.dtype == np.float32 and np.isfinite(x).all()
    assert x.shape[0] == 34 and x.shape[1] <= 8
    assert model.n_features_in_ == 34 and model.nodes_.tolist() == list(range(34))
    assert len(model.objective_) == model.n_iter_ + 1
    assert len(model.ritz_values_) == len(model.residuals_) == model.certificate_.pairs
    assert model.report_["graph"]["edges"] == 78
    assert model.report_["columns"] == x.shape[1]
    assert len(model.get_feature_names_out()) == x.shape[1]
    assert np.array_equal(cls(n_components=8, random_state=3, n_jobs=1).fit_transform(karate), x)


@pytest.mark.parametrize("source", ["auto", "top+hubs", "hubs"])
def test_the_width_is_what_was_asked_for(source, karate):
    for columns in (1, 3, 8, 33):
        model = cafe.SphereGCN(n_components=columns, columns_from=source).fit(karate)
        groups, names = model.certificate_.groups, model.get_feature_names_out()
        found = {group.kind: group.columns for group in groups}
        assert model.embedding_.shape == (34, columns) and sum(found.values()) == columns
        assert all(len(g.values) == len(g.residuals) == g.columns for g in groups)
        assert len(set(names)) == columns
        assert sum("hubs" in name for name in names) == found.get("hubs", 0)
    alone = cafe.SphereGCN(n_components=33, columns_from="top").fit(karate)
    assert [(g.kind, g.columns) for g in alone.certificate_.groups] == [("top", alone.embedding_.shape[1])]
    assert alone.embedding_.shape[1] < 33
    assert cafe.CafeGCN(n_components=4).fit(karate).certificate_.groups[0].kind == "clusters"


def test_names_come_back():
    graph = cafe.Graph([["ann", "bob"], ["bob", "cy"], ["cy", "ann"], ["cy", "dee"]])
    model = cafe.SphereGCN(n_components=2).fit(graph)
    table = model.to_frame()
    assert table.index.tolist() == ["ann", "bob", "cy", "dee"]
    assert np.array_equal(table.to_numpy(), model.embedding_)
    found = cafe.LayeredCafe().fit(graph).to_frame("labels_")
    assert found.index.tolist() == ["ann", "bob", "cy", "dee"] and found.name == "labels"


def test_pickle_holds_no_handle(karate):
    model = cafe.CafeGCN(n_components=4).fit(karate)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.embedding_, model.embedding_)
    assert again.get_params() == model.get_params()
    assert again.certificate_.objective == model.certificate_.objective


def test_not_fitted():
    for model in (cafe.SphereGCN(), cafe.SoftmaxClustering()):
        with pytest.raises(NotFittedError):
            model.to_frame()
    with pytest.raises(NotFittedError):
        cafe.Reduce().transform(np.zeros((3, 3)))


def test_seeds(karate):
    def run(state):
        return cafe.SphereGCN(n_components=4, random_state=state).fit_transform(karate)

    assert np.array_equal(run(None), run(1))
    assert np.array_equal(run(5), run(5)) and not np.array_equal(run(5), run(6))
    assert np.array_equal(run(np.random.RandomState(2)), run(np.random.RandomState(2)))
    assert np.array_equal(run(np.random.default_rng(2)), run(np.random.default_rng(2)))
    with pytest.raises(ValueError):
        run(-1)


@pytest.mark.parametrize("cls", [cafe.SphereGCN, cafe.CafeGCN, cafe.LayeredCafe])
def test_same_bits_for_any_threads(cls, planted):
    runs = [cls(n_jobs=jobs).fit_transform(planted[0]) for jobs in (1, 2, 3, 8)]
    assert all(np.array_equal(r, runs[0]) for r in runs)


# ---- what they find

@pytest.mark.parametrize("cls", [cafe.SphereGCN, cafe.SoftmaxClustering])
def test_the_objective_never_falls(cls, planted):
    objective = cls(n_components=16).fit(planted[0]).objective_
    assert (np.diff(objective) >= -1e-9).all() and objective[-1] > objective[0]


def test_layers_are_nested(planted):
    model = cafe.LayeredCafe(n_components=32).fit(planted[0])
    for fine, coarse in zip(model.layers_, model.layers_[1:]):
        assert np.array_equal(fine.parent[fine.partition], coarse.partition)
        assert fine.modularity <= coarse.modularity + 1e-12
    assert model.layers_[-1].parent is None
    assert np.array_equal(model.labels_, model.layers_[-1].partition)
    assert adjusted_rand_score(planted[1], model.labels_) > 0.9
    assert np.array_equal(model.fit_predict(planted[0]), model.labels_)


def test_who_wants_communities_reads_nothing_about_columns():
    a = np.kron(np.eye(3), 1 - np.eye(9))  # three cliques: components
    with pytest.warns(cafe.CafeWarning, match="part of the columns"):
        apart = cafe.LayeredCafe().fit(a)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = cafe.LayeredCafe().fit_predict(a)
    assert np.array_equal(labels, apart.labels_) and len(set(labels)) == 3



@pytest.mark.parametrize("initial", ["random", "layers", "sphere"])
@pytest.mark.parametrize("rows", ["dense", "sparse"])
def test_soft_clusters(initial, rows, planted):
    model = cafe.SoftmaxClustering(n_components=20, initial=initial, rows=rows)
    if initial == "sphere" and rows == "sparse":
        with pytest.raises(ValueError, match="dense"):
            model.fit(planted[0])
        return
    part = model.fit_predict(planted[0])
    h = model.memberships_
    assert scipy.sparse.issparse(h) == (rows == "sparse") and h.shape == (2000, 20)
    dense = h.toarray() if scipy.sparse.issparse(h) else h
    assert np.allclose(dense.sum(axis=1), 1, atol=1e-5) and (dense >= 0).all()
    # communities are connected pieces of the argmax, numbered by size
    best = dense.argmax(axis=1)
    found, first = np.unique(part, return_index=True)
    assert np.array_equal(best[first][part], best)
    assert np.array_equal(found, np.arange(len(found))) and (np.diff(np.bincount(part)) <= 0).all()
    assert len(model.communities_) == model.labels_.max() + 1


def test_labels_stay(karate, faction):
    y = np.full(34, np.nan)
    y[[0, 33]] = faction[[0, 33]]
    for model in (cafe.CafeGCN(), cafe.SoftmaxClustering(), cafe.LabelPropagation()):
        model.fit(karate, y)
        assert model.classes_.tolist() == [0, 1]
        assert model.transduction_[0] == 0 and model.transduction_[33] == 1
        assert accuracy_score(faction, model.transduction_) > 0.85
    names = np.array(["hi", "john"], dtype=object)[faction]
    named = np.array([None] * 34, dtype=object)
    named[[0, 33]] = names[[0, 33]]
    by_array = cafe.CafeGCN().fit(karate, named)
    by_mapping = cafe.CafeGCN().fit(karate, {0: "hi", 33: "john"})
    assert np.array_equal(by_array.embedding_, by_mapping.embedding_)
    assert by_array.transduction_.tolist() == by_mapping.transduction_.tolist()


def test_a_fit_forgets_the_one_before(karate):
    model = cafe.CafeGCN(sampling="twisted", lam=3.0).fit(
        karate, {0: 0, 33: 1}, attributes=np.eye(34))
    assert hasattr(model, "transduction_")
    model.set_params(n_components=5).fit(karate, attributes=np.eye(34))
    assert not hasattr(model, "transduction_") and not hasattr(model, "classes_")
    assert model.lam == 3.0 and model.memberships_.shape == (34, 5)


def test_an_engine_is_named(karate):
    x = cafe.SphereGCN(n_components=3).fit_transform(karate)
    same = cafe.SphereGCN(n_components=3, engine="processor").fit_transform(karate)
    assert np.array_equal(x, same)
    with pytest.raises(OSError, match="there is no engine 'nowhere'"):
        cafe.SphereGCN(n_components=3, engine="nowhere").fit(karate)
    with pytest.raises(TypeError, match="engine=3"):
        cafe.SphereGCN(n_components=3, engine=3).fit(karate)


def test_labels_that_reach_nobody():
    two = cafe.Graph.from_edges([[0, 1], [2, 3]])
    assert cafe.LabelPropagation().fit(two, {0: 5}).transduction_.tolist() == [5, 5, -1, -1]
    assert cafe.LabelPropagation().fit(two, {0: "a"}).transduction_.tolist() == \
        ["a", "a", None, None]
    with pytest.raises(ValueError, match="known label"):
        cafe.LabelPropagation().fit(two, [None] * 4)
    with pytest.raises(ValueError, match="too few"):
        cafe.CafeGCN(n_components=1).fit(two, [0, 1, None, None])


def test_start_goes_on(planted):
    first = cafe.SphereGCN(n_components=8, max_iter=3, tol=0, output_form="raw").fit(planted[0])
    more = cafe.SphereGCN(n_components=8, max_iter=1, tol=0).fit(planted[0],
                                                                start=first.embedding_)
    assert more.objective_[0] == pytest.approx(first.objective_[-1], rel=1e-6)
    with pytest.raises(ValueError, match="n_components is 8"):
        cafe.SphereGCN(n_components=8).fit(planted[0], start=np.zeros((2000, 3)))
    with pytest.raises(ValueError, match="start"):
        cafe.LayeredCafe().fit(planted[0], start=np.zeros((2000, 3)))


def test_communities_stay(planted):
    graph = planted[0]
    first = cafe.LayeredCafe().fit(graph)
    numbers = 10 + 3 * first.labels_
    again = cafe.LayeredCafe().fit(graph, start=numbers)
    assert (again.labels_ == numbers).mean() > .99 and again.modularity_ >= first.modularity_ - 1e-9
    assert again.report_["changes"]["nodes_kept"] == (again.labels_ == numbers).sum()
    some = {int(u): int(numbers[u]) for u in range(1500)}
    some["gone"] = 4
    part = cafe.LayeredCafe().fit(graph, start=some)
    assert part.report_["changes"]["nodes_new"] == 500
    assert (part.labels_ == numbers).mean() > .9
    words = cafe.LayeredCafe().fit(graph, start=first.to_frame("labels_").map(lambda c: f"c{c:03}"))
    assert (words.labels_ == first.labels_).mean() > .99
    kept = cafe.LayeredCafe().fit(graph, start=np.arange(2000) % 3, keep=range(9))
    assert kept.labels_[:9].tolist() == [0, 1, 2] * 3
    with pytest.raises(ValueError, match="keep"):
        cafe.LayeredCafe().fit(graph, keep=[1])
    with pytest.raises(ValueError, match="from 0"):
        cafe.LayeredCafe().fit(graph, start=np.full(2000, -2))


def test_samplings(karate, rng):
    edge = cafe.SphereGCN(n_components=4).fit(karate)
    walk = cafe.SphereGCN(n_components=4, sampling="walk", window=3).fit(karate)
    pagerank = cafe.SphereGCN(n_components=4, sampling="pagerank", damping=0.5).fit(karate, seeds=[0, 1])
    x = rng.normal(size=(34, 5))
    twisted = cafe.SphereGCN(n_components=4, sampling="twisted", lam=2.0).fit(karate, attributes=x)
    plain = cafe.SphereGCN(n_components=4, sampling="twisted", lam=0.0).fit(karate, attributes=x)
    aimed = cafe.SphereGCN(n_components=4, sampling="twisted", twist_mean=0.05).fit(karate, attributes=x)
    assert walk.report_["sampled"]["exact"] and pagerank.report_["sampled"]["seed_nodes"] == 2
    assert not np.array_equal(edge.embedding_, twisted.embedding_)
    assert np.array_equal(edge.embedding_, plain.embedding_)
    assert aimed.report_["sampled"]["mean"] == pytest.approx(0.05, abs=1e-6)
    drawn = cafe.SphereGCN(n_components=4, sampling="walk", samples=5000).fit(karate)
    assert not drawn.report_["sampled"]["exact"]
    with pytest.raises(ValueError, match="attributes"):
        cafe.SphereGCN(sampling="twisted").fit(karate)


def test_propagation_sharpens(planted):
    plain = cafe.SphereGCN(n_components=16).fit(planted[0])
    spread = cafe.SphereGCN(n_components=16, propagate=True).fit(planted[0])
    assert spread.embedding_.shape[0] == 2000
    assert not np.array_equal(plain.embedding_, spread.embedding_)
    assert np.allclose(np.linalg.norm(spread.embedding_, axis=1), 1, atol=1e-4)


def test_reduce(rng):
    centres = rng.normal(size=(4, 12)) * 5
    x = np.repeat(centres, 40, axis=0) + rng.normal(size=(160, 12))
    model = cafe.Reduce(n_components=4).fit(x)
    gram = model.embedding_.T @ model.embedding_
    assert np.allclose(gram, np.eye(model.n_components_), atol=1e-4)
    assert np.allclose(model.transform(x), model.embedding_, atol=1e-4)
    assert np.allclose(model.mean_, x.mean(axis=0), atol=1e-5)
    pca = PCA(n_components=4).fit(x)
    assert np.allclose(model.eigenvalues_, pca.singular_values_**2, rtol=1e-4)
    assert (np.abs(model.projections_) < 0.1).all()
    centred = x - x.mean(axis=0)  # Ritz values lie within their residuals of eigenvalues
    exact = np.linalg.eigvalsh(centred @ centred.T)
    for value, residual in zip(model.ritz_values_, model.residuals_):
        assert np.abs(exact - value).min() <= residual + 1e-4 * exact.max()
    labels = np.repeat(np.arange(4), 40)
    judge = make_pipeline(StandardScaler(), LogisticRegression())
    score = cross_val_score(make_pipeline(cafe.Reduce(n_components=16, method="sphere", max_iter=3), judge), x,
                            labels, cv=4)
    assert score.mean() > 0.85
    search = GridSearchCV(make_pipeline(cafe.Reduce(n_jobs=1), judge),
                          {"reduce__n_components": [2, 16], "reduce__method": ["softmax", "sphere"]},
                          cv=2, n_jobs=2).fit(x, labels)
    assert search.best_params_["reduce__n_components"] == 16 and search.best_score_ > 0.85


# ---- many at once

def fit_score(graph, labels, params):
    model = cafe.SphereGCN(n_jobs=1).set_params(**params)
    x = model.fit_transform(graph)
    return cross_val_score(LogisticRegression(max_iter=200), x * 30, labels, cv=3).mean(), x


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_grid(planted, backend):
    graph, labels = planted
    grid = list(ParameterGrid({"n_components": [4, 12], "output_form": ["walk", "hhat"],
                               "max_iter": [5]}))
    found = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(fit_score)(graph, labels, p) for p in grid)
    alone = [fit_score(graph, labels, p)[1] for p in grid]
    assert all(np.array_equal(x, y) for (_, x), y in zip(found, alone))
    best = max(range(len(grid)), key=lambda i: found[i][0])
    assert grid[best]["n_components"] == 12 and found[best][0] > 0.9


def test_without_scikit_learn():
    """NumPy is all that is needed; other modules are as if not there."""
    code = """
import sys
for name in ("sklearn", "scipy", "pandas", "networkx", "igraph", "tqdm"):
    sys.modules[name] = None
import numpy as np, cafe
g = cafe.karate()
m = cafe.SphereGCN(n_components=4, random_state=2).fit(g)
print(m, m.get_params()["n_components"])
print(m.set_params(n_components=3).n_components)
assert cafe.SoftmaxClustering(n_components=4).fit_predict(g).shape == (34,)
x = np.random.default_rng(0).normal(size=(30, 5))
r = cafe.Reduce(n_components=3).fit(x)
assert np.allclose(r.transform(x), r.embedding_, atol=1e-4)
try:
    r.transform(x[:, :2])
except ValueError as error:
    print("refused")
cafe.explain(g, m); cafe.SphereGCN(n_components=2, verbose=1).fit(g)
try:
    cafe.SphereGCN().to_frame()
except ValueError:
    print("not fitted")
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["SphereGCN(n_components=4, random_state=2) 4", "3", "refused",
                                        "not fitted"]


def test_progress(planted, capsys):
    seen = []
    cafe.SphereGCN(n_components=64, max_iter=30, tol=0, verbose=seen.append).fit(planted[0])
    assert seen and all(isinstance(p, cafe.Progress) for p in seen)
    cafe.SphereGCN(n_components=64, max_iter=200, tol=0, verbose=True).fit(planted[0])
    assert "sweep" in capsys.readouterr().err

    def stop(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cafe.SphereGCN(n_components=64, max_iter=10**6, tol=0, verbose=stop).fit(planted[0])


def test_options_of_another_sampling_are_refused(karate):
    with pytest.raises(ValueError, match="window"):
        cafe.SphereGCN(n_components=4, window=3).fit(karate)
    with pytest.raises(ValueError, match="lam"):
        cafe.SoftmaxClustering(n_components=4, sampling="walk", lam=2.0).fit(karate)
