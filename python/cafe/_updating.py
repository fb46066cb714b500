"""From one graph to the next: what changed between the two, and the rows that follow from it.

The library updates rows of length 1, as sphere leaves them, where edges came and went (docs/update.md).
"""
import os
from typing import Any, Dict, Mapping, Sequence, Tuple

import numpy as np

from ._arrays import copied, pointer
from ._call import Context, Handle
from ._certain import kind_of
from ._labels import positions
from ._library import lib
from ._options import Table, check_keywords
from ._sklearn import warn
from .graph import Graph, as_graph, twin_of


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
    """What an estimator keeps of an update: rows and drift in the order of the new graph. Nodes are the same where their names are; those that `new` lacks keep their rows to the end, but
    no edges."""
    ids, total = _ids(old, new)
    _, made = apply_changes(context, old, total, _changes(old, new, ids, total), rows, options)
    report = lib.cafe_updated_get(made.pointer).contents
    found = np.empty((report.nodes, report.columns), np.float32)
    lib.cafe_updated_copy(made.pointer, pointer(found))
    drift = copied(report.drift, report.nodes)
    drift[drift < 0] = np.nan
    return {"rows_": np.ascontiguousarray(found[ids]), "drift_": drift[ids],
            "objective_": copied(report.objective, report.rounds + 1), "n_iter_": int(report.rounds),
            "converged_": bool(report.converged)}


def apply_changes(context: Context, graph: Graph, nodes: int, changes: Sequence[Any],
                  rows: np.ndarray, options: Mapping[str, Any]) -> Tuple[Handle, Handle]:
    """The library's changes and what it made of the rows. Of each changed edge: source, target, weight
    (None: all 1), and whether it is gone; new nodes are numbers behind those of the graph."""
    twin = twin_of(context, graph)  # without names
    source, target, weights, gone = changes
    found = context.make("cafe_changes_from_edges", "cafe_changes", twin.pointer, nodes, len(source),
                         pointer(source), pointer(target), pointer(weights), pointer(gone),
                         keep=[twin])
    o = Table.named("update").pointer_to(context, options, "cafe_update_options")
    return found, context.make("cafe_update", "cafe_updated", found.pointer, rows.shape[1],
                               pointer(rows), o, keep=[found])


def _ids(old: Graph, new: Graph) -> Tuple[np.ndarray, int]:
    """Of each node of the new graph the old one's number, or one behind them all."""
    ids = positions(old, new.nodes)
    fresh = ids < 0
    ids[fresh] = old.n_nodes + np.arange(int(fresh.sum()))
    return ids, old.n_nodes + int(fresh.sum())


def _changes(old: Graph, new: Graph, ids: np.ndarray, total: int) -> Tuple[np.ndarray, ...]:
    """Edges that are gone, then edges that came; one of another weight is both."""
    before, after = _links(old, np.arange(old.n_nodes), total), _links(new, ids, total)
    gone, came = _without(before, after), _without(after, before)
    keys = np.concatenate([before[0][gone], after[0][came]])
    weights = np.concatenate([before[1][gone], after[1][came]]).astype(np.float32)
    source, target = (part.astype(np.int32) for part in np.divmod(keys, total))
    weights[source == target] /= 2  # a(u,u) of a loop of weight w is 2w
    removed = np.repeat(np.array([1, 0], np.uint8), [int(gone.sum()), int(came.sum())])
    return source, target, weights, removed


def _links(graph: Graph, ids: np.ndarray, total: int) -> Tuple[np.ndarray, np.ndarray]:
    """Each edge once, as smaller id * total + larger id, in order; and its weight."""
    offsets, targets, weights = graph.csr()
    rows = ids[np.repeat(np.arange(graph.n_nodes), np.diff(offsets))]
    ends = ids[targets]
    once = rows <= ends
    keys = rows[once] * total + ends[once]
    order = np.argsort(keys, kind="stable")
    plain = np.ones(len(keys), np.float32) if weights is None else weights[once]
    return keys[order], plain[order]


def _without(these: Tuple[np.ndarray, np.ndarray], those: Tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Which of these edges the others lack, or have with another weight."""
    at = np.searchsorted(those[0], these[0])
    within = np.minimum(at, max(len(those[0]) - 1, 0))
    if len(those[0]) == 0:
        return np.ones(len(these[0]), bool)
    return (those[0][within] != these[0]) | (those[1][within] != these[1])


def update_options(given: Mapping[str, Any], degree_exponent: float) -> Dict[str, Any]:
    """Keywords of partial_fit, as the library's table knows them."""
    names = [o.keyword for o in Table.named("update").options if o.keyword not in ("degree_exponent", "state")]
    check_keywords(given, names, "partial_fit")
    return {**given, "degree_exponent": degree_exponent}
