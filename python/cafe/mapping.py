"""Rows of a table, or vectors, as points of the plane; new rows beside them."""
from typing import Any, Optional

import numpy as np

from ._arrays import as_numbers, block
from ._call import Verbose
from ._sklearn import BaseEstimator, NotFittedError, Transformer
from .graph import Graph
from .view import layout

ROWS = 1024  # new rows that are compared at a time


class Map(Transformer, BaseEstimator):
    """Rows as points of the plane: rows of similar directions are near each other (`cafe plot -o
    MAP.npy`).

    X is a table or vectors, a row per point. For the nodes of a graph with their edges see
    cafe.layout(). A new row lies among the points of the rows with the nearest directions: their
    mean, weighted by exp(-d/s), with d = 1 - cosine and s the mean of d.

    Parameters
    ----------
    n_neighbors : int, default=15
        Nearest rows of each row.
    random_state : int, Generator or None
    n_jobs : int, default=None
    verbose : bool, default=False

    Attributes
    ----------
    embedding_ : array of shape (n_rows, 2), float32
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np, cafe
    >>> table = np.repeat(np.eye(3), 20, axis=0) + 0.1 * np.random.default_rng(0).normal(size=(60, 3))
    >>> model = cafe.Map().fit(table)
    >>> model.embedding_.shape, model.transform(table[:5]).shape
    ((60, 2), (5, 2))
    """

    embedding_: np.ndarray
    n_features_in_: int

    def __init__(self, *, n_neighbors: int = 15, random_state: Any = None, n_jobs: Optional[int] = None,
                 verbose: Verbose = False) -> None:
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "Map":
        """Lays out the rows."""
        rows = _rows(X)
        if len(rows) < 2:
            raise ValueError(f"X: expected two rows or more, found {len(rows)}")
        count = min(int(self.n_neighbors), len(rows) - 1)
        run = {"random_state": self.random_state, "n_jobs": self.n_jobs, "verbose": self.verbose}
        graph = Graph.from_points(_unit(rows), n_neighbors=count, **run)
        self.embedding_ = layout(graph, rows, n_neighbors=count, **run)
        self.n_features_in_ = rows.shape[1]
        self._unit, self._index = _unit(rows), getattr(X, "index", None)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """fit, and the points of the rows."""
        return self._contained(self.fit(X, y).embedding_, self._index)

    def transform(self, X: Any) -> Any:
        """Points of new rows. A row with the direction of one in fit has its point."""
        if not hasattr(self, "embedding_"):
            raise NotFittedError("This Map instance is not fitted yet: call fit first.")
        rows = _rows(X)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {rows.shape[1]} features, but Map is expecting {self.n_features_in_} "
                             "features as input")
        parts = [self._placed(_unit(rows[at:at + ROWS])) for at in range(0, len(rows), ROWS)]
        found = np.concatenate(parts) if parts else np.empty((0, 2), np.float32)
        return self._contained(found, getattr(X, "index", None))

    def _placed(self, unit: np.ndarray) -> np.ndarray:
        count = min(int(self.n_neighbors), len(self._unit))
        distance = np.maximum(1 - unit @ self._unit.T, 0)
        near = np.argpartition(distance, count - 1, axis=1)[:, :count]
        d = np.take_along_axis(distance, near, axis=1).astype(float)
        least = d.min(axis=1, keepdims=True)
        weight = np.exp(-d / np.maximum(d.mean(axis=1, keepdims=True), 1e-12))
        weight = np.where(least < 1e-6, d == least, weight)
        weight /= weight.sum(axis=1, keepdims=True)
        return np.einsum("ij,ijk->ik", weight, self.embedding_[near]).astype(np.float32)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """map0 and map1."""
        return np.array(["map0", "map1"], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "embedding_")


def _rows(X: Any) -> np.ndarray:
    rows = as_numbers(X.toarray() if hasattr(X, "tocsr") else X, "X")
    values = block(rows, rows.shape[0] if rows.ndim else 0, "X")
    if not np.isfinite(values).all():
        raise ValueError("X: expected finite numbers")
    return values


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1), np.float32)
