"""From one graph to the next: what changed between the two, and the rows that follow from it.

The library updates rows of length 1, as sphere leaves them, where edges came and went (docs/update.md).
"""
import os
from typing import Any, Dict, Mapping

import numpy as np

from ._arrays import copied, pointer
from ._call import Context, Handle
from ._certain import kind_of
from ._labels import positions
from ._library import lib
from ._options import Table, check_keywords
from ._sklearn import warn
from .graph import Graph, as_graph


def whole_graph(X: Any, old: Graph, n_jobs: Any) -> Graph:
    """The graph as it is now: what says that it is whole. Edges may also be those that came."""
    alone = not isinstance(X, (Graph, str, os.PathLike)) and not hasattr(X, "edge_index")
    if alone and kind_of(X) in ("edges", "edge_index", "pandas", "arrow"):
        raise ValueError("X: edges may be the whole graph or the new edges alone: partial_fit(cafe.Graph(x)) for "
                         "the whole, cafe.update(graph, embedding, added=x) for the new ones")
    graph = as_graph(X, n_jobs)
    gone = int((positions(graph, old.nodes) < 0).sum())
    if 2 * gone > old.n_nodes or 2 * graph.n_edges < old.n_edges:
        warn(f"of the {old.n_nodes} nodes and {old.n_edges} edges that were fitted, this graph has "
             f"{old.n_nodes - gone} nodes, and {graph.n_edges} edges: partial_fit takes the whole graph as it is now")
    return graph


def update_rows(context: Context, old: Graph, rows: np.ndarray, new: Graph,
                options: Mapping[str, Any]) -> Dict[str, Any]:
    """What an estimator keeps of an update: rows and drift in the order of the new graph. Nodes are the same if
    their names are."""
    origin = positions(old, new.nodes).astype(np.int32)
    changes = context.make("cafe_changes_between", "cafe_changes", old.pointer, new.pointer, pointer(origin),
                           keep=[old, new])
    made = updated(context, changes, rows, options)
    report = lib.cafe_updated_get(made.pointer).contents
    found = np.empty((report.nodes, report.columns), np.float32)
    lib.cafe_updated_copy(made.pointer, pointer(found))
    drift = copied(report.drift, report.nodes)
    drift[drift < 0] = np.nan
    return {"rows_": found, "drift_": drift, "objective_": copied(report.objective, report.rounds + 1),
            "n_iter_": int(report.rounds), "converged_": bool(report.converged)}


def updated(context: Context, changes: Handle, rows: np.ndarray, options: Mapping[str, Any]) -> Handle:
    """`cafe_update()`"""
    o = Table.named("update").pointer_to(context, options, "cafe_update_options")
    return context.make("cafe_update", "cafe_updated", changes.pointer, rows.shape[1], pointer(rows), o, keep=[changes])


def update_options(given: Mapping[str, Any], degree_exponent: float) -> Dict[str, Any]:
    """Keywords of partial_fit, as the library's table knows them."""
    names = [o.keyword for o in Table.named("update").options if o.keyword not in ("degree_exponent", "state")]
    check_keywords(given, names, "partial_fit")
    return {**given, "degree_exponent": degree_exponent}
