"""Graphs that change: new vectors from the old ones and the edges that came and went."""
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._arrays import copied, pointer
from ._call import Context, Handle, Verbose, run, seed_of, threads_of
from ._fitted import result_of
from ._labels import known_communities
from ._library import lib
from ._options import Table, options_of
from ._shown import Shown
from ._sklearn import warn
from ._sources import as_names, weights_of
from ._updating import updated
from .explanation import communities_of, embedding_of
from .graph import Graph, as_graph, twin_of

COUNTS = ("added", "removed", "reweighted", "repeated", "loops", "new_nodes", "touched")
WORK = ("rounds", "converged", "swept", "updates", "arcs", "arcs_summed", "arcs_marked", "moved",
        "subspace_angle", "subspace_mean_angle", "rotation_distance", "drift_mean", "drift_max")


@dataclass(frozen=True, repr=False)
class Transition(Shown):
    """What became of communities."""

    before: int
    now: int
    born: int
    died: int
    split: int
    merged: int
    heir: np.ndarray  # of each old community the new one most of it went to; -1: none
    parent: np.ndarray  # of each new community the old one most of it came from; -1: none
    communities: np.ndarray  # of the nodes, now: a community keeps its number


class Update(Shown):
    """A graph and its vectors after changes.

    graph, embedding : the new ones; old nodes keep their order, new ones are at the end.
    origin : of each node its number before, -1 for a new one.
    drift : the angle between a node's old and new vector, in radians; NaN for a new node.
    objective : at the start and after each round.
    changes, work : dicts of counts; transition : a Transition where communities were given."""

    graph: Graph
    embedding: np.ndarray
    origin: np.ndarray
    drift: np.ndarray
    objective: np.ndarray
    changes: Dict[str, int]
    work: Dict[str, Any]
    transition: Optional[Transition]

    def _fields(self) -> Dict[str, Any]:
        return {"graph": repr(self.graph), **self.changes, **self.work,
                "objective": f"{self.objective[0]:.6g} -> {self.objective[-1]:.6g}"}


def _pairs(edges: Any, what: str) -> List[Tuple[Any, Any, Any]]:
    """(u, w) or (u, w, weight) each."""
    found = []
    for edge in ([] if edges is None else edges):
        if isinstance(edge, (str, bytes)) or not hasattr(edge, "__len__") or len(edge) not in (2, 3):
            raise ValueError(f"{what}: expected (node, node) or (node, node, weight), found {edge!r}")
        u, w = (n.item() if isinstance(n, np.generic) else n for n in edge[:2])
        found.append((u, w, edge[2] if len(edge) == 3 else None))
    return found


def _numbered(graph: Graph, pairs: Sequence[Tuple[Any, Any, Any]]
              ) -> Tuple[np.ndarray, List[Any]]:
    """Numbers of the ends, and the names of nodes that the graph does not have, which come behind
    its own."""
    new: Dict[Any, int] = {}

    def number(name: Any) -> int:
        try:
            return graph.index(name)
        except KeyError:
            if graph.names is None and (isinstance(name, bool) or not (isinstance(name, int) and name >= 0)):
                raise ValueError(f"added: {name!r} is no number of a node") from None
            return graph.n_nodes + new.setdefault(name, len(new))

    ends = np.array([(number(u), number(w)) for u, w, _ in pairs], np.int32).reshape(-1, 2)
    return ends, list(new)


def update(graph: Any, embedding: Any, *, added: Any = None, removed: Any = None,
           communities: Any = None, random_state: Any = None, n_jobs: Optional[int] = None,
           verbose: Verbose = False, **options: Any) -> Update:
    """New vectors after edges came and went: only nodes that the changes reach are swept, and the
    result is turned onto the old coordinates (`cafe update`).

    Parameters
    ----------
    graph : Graph or graph-like
        Before the changes.
    embedding : array of shape (n_nodes, columns), or a fitted estimator
        The vectors before, in their raw form: cafe.SphereGCN(output_form="raw").
    added : sequence of (node, node) or (node, node, weight), optional
        A node that the graph does not have is new.
    removed : sequence of (node, node), optional
    communities : array, mapping or fitted estimator, optional
        Before: the new ones start from them, and `transition` describes the changes.
    **options
        max_iter, tol, spread, align, degree_exponent; overlap, of communities.

    Returns
    -------
    Update

    Examples
    --------
    >>> import cafe
    >>> karate = cafe.karate()
    >>> model = cafe.SphereGCN(4, output_form="raw", columns_from="top").fit(karate)
    >>> new = cafe.update(karate, model, added=[(0, 33), (5, 34)], removed=[(0, 1)])
    >>> new.graph, new.embedding.shape, new.changes["added"]
    (Graph(35 nodes, 79 edges), (35, 4), 2)
    """
    g = as_graph(graph, n_jobs)
    own, of_communities = options_of(options, "update", "update", "transition")
    if "state" in own:
        raise TypeError("update() has no state: cafe update --state FILE keeps one between processes")
    form = getattr(embedding, "output_form", "raw")
    if form != "raw":
        raise ValueError(f"embedding: expected vectors in their raw form, found {form!r}: "
                         f"{type(embedding).__name__}(output_form='raw')")
    rows = embedding_of(embedding, g)
    if "degree_exponent" not in options and hasattr(embedding, "degree_exponent"):
        own["degree_exponent"] = embedding.degree_exponent
    part = communities_of(communities, g)
    numbers = None if part is None else known_communities(result_of(communities, "labels_"), g)
    comes, goes = _pairs(added, "added"), _pairs(removed, "removed")
    for u, w, _ in goes:
        g.index(u)
        g.index(w)
    ends, new = _numbered(g, [*goes, *comes])
    gone = np.array([1] * len(goes) + [0] * len(comes), np.uint8)
    told = [w for _, _, w in (*goes, *comes)]
    weights = None if all(w is None for w in told) else weights_of(
        [1.0 if w is None else w for w in told])

    def work(context: Context) -> Update:
        source, target = (np.ascontiguousarray(ends[:, j]) for j in (0, 1))
        twin = twin_of(context, g)  # without names
        changes = context.make("cafe_changes_from_edges", "cafe_changes", twin.pointer, g.n_nodes + len(new),
                               len(source), pointer(source), pointer(target), pointer(weights), pointer(gone),
                               keep=[twin])
        found = _found(g, new, changes, updated(context, changes, rows, own))
        if part is not None and numbers is not None:
            found.transition = _transition(context, found, changes, part, numbers, of_communities)
        return found

    found = run(work, threads_of(n_jobs), seed_of(random_state), verbose)
    if found.changes["loops"]:
        warn(f"left out of the graph: {found.changes['loops']} loops")
    return found


def _found(graph: Graph, new: List[Any], changes: Handle, made_rows: Handle) -> Update:
    report = lib.cafe_updated_get(made_rows.pointer).contents
    counts = lib.cafe_changes_get(changes.pointer).contents
    found = Update()
    made = Handle(lib.cafe_changes_graph(changes.pointer), lambda at: None, changes)
    found.graph = Graph._of(made, _names(graph, new))
    found.embedding = np.empty((report.nodes, report.columns), np.float32)
    lib.cafe_updated_copy(made_rows.pointer, pointer(found.embedding))
    found.origin = copied(counts.origin, report.nodes, np.int32)
    drift = copied(report.drift, report.nodes)
    found.drift = np.where(drift < 0, np.nan, drift)
    found.objective = copied(report.objective, report.rounds + 1)
    found.changes = {name: int(getattr(counts, name)) for name in COUNTS}
    found.work = {name: getattr(report, name) for name in WORK}
    found.work["converged"] = bool(report.converged)
    found.transition = None
    return found


def _names(graph: Graph, new: List[Any]) -> Any:
    """Those of the old nodes and the new ones; None while they are 0 .. n-1."""
    if graph.names is None and new == list(range(graph.n_nodes, graph.n_nodes + len(new))):
        return None
    return as_names([*graph.nodes.tolist(), *new])


def _transition(context: Context, found: Update, changes: Handle, part: np.ndarray, numbers: np.ndarray,
                options: Any) -> Transition:
    o = Table.named("transition").pointer_to(context, options, "cafe_transition_options")
    nodes = found.graph.n_nodes
    start = np.where(found.origin < 0, -1, numbers[found.origin]).astype(np.int32)
    regrouped = context.make("cafe_communities_update", "cafe_regrouped", changes.pointer, pointer(start))
    r = lib.cafe_regrouped_get(regrouped.pointer).contents
    now, numbered = (copied(a, nodes, np.int32) for a in (r.after, r.partition))
    before = np.where(found.origin < 0, -1, part[found.origin]).astype(np.int32)
    drift = np.where(np.isnan(found.drift), -1, found.drift)
    made = context.make("cafe_transition_find", "cafe_transition", nodes, pointer(before),
                        pointer(now), pointer(drift), o)
    t = lib.cafe_transition_get(made.pointer).contents
    return Transition(t.old_count, t.new_count, t.born, t.died, t.split, t.merged,
                      copied(t.heir, t.old_count, np.int32), copied(t.parent, t.new_count, np.int32),
                      numbered)
