"""Estimators that find communities: a class for every method of the registry that has no vectors."""
from typing import Any, Dict, Type

import ctypes
import numpy as np

from ._arrays import copied
from ._asked import mean_of_neighbours
from ._base import RUN, OfNodes, Parted, feature_parameters, sampling_parameters
from ._call import Context
from ._library import lib
from ._method import Given, Method, Run, methods
from ._options import from_table, make_init, numpydoc
from ._predict import Labelled
from ._sources import Links
from .graph import Graph

ATTRIBUTES = """
Attributes
----------
labels_ : array of int
    The community of each node, numbered by size.
communities_ : dict of sets
    The nodes of each community, by its number; members(node) has those of a node's own.
memberships_ : array, or scipy.sparse CSR matrix for sparse rows, of shape (n_nodes, n_components)
    The probabilities above 1e-6.
modularity_ : float
    Of the communities.
classes_, transduction_ : arrays
    With labels: the classes in order, and the most probable one of each node.
objective_, n_iter_, converged_, nodes_, report_
    As in cafe.SphereGCN.

Examples
--------
>>> import cafe
>>> model = cafe.{name}(n_components=4).fit(cafe.karate())
>>> model.memberships_.shape
(34, 4)
"""


class Clustering(Parted, OfNodes):
    """Base of the estimators that find communities."""

    _method: Method
    _communities = True
    _result = "memberships_"

    memberships_: Any
    modularity_: float

    def fit(self, X: Any, y: Any = None, *, start: Any = None, seeds: Any = None,
            attributes: Any = None, features: Any = None, checkpoint: Any = None,
            every: int = 1) -> "Clustering":
        """Finds the communities of a graph; y: known labels, None or NaN where there is none;
        features, checkpoint, every: as in cafe.SphereGCN.fit."""
        return self._fit(X, y, start=start, seeds=seeds, attributes=attributes, features=features,
                         checkpoint=checkpoint, every=every)

    def _placed(self, rows: np.ndarray, links: Links) -> np.ndarray:
        return mean_of_neighbours(rows, links)

    def _work(self, context: Context, graph: Graph, given: Given) -> Dict[str, Any]:
        made = Run(context, graph, given).step("WRITE")
        clustering = made.results.clustering
        info = lib.cafe_clustering_get(clustering).contents
        part = made.partition()
        found = {**made.course(), "labels_": part,
                 "memberships_": _memberships(context, clustering, info),
                 "report_": made.report("cafe/cluster/1")}
        if given.classes is not None:
            found.update(classes_=given.classes, transduction_=made.predicted(given.classes))
        return found


def _memberships(context: Context, clustering: Any, info: Any) -> Any:
    """Dense, or a CSR matrix where the run held sparse rows."""
    offsets = ctypes.POINTER(ctypes.c_int64)()
    columns = ctypes.POINTER(ctypes.c_int32)()
    values = ctypes.POINTER(ctypes.c_float)()
    context.call("cafe_clustering_memberships", clustering, offsets, columns, values)
    first = copied(offsets, info.nodes + 1, np.int64)
    count = int(first[-1])
    entries, column = copied(values, count, np.float32), copied(columns, count, np.int32)
    if info.sparse:
        from scipy.sparse import csr_matrix
        return csr_matrix((entries, column, first), (info.nodes, info.columns))
    dense = np.zeros((info.nodes, info.columns), np.float32)
    dense[np.repeat(np.arange(info.nodes), np.diff(first)), column] = entries
    return dense


def _class(method: Method) -> Type[Clustering]:
    table, name = method.communities, method.class_name
    assert table is not None
    free = {"n_components": None} if method.takes("TAKES_LABELS") else None
    parameters = [*from_table(table, free), *sampling_parameters(method),
                  *feature_parameters(method), *RUN]
    labelled = (Labelled,) if method.takes("TAKES_LABELS") else ()
    return type(name, (*labelled, Clustering), {
        "_method": method, "_parameters": parameters, "__module__": __name__,
        "__init__": make_init(parameters),
        "__doc__": numpydoc(f"{method.title}: {method.summary}.", parameters,
                            ATTRIBUTES.format(name=name))})


CLASSES = [_class(m) for m in methods() if m.communities and not m.vectors]
globals().update({c.__name__: c for c in CLASSES})

__all__ = [c.__name__ for c in CLASSES]
