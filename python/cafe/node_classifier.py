"""A classifier of nodes that cross-validation can split: X has nodes, the graph is a parameter."""
import copy
import weakref
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._labels import found_positions, missing_labels, one_column, plain_labels, positions, share_right, some
from ._sklearn import BaseEstimator, ClassifierMixin, NotFittedError
from .embed import CLASSES, Embedding
from .graph import Graph, as_graph


class NodeClassifier(ClassifierMixin, BaseEstimator):
    """Tells the classes of a graph's nodes from those of some of them.

    X is a list of nodes, by name or number, so that whatever splits rows (cross_val_score,
    GridSearchCV, train_test_split) splits nodes; edges and vectors are those of the whole graph, labels
    only those of the nodes in fit(X, y).

    Parameters
    ----------
    graph : Graph or graph-like
        A cafe.Graph is shared by clones and remembers the vectors last made of it, so that folds do not
        make them again; anything else is read by every fit.
    embedding : estimator, default=None
        Vectors of the nodes; None is cafe.SphereGCN(). One that takes labels (cafe.CafeGCN,
        cafe.LabelPropagation) is given those of the nodes in fit, and without a classifier predicts
        itself.
    classifier : estimator, default=None
        Of vectors; None is scikit-learn's LogisticRegression behind a StandardScaler.

    Attributes
    ----------
    classes_ : array
        In order.
    model_, classifier_ : estimators
        The fitted embedding and classifier (None: the embedding predicts).
    graph_ : Graph

    Examples
    --------
    >>> import cafe
    >>> from sklearn.model_selection import GridSearchCV
    >>> karate, faction = cafe.karate(return_labels=True)
    >>> model = cafe.NodeClassifier(karate, embedding=cafe.SphereGCN())
    >>> grid = {"embedding__n_components": [2, 8], "embedding__output_form": ["scaled", "walk"]}
    >>> search = GridSearchCV(model, grid, cv=3).fit(karate.nodes, faction)
    >>> bool(search.best_score_ > 0.9), search.predict([0, 33]).tolist()
    (True, [0, 1])
    """

    classes_: np.ndarray
    graph_: Graph
    model_: Any
    classifier_: Any

    def __init__(self, graph: Any = None, *, embedding: Any = None, classifier: Any = None) -> None:
        self.graph = graph
        self.embedding = embedding
        self.classifier = classifier

    def fit(self, X: Any, y: Any) -> "NodeClassifier":
        """Learns the labels y of the nodes X. A Series with the names of nodes as its index is matched by
        these; anything else by position."""
        if self.graph is None:
            raise ValueError("graph: NodeClassifier needs the graph of its nodes, NodeClassifier(graph)")
        graph = as_graph(self.graph)
        nodes = _names(X)
        at = found_positions(graph, nodes, "X")
        labels = _labels(X, nodes, y, graph)
        _check_consistent(graph, at, labels)
        self.graph_ = graph
        self.classes_, number, count = np.unique(labels, return_inverse=True, return_counts=True)
        model = _copy(self.embedding) if self.embedding is not None else _default_embedding()
        if hasattr(model, "predict_proba"):
            self.model_ = model.fit(graph, dict(zip(graph.nodes[at].tolist(), number.tolist())))
        else:
            self.model_ = _fitted(graph, model)
        self._most = self.classes_[np.argmax(count)]
        self.classifier_ = None
        if self.classifier is not None or not hasattr(model, "predict_proba"):
            chosen = _copy(self.classifier) if self.classifier is not None else _default_classifier()
            self.classifier_ = chosen.fit(self._vectors()[at], labels)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The classes of nodes."""
        at = self._at(X)
        if self.classifier_ is not None:
            return self.classifier_.predict(self._vectors()[at])
        number = self.model_.predict(self.graph_)[at]  # -1: no label came
        return np.where(number >= 0, self.classes_[number], self._most)

    def predict_proba(self, X: Any) -> np.ndarray:
        """A row per node that sums to 1, a column per class of classes_. Where no label came, it has
        the frequencies of the classes."""
        at = self._at(X)
        if self.classifier_ is not None:
            return self.classifier_.predict_proba(self._vectors()[at])
        return self.model_.predict_proba(self.graph_)[at]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions, by weight; y as in fit."""
        labels = _labels(X, _names(X), y, self.graph_)
        return share_right(self.predict(X), labels, self.classes_, sample_weight)

    def _at(self, X: Any) -> np.ndarray:
        if not hasattr(self, "classes_"):
            raise NotFittedError("This NodeClassifier instance is not fitted yet: call fit first.")
        return found_positions(self.graph_, _names(X), "X")

    def _vectors(self) -> np.ndarray:
        return np.asarray(self.model_.transform(self.graph_))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["1darray", "string"], "no_validation": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, False
        tags.input_tags.string, tags.no_validation = True, True
        return tags


# ---- nodes and labels --------------------------------------------------------------------------

def _names(X: Any) -> Any:
    """Nodes: a sequence, or a table of one column."""
    if hasattr(X, "iloc"):
        return one_column(X, "X").to_numpy()
    nodes = X if isinstance(X, np.ndarray) else list(X)
    if isinstance(nodes, np.ndarray) and nodes.ndim == 2 and nodes.shape[1] == 1:
        return nodes[:, 0]
    if isinstance(nodes, np.ndarray) and nodes.ndim != 1:
        raise ValueError(f"X: expected a node per row, found shape {nodes.shape}")
    return nodes


def _labels(X: Any, nodes: Any, y: Any, graph: Graph) -> np.ndarray:
    """A label for each of the nodes. Data with the rows' own index, or none, are matched by position."""
    if hasattr(y, "iloc"):
        y = one_column(y, "y")
        if not _same_rows(X, nodes, y):
            y = _by_node(nodes, y, graph)
    labels = plain_labels(y)
    if labels.shape != (len(nodes),):
        raise ValueError(f"y: expected {len(nodes)} labels, one for each node of X, found shape "
                         f"{labels.shape}")
    missing = missing_labels(labels)
    if missing.any():
        where = [node for node, gone in zip(nodes, missing) if gone]
        raise ValueError(f"y: {len(where)} of {len(nodes)} nodes have no label: {some(where)}")
    return labels


def _check_consistent(graph: Graph, at: np.ndarray, labels: np.ndarray) -> None:
    """A node may be there more than once, as in a bootstrap, but with one label."""
    if len(at) == 0:
        raise ValueError("X: expected nodes, found none")
    first = np.unique(at, return_index=True)[1]
    label = dict(zip(at[first].tolist(), labels[first].tolist()))
    odd = [u for u, own in zip(at.tolist(), labels.tolist()) if label[u] != own]
    if odd:
        raise ValueError(f"y: {len(set(odd))} nodes have several labels: {some(graph.nodes[sorted(set(odd))])}")


def _same_rows(X: Any, nodes: Any, y: Any) -> bool:
    """Whether y has the index of X, or that of its nodes in their order."""
    if hasattr(X, "iloc") and y.index.equals(X.index):
        return True
    return y.index.tolist() == (nodes.tolist() if isinstance(nodes, np.ndarray) else nodes)


def _by_node(nodes: Any, y: Any, graph: Graph) -> Any:
    """y in the order of the nodes, when its index is certain to have nodes."""
    known = positions(graph, y.index) >= 0
    if not known.any():
        return y.to_numpy()  # lines of another table
    if y.index.dtype.kind in "iu":
        raise ValueError("y: its index has numbers that might be nodes, and they are not those of X: "
                         "give y.loc[X] where they are, y.to_numpy() where they are not")
    there = set(y.index)
    missing = [node for node in nodes if node not in there]
    if missing:
        raise ValueError(f"y: its index, by nodes, lacks {len(missing)} of the {len(nodes)} of X: "
                         f"{some(missing)}")
    if not y.index.is_unique:
        raise ValueError(f"y: nodes are there more than once: {some(y.index[y.index.duplicated()])}")
    return y.loc[list(nodes)]


# ---- models ------------------------------------------------------------------------------------

def _default_embedding() -> Any:
    return {cls.__name__: cls for cls in CLASSES}["SphereGCN"]()


def _default_classifier() -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError as error:
        raise ImportError("NodeClassifier needs scikit-learn for its classifier; without it, give one by "
                          "classifier=, or an embedding that takes labels") from error
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _copy(estimator: Any) -> Any:
    """As sklearn.base.clone(): its parameters, nothing that it has learnt."""
    try:
        from sklearn.base import clone
    except ImportError:
        return type(estimator)(**estimator.get_params(deep=False))
    return clone(estimator)


# The model last fitted to each graph: one seed gives the same bits again, so folds may share its
# vectors. What lies here is a copy that nobody else holds, without the graph, which it would keep alive.
_LAST: "weakref.WeakKeyDictionary[Graph, Tuple[str, Any]]" = weakref.WeakKeyDictionary()


def _fitted(graph: Graph, model: Any) -> Any:
    """The model, or a copy of the one with the same parameters that was fitted to the graph."""
    key = _key(model)
    last = _LAST.get(graph)
    if key is None or last is None or last[0] != key:
        model.fit(graph)
        if key is not None:
            kept = copy.deepcopy(model)
            del kept.graph_
            _LAST[graph] = key, kept
        return model
    found = copy.deepcopy(last[1])
    found.graph_ = graph
    return found.set_params(n_jobs=model.n_jobs, verbose=model.verbose)


def _key(model: Any) -> Optional[str]:
    """What decides about the vectors of one of ours; None: they may differ from run to run."""
    if not isinstance(model, Embedding):
        return None
    params = {n: v for n, v in model.get_params().items() if n not in ("n_jobs", "verbose")}
    seeded = params["random_state"] is None or isinstance(params["random_state"], (int, np.integer))
    return f"{type(model).__module__}.{type(model).__qualname__} {sorted(params.items())!r}" if seeded else None
