"""Soft clusters of a graph."""
import ctypes
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _abi
from ._arrays import block, copied, pointer
from ._base import RUN, SAMPLING, ClusterMixin, Estimator, decode_labels, encode_labels, own
from ._call import Context, Handle, seconds
from ._library import lib
from ._model import Course, Model, Sampling, course_of, find_layers, partition_of, rows_of
from ._options import Table, from_table, make_init, numpydoc
from .graph import Graph, as_graph

DENSE_COLUMNS = 256  # more are held in sparse rows


class SoftmaxClustering(ClusterMixin, Estimator):
    _parameters = [
        *from_table(Table.named("softmax"), defaults={"columns": None}),
        own("start", "random", "{'random', 'layers', 'sphere'} or array", "Any",
            "Where to begin: at random, at the communities of the layers, at a sphere solution, or "
            "at the rows of an array."),
        own("rows", "auto", "{'auto', 'dense', 'sparse'}", "str",
            "Dense rows, or sparse ones for many columns; auto takes sparse ones above 256 "
            "columns."),
        *from_table(Table.named("sparse")), *SAMPLING, *RUN]
    __init__ = make_init(_parameters)
    __doc__ = numpydoc(
        "Softmax clustering (algorithm 1 of the paper): probabilities of clusters for every node,\n"
        "whose expected modularity never falls. columns=None is 100; with labels the number of\n"
        "classes, with start='layers' at least the number of communities.",
        _parameters, """
Attributes
----------
communities_, labels_ : array of int
    The most probable cluster of each node, numbered by first appearance.
memberships_ : array, or scipy.sparse CSR matrix for sparse rows, of shape (n_nodes, columns)
    The probabilities.
modularity_ : float
    Of the communities.
classes_, transduction_ : arrays
    With labels: the classes in order, and the most probable one of each node.
objective_, n_iter_, converged_, nodes_, report_
    As in cafe.SphereGCN.

Examples
--------
>>> import cafe
>>> model = cafe.SoftmaxClustering(columns=4, start="layers").fit(cafe.karate())
>>> round(model.modularity_, 2)
0.42
>>> model.memberships_.shape
(34, 4)
""")

    columns: Optional[int]
    start: Any
    rows: str
    communities_: np.ndarray
    objective_: np.ndarray
    modularity_: float
    n_iter_: int
    converged_: bool

    def fit(self, X: Any, y: Any = None, *, seeds: Any = None,
            attributes: Any = None) -> "SoftmaxClustering":
        """Finds the clusters of a graph; y: known labels, -1 or None where there is none."""
        graph = as_graph(X, self.n_jobs)
        sampling = Sampling(self.sampling, self._values(Table.named("sample")), seeds, attributes)
        began = seconds()
        results = self._run(lambda context: self._work(context, graph, y, sampling))
        self._keep(results)
        self.n_features_in_ = graph.n_nodes
        self.nodes_ = graph.nodes
        self.report_ = {
            "method": "SoftmaxClustering", "version": lib.version, "graph": graph.counts,
            "options": self.get_params(), "sweeps": self.n_iter_,
            "converged": self.converged_, "modularity": self.modularity_,
            "communities": int(self.communities_.max(initial=-1)) + 1,
            "objective": self.objective_.tolist(),
            "seconds": {"all": seconds() - began}}
        return self

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """fit, and the communities."""
        return self.fit(X, y, **fit_params).communities_

    # ---- the run

    def _work(self, context: Context, graph: Graph, y: Any, sampling: Sampling) -> Dict[str, Any]:
        model = Model(context, graph, sampling)
        label, classes = (None, None) if y is None else encode_labels(y, graph)
        part, rows, columns = self._start(model, classes)
        o = Table.named("softmax").pointer_to(
            context, {**self._values(Table.named("softmax")), "columns": columns},
            "cafe_softmax_options")
        if classes is not None and len(classes) > columns:
            raise ValueError(f"y has {len(classes)} classes: columns={columns} is too few")
        if self._wants_sparse(columns):
            found = self._sparse(model, o, part, label, rows)
        else:
            found = self._dense(model, o, part, rows, label, columns)
        if classes is not None:
            known = found["memberships_"][:, :len(classes)]
            best = np.asarray(known.argmax(axis=1)).ravel()
            found.update(classes_=classes, transduction_=decode_labels(best, classes))
        return found

    def _wants_sparse(self, columns: int) -> bool:
        if self.rows not in ("auto", "dense", "sparse"):
            raise ValueError(f"rows={self.rows!r}: expected auto, dense or sparse")
        automatic = self.rows == "auto" and columns > DENSE_COLUMNS
        return automatic or self.rows == "sparse"

    def _start(self, model: Model, classes: Any) -> Tuple[Any, Any, int]:
        """A partition or rows to begin with, and the number of columns."""
        asked = self.columns
        columns = asked or (len(classes) if classes is not None else
                            Table.named("softmax").options[0].default)
        start = self.start
        if not isinstance(start, str):
            rows = block(start, model.graph.n_nodes, "start")
            if asked is not None and asked != rows.shape[1]:
                raise ValueError(f"start: expected {asked} columns, found {rows.shape[1]}")
            return None, rows, rows.shape[1]
        if start == "layers":
            _, layers = find_layers(model, {})
            columns = columns if asked else max(columns, layers[-1].communities)
            return np.ascontiguousarray(layers[-1].partition % columns), None, columns
        if start == "sphere":
            o = Table.named("sphere").pointer_to(model.context, {"columns": columns},
                                                 "cafe_sphere_options")
            sphere = model.context.make("cafe_sphere", "cafe_solution", model.operator.pointer, o,
                                        None)
            h = rows_of(sphere, model.graph.n_nodes)
            return None, h * h, columns  # rows of length 1 squared are probabilities
        if start != "random":
            raise ValueError(f"start={start!r}: expected random, layers, sphere or an array")
        return None, None, columns

    def _dense(self, model: Model, o: Any, part: Any, rows: Any, label: Any,
               columns: int) -> Dict[str, Any]:
        n = model.graph.n_nodes
        if part is not None:
            # nine parts in ten for the node's own column, the rest for all alike: a 0 would stay 0
            rows = np.full((n, columns), 0.1 / columns)
            rows[np.arange(n), part] = 0.9 + 0.1 / columns
            rows = rows.astype(np.float32)
        solution = model.context.make("cafe_softmax", "cafe_solution", model.operator.pointer, o,
                                      pointer(rows), pointer(label))
        found, count = partition_of(model.context, "cafe_solution_partition", solution, n)
        return self._results(model, found, count, course_of(solution), rows_of(solution, n))

    def _sparse(self, model: Model, o: Any, part: Any, label: Any, rows: Any) -> Dict[str, Any]:
        from scipy.sparse import csr_matrix
        if rows is not None:
            raise ValueError("this start needs dense rows: rows='dense', or fewer columns")
        n = model.graph.n_nodes
        sparse = Table.named("sparse").pointer_to(
            model.context, self._values(Table.named("sparse")), "cafe_sparse_options")
        held = model.context.make("cafe_softmax_sparse", "cafe_memberships",
                                  model.operator.pointer, o, sparse, pointer(part), pointer(label))
        found, count = partition_of(model.context, "cafe_memberships_partition", held, n)
        sweeps = lib.cafe_memberships_sweeps(held.pointer)
        course = Course(copied(lib.cafe_memberships_objective(held.pointer), sweeps + 1),
                        int(sweeps), bool(lib.cafe_memberships_converged(held.pointer)))
        arrays = _memberships(held, n)
        columns = lib.cafe_memberships_columns(held.pointer)
        return self._results(model, found, count, course, csr_matrix(arrays, (n, columns)))

    def _results(self, model: Model, part: np.ndarray, count: int, course: Course,
                 memberships: Any) -> Dict[str, Any]:
        return {"communities_": part, "labels_": part, "memberships_": memberships,
                "modularity_": model.modularity(part, count), "objective_": course.objective,
                "n_iter_": course.sweeps, "converged_": course.converged}


def _memberships(held: Handle, nodes: int) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    offsets = ctypes.POINTER(ctypes.c_int64)()
    columns = ctypes.POINTER(ctypes.c_int32)()
    values = ctypes.POINTER(ctypes.c_float)()
    lib.cafe_memberships_csr(held.pointer, offsets, columns, values)
    first = copied(offsets, nodes + 1, np.int64)
    count = int(first[-1])
    return copied(values, count, np.float32), copied(columns, count, np.int32), first
