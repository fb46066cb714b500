"""What estimators share: scikit-learn's conventions, with or without scikit-learn."""
from dataclasses import replace
from typing import (Any, Callable, Dict, FrozenSet, Hashable, List, Mapping, Optional, Sequence,
                    TypeVar)

import numpy as np

from ._asked import asked
from ._call import Context, Verbose, run, seed_of, threads_of
from ._labels import encode_labels
from ._method import SAMPLING, Given, Method
from ._names import in_python
from ._options import Option, Parameter, Table, from_option, from_table, indented
from ._sklearn import (BaseEstimator, CafeWarning, ClusterMixin, ConvergenceWarning, NotFittedError,
                       Transformer, warn)
from ._sources import Links
from .graph import Graph, as_graph

T = TypeVar("T")


def own(name: str, default: Any, kind: str, annotation: str, text: str) -> Parameter:
    """A parameter that no table has."""
    return Parameter(name, default, f"{name} : {kind}, default={default!r}\n{indented(text)}",
                     annotation)


RUN = [
    own("random_state", None, "int or generator",
        "Union[None, int, np.integer, np.random.Generator, np.random.RandomState]",
        "The seed; None is the library's default, 1. The same seed gives the same bits for any "
        "number of threads."),
    own("n_jobs", None, "int", "Optional[int]", "Threads; None is 1, -1 one per CPU."),
    own("verbose", False, "bool or callable", "Verbose",
        "Show progress (by tqdm where it is installed), or call this with cafe.Progress."),
    own("engine", None, "str", "Optional[str]",
        "Where the numbers live and who computes on them: None is this machine's processor, 'cuda' a "
        "device. A method that cannot run there is refused."),
]

def sampling_parameters(method: Method) -> List[Parameter]:
    return [from_option(SAMPLING, SAMPLING.default),
            *from_table(Table.named("sample"), {"twist_mean": None,
                                                "degree_exponent": method.degree_exponent})]


def feature_parameters(method: Method) -> List[Parameter]:
    table = Table.named("feature")
    return from_table(table, {"feature_weight": "auto"}) if method.takes("TAKES_FEATURES") else []


def finish_parameters(form: str) -> List[Parameter]:
    return from_table(Table.named("finish"), {"output_form": form})


PROPAGATE = [
    from_option(Option("propagate", "switch", False, 0, 1, (), "as a last step, spread the vectors over "
                       "the graph by a band-pass filter (ProNE)"), False),
    *from_table(Table.named("propagate")),
]

# a run that did not converge lacks these
LACKING = ("‘sweeps’", "‘residual-steps’")


class Estimator(BaseEstimator):
    """A method on graphs: parameters from option tables, a run in a context of its own."""

    _parameters: Sequence[Parameter] = ()
    _method: Method
    _communities = False

    # set by __init__, which is made from the parameters
    random_state: Any
    n_jobs: Optional[int]
    verbose: Verbose
    engine: Optional[str]
    sampling: str

    # set by fit
    graph_: Graph
    nodes_: np.ndarray
    n_features_in_: int
    n_iter_: int
    converged_: bool
    report_: Dict[str, Any]

    def _values(self) -> Dict[str, Any]:
        """The parameters that belong to tables; None is the table's default."""
        values = {p.name: getattr(self, p.name) for p in self._parameters if p.option}
        return {name: value for name, value in values.items() if value is not None}

    def _given(self, graph: Optional[Graph] = None, y: Any = None, **data: Any) -> Given:
        """A run with these parameters, and with known labels if the method takes any."""
        texts = {p.option.name: p.asked(getattr(self, p.name)) for p in self._parameters if p.option}
        given = Given(self._method, self._communities,
                      {name: text for name, text in texts.items() if text is not None}, **data)
        if graph is None or y is None or not self._method.takes("TAKES_LABELS"):
            return given
        label, classes = encode_labels(y, graph)
        return replace(given, label=label, classes=classes)

    def _run(self, work: Callable[[Context], T]) -> T:
        self._seed = seed_of(self.random_state)  # a generator would give another one next time
        return run(work, threads_of(self.n_jobs), self._seed, self.verbose, self.engine)

    def _keep(self, found: Mapping[str, Any]) -> None:
        """The results of a run in the place of those of the run before."""
        own_names = {p.name for p in self._parameters}
        for name in [n for n in vars(self) if n.endswith("_") and n not in own_names]:
            delattr(self, name)
        for name, value in found.items():
            setattr(self, name, value)

    def _fitted(self, graph: Graph, given: Given, found: Mapping[str, Any]) -> None:
        """Results, how they were made (set_params() may change the parameters later), and warnings."""
        self._keep(found)
        self.graph_, self.nodes_, self.n_features_in_ = graph, graph.nodes, graph.n_nodes
        self._made = replace(given, start=None, keep=None, checkpoint=None)
        for text in self.report_["warnings"]:
            if "_parts_wanted" in vars(self) and "column" in text:
                continue
            lacks = any(name in text for name in LACKING)
            warn(f"{type(self).__name__}: {in_python(text)}", ConvergenceWarning if lacks else CafeWarning)
        rows = getattr(self, "embedding_", np.ones((0, 1)))
        suspects = rows[(rows[:, :1] == 0).all(axis=1)]  # most rows are settled by their first column
        empty = len(suspects) - int(suspects.any(axis=1).sum())
        if empty:
            warn(f"{type(self).__name__}: {empty} of {len(rows)} vectors are 0: nothing reaches their nodes")

    def _check_fitted(self, name: str) -> None:
        if name not in vars(self):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit "
                                 "first.")

    def __getattr__(self, name: str) -> Any:
        """What fit leaves, before fit: an AttributeError, but one that says what to do."""
        if name.endswith("_") and not name.startswith("_") and "report_" not in vars(self):
            self._check_fitted("report_")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "report_" in vars(self)

    def to_frame(self, attribute: Optional[str] = None) -> Any:
        """A result with a row per node as a pandas table indexed by the nodes' names: the
        embedding, or another attribute by its name."""
        name = attribute or ("embedding_" if hasattr(self, "embedding_") else "labels_")
        self._check_fitted(name)
        import pandas
        values = np.asarray(getattr(self, name))
        if values.ndim == 1:
            return pandas.Series(values, index=self.nodes_, name=name.rstrip("_"))
        columns = self._feature_names(values.shape[1])
        return pandas.DataFrame(values, index=self.nodes_, columns=columns)

    def _feature_names(self, count: int) -> List[str]:
        """sphere0, sphere1, ..."""
        return [f"{type(self).__name__.lower()}{j}" for j in range(count)]

    def _more_tags(self) -> Dict[str, Any]:
        return {"pairwise": True, "non_deterministic": False, "no_validation": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = True
        tags.no_validation = True
        return tags


class OfNodes(Transformer, Estimator):
    """Of the estimators that leave a row per node of a graph."""

    _result: str  # the attribute that has them

    def _placed(self, rows: np.ndarray, links: Links) -> np.ndarray:
        """The rows of new nodes, by their edges."""
        raise NotImplementedError

    def _work(self, context: Context, graph: Graph, given: Given) -> Dict[str, Any]:
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, **data: Any) -> Any:
        graph = as_graph(X, self.n_jobs)
        given = self._given(graph, y, **data)
        self._fitted(graph, given, self._run(lambda context: self._work(context, graph, given)))
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """fit, and what transform() returns for the graph."""
        model = self.fit(X, y, **fit_params)  # type: ignore[attr-defined]
        return self._contained(getattr(model, self._result), self.nodes_)

    def transform(self, X: Any) -> Any:
        """Vectors, of clusterings memberships: of the nodes that fit() saw, and of new ones by their edges
        to them.

        Parameters
        ----------
        X : Graph or graph-like, or edges
            - the graph that was fitted: its rows, as they are in embedding_ or memberships_
            - another graph with some of its nodes, by their names: these keep their rows, the others get
              theirs as new nodes do
            - a sparse matrix or array of shape (new, n_nodes): row i has the weights of new node i's
              edges to the nodes of the graph
            - sequences of nodes, one for each new node, or a mapping from new names to such (or to
              mappings from nodes to weights)

        Returns
        -------
        array of shape (rows, n_components), or what set_output() says
        """
        self._check_fitted(self._result)
        nodes, rows = asked(X, self.graph_), getattr(self, self._result)
        if not nodes.trained:
            dense = rows.toarray() if hasattr(rows, "toarray") else rows
            rows = nodes.filled(dense, lambda links: self._placed(dense, links))
        return self._contained(rows, nodes.index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns, as scikit-learn asks for them."""
        self._check_fitted(self._result)
        return np.array(self._feature_names(getattr(self, self._result).shape[1]), dtype=object)


class Parted(ClusterMixin):
    """Of the estimators that find communities."""

    labels_: np.ndarray
    nodes_: np.ndarray
    graph_: Graph

    @property
    def communities_(self) -> Dict[int, FrozenSet[Any]]:
        """The nodes of each community, by its number.

        >>> import cafe
        >>> model = cafe.LayeredCafe().fit(cafe.karate())
        >>> {number: len(nodes) for number, nodes in model.communities_.items()}
        {0: 12, 1: 11, 2: 6, 3: 5}
        """
        made = vars(self).get("_sets")
        if made is None or made[0] is not self.labels_:  # of another run
            made = self._sets = (self.labels_, _sets_of(self.labels_, self.nodes_))
        return made[1]

    def members(self, node: Hashable) -> FrozenSet[Any]:
        """The nodes of the community that a node is in.

        >>> import cafe
        >>> sorted(cafe.LayeredCafe().fit(cafe.karate()).members(5))
        [4, 5, 6, 10, 16]
        """
        return self.communities_[int(self.labels_[self.graph_.index(node)])]

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """fit, and the community of each node. Warnings about columns are left to report_."""
        self._parts_wanted = True
        try:
            return self.fit(X, y, **fit_params).labels_  # type: ignore[attr-defined]
        finally:
            del self._parts_wanted


def _sets_of(labels: np.ndarray, nodes: np.ndarray) -> Dict[int, FrozenSet[Any]]:
    order = np.argsort(labels, kind="stable")
    numbers, begins = np.unique(labels[order], return_index=True)
    names = nodes[order].tolist()
    ends = [*begins[1:].tolist(), len(names)]
    return {number: frozenset(names[begin:end])
            for number, begin, end in zip(numbers.tolist(), begins.tolist(), ends)}
