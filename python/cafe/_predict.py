"""What estimators that take labels can do with them afterwards."""
from typing import Any

import numpy as np

from ._asked import Asked, asked, mean_of_neighbours
from ._labels import decode_labels, known_labels
from ._sklearn import NotFittedError


class Labelled:
    """predict(), predict_proba() and score() of a model that was fitted with labels. A new node gets
    the mean of its neighbours' memberships, by weight."""

    classes_: np.ndarray
    memberships_: Any
    graph_: Any

    def predict(self, X: Any) -> np.ndarray:
        """The most likely class of each node: of the training graph, or of new nodes by their links
        (see transform). -1 or None where no label came."""
        rows = self._class_rows(self._asked_for(X))
        best = np.where(rows.any(axis=1), rows.argmax(axis=1), -1)
        return decode_labels(best, self.classes_)

    def predict_proba(self, X: Any) -> np.ndarray:
        """A row per node, a column per class of classes_; all 0 where no label came."""
        rows = self._class_rows(self._asked_for(X)).astype(float)
        total = rows.sum(axis=1, keepdims=True)
        return rows / np.where(total > 0, total, 1)

    def score(self, X: Any, y: Any) -> float:
        """The share of known labels of y that predict() finds; y as in fit()."""
        nodes = self._asked_for(X)
        label, known = known_labels(y, self.graph_ if nodes.trained else nodes.index)
        return float(np.mean(self.predict(X)[known] == label))

    def _asked_for(self, X: Any) -> Asked:
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"This {type(self).__name__} instance knows no labels yet: call "
                                 "fit(graph, y) with some first.")
        return asked(X, self.graph_)

    def _class_rows(self, nodes: Asked) -> np.ndarray:
        rows = self.memberships_[:, :len(self.classes_)]
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        return nodes.filled(dense, lambda links: mean_of_neighbours(dense, links))
