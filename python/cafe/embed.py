"""Estimators that turn a graph into vectors: a class for every method of the library's registry."""
from dataclasses import replace
from typing import Any, Dict, Hashable, List, Optional, Sequence, Tuple, Type

import numpy as np

from ._arrays import pointer
from ._base import (PROPAGATE, RUN, OfNodes, Parted, feature_parameters, finish_parameters,
                    sampling_parameters)
from ._call import Context, run, threads_of
from ._method import Certificate, Given, Group, Layer, Method, Run, methods
from ._options import Table, from_table, make_init, numpydoc
from ._predict import Labelled
from ._shown import Rows
from ._sources import Links
from ._updating import update_options, update_rows, whole_graph
from .export import ArrowVectors, Path, to_arrow, write_vectors
from .graph import Graph, as_graph
from .placing import placed_by
from .similar import most_similar

ATTRIBUTES = """
Attributes
----------
embedding_ : array of shape (n_nodes, n_components), float32
    The vectors, in the order of the nodes.
ritz_values_, residuals_, shares_ : arrays
    An eigenvalue of Q lies within the residual of each Ritz value; its share of the positive ones.
certificate_ : cafe.Certificate
    All that is known and proved about the vectors, and where their columns come from (groups).
objective_ : array
    The method's objective (of the methods others published, their loss) at the start and after
    every sweep.
n_iter_, converged_ : int, bool
    Sweeps, and whether the last one gained less than the tolerance.
nodes_ : array
    The nodes' names, or their numbers.
report_ : dict
    The report of the run, as `cafe embed --json` writes it.
"""

COMMUNITIES = """labels_ : array of int
    The community of each node.
communities_ : dict of sets
    The nodes of each community, by its number; members(node) has those of a node's own.
modularity_ : float
    Of that partition.
"""

LABELS = """memberships_ : array (n_nodes, n_components)
    How much of each node is in each column.
classes_, transduction_ : arrays
    With labels: the classes in order, and the most likely one of each node (-1, which is no class, or
    None where no label came).
calibration_ : tuple
    After predict_proba: power, share, frequencies, held_out.
"""

UPDATES = """drift_, rows_ : arrays
    After partial_fit: how far each node moved (radians; NaN: a new one), and the rows that the next
    one goes on from.
"""

LAYERS = """layers_ : list of cafe.Layer
    Finest first: communities, modularity, partition, parent. labels_ is the last one's.
"""


class Embedding(OfNodes):
    """Base of the estimators that make vectors."""

    _method: Method
    _result = "embedding_"

    n_components: Any
    propagate: bool
    embedding_: np.ndarray
    objective_: np.ndarray
    n_iter_: int
    converged_: bool
    certificate_: Certificate

    def fit(self, X: Any, y: Any = None, *, start: Any = None, keep: Optional[Sequence] = None,
            seeds: Optional[Sequence] = None, attributes: Any = None, features: Any = None,
            checkpoint: Any = None, every: int = 1, memory_limit: Optional[int] = None,
            scratch: Any = None) -> "Embedding":
        """Finds the vectors of a graph.

        Parameters
        ----------
        X : Graph or graph-like
            See cafe.Graph.
        y : array or mapping, optional
            Known labels (methods that take them): None or NaN where there is none. -1 is refused: it
            may be a class or no label.
        start : array of shape (n_nodes, n_components), optional
            Vectors to start from (methods that take them). LayeredCafe starts from communities: a
            number for each node, or a mapping or Series from nodes to numbers. Nodes leave them where
            that gains; the communities found keep their numbers in labels_, and
            report_["changes"] has what became of them.
        keep : sequence of nodes, optional
            Nodes that may not leave the community in which they start.
        seeds : sequence of nodes, optional
            Where walks begin (sampling 'walk' and 'pagerank').
        attributes : array of n_nodes rows, optional
            For sampling 'twisted'.
        features : array, scipy.sparse matrix or DataFrame of n_nodes rows, optional
            Features of the nodes, in their order or by the names of an index. The vectors get columns
            of them (methods that take features).
        checkpoint : path, optional
            A file for what the sweeps have reached (methods that sweep). The same call goes on from it
            after the process was killed, and gives the same bits; the file goes when the call is done.
        every : int
            Sweeps between two checkpoints.
        memory_limit : int, optional
            Bytes of memory that the run may take. Vectors of sphere and cafe that do not fit are kept in files.
        scratch : path, optional
            The folder of these files; the current one by default.
        """
        return self._fit(X, y, start=start, keep=keep, seeds=seeds, attributes=attributes,
                         features=features, checkpoint=checkpoint, every=every, memory_limit=memory_limit,
                         scratch=scratch)

    def _placed(self, rows: np.ndarray, links: Links) -> np.ndarray:
        return placed_by(self, links)

    def most_similar(self, node: Hashable, k: int = 10, **options: Any) -> Rows:
        """The k nodes whose vectors are most like that of a node: see cafe.most_similar()."""
        return most_similar(self, node, k, **options)

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """The vectors as .npy, .tsv or .txt (word2vec): see cafe.write_vectors()."""
        write_vectors(self, path, overwrite=overwrite)

    def to_arrow(self) -> ArrowVectors:
        """The vectors for pyarrow, polars, DuckDB, and so for Parquet: see cafe.to_arrow()."""
        return to_arrow(self)

    def __arrow_c_stream__(self, requested_schema: Optional[Any] = None) -> Any:
        """Estimators are such tables themselves: pyarrow.table(model)."""
        return to_arrow(self).__arrow_c_stream__(requested_schema)

    def _feature_names(self, count: int) -> List[str]:
        c = self.certificate_
        if count != c.columns:
            return super()._feature_names(count)
        more = [g for g in c.groups if g.first >= c.certified]
        return super()._feature_names(c.certified) + [
            f"{type(self).__name__.lower()}_{g.kind}{j}" for g in more for j in range(g.columns)]

    # ---- the run

    def _work(self, context: Context, graph: Graph, given: Given,
              solved: Optional[List[np.ndarray]] = None) -> Dict[str, Any]:
        """The run; the rows that it solved go to a list that is given."""
        made = Run(context, graph, given).step("SOLVE")
        found = made.course()
        if solved is not None:
            solved.append(made.rows())
        if self._method.takes("TAKES_LABELS"):
            found.update(self._members(made, given, found.pop("modularity_")))
        elif self._method.communities:
            layers = found["layers_"] = made.layers()
            numbered = made.numbered()
            found.update(partition(layers[-1].partition if numbered is None else numbered))
        else:
            del found["modularity_"]
        certificate = made.step("WRITE").certificate()
        found.update(embedding_=made.vectors(), certificate_=certificate,
                     ritz_values_=certificate.ritz_values, residuals_=certificate.residuals,
                     shares_=certificate.shares, report_=made.report("cafe/embed/1"))
        return found

    def _members(self, made: Run, given: Given, modularity: float) -> Dict[str, Any]:
        """The rows as memberships; the communities have the largest of each."""
        rows = made.rows()
        best = np.where(rows.any(axis=1), rows.argmax(axis=1), -1)
        numbers, part = np.unique(best, return_inverse=True)
        part = np.ascontiguousarray(part, np.int32)
        found = {"memberships_": rows, **partition(part), "modularity_": modularity or
                 made.context.figures("cafe_partition_measure", "cafe_partition_quality", made.sampled,
                                      pointer(part), len(numbers)).modularity}
        if given.classes is not None:
            found.update(classes_=given.classes, transduction_=made.predicted(given.classes))
        return found


class Updatable(Embedding):
    """Of methods whose rows can be taken up again after edges came and went."""

    rows_: np.ndarray  # H, in the order of nodes_: kept by partial_fit

    def partial_fit(self, X: Any, y: Any = None, **kwargs: Any) -> "Updatable":
        """Updates the vectors after edges, and perhaps nodes, came and went (`cafe update`). Only
        rows that the change reaches move, and all coordinates stay.

        Parameters
        ----------
        X : Graph or graph-like
            The whole graph as it is now; nodes are the same where their names are. The first call is
            a fit. Edges alone (an array, a list, a table) are refused from the second call on. They
            may be the whole graph, cafe.Graph(x), or new edges, for which there is cafe.update.
        y : ignored
        **kwargs
            max_iter, tol, spread and align, as in `cafe update --help`.

        Sets drift_ beside the results of fit: how far each node moved, in radians, NaN for new ones.
        An update starts from the raw rows, which partial_fit keeps; those of fit() are solved once
        more.
        """
        if not hasattr(self, "embedding_"):
            return self._first(as_graph(X, self.n_jobs))
        graph = whole_graph(X, self.graph_, self.n_jobs)
        given, options = self._made, self.report_["options"]
        if options["sampling"] != "edge":
            raise ValueError(f"sampling={options['sampling']!r}: an update is of edges; call fit again")
        if given.features is not None:
            raise ValueError("features=: an update is of edges; call fit again")
        asked = update_options(kwargs, options["degree-exponent"])
        found = run(lambda context: self._updated(context, graph, asked), threads_of(self.n_jobs),
                    self._seed, self.verbose, self.engine)
        self._fitted(graph, given, found)
        return self

    def _first(self, graph: Graph) -> "Updatable":
        given = self._given()

        def work(context: Context) -> Dict[str, Any]:
            solved: List[np.ndarray] = []
            found = self._work(context, graph, given, solved)
            whole = np.allclose(np.linalg.norm(solved[0], axis=1), 1, atol=1e-3)
            return {**found, **({"rows_": solved[0]} if whole else {}),
                    "drift_": np.full(graph.n_nodes, np.nan)}

        self._fitted(graph, given, self._run(work))
        return self

    def _updated(self, context: Context, graph: Graph, asked: Dict[str, Any]) -> Dict[str, Any]:
        rows = self._raw_rows(context)
        new = update_rows(context, self.graph_, rows, graph, asked)
        given = replace(self._made.but(columns=rows.shape[1], sweeps=0), start=new["rows_"])
        found = self._work(context, graph, given)
        found.update(new)
        options = found["report_"]["options"]
        if options["output-form"] == "raw" and not options["propagate"]:
            found["embedding_"] = new["rows_"]  # the same but for rounding
        return found

    def _raw_rows(self, context: Context) -> np.ndarray:
        """All columns of the sphere; a run with hubs beside them may have kept the first half."""
        if hasattr(self, "rows_"):
            return self.rows_
        chosen = any(p.name == "columns_from" for p in self._parameters)
        hubs = self._made.options.get("columns-from", "auto") in ("auto", "top+hubs", "hubs")
        alone = self._made.but(columns_from="top") if chosen and hubs else self._made
        return Run(context, self.graph_, alone).step("SOLVE").rows()


def partition(part: np.ndarray) -> Dict[str, np.ndarray]:
    """Communities, by the name that scikit-learn's clusterers give them."""
    return {"labels_": part}


def _parameters(method: Method, table: Table) -> List[Any]:
    free = {"n_components": None} if method.takes("TAKES_LABELS") else None
    return [*from_table(table, free),
            *(sampling_parameters(method) if method.takes("TAKES_SAMPLING") else []),
            *feature_parameters(method),
            *finish_parameters(method.form), *PROPAGATE, *RUN]


def _example(method: Method, name: str) -> str:
    if method.takes("NEEDS_LABELS"):
        call, shown = "fit_transform(cafe.karate(), {0: 'Hi', 33: 'John A'})", "(34, 2)"
        made = f"cafe.{name}()"
    else:
        call, shown, made = "fit_transform(cafe.karate()).shape[0]", "34", f"cafe.{name}(n_components=4)"
    call = call if call.endswith("[0]") else f"{call}.shape"
    return f"\nExamples\n--------\n>>> import cafe\n>>> {made}.{call}\n{shown}\n"


def _class(method: Method) -> Type[Embedding]:
    table, name = method.vectors, method.class_name
    assert table is not None
    parameters = _parameters(method, table)
    text = ATTRIBUTES + (LABELS if method.takes("TAKES_LABELS") else "")
    if method.takes("TAKES_LABELS") or method.communities:
        text += COMMUNITIES
    text += LAYERS if method.communities else ""
    text += UPDATES if Updatable in _bases(method) else ""
    summary = f"{method.title}: {method.summary}."
    return type(name, _bases(method), {
        "_method": method, "_parameters": parameters, "__module__": __name__,
        "__init__": make_init(parameters),
        "__doc__": numpydoc(summary, parameters, text + _example(method, name))})


def _bases(method: Method) -> Tuple[type, ...]:
    if method.takes("TAKES_START") and not method.takes("TAKES_LABELS"):
        return (Updatable,)
    labelled = (Labelled,) if method.takes("TAKES_LABELS") else ()
    return (*labelled, *((Parted,) if labelled or method.communities else ()), Embedding)


CLASSES = [_class(m) for m in methods() if m.vectors]
globals().update({c.__name__: c for c in CLASSES})

__all__ = ["Certificate", "Group", "Layer", *[c.__name__ for c in CLASSES]]
