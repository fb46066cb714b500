"""Cross-validation over the nodes of a graph."""
import pickle
import subprocess
import sys

import numpy as np
import pandas
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier

import cafe


@pytest.fixture(scope="module")
def named():
    """A planted graph whose nodes have names, and their blocks by name."""
    graph, blocks = cafe.generate("planted", nodes=300, edges=2400, blocks=4, mixing=0.2, random_state=1)
    names = np.array([f"n{u:03d}" for u in range(300)])
    source, target, _ = graph.to_edges()
    return cafe.Graph.from_edges(names[source], names[target]), \
        pandas.Series(np.array(list("ABCD"))[blocks % 4], index=names)


def test_cross_validation(named):
    graph, labels = named
    nodes = graph.nodes
    for embedding in (None, cafe.SphereGCN(8), cafe.LabelPropagation(), cafe.CafeGCN()):
        model = cafe.NodeClassifier(graph, embedding=embedding)
        assert is_classifier(model)
        scores = cross_val_score(model, nodes, labels[nodes].to_numpy(), cv=3, error_score="raise")
        assert scores.mean() > 0.9, embedding
    found = cross_val_predict(model, nodes, labels[nodes].to_numpy(), cv=3, method="predict_proba")
    assert found.shape == (300, 4) and np.allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_grid(named, jobs):
    graph, labels = named
    grid = {"embedding__n_components": [1, 8], "classifier__n_neighbors": [1, 5]}
    model = cafe.NodeClassifier(graph, embedding=cafe.SphereGCN(), classifier=KNeighborsClassifier())
    search = GridSearchCV(model, grid, cv=3, n_jobs=jobs, error_score="raise")
    search.fit(graph.nodes, labels[graph.nodes])
    assert search.best_params_["embedding__n_components"] == 8 and search.best_score_ > 0.9
    assert search.best_estimator_.graph is graph  # clones share it
    assert search.predict(["n000"])[0] == labels["n000"]


def test_vectors_are_made_once_for_all_folds(karate, faction, monkeypatch):
    fits = []
    fit = cafe.SphereGCN.fit
    monkeypatch.setattr(cafe.SphereGCN, "fit", lambda self, *a, **k: fits.append(1) or fit(self, *a, **k))
    fresh = cafe.karate()
    model = cafe.NodeClassifier(fresh, embedding=cafe.SphereGCN(4))
    cross_val_score(model, fresh.nodes, faction, cv=5)
    assert len(fits) == 1
    cross_val_score(clone(model).set_params(embedding__n_components=5), fresh.nodes, faction, cv=5)
    assert len(fits) == 2
    drawn = model.set_params(embedding__random_state=np.random.RandomState(0))
    cross_val_score(drawn, fresh.nodes, faction, cv=5)
    assert len(fits) == 7  # whatever a generator gives


def test_no_label_of_a_test_node_is_seen(karate, faction):
    """Other labels for the nodes left out change nothing."""
    train = np.arange(0, 34, 2)
    for embedding in (None, cafe.LabelPropagation(), cafe.CafeGCN()):
        model = cafe.NodeClassifier(karate, embedding=embedding).fit(train, faction[train])
        direct = cafe.NodeClassifier(karate, embedding=embedding).fit(list(train), list(faction[train]))
        assert np.array_equal(model.predict_proba(karate.nodes), direct.predict_proba(karate.nodes))


def test_nodes_come_in_any_shape(named):
    graph, labels = named
    model = cafe.NodeClassifier(graph).fit(graph.nodes, labels[graph.nodes])
    some = ["n003", "n001"]
    for X in (some, np.array(some), np.array(some, object), np.array(some)[:, None], pandas.Series(some),
              pandas.DataFrame({"node": some})):
        assert model.predict(X).tolist() == labels[some].tolist()
    with pytest.raises(ValueError, match=r"X: 2 of 3 nodes are not in the graph: 'x', 'y'"):
        model.predict(["x", "n001", "y"])
    with pytest.raises(ValueError, match=r"shape \(1, 2\)"):
        model.predict(np.array([some]))
    with pytest.raises(NotFittedError):
        cafe.NodeClassifier(graph).predict(some)
    with pytest.raises(ValueError, match="NodeClassifier needs the graph"):
        cafe.NodeClassifier().fit(some, [1, 2])


def test_labels_by_name(named, rng):
    graph, labels = named
    nodes = graph.nodes[:200]
    model = cafe.NodeClassifier(graph, embedding=cafe.SphereGCN(8))
    right = clone(model).fit(nodes, labels[nodes].to_numpy())
    mixed = labels.iloc[rng.permutation(300)]
    assert np.array_equal(clone(model).fit(nodes, mixed).predict_proba(nodes), right.predict_proba(nodes))
    assert right.score(nodes, mixed) == right.score(nodes, labels[nodes].to_numpy()) > 0.9
    table = pandas.DataFrame({"node": nodes, "label": labels[nodes].to_numpy()}).sample(
        frac=1, random_state=0)  # the same lines of one table: by position
    assert np.array_equal(clone(model).fit(table.node, table.label).predict(nodes), right.predict(nodes))
    assert np.array_equal(clone(model).fit(table.node.to_numpy(), table.label).predict(nodes),
                          right.predict(nodes))
    with pytest.raises(ValueError, match="lacks 100 of the 200 of X: 'n"):
        clone(model).fit(nodes, labels[nodes[:100]])
    with pytest.raises(ValueError, match="lacks"):  # a fold of labels in another order than the nodes
        cross_val_score(model, graph.nodes, mixed, cv=3, error_score="raise")
    with pytest.raises(ValueError, match="2 of 200 nodes have no label: 'n.*', 'n"):
        clone(model).fit(nodes, [None, None, *labels[nodes][2:]])
    with pytest.raises(ValueError, match="expected 200 labels"):
        clone(model).fit(nodes, list(labels))


def test_numbers_that_might_be_nodes(karate, faction, rng):
    mixed = pandas.Series(faction).iloc[rng.permutation(34)]
    model = cafe.NodeClassifier(karate)
    with pytest.raises(ValueError, match="might be nodes"):
        model.fit(karate.nodes, mixed)
    in_order = model.fit(karate.nodes, pandas.Series(faction)).predict(karate.nodes)
    assert np.array_equal(model.fit(mixed.index.to_numpy(), mixed).predict(karate.nodes), in_order)


def test_clones_and_pickles(named):
    graph, labels = named
    train, test = train_test_split(graph.nodes, random_state=0, stratify=labels[graph.nodes])
    model = cafe.NodeClassifier(graph, embedding=cafe.CafeGCN()).fit(train, labels)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(test), model.predict(test))
    assert clone(model).graph is graph and not hasattr(clone(model), "classes_")
    assert model.get_params()["embedding__theta"] == cafe.CafeGCN().theta
    scores = model.predict_proba(test)
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(test))


def test_expected_accuracy(named):
    graph, labels = named
    train, test = train_test_split(graph.nodes, train_size=0.3, random_state=0)
    model = cafe.NodeClassifier(graph).fit(train, labels)
    score = model.score(test, labels[test].to_numpy())
    assert abs(model.expected_accuracy_ - score) < 4 * model.expected_error_ < 0.2
    assert model.expected_["held_out"] == 90 and len(model.compared_["predictor"]) == 6
    assert model.expected_["log_loss"] < model.expected_["frequency_log_loss"]
    for predictor in ("smoothed", "classifier", "propagation", "absorbing", "cafe", "combined"):
        one = cafe.NodeClassifier(graph, by=predictor).fit(train, labels)
        least = 0.4 if predictor == "absorbing" else 0.9  # its long walks prefer frequent classes
        assert one.predictor_ == predictor and one.score(test, labels[test].to_numpy()) > least
    with pytest.raises(ValueError, match="by takes one of"):
        cafe.NodeClassifier(graph, by="guess").fit(train, labels)


def test_several_classes_a_node(named):
    graph, labels = named
    marks = pandas.get_dummies(labels[graph.nodes]).astype(int)
    marks["late"] = np.arange(300) % 2
    train = np.arange(0, 300, 3)
    model = cafe.NodeClassifier(graph).fit(graph.nodes[train], marks.iloc[train])
    assert model.classes_.tolist() == ["A", "B", "C", "D", "late"] and len(model.compared_["predictor"]) == 3
    assert np.array_equal(model.predict(graph.nodes[train]), marks.to_numpy()[train])
    p = model.predict_proba(graph.nodes)
    assert p.shape == (300, 5) and 0 <= p.min() and p.max() <= 1
    right = (model.predict(graph.nodes)[:, :4] == marks.to_numpy()[:, :4]).mean()
    assert right > 0.9 and model.expected_["micro_f1"] > 0.6
    assert 0 <= model.score(graph.nodes, marks) <= 1
    with pytest.raises(ValueError, match="rows of 0 and 1"):
        cafe.NodeClassifier(graph).fit(graph.nodes[:5], np.full((5, 2), 2))
    with pytest.raises(ValueError, match="3 nodes have no class"):
        cafe.NodeClassifier(graph).fit(graph.nodes[:5], np.eye(5, 2))


def test_weights_and_repeats(named):
    """A node that is there twice counts twice; -1 is a class like any other."""
    graph, labels = named
    nodes, y = graph.nodes[:60], np.where(labels[graph.nodes[:60]] == "A", -1, 1)
    weight = np.where(y == -1, 3.0, 1.0)
    fit = lambda X, y, w=None: cafe.NodeClassifier(graph, by="classifier").fit(X, y, w)
    heavy, plain = fit(nodes, y, weight), fit(nodes, y)
    repeated = np.repeat(nodes, weight.astype(int)), np.repeat(y, weight.astype(int))
    assert np.array_equal(fit(*repeated).predict_proba(graph.nodes), heavy.predict_proba(graph.nodes))
    assert heavy.classes_.tolist() == [-1, 1]
    assert not np.array_equal(heavy.predict_proba(graph.nodes), plain.predict_proba(graph.nodes))
    with pytest.raises(ValueError, match="weight of node"):
        fit(nodes, y, np.zeros(60))


def test_where_no_label_came():
    two = cafe.Graph.from_edges([[0, 1], [1, 2], [3, 4]])
    with pytest.warns(cafe.CafeWarning):
        model = cafe.NodeClassifier(two, embedding=cafe.LabelPropagation()).fit([0, 1, 2], list("aab"))
    assert model.predict([3, 4]).tolist() == ["a", "a"] and np.allclose(model.predict_proba([3]), [[2 / 3, 1 / 3]])


def test_without_scikit_learn():
    code = """
import sys
sys.modules["sklearn"] = None
import numpy as np, cafe
karate, faction = cafe.karate(return_labels=True)
model = cafe.NodeClassifier(karate, embedding=cafe.LabelPropagation()).fit([0, 33], faction[[0, 33]])
assert model.score(karate.nodes, faction) > 0.9
assert model.get_params()["embedding__alpha"] == 0.8
assert model.set_params(embedding__alpha=0.5).embedding.alpha == 0.5
print(cafe.NodeClassifier(karate).fit([0, 33], faction[[0, 33]]).score(karate.nodes, faction) > 0.6)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
