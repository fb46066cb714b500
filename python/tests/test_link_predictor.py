"""Edges that are not there yet."""
import copy
import pickle

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss, roc_auc_score

import cafe


@pytest.fixture(scope="module")
def split():
    graph, _ = cafe.generate("planted", nodes=400, edges=4000, blocks=8, mixing=0.1, random_state=2)
    found = cafe.hide_links(graph, 0.2, random_state=3)
    rng, edges = np.random.default_rng(4), set(zip(*map(np.ndarray.tolist, graph.to_edges()[:2])))
    ends = rng.choice(graph.to_edges()[0], (3000, 2))
    others = [(u, w) for u, w in ends.tolist() if u != w and (u, w) not in edges and (w, u) not in edges]
    pairs = np.array([*zip(found.source, found.target), *others[:len(found.source)]])
    return found.training, pairs, np.repeat([1, 0], [len(found.source), len(pairs) - len(found.source)])


def test_hidden_edges_are_found_with_probabilities_that_hold(split):
    graph, pairs, y = split
    model = cafe.LinkPredictor(random_state=1).fit(graph)
    p = model.predict_proba(pairs)
    assert p.shape == (len(pairs), 2) and np.allclose(p.sum(axis=1), 1)
    auc = roc_auc_score(y, p[:, 1])
    assert auc > 0.85 and abs(auc - model.expected_["auc"]) < 0.05
    assert log_loss(y, p) < 0.55 and model.score(pairs, y) > 0.75
    assert model.expected_["edges"] == model.expected_["others"] == round(graph.n_edges * 0.1)
    assert (model.predict(pairs) == (p[:, 1] > 0.5)).all()


def test_edges_loops_and_order(split):
    graph, pairs, _ = split
    model = cafe.LinkPredictor(n_jobs=1).fit(graph)
    edge = [end[0] for end in graph.to_edges()[:2]]
    assert model.predict_proba([edge, (7, 7)])[:, 1].tolist() == [1, 0]
    forward, back = model.predict_proba(pairs), model.predict_proba(pairs[:, ::-1])
    assert (forward == back).all()
    assert (forward == cafe.LinkPredictor(n_jobs=3).fit(graph).predict_proba(pairs)).all()
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(graph)):
        assert (again.predict_proba(pairs) == forward).all()


def test_time(split):
    graph, pairs, y = split
    known = pandas.DataFrame({"source": graph.to_edges()[0], "target": graph.to_edges()[1]})
    known["year"] = np.random.default_rng(5).integers(2000, 2010, len(known))
    names = known.assign(source="n" + known.source.astype(str), target="n" + known.target.astype(str))
    model = cafe.LinkPredictor(time="year").fit(names)
    asked = [(f"n{u}", f"n{w}") for u, w in pairs.tolist()]
    assert roc_auc_score(y, model.predict_proba(asked)[:, 1]) > 0.85
    plain = names.drop(columns="year")
    given = cafe.LinkPredictor().fit(plain, earlier=plain[names.year <= names.year.sort_values().iloc[
        int(0.8 * (len(names) - 1))]])
    assert (given.predict_proba(asked) == model.predict_proba(asked)).all()
    assert given.expected_ == model.expected_


def test_users_and_items():
    rng = np.random.default_rng(1)
    users, items = np.repeat(np.arange(60), 8), np.concatenate([rng.choice(10, 8, replace=False) + 10 * (u % 4)
                                                                for u in range(60)])
    graph = cafe.Graph.from_edges([f"u{u}" for u in users], [f"i{i}" for i in items])
    model = cafe.LinkPredictor().fit(graph)
    assert model.predict_proba([("u0", "u4"), ("i1", "i2")])[:, 1].tolist() == [0, 0]
    assert model.expected_["auc"] > 0.85


def test_refusals(karate):
    with pytest.raises(NotFittedError):
        cafe.LinkPredictor().predict([(0, 1)])
    model = cafe.LinkPredictor().fit(karate)
    assert model.predict_proba(np.empty((0, 2))).shape == (0, 2)
    for pairs in ([(0, 1, 2)], ["ab"], np.zeros((2, 3))):
        with pytest.raises(ValueError, match="a pair of nodes per row"):
            model.predict(pairs)
    with pytest.raises(ValueError, match="1 of 1 nodes are not in the graph: 99"):
        model.predict([(99, 1)])
    with pytest.raises(ValueError, match="no edge to learn from"):
        cafe.LinkPredictor().fit(cafe.Graph.from_edges([0, 1, 2], [1, 2, 3]))
    with pytest.raises(ValueError, match="a table of edges with this column"):
        cafe.LinkPredictor(time="year").fit(karate)
