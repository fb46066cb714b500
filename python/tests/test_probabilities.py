"""predict_proba returns probabilities: rows that sum to 1, in the order of predict(). On held-out
nodes their log loss is below that of guessing by the frequencies of the classes."""
import pickle

import numpy as np
import pytest
from sklearn.metrics import log_loss

import cafe
from cafe._calibrated import calibrated

MODELS = [cafe.CafeGCN, cafe.LabelPropagation, lambda: cafe.SoftmaxClustering(5)]


@pytest.fixture(scope="module")
def noisy():
    """Blocks that links tell only roughly, uneven in size; a tenth and a half of the labels."""
    graph, blocks = cafe.generate("planted", nodes=1500, edges=5000, blocks=5, mixing=0.45, random_state=2)
    return graph, np.array(list("edcba"))[np.minimum(blocks % 7, 4)]


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("make", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_held_out_nodes(noisy, make, share, rng):
    graph, y = noisy
    order = rng.permutation(len(y))
    train, test = np.split(order, [int(share * len(y))])
    model = make().fit(graph, dict(zip(train.tolist(), y[train])))
    p = model.predict_proba(graph)
    assert p.shape == (1500, 5) and np.allclose(p.sum(axis=1), 1) and (p > 0).all()
    told = model.predict(graph)
    assert (model.classes_[p.argmax(axis=1)] == told)[told != None].all()  # noqa: E711 (an array)
    guess = np.mean(y[train][:, None] == model.classes_, axis=0)
    loss = log_loss(y[test], p[test], labels=model.classes_)
    assert loss < log_loss(y[test], np.tile(guess, (len(test), 1)), labels=model.classes_)
    assert model.calibration_.held_out > 0.9 * len(train)


def test_a_wrong_label_is_not_certain(noisy):
    """Labels without a relation to the links: hardly better or worse than guessing."""
    graph, _ = noisy
    y = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [900, 400, 200]))
    known = dict(zip(range(700), y[:700].tolist()))
    guess = np.bincount(y[:700]) / 700
    p = cafe.CafeGCN().fit(graph, known).predict_proba(graph)
    right = np.tile(guess, (800, 1))
    assert log_loss(y[700:], p[700:]) < log_loss(y[700:], right) + 0.1


def test_few_labels_are_not_certain(karate, faction):
    """Nothing can be held out of one label a class: a half is the frequencies."""
    model = cafe.LabelPropagation().fit(karate, {0: "a", 33: "b"})
    p = model.predict_proba(karate)
    assert model.calibration_.held_out == 0 and model.calibration_.share == 0.5
    assert np.allclose(p.sum(axis=1), 1) and p.max() <= 0.75
    assert (model.classes_[p.argmax(axis=1)] == model.predict(karate)).all()
    all_alike = cafe.LabelPropagation().fit(karate, {0: "a", 33: "a"}).predict_proba(karate)
    assert (all_alike == 1).all()


def test_where_no_label_came():
    two = cafe.Graph([(0, 1), (1, 2), (0, 2), (3, 4)])
    with pytest.warns(cafe.CafeWarning):
        model = cafe.LabelPropagation().fit(two, {0: "a", 1: "a", 2: "b"})
    assert np.allclose(model.predict_proba(two)[3:], [2 / 3, 1 / 3])
    assert model.predict(two)[3] is None


def test_new_nodes_pickles_and_repeats(noisy):
    graph, y = noisy
    known = {u: y[u] for u in range(0, 1500, 7)}
    model = cafe.CafeGCN(random_state=np.random.default_rng(3)).fit(graph, known)
    before = model.memberships_.copy()
    new = model.predict_proba({"x": [0, 1, 2], "y": [5]})
    assert new.shape == (2, 5) and np.allclose(new.sum(axis=1), 1)
    assert (model.classes_[new.argmax(axis=1)] == model.predict({"x": [0, 1, 2], "y": [5]})).all()
    p = model.predict_proba(graph)
    assert np.array_equal(model.memberships_, before)  # the runs of the folds leave no trace
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(graph), p)
    del model.calibration_
    assert np.array_equal(model.predict_proba(graph), p)  # the same folds, the same bits
    model.fit(graph, {0: "q", 1: "q", 2: "r"})
    assert model.predict_proba(graph).shape == (1500, 2)


def test_a_classifier_of_nodes(noisy):
    graph, y = noisy
    for embedding in (cafe.CafeGCN(), cafe.LabelPropagation()):
        model = cafe.NodeClassifier(graph, embedding=embedding).fit(graph.nodes[:500], y[:500])
        p = model.predict_proba(graph.nodes)
        assert np.allclose(p.sum(axis=1), 1)
        assert (model.classes_[p.argmax(axis=1)] == model.predict(graph.nodes)).all()
        guess = np.mean(y[:500][:, None] == model.classes_, axis=0)
        assert log_loss(y[500:], p[500:]) < log_loss(y[500:], np.tile(guess, (1000, 1)))


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_any_memberships(classes, rng):
    """Whatever a run gives, rows sum to 1 and keep their largest entry."""
    for power in (0.1, 1, 40, 400):
        rows = rng.random((300, classes)) ** power  # many of them 0
        rows[::9] = 0
        label = np.where(rng.random(300) < 0.5, rng.integers(classes, size=300), -1)
        label[:classes] = range(classes)
        p = calibrated(label, classes, lambda some: rows).apply(rows)
        assert np.allclose(p.sum(axis=1), 1) and (p >= 0).all()
        reached = rows.any(axis=1)
        assert (p.argmax(axis=1) == rows.argmax(axis=1))[reached].all()
        assert np.allclose(p[~reached], np.bincount(label[label >= 0], minlength=classes) / (label >= 0).sum())
