"""Rows as points of the plane."""
import pickle

import numpy as np
import pandas
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import cafe


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits
    return load_digits(return_X_y=True)


def test_new_rows_lie_among_their_kind(digits):
    x, y = digits
    model = cafe.Map(random_state=1).fit(x[:1000])
    assert model.embedding_.shape == (1000, 2) and model.embedding_.dtype == np.float32
    judge = KNeighborsClassifier(5).fit(model.embedding_, y[:1000])
    assert judge.score(model.transform(x[1000:]), y[1000:]) > 0.85
    assert np.allclose(model.transform(x[:50]), model.embedding_[:50], atol=1e-5)
    assert (cafe.Map(random_state=1, n_jobs=3).fit(x[:1000]).embedding_ == model.embedding_).all()
    again = pickle.loads(pickle.dumps(model))
    assert (again.transform(x[1000:]) == model.transform(x[1000:])).all()
    pipe = make_pipeline(clone(model), KNeighborsClassifier(5)).fit(x[:1000], y[:1000])
    assert pipe.score(x[1000:], y[1000:]) > 0.85


def test_containers_and_refusals(digits):
    table = pandas.DataFrame(digits[0][:60], index=[f"r{i}" for i in range(60)])
    model = cafe.Map().set_output(transform="pandas").fit(table)
    found = model.transform(table[:3])
    assert found.index.tolist() == ["r0", "r1", "r2"] and found.columns.tolist() == ["map0", "map1"]
    sparse = cafe.Map().fit(csr_matrix(digits[0][:60]))
    assert (sparse.embedding_ == model.embedding_).all()
    with pytest.raises(NotFittedError):
        cafe.Map().transform(table)
    with pytest.raises(ValueError, match="2 features, but Map is expecting 64"):
        sparse.transform(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="finite"):
        cafe.Map().fit([[1, np.nan], [1, 2]])
    with pytest.raises(ValueError, match="two rows or more"):
        cafe.Map().fit([[1.0, 2.0]])
