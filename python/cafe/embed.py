"""Estimators that turn a graph into vectors: a class for every method of the library's registry."""
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

import numpy as np

from ._arrays import copied, pointer
from ._asked import asked
from ._base import PROPAGATE, RUN, Estimator, finish_parameters, sampling_parameters
from ._call import Context, Handle, run, seconds, threads_of
from ._labels import decode_labels
from ._library import lib
from ._method import (Certificate, Given, Layer, Method, Run, certificate_of, course_of, layers_of,
                      methods, rows_of, vectors_of, with_checkpoint)
from ._options import Table, from_table, make_init, numpydoc
from ._predict import Labelled
from ._sklearn import ClusterMixin, Transformer
from ._updating import update_options, update_rows, whole_graph
from ._vectors import Vectors
from .graph import Graph, as_graph
from .placing import placed_by

ATTRIBUTES = """
Attributes
----------
embedding_ : array of shape (n_nodes, n_components), float32
    The vectors, in the order of the nodes.
ritz_values_, residuals_, shares_ : arrays
    An eigenvalue of Q lies within the residual of each Ritz value; its share of the positive ones.
certificate_ : cafe.Certificate
    All that is known and proved about the vectors.
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

COMMUNITIES = """communities_, labels_ : array of int
    The community of each node.
modularity_ : float
    Of that partition.
"""

PARTS = """parts_ : dict
    Columns of embedding_ by where they come from: 'sphere', the first ones, and 'hubs' behind them.
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
    Finest first: communities, modularity, partition, parent. communities_ is the last one's.
"""


class Embedding(Vectors, Transformer, Estimator):
    """Base of the estimators that make vectors."""

    _method: Method

    n_components: Any
    propagate: bool
    embedding_: np.ndarray
    objective_: np.ndarray
    n_iter_: int
    converged_: bool
    certificate_: Certificate

    def fit(self, X: Any, y: Any = None, *, start: Any = None, seeds: Optional[Sequence] = None,
            attributes: Any = None, checkpoint: Any = None, every: int = 1) -> "Embedding":
        """Finds the vectors of a graph.

        Parameters
        ----------
        X : Graph or graph-like
            See cafe.Graph.
        y : array or mapping, optional
            Known labels (methods that take them): None or NaN where there is none. -1 is refused: it
            may be a class or no label.
        start : array of shape (n_nodes, n_components), optional
            Vectors to start from (methods that take them).
        seeds : sequence of nodes, optional
            Where walks begin (sampling 'walk' and 'pagerank').
        attributes : array of n_nodes rows, optional
            For sampling 'twisted'.
        checkpoint : path, optional
            A file for what the sweeps have reached (methods that sweep). The same call goes on from it
            after the process was killed, and gives the same bits; the file goes when the call is done.
        every : int
            Sweeps between two checkpoints.
        """
        graph = as_graph(X, self.n_jobs)
        given = self._given(start, seeds, attributes)
        self._fitted(graph, given, self._run(lambda context: with_checkpoint(
            context, checkpoint, every, lambda: self._work(context, graph, y, given))))
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """fit, and the vectors."""
        model = self.fit(X, y, **fit_params)
        return self._contained(model.embedding_, self.nodes_)

    def transform(self, X: Any) -> Any:
        """Vectors of the nodes that fit() saw, and of new ones by their links to them.

        Parameters
        ----------
        X : Graph or graph-like, or links
            - the graph that was fitted: its vectors, as they are in embedding_
            - another graph with some of its nodes, by their names: these keep their vectors, the others
              get theirs as new nodes do
            - a sparse matrix or array of shape (new, n_nodes): row i has the weights of new node i's
              links to the nodes of the graph
            - sequences of nodes, one for each new node, or a mapping from new names to such (or to
              mappings from nodes to weights)

        Returns
        -------
        array of shape (rows, n_components), or what set_output() says
        """
        self._check_fitted("embedding_")
        nodes = asked(X, self.graph_)
        if nodes.trained:
            return self._contained(self.embedding_, nodes.index)
        rows = nodes.filled(self.embedding_, lambda links: placed_by(self, links))
        return self._contained(rows, nodes.index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns, as scikit-learn asks for them."""
        self._check_fitted("embedding_")
        return np.array(self._feature_names(self.embedding_.shape[1]), dtype=object)

    def _feature_names(self, count: int) -> List[str]:
        hubs = self.certificate_.hubs if count == self.certificate_.columns else 0
        names = super()._feature_names(count - hubs)
        return names + [f"{type(self).__name__.lower()}_hubs{j}" for j in range(hubs)]

    # ---- the run

    def _given(self, start: Any, seeds: Any, attributes: Any) -> Given:
        given = self._shared(start, seeds, attributes)
        given.finish = self._values(Table.named("finish"))
        if not isinstance(self.propagate, (bool, np.bool_)):
            raise TypeError(f"propagate={self.propagate!r}: expected True or False")
        given.propagate = self._values(Table.named("propagate")) if self.propagate else None
        return given

    def _work(self, context: Context, graph: Graph, y: Any, given: Given,
              solved: Optional[List[np.ndarray]] = None) -> Dict[str, Any]:
        """The run; the rows that it solved go to a list that is given."""
        began = seconds()
        classes = self._labels(graph, y, given)
        run = Run(context, graph, self._method, self._own, given, parameters=self._parameters)
        sampled = seconds()
        found = self._layers(run) if self._method.communities else {}
        solution = found.pop("solution", None) or run.solve()
        found.update(self._read(run, solution, classes))
        if solved is not None:
            solved.append(rows_of(context, solution, graph.n_nodes))
        ended = seconds()
        embedding = run.finish(solution)
        certificate = certificate_of(embedding)
        found.update(embedding_=vectors_of(context, embedding), certificate_=certificate,
                     ritz_values_=certificate.ritz_values, residuals_=certificate.residuals,
                     shares_=certificate.shares)
        if _has_parts(self._own):
            found["parts_"] = {"sphere": certificate.certified, "hubs": certificate.hubs}
        found["report_"] = self._reported(run, found, embedding)
        found["report_"]["seconds"] = {"sample": sampled - began, "solve": ended - sampled,
                                       "finish": seconds() - ended, "total": seconds() - began}
        return found

    def _layers(self, run: Run) -> Dict[str, Any]:
        """Of a method that has vectors and communities: the communities, and H made of them."""
        clustering = run.cluster()
        info = lib.cafe_clustering_get(clustering.pointer).contents
        solution = run.context.make(
            "cafe_layers_solution", "cafe_solution", run.operator,
            info.layers, lib.cafe_method_columns(self._own.pointer, run.own))
        return {"layers_": layers_of(info.layers, info.nodes), "modularity_": info.modularity,
                **partition(copied(info.partition, info.nodes, np.int32)), "solution": solution}

    def _read(self, run: Run, solution: Handle, classes: Any) -> Dict[str, Any]:
        """The history, and for methods that take labels the rows as memberships."""
        objective, sweeps, converged = course_of(solution)
        found = {"objective_": objective, "n_iter_": sweeps, "converged_": converged}
        if not self._method.takes("TAKES_LABELS"):
            return found
        n = run.graph.n_nodes
        rows = rows_of(run.context, solution, n)
        best = np.where(rows.any(axis=1), rows.argmax(axis=1), -1)
        numbers, part = np.unique(best, return_inverse=True)
        part = np.ascontiguousarray(part, np.int32)
        found.update(memberships_=rows, **partition(part),
                     modularity_=run.modularity(part, len(numbers)))
        if classes is not None:
            known = rows[:, :len(classes)]
            best = np.where(known.any(axis=1), known.argmax(axis=1), -1)
            found.update(classes_=classes, transduction_=decode_labels(best, classes))
        return found

    def _reported(self, run: Run, found: Dict[str, Any], embedding: Handle) -> Dict[str, Any]:
        report = run.report("cafe/embed/1")
        values = np.ascontiguousarray(found["objective_"])
        report.add("history", b"objective", found["n_iter_"], found["converged_"], pointer(values))
        exact = lib.cafe_model_certified(run.model.pointer)
        report.add("embedding", embedding.pointer, lib.cafe_model_sampled(run.model.pointer),
                   int(bool(exact)))
        if "modularity_" in found:
            report.add("real", b"modularity", found["modularity_"])
        return report.read()


class Updatable(Embedding):
    """Of methods whose rows can be taken up again after links came and went."""

    rows_: np.ndarray  # H, in the order of nodes_: kept by partial_fit

    def partial_fit(self, X: Any, y: Any = None, **options: Any) -> "Updatable":
        """Goes on from the vectors there are to those of a graph in which links, and perhaps nodes,
        came and went: only what the change reaches moves, and all coordinates stay (`cafe update`).

        Parameters
        ----------
        X : Graph or graph-like
            The whole graph as it is now; nodes are the same where their names are. The first call is
            a fit. Edges alone (an array, a list, a table) are refused from the second call on: they
            may be the whole graph, cafe.Graph(x), or those that came, for which there is cafe.update.
        y : ignored
        **options
            max_iter, tol, spread and align, as in `cafe update --help`.

        Sets drift_ beside the results of fit: how far each node moved, in radians, NaN for new ones.
        An update starts from the raw rows, which partial_fit keeps; those of fit() are solved once
        more.
        """
        if not hasattr(self, "embedding_"):
            return self._first(as_graph(X, self.n_jobs))
        graph = whole_graph(X, self.graph_, self.n_jobs)
        given = self._made
        if given.sampling != "edge":
            raise ValueError(f"sampling={given.sampling!r}: an update is of edges; call fit again")
        asked = update_options(options, (given.sample or {}).get("degree_exponent", 0.0))
        found = run(lambda context: self._updated(context, graph, asked), threads_of(self.n_jobs),
                    self._seed, self.verbose, self.engine)
        self._fitted(graph, given, found)
        return self

    def _first(self, graph: Graph) -> "Updatable":
        given = self._given(None, None, None)

        def work(context: Context) -> Dict[str, Any]:
            solved: List[np.ndarray] = []
            found = self._work(context, graph, None, given, solved)
            whole = np.allclose(np.linalg.norm(solved[0], axis=1), 1, atol=1e-3)
            return {**found, **({"rows_": solved[0]} if whole else {}),
                    "drift_": np.full(graph.n_nodes, np.nan)}

        self._fitted(graph, given, self._run(work))
        return self

    def _updated(self, context: Context, graph: Graph, asked: Dict[str, Any]) -> Dict[str, Any]:
        rows = self._raw_rows(context)
        new = update_rows(context, self.graph_, rows, graph, asked)
        own = {**self._made.own, "n_components": rows.shape[1], "max_iter": 0}
        found = self._work(context, graph, None, replace(self._made, own=own, start=new.rows))
        found.update(rows_=new.rows, drift_=new.drift, objective_=new.objective, n_iter_=new.rounds,
                     converged_=new.converged)
        if (self._made.finish or {}).get("output_form") == "raw" and self._made.propagate is None:
            found["embedding_"] = new.rows  # the same but for rounding
        return found

    def _raw_rows(self, context: Context) -> np.ndarray:
        """All columns of the sphere; a run with hubs beside them may have kept the first half."""
        if hasattr(self, "rows_"):
            return self.rows_
        alone = {**self._made.own, **({"parts": "sphere"} if _has_parts(self._own) else {})}
        run = Run(context, self.graph_, self._method, self._own, replace(self._made, own=alone))
        return rows_of(context, run.solve(), self.graph_.n_nodes)


class Parted(ClusterMixin):
    """Of methods that have vectors and communities."""

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """fit, and the communities."""
        return self.fit(X, y, **fit_params).communities_  # type: ignore[attr-defined]


def partition(part: np.ndarray) -> Dict[str, np.ndarray]:
    """Communities, also by the name that scikit-learn's clusterers give them."""
    return {"communities_": part, "labels_": part}


def _has_parts(table: Table) -> bool:
    return any(option.name == "parts" for option in table.options)


def _parameters(method: Method, table: Table) -> List[Any]:
    free = {"n_components": None} if method.takes("TAKES_LABELS") else None
    return [*from_table(table, defaults=free),
            *(sampling_parameters(method) if method.takes("TAKES_SAMPLING") else []),
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
    text += PARTS if _has_parts(table) else ""
    if method.takes("TAKES_LABELS") or method.communities:
        text += COMMUNITIES
    text += LAYERS if method.communities else ""
    text += UPDATES if Updatable in _bases(method) else ""
    summary = f"{method.title}: {method.summary}."
    return type(name, _bases(method), {
        "_method": method, "_own": table, "_parameters": parameters, "__module__": __name__,
        "__init__": make_init(parameters),
        "__doc__": numpydoc(summary, parameters, text + _example(method, name))})


def _bases(method: Method) -> Tuple[type, ...]:
    if method.takes("TAKES_START") and not method.takes("TAKES_LABELS"):
        return (Updatable,)
    labelled = (Labelled,) if method.takes("TAKES_LABELS") else ()
    return (*labelled, *((Parted,) if labelled or method.communities else ()), Embedding)


CLASSES = [_class(m) for m in methods() if m.vectors]
globals().update({c.__name__: c for c in CLASSES})

__all__ = ["Certificate", "Layer", *[c.__name__ for c in CLASSES]]
