"""What estimators that take labels can do with them afterwards."""
from dataclasses import replace
from typing import Any, Callable, Dict, Optional

import numpy as np

from ._asked import Asked, asked, mean_of_neighbours
from ._calibrated import Calibration, calibrated
from ._call import Verbose, run, threads_of
from ._labels import decode_labels, known_labels, share_right
from ._sklearn import NotFittedError


class Labelled:
    """predict(), predict_proba() and score() of a model that was fitted with labels. A new node gets
    the mean of its neighbours' memberships, by weight."""

    classes_: np.ndarray
    memberships_: Any
    graph_: Any
    calibration_: Calibration
    _made: Any
    _seed: int
    _work: Callable[..., Dict[str, Any]]
    n_jobs: Optional[int]
    verbose: Verbose
    engine: Optional[str]

    def predict(self, X: Any) -> np.ndarray:
        """The most likely class of each node: of the training graph, or of new nodes by their edges
        (see transform). -1 or None where no label came."""
        rows = self._class_rows(self._asked_for(X))
        best = np.where(rows.any(axis=1), rows.argmax(axis=1), -1)
        return decode_labels(best, self.classes_)

    def predict_proba(self, X: Any) -> np.ndarray:
        """A row per node that sums to 1, a column per class of classes_. The rows are memberships
        with a power and a share of the classes' frequencies. The first call chooses both by five
        folds of the known labels, a run each (`calibration_`). The class of largest probability is
        that of predict(); where no label came, the row has the frequencies."""
        rows = self._class_rows(self._asked_for(X)).astype(float)
        if "calibration_" not in vars(self):
            self.calibration_ = calibrated(self._made.label, len(self.classes_), self._rows_of)
        return self.calibration_.apply(rows)

    def _rows_of(self, label: np.ndarray) -> np.ndarray:
        """The memberships of a run with other known labels."""
        given = replace(self._made, label=label)
        found = run(lambda context: self._work(context, self.graph_, given),
                    threads_of(self.n_jobs), self._seed, self.verbose, self.engine)
        return _dense(found["memberships_"])[:, :len(self.classes_)].astype(float)

    def score(self, X: Any, y: Any) -> float:
        """The share of known labels of y that predict() finds; y as in fit()."""
        nodes = self._asked_for(X)
        label, known = known_labels(y, self.graph_ if nodes.trained else nodes.index)
        return share_right(self.predict(X)[known], label, self.classes_)

    def _asked_for(self, X: Any) -> Asked:
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"This {type(self).__name__} instance knows no labels yet: call "
                                 "fit(graph, y) with some first.")
        return asked(X, self.graph_)

    def _class_rows(self, nodes: Asked) -> np.ndarray:
        dense = _dense(self.memberships_)[:, :len(self.classes_)]
        return nodes.filled(dense, lambda links: mean_of_neighbours(dense, links))


def _dense(rows: Any) -> np.ndarray:
    return rows.toarray() if hasattr(rows, "toarray") else rows
