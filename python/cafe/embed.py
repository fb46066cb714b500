"""Estimators that turn a graph into vectors: the paper's methods, label propagation, and the
methods others published (cafe_baselines(), a class each)."""
import ctypes
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

import numpy as np

from . import _abi
from ._arrays import block, pointer
from ._base import (PROPAGATE, RUN, SAMPLING, Estimator, TransformerMixin, decode_labels,
                    encode_labels, finish_parameters, own)
from ._call import Context, Handle, seconds
from ._library import lib
from ._model import (Certificate, Layer, Model, Sampling, course_of, find_layers, finish,
                     partition_of, rows_of)
from ._options import Table, from_table, make_init, numpydoc
from .graph import Graph, as_graph

ATTRIBUTES = """
Attributes
----------
embedding_ : array of shape (n_nodes, n_columns), float32
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
    Graph, sampling, certificate and times of the run.
"""

COMMUNITIES = """communities_ : array of int
    The community of each node.
modularity_ : float
    Of that partition.
"""


Solved = Tuple[Handle, Dict[str, Any]]


class Embedding(TransformerMixin, Estimator):
    """Base of the estimators that make vectors."""

    _samples = False  # works on the sampled graph

    columns: Any
    propagate: bool
    embedding_: np.ndarray
    objective_: np.ndarray
    n_iter_: int
    converged_: bool
    certificate_: Certificate

    def _solve(self, model: Model, y: Any, start: Optional[np.ndarray]) -> Solved:
        """Of each method its own: the solution, and further attributes."""
        raise NotImplementedError

    # ---- the run

    def fit(self, X: Any, y: Any = None, *, start: Any = None, seeds: Optional[Sequence] = None,
            attributes: Any = None) -> "Embedding":
        """Finds the vectors of a graph.

        Parameters
        ----------
        X : Graph or graph-like
            See cafe.Graph.
        y : array or mapping, optional
            Known labels (CafeGCN, LabelPropagation): -1 or None where there is none.
        start : array of shape (n_nodes, columns), optional
            Vectors to start from (SphereGCN, CafeGCN).
        seeds : sequence of nodes, optional
            Where walks begin (sampling 'walk' and 'pagerank').
        attributes : array of n_nodes rows, optional
            For sampling 'twisted'.
        """
        graph = as_graph(X, self.n_jobs)
        sampling = self._sampling(seeds, attributes)
        began = seconds()
        found, about = self._run(lambda c: self._work(c, graph, y, start, sampling))
        self._keep(found)
        self.n_features_in_, self.nodes_ = graph.n_nodes, graph.nodes
        about["seconds"]["all"] = seconds() - began
        self.report_ = {**self._reported(graph), **about}
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """fit, and the vectors."""
        return self.fit(X, y, **fit_params).embedding_

    def _sampling(self, seeds: Any, attributes: Any) -> Optional[Sampling]:
        if self._samples:
            return Sampling(self.sampling, self._values(Table.named("sample")), seeds, attributes)
        if seeds is not None or attributes is not None:
            raise ValueError(f"{type(self).__name__} takes neither seeds nor attributes")
        return None

    def _work(self, context: Context, graph: Graph, y: Any, start: Any,
              sampling: Optional[Sampling]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """The attributes, and what the report has beside them."""
        began = seconds()
        model = Model(context, graph, sampling)
        sampled = seconds()
        given = None if start is None else block(start, graph.n_nodes, "start")
        solution, found = self._solve(model, y, given)
        course = course_of(solution)
        solved = seconds()
        propagate = self._values(Table.named("propagate")) if self.propagate else None
        vectors, certificate = finish(model, solution, self._values(Table.named("finish")),
                                      propagate)
        found.update(embedding_=vectors, certificate_=certificate,
                     ritz_values_=certificate.ritz_values, residuals_=certificate.residuals,
                     shares_=certificate.shares, objective_=course.objective,
                     n_iter_=course.sweeps, converged_=course.converged)
        return found, {"sampled": model.info, "seconds": {
            "sample": sampled - began, "solve": solved - sampled, "finish": seconds() - solved}}

    def _reported(self, graph: Graph) -> Dict[str, Any]:
        report = {"method": type(self).__name__, "version": lib.version, "graph": graph.counts,
                  "options": self.get_params(), "sweeps": self.n_iter_,
                  "converged": self.converged_, "objective": self.objective_.tolist(),
                  "certificate": self.certificate_.to_dict()}
        if hasattr(self, "modularity_"):
            report["modularity"] = self.modularity_
        return report

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns, as scikit-learn asks for them."""
        self._check_fitted("embedding_")
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{j}" for j in range(self.embedding_.shape[1])], dtype=object)


def _refuse_start(name: str, start: Any) -> None:
    if start is not None:
        raise ValueError(f"{name} does not take vectors to start from")


# ---- sphere ------------------------------------------------------------------------------------

class SphereGCN(Embedding):
    _samples = True
    _parameters = [*from_table(Table.named("sphere")), *SAMPLING, *finish_parameters(),
                   *PROPAGATE, *RUN]
    __init__ = make_init(_parameters)
    __doc__ = numpydoc(
        "Sphere-GCN (algorithm 4 of the paper): rows of length 1 that maximise the trace of the\n"
        "modularity matrix, then its spectral finish. What classifiers like best.",
        _parameters, ATTRIBUTES + """
Examples
--------
>>> import cafe
>>> karate = cafe.karate()
>>> model = cafe.SphereGCN(columns=4, output_form="ritz", residual=1e-6).fit(karate)
>>> model.ritz_values_.round(4)
array([0.0319, 0.0195, 0.0149, 0.0095])
>>> bool((model.residuals_ < 1e-6).all())
True
""")

    def _solve(self, model: Model, y: Any, start: Optional[np.ndarray]) -> Solved:
        o = Table.named("sphere").pointer_to(model.context, self._values(Table.named("sphere")),
                                             "cafe_sphere_options")
        _check_start(start, o.contents.columns)
        return model.context.make("cafe_sphere", "cafe_solution", model.operator.pointer, o,
                                  pointer(start)), {}


def _check_start(start: Optional[np.ndarray], columns: int) -> None:
    if start is not None and start.shape[1] != columns:
        raise ValueError(f"start: expected {columns} columns, found {start.shape[1]}")


# ---- cafe --------------------------------------------------------------------------------------

class CafeGCN(Embedding):
    _samples = True
    _parameters = [*from_table(Table.named("softmax"), defaults={"columns": None}), *SAMPLING,
                   *finish_parameters(), *PROPAGATE, *RUN]
    __init__ = make_init(_parameters)
    __doc__ = numpydoc(
        "CAFE-GCN (algorithm 2 of the paper): softmax clustering, then its spectral finish.\n"
        "With labels it is semi-supervised: their rows stay fixed. columns=None is 100, or with\n"
        "labels their number of classes.",
        _parameters, ATTRIBUTES + COMMUNITIES + """memberships_ : array (n_nodes, columns)
    The softmax rows.
classes_, transduction_ : arrays
    With labels: the classes in order, and the most probable one of each node.

Examples
--------
>>> import cafe
>>> karate, faction = cafe.karate(return_labels=True)
>>> known = {node: faction[node] for node in (0, 1, 32, 33)}
>>> model = cafe.CafeGCN().fit(karate, known)
>>> int((model.transduction_ == faction).sum()) >= 32
True
""")

    def _solve(self, model: Model, y: Any, start: Optional[np.ndarray]) -> Solved:
        values = self._values(Table.named("softmax"))
        label, classes = (None, None) if y is None else encode_labels(y, model.graph)
        if "columns" not in values and classes is not None:
            values["columns"] = len(classes) if start is None else start.shape[1]
        elif "columns" not in values and start is not None:
            values["columns"] = start.shape[1]
        o = Table.named("softmax").pointer_to(model.context, values, "cafe_softmax_options")
        _check_classes(classes, o.contents.columns)
        _check_start(start, o.contents.columns)
        solution = model.context.make("cafe_softmax", "cafe_solution", model.operator.pointer, o,
                                      pointer(start), pointer(label))
        n = model.graph.n_nodes
        part, count = partition_of(model.context, "cafe_solution_partition", solution, n)
        rows = rows_of(solution, n)
        found = {"communities_": part, "modularity_": model.modularity(part, count),
                 "memberships_": rows}
        if classes is not None:
            best = rows[:, :len(classes)].argmax(axis=1)
            found.update(classes_=classes, transduction_=decode_labels(best, classes))
        return solution, found


def _check_classes(classes: Any, columns: int) -> None:
    if classes is not None and len(classes) > columns:
        raise ValueError(f"y has {len(classes)} classes: columns={columns} is too few")


# ---- layers ------------------------------------------------------------------------------------

class LayeredCafe(Embedding):
    _samples = True
    _parameters = [own("columns", 256, "int", "int",
                       "Columns of the embedding at most; layers of more communities are mixed "
                       "down."),
                   *from_table(Table.named("layers")), *SAMPLING, *finish_parameters(),
                   *PROPAGATE, *RUN]
    __init__ = make_init(_parameters)
    __doc__ = numpydoc(
        "Communities layer by layer (algorithm 3 of the paper, with Leiden's refinement), and the\n"
        "vectors of all layers side by side.",
        _parameters, ATTRIBUTES + COMMUNITIES + """layers_ : list of cafe.Layer
    Finest first: communities, modularity, partition, parent. communities_ is the last one's.

Examples
--------
>>> import cafe
>>> model = cafe.LayeredCafe().fit(cafe.karate())
>>> model.layers_[-1].communities, round(model.modularity_, 4)
(4, 0.4198)
""")

    def _solve(self, model: Model, y: Any, start: Optional[np.ndarray]) -> Solved:
        _refuse_start("LayeredCafe", start)
        if not isinstance(self.columns, (int, np.integer)) or self.columns < 1:
            raise ValueError(f"columns={self.columns!r}: expected a positive number")
        handle, layers = find_layers(model, self._values(Table.named("layers")))
        solution = model.context.make("cafe_layers_solution", "cafe_solution",
                                      model.operator.pointer, handle.pointer, int(self.columns))
        return solution, {"layers_": layers, "communities_": layers[-1].partition,
                          "modularity_": layers[-1].modularity}

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """fit, and the communities."""
        self.fit(X, y, **fit_params)
        return self.communities_

    communities_: np.ndarray


# ---- label propagation -------------------------------------------------------------------------

class LabelPropagation(Embedding):
    _parameters = [*from_table(Table.named("label_propagation")), *finish_parameters("raw"),
                   *PROPAGATE, *RUN]
    __init__ = make_init(_parameters)
    __doc__ = numpydoc(
        "Label propagation and spreading: labels of a few nodes carried along the edges to all\n"
        "others.",
        _parameters, ATTRIBUTES + """classes_, transduction_, label_distributions_ : arrays
    The classes in order, each node's most likely one (-1 or None where no label came), and how
    likely each class is.

Examples
--------
>>> import cafe
>>> karate, faction = cafe.karate(return_labels=True)
>>> model = cafe.LabelPropagation().fit(karate, {0: "Hi", 33: "John A"})
>>> sorted(set(model.transduction_))
['Hi', 'John A']
""")

    def _solve(self, model: Model, y: Any, start: Optional[np.ndarray]) -> Solved:
        _refuse_start("LabelPropagation", start)
        if y is None:
            raise ValueError("LabelPropagation needs known labels: fit(graph, y)")
        label, classes = encode_labels(y, model.graph)
        table = Table.named("label_propagation")
        o = table.pointer_to(model.context, self._values(table), "cafe_label_propagation_options")
        solution = model.context.make("cafe_label_propagation", "cafe_solution",
                                      model.graph.pointer, pointer(label), len(classes), o)
        rows = rows_of(solution, model.graph.n_nodes)
        best = np.where(rows.any(axis=1), rows.argmax(axis=1), -1)
        return solution, {"classes_": classes, "label_distributions_": rows,
                          "transduction_": decode_labels(best, classes)}


# ---- the methods others published --------------------------------------------------------------

BASELINES = {"gf": "GraphFactorization", "deepwalk": "DeepWalk", "node2vec": "Node2Vec",
             "line": "LINE", "hope": "HOPE", "grarep": "GraRep", "sdne": "SDNE",
             "spectral": "Spectral"}


class Baseline(Embedding):
    """Base of the methods others published; a class of each is made below."""

    _entry: Any = None
    _table: Table

    def _solve(self, model: Model, y: Any, start: Optional[np.ndarray]) -> Solved:
        _refuse_start(type(self).__name__, start)
        context = model.context
        options = self._table.fill(context, self._values(self._table))
        return self._call(model, options)

    def _call(self, model: Model, options: Any) -> Solved:
        made = ctypes.POINTER(_abi.cafe_solution)()
        address = ctypes.cast(options, ctypes.c_void_p)
        model.context.check(self._entry.solve(model.context.pointer, model.graph.pointer, address,
                                              ctypes.byref(made)))
        return Handle(made, lib.cafe_solution_free, model.context), {}


def _baseline_class(entry: Any) -> Type[Baseline]:
    name, table = entry.name.decode(), Table(entry.table())
    title = BASELINES.get(name, name.capitalize())
    parameters = [*from_table(table), *finish_parameters("raw"), *PROPAGATE, *RUN]
    example = f"""
Examples
--------
>>> import cafe
>>> cafe.{title}(columns=4).fit_transform(cafe.karate()).shape
(34, 4)
"""
    return type(title, (Baseline,), {
        "_entry": entry, "_table": table, "_parameters": parameters, "__module__": __name__,
        "__init__": make_init(parameters),
        "__doc__": numpydoc(f"{table.summary[0].upper()}{table.summary[1:]}.", parameters,
                            ATTRIBUTES + example)})


def _all_baselines() -> List[Type[Baseline]]:
    count = ctypes.c_size_t()
    entries = lib.cafe_baselines(count)
    return [_baseline_class(entries[i]) for i in range(count.value)]


BASELINE_CLASSES = _all_baselines()
globals().update({c.__name__: c for c in BASELINE_CLASSES})

__all__ = ["Certificate", "SphereGCN", "CafeGCN", "LayeredCafe", "LabelPropagation", "Layer",
           *[c.__name__ for c in BASELINE_CLASSES]]
