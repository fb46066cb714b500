"""A classifier of nodes that cross-validation can split: X has nodes, the graph is a parameter."""
import copy
import hashlib
import weakref
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._call import Verbose, seed_of
from ._labels import found_positions, missing_labels, one_column, plain_labels, positions, share_right, some
from ._predicting import known_classes, predict
from ._sklearn import BaseEstimator, ClassifierMixin, NotFittedError, warn
from .embed import CLASSES, Embedding
from .graph import Graph, as_graph


class NodeClassifier(ClassifierMixin, BaseEstimator):
    """Predicts the classes of a graph's nodes from those of some of them (`cafe predict`).

    X is a list of nodes, by name or number, so that functions that split rows (cross_val_score,
    GridSearchCV, train_test_split) split nodes. Edges and vectors are those of the whole graph,
    labels only those of the nodes in fit(X, y).

    Parameters
    ----------
    graph : Graph or graph-like
        A cafe.Graph is shared by clones and remembers the vectors last made of it, so that folds do not
        make them again; anything else is read by every fit.
    embedding : estimator, default=None
        Vectors of the nodes; None is cafe.SphereGCN() with this random_state and n_jobs. One that takes
        labels (cafe.CafeGCN, cafe.LabelPropagation) is given those of the nodes in fit, and without a
        classifier predicts itself.
    features : array, scipy.sparse matrix or DataFrame, default=None
        Of all nodes of the graph, in their order or by the names of an index; for the vectors.
    classifier : estimator, default=None
        Of vectors, in the place of the library's predictors.
    by : {'auto', 'combined', 'smoothed', 'classifier', 'propagation', 'absorbing', 'cafe'}, default='auto'
        How the library predicts; 'auto' compares the others by folds of the nodes in fit.
    folds : int, default=5
        Parts of the nodes in fit, each predicted from the others.
    random_state : int, Generator or None
    n_jobs : int, default=None
    verbose : bool, default=False

    Attributes
    ----------
    classes_ : array
        In order. Of an indicator matrix the numbers or names of its columns.
    predictor_ : str
        The library's predictor that was used; None: an estimator predicts.
    expected_accuracy_, expected_error_ : float
        Of nodes drawn like those in fit, with its standard error; NaN where it is not known.
    expected_ : dict
        These and the other figures of held-out nodes, by the names of the report.
    compared_ : Rows
        The predictors that were compared.
    model_, classifier_ : estimators
        The fitted embedding and classifier (None: there is none).
    graph_ : Graph

    Examples
    --------
    >>> import cafe
    >>> karate, faction = cafe.karate(return_labels=True)
    >>> model = cafe.NodeClassifier(karate).fit(karate.nodes[::2], faction[::2])
    >>> bool(model.score(karate.nodes[1::2], faction[1::2]) > 0.9), model.predictor_
    (True, 'combined')
    """

    classes_: np.ndarray
    graph_: Graph
    model_: Any
    classifier_: Any

    def __init__(self, graph: Any = None, *, embedding: Any = None, features: Any = None,
                 classifier: Any = None, by: str = "auto", folds: int = 5, random_state: Any = None,
                 n_jobs: Optional[int] = None, verbose: Verbose = False) -> None:
        self.graph = graph
        self.embedding = embedding
        self.features = features
        self.classifier = classifier
        self.by = by
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "NodeClassifier":
        """Learns the labels y of the nodes X. A Series with the names of nodes as its index is matched by
        these; anything else by position. An indicator matrix, a column for each class, gives a node
        several classes."""
        if self.graph is None:
            raise ValueError("graph: NodeClassifier needs the graph of its nodes, NodeClassifier(graph)")
        graph = as_graph(self.graph)
        nodes = _names(X)
        at = found_positions(graph, nodes, "X")
        marks = _indicator(y, len(nodes))
        self.graph_, self._several = graph, marks is not None
        if marks is None:
            labels = _labels(X, nodes, y, graph)
            _check_consistent(graph, at, labels)
            self.classes_, number = np.unique(labels, return_inverse=True)
            marks = np.arange(len(self.classes_))[None, :] == number[:, None]
        else:
            self.classes_ = np.asarray(getattr(y, "columns", np.arange(marks.shape[1])))
        self._most = marks.sum(axis=0).argmax()
        self._learn(graph, at, marks, sample_weight)
        return self

    def _learn(self, graph: Graph, at: np.ndarray, marks: np.ndarray, weight: Any) -> None:
        model = _copy(self.embedding) if self.embedding is not None else \
            {cls.__name__: cls for cls in CLASSES}["SphereGCN"](random_state=self.random_state, n_jobs=self.n_jobs)
        itself = hasattr(model, "predict_proba")
        self.classifier_ = self.predictor_ = None
        if (itself or self.classifier is not None) and self._several:
            raise ValueError("y: several classes a node are predicted by the library: embedding= must make "
                             "vectors, and classifier= be None")
        if itself:
            number = marks.argmax(axis=1)
            given = {} if self.features is None else {"features": self.features}
            self.model_ = model.fit(graph, dict(zip(graph.nodes[at].tolist(), number.tolist())), **given)
        else:
            self.model_ = _fitted(graph, model, self.features)
        if self.classifier is not None:
            labels = self.classes_[marks.argmax(axis=1)]
            given = {} if weight is None else {"sample_weight": weight}
            self.classifier_ = _copy(self.classifier).fit(self._vectors()[at], labels, **given)
        elif not itself:
            self._ask(graph, at, marks, weight)

    def _ask(self, graph: Graph, at: np.ndarray, marks: np.ndarray, weight: Any) -> None:
        first = np.unique(at, return_index=True)[1]  # a node may be there more than once
        times = np.bincount(at, minlength=graph.n_nodes) if weight is None else \
            np.bincount(at, np.asarray(weight, float), graph.n_nodes)
        plain = weight is None and len(first) == len(at)
        known = known_classes(graph.n_nodes, at[first], marks[first], None if plain else times[at[first]])
        vectors = np.ascontiguousarray(self._vectors(), np.float32)
        found = predict(graph, known, vectors, self.features is not None, self.by, self._several, self.folds, self.n_jobs,
                        seed_of(self.random_state), self.verbose)
        self._found = found
        self.predictor_ = found.figures["predictor"].decode()
        self.expected_ = {name: value for name, value in found.figures.items()
                          if isinstance(value, (int, float))}
        self.expected_accuracy_, self.expected_error_ = found.figures["accuracy"], found.figures["error"]
        self.compared_ = found.compared
        if found.figures["warning"]:
            warn(found.figures["warning"].decode())

    def predict(self, X: Any) -> np.ndarray:
        """The classes of nodes: one each, or rows of an indicator matrix if there was one in fit."""
        at = self._at(X)
        if self.predictor_ is not None:
            if self._several:
                return self._found.decided[at].astype(int)
            return self.classes_[self._found.decided[at].argmax(axis=1)]
        if self.classifier_ is not None:
            return self.classifier_.predict(self._vectors()[at])
        number = self.model_.predict(self.graph_)[at]  # -1: no label came
        return self.classes_[np.where(number >= 0, number, self._most)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """A row per node, a column per class of classes_. With one class a node it sums to 1. A node of
        fit has its classes."""
        at = self._at(X)
        if self.predictor_ is not None:
            rows = self._found.probabilities[at].astype(float)
            return rows if self._several else rows / rows.sum(axis=1, keepdims=True)
        if self.classifier_ is not None:
            return self.classifier_.predict_proba(self._vectors()[at])
        return self.model_.predict_proba(self.graph_)[at]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions, by weight; y as in fit. Of several classes a node all must be
        right."""
        if self._several:
            marks = _indicator(y, len(_names(X)))
            return float(np.average((self.predict(X) == marks).all(axis=1), weights=sample_weight))
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


def _indicator(y: Any, nodes: int) -> Optional[np.ndarray]:
    """Rows of 0 and 1 of several columns; None: y has one label a node."""
    if hasattr(y, "toarray"):
        y = y.toarray()
    marks = np.asarray(y) if hasattr(y, "columns") or isinstance(y, np.ndarray) else None
    if marks is None or marks.ndim != 2 or marks.shape[1] == 1:
        return None
    if marks.shape[0] != nodes or not np.isin(marks, (0, 1)).all():
        raise ValueError(f"y: expected {nodes} rows of 0 and 1, a column for each class; found shape "
                         f"{marks.shape}")
    if not marks.any(axis=1).all():
        raise ValueError(f"y: {int((~marks.any(axis=1)).sum())} nodes have no class")
    return marks.astype(bool)


# ---- models ------------------------------------------------------------------------------------

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


def _fitted(graph: Graph, model: Any, features: Any) -> Any:
    """The model, or a copy of the one with the same parameters that was fitted to the graph and features."""
    key = _key(model)
    if key is not None and features is not None:
        key += _digest(features)
    last = _LAST.get(graph)
    if key is None or last is None or last[0] != key:
        model.fit(graph, **({} if features is None else {"features": features}))
        if key is not None:
            kept = copy.deepcopy(model)
            del kept.graph_
            _LAST[graph] = key, kept
        return model
    found = copy.deepcopy(last[1])
    found.graph_ = graph
    return found.set_params(n_jobs=model.n_jobs, verbose=model.verbose)


def _digest(features: Any) -> str:
    """Equal tables have equal texts: folds get copies."""
    rows = features.tocsr() if hasattr(features, "tocsr") else None
    arrays = [np.asarray(features)] if rows is None else [rows.data, rows.indices, rows.indptr]
    names = list(features.index) if hasattr(features, "index") and hasattr(features, "iloc") else []
    found = hashlib.blake2b(repr((names, [(a.shape, a.dtype.str) for a in arrays])).encode())
    for one in arrays:
        found.update(np.ascontiguousarray(one).tobytes())
    return found.hexdigest()


def _key(model: Any) -> Optional[str]:
    """What decides about the vectors of one of ours; None: they may differ from run to run."""
    if not isinstance(model, Embedding):
        return None
    params = {n: v for n, v in model.get_params().items() if n not in ("n_jobs", "verbose")}
    seeded = params["random_state"] is None or isinstance(params["random_state"], (int, np.integer))
    return f"{type(model).__module__}.{type(model).__qualname__} {sorted(params.items())!r}" if seeded else None
