"""Which pairs of nodes get an edge."""
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._arrays import pointer
from ._call import Context, Handle, Verbose, run, seed_of, threads_of
from ._labels import found_positions, positions
from ._library import lib
from ._sklearn import BaseEstimator, ClassifierMixin, NotFittedError
from .graph import Graph, as_graph


class LinkPredictor(ClassifierMixin, BaseEstimator):
    """The probability that a pair of nodes gets an edge (`cafe predict` with pairs).

    A tenth of the edges is hidden by the seed, or an earlier graph is given. A logistic regression
    learns to tell the edges to be found from as many pairs without an edge, whose ends are drawn by
    their number of edges. It sees neither of them in the vectors. The probability holds where half
    of the pairs get an edge.

    Parameters
    ----------
    time : str, default=None
        A column of the table of edges in fit. The edges of the last fifth of the times came later.
    random_state : int, Generator or None
    n_jobs : int, default=None
    verbose : bool, default=False

    Attributes
    ----------
    classes_ : array
        0 and 1: no edge, an edge.
    expected_ : dict
        Of held-out pairs: accuracy, auc, average_precision, log_loss, calibration_error; the numbers
        of edges and of others.
    graph_ : Graph

    Examples
    --------
    >>> import cafe
    >>> split = cafe.hide_links(cafe.karate(), 0.2)
    >>> model = cafe.LinkPredictor().fit(split.training)
    >>> model.predict_proba([(0, 33), (0, 1)]).shape, model.expected_["edges"]
    ((2, 2), 6)
    """

    graph_: Graph
    classes_: np.ndarray
    expected_: Dict[str, float]

    def __init__(self, *, time: Optional[str] = None, random_state: Any = None,
                 n_jobs: Optional[int] = None, verbose: Verbose = False) -> None:
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, graph: Any, y: Any = None, *, earlier: Any = None) -> "LinkPredictor":
        """Learns from a graph: from hidden edges, or from those that `earlier`, a graph at an earlier
        time, does not have."""
        if self.time is not None:
            if earlier is not None:
                raise ValueError("earlier: it does not go with time=")
            graph, earlier = _by_time(graph, self.time)
        self.graph_ = as_graph(graph, self.n_jobs)
        self._earlier = None if earlier is None else _over(self.graph_, as_graph(earlier, self.n_jobs))
        self._seed = seed_of(self.random_state)
        self._model: Optional[Handle] = None
        self.classes_ = np.array([0, 1])
        figures = lib.cafe_link_model_figures(self._learnt().pointer).contents
        self.expected_ = {name: getattr(figures, name) for name, _ in figures._fields_}
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """A row per pair of nodes: the probabilities of no edge and of an edge. An edge of the graph
        has 1; a node with itself, and two nodes of one side of a bipartite graph, 0."""
        if not hasattr(self, "classes_"):
            raise NotFittedError("This LinkPredictor instance is not fitted yet: call fit first.")
        source, target = _ends(self.graph_, X)
        found = np.empty(len(source))
        if len(source):
            model = self._learnt()
            run(lambda context: context.call("cafe_link_model_predict", model.pointer, len(source), pointer(source),
                                             pointer(target), pointer(found)),
                threads_of(self.n_jobs), self._seed, self.verbose)
        return np.stack([1 - found, found], axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """1 for pairs that get an edge with a probability above one half."""
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)

    def _learnt(self) -> Handle:
        """The model; a copy or a pickle learns the same again."""
        if self._model is None:
            self._model = run(self._learn, threads_of(self.n_jobs), self._seed, self.verbose)
        return self._model

    def _learn(self, context: Context) -> Handle:
        earlier = None if self._earlier is None else self._earlier.pointer
        return context.make("cafe_link_model_learn", "cafe_link_model", self.graph_.pointer, earlier,
                            keep=[self.graph_])

    def __getstate__(self) -> Dict[str, Any]:
        return {**vars(self), "_model": None} if hasattr(self, "_model") else dict(vars(self))

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")


def _ends(graph: Graph, X: Any) -> Tuple[np.ndarray, np.ndarray]:
    """The nodes of pairs, by their ids: rows of two nodes, or a table of two columns."""
    rows = X.to_numpy() if hasattr(X, "iloc") else X
    ends: List[Any]
    if not isinstance(rows, np.ndarray):
        rows = list(rows)
        if any(isinstance(pair, str) or len(pair) != 2 for pair in rows):
            raise ValueError("X: expected a pair of nodes per row")
        ends = [[pair[i] for pair in rows] for i in range(2)]
    elif rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"X: expected a pair of nodes per row, found shape {rows.shape}")
    else:
        ends = [rows[:, 0], rows[:, 1]]
    source, target = (np.ascontiguousarray(found_positions(graph, end, "X"), np.int32) for end in ends)
    return source, target


def _over(graph: Graph, other: Graph) -> Graph:
    """The edges of another graph over the nodes of this one, by their names."""
    at = positions(graph, other.nodes)
    source, target, weight = other._once()
    kept = (at[source] >= 0) & (at[target] >= 0)
    return Graph.from_edges(at[source[kept]], at[target[kept]], nodes=graph.n_nodes,
                            weights=None if weight is None else weight[kept])


def _by_time(edges: Any, column: str) -> Tuple[Graph, Graph]:
    """The graph of a table of edges, and that of the edges before the last fifth of their times."""
    if not hasattr(edges, "columns") or column not in edges.columns:
        raise ValueError(f"time={column!r}: fit expects a table of edges with this column")
    times, plain = edges[column], edges.drop(columns=[column])
    if times.isna().any():
        raise ValueError(f"time={column!r}: {int(times.isna().sum())} edges have no time")
    cut = times.sort_values().iloc[int(0.8 * (len(times) - 1))]
    return as_graph(plain), as_graph(plain[times <= cut])
