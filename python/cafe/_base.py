"""What estimators share: scikit-learn's conventions, with or without scikit-learn."""
import numbers
from dataclasses import replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar

import numpy as np

from ._call import Context, Verbose, run, seed_of, threads_of
from ._labels import encode_labels
from ._method import Given, Method, samplings
from ._names import in_python
from ._options import Parameter, Table, from_table, indented
from ._sklearn import BaseEstimator, CafeWarning, ConvergenceWarning, NotFittedError, warn
from .graph import Graph

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
        "device. A method that cannot run there says so."),
]

_SAMPLINGS = samplings()


def sampling_parameters(method: Method) -> List[Parameter]:
    return [
        own("sampling", next(iter(_SAMPLINGS)), f"{{{', '.join(map(repr, _SAMPLINGS))}}}",
            f"Literal[{', '.join(map(repr, _SAMPLINGS))}]",
            "How pairs of nodes are drawn. An option of another sampling is refused. "
            + " ".join(f"{name}: {in_python(row.summary)}." for name, row in _SAMPLINGS.items())),
        *from_table(Table.named("sample"),
                    defaults={"twist_mean": None, "degree_exponent": method.degree_exponent}),
    ]


def finish_parameters(form: str) -> List[Parameter]:
    return from_table(Table.named("finish"), defaults={"output_form": form})


PROPAGATE = [
    own("propagate", False, "bool", "bool",
        "As a last step, spread the vectors over the graph by a band-pass filter (ProNE)."),
    *from_table(Table.named("propagate")),
]


class Estimator(BaseEstimator):
    """A method on graphs: parameters from option tables, a run in a context of its own."""

    _parameters: Sequence[Parameter] = ()
    _method: Method
    _own: Table

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

    def _values(self, table: Table) -> Dict[str, Any]:
        """The parameters that belong to a table; None is its default."""
        own_names = {p.name for p in self._parameters}
        keywords = [o.keyword for o in table.options if o.keyword in own_names]
        return {k: getattr(self, k) for k in keywords if getattr(self, k) is not None}

    def _shared(self, start: Any, seeds: Any, attributes: Any) -> Given:
        """What runs for vectors and for communities are both given."""
        samples = self._method.takes("TAKES_SAMPLING")
        if not samples and (seeds is not None or attributes is not None):
            raise ValueError(f"{type(self).__name__} takes neither seeds nor attributes")
        if start is not None and not self._method.takes("TAKES_START"):
            raise ValueError(f"{type(self).__name__} does not take vectors to start from")
        given = Given(self._values(self._own), start=start, seeds=seeds, attributes=attributes)
        given.free_columns = getattr(self, "n_components", None) is None
        if samples:
            given.sampling, given.sample = self.sampling, self._values(Table.named("sample"))
        return given

    def _labels(self, graph: Graph, y: Any, given: Given) -> Optional[np.ndarray]:
        """The classes of known labels, which are put into what is given; None: there are none, or
        they are there already."""
        if given.label is not None:
            return None
        if not self._method.takes("TAKES_LABELS") or y is None:
            if self._method.takes("NEEDS_LABELS"):
                raise ValueError(f"{type(self).__name__} needs known labels: fit(graph, y)")
            return None
        given.label, classes = encode_labels(y, graph)
        given.classes = len(classes)
        return classes

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
        """Results, and how they were made: set_params() may change the parameters later."""
        self._keep(found)
        self.graph_, self.nodes_, self.n_features_in_ = graph, graph.nodes, graph.n_nodes
        self._made = replace(given, start=None)
        self._warn()

    def _warn(self) -> None:
        """Of results that may not be what was meant."""
        name, tol = type(self).__name__, getattr(self, "tol", None)
        asked = (self._made.finish or {}).get("residual", 0)
        if asked:
            pairs = self.certificate_.pairs  # type: ignore[attr-defined]
            behind = pairs - self.certificate_.converged  # type: ignore[attr-defined]
            if behind:
                warn(f"{name}: {behind} of {pairs} residuals are above residual={asked}; more "
                     "residual_steps may do", ConvergenceWarning)
        elif tol and self.n_iter_ and not self.converged_:
            warn(f"{name}: after {self.n_iter_} sweeps the gain is still above tol={tol}: raise max_iter, "
                 "or tol where this is good enough", ConvergenceWarning)
        self._warn_of_columns()
        rows = getattr(self, "embedding_", np.ones((0, 1)))
        suspects = rows[(rows[:, :1] == 0).all(axis=1)]  # most rows are settled by their first column
        empty = len(suspects) - int(suspects.any(axis=1).sum())
        if empty:
            warn(f"{name}: {empty} of {len(rows)} vectors are 0: nothing reaches their nodes",
                 CafeWarning)

    def _warn_of_columns(self) -> None:
        """Of fewer columns than n_components, and why."""
        asked, n = getattr(self, "n_components", None), len(self.nodes_)
        if self._method.communities and Parameter.default_of(self._parameters, "n_components") == asked:
            return  # a column a community, and nobody asked for a number of them
        rows = vars(self).get("embedding_", vars(self).get("memberships_"))
        if rows is None or not isinstance(asked, numbers.Integral) or rows.shape[1] >= asked:
            return
        why = "the others are combinations of them and carry no information"
        if rows.shape[1] == n - 1:
            why = f"Q of {n} nodes has the rank {n - 1}, since its rows sum to 0"
        elif rows.shape[1] >= n:
            why = f"{n} nodes have at most {n}"
        warn(f"{type(self).__name__}: {rows.shape[1]} of n_components={asked} columns: {why}")

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
        name = attribute or ("embedding_" if hasattr(self, "embedding_") else "communities_")
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
