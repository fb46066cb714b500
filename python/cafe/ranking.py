"""Centralities of nodes, and figures of sets of nodes."""
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence

import numpy as np

from ._arrays import pointer, whole
from ._call import Context, Verbose, run, threads_of
from ._method import Run, sampled_as
from ._options import Table, options_of
from ._shown import Rows, Shown
from .graph import Graph, as_graph

KINDS = ("pagerank", "degree", "relative")


def members(graph: Graph, nodes: Sequence, what: str) -> np.ndarray:
    """1 for the nodes named, 0 for the others."""
    found = np.zeros(graph.n_nodes, np.uint8)
    found[[graph.index(node) for node in nodes]] = 1
    if not found.any():
        raise ValueError(f"{what}: expected at least one node, found none")
    return found


class Ranking(Rows):
    """The most central nodes, best first. `values` has the centrality of every node, in the order of
    the graph's; `steps`, `converged` and `error` tell of PageRank."""

    def __init__(self, graph: Graph, by: str, order: np.ndarray, values: np.ndarray,
                 report: Dict[str, Any]) -> None:
        super().__init__({"node": graph.nodes[order], by: values[order]})
        self.by, self.values = by, values
        self.steps: int = report.get("steps", 0)
        self.converged: bool = bool(report.get("converged", True))
        self.error: float = report.get("error", 0.0)


def rank(graph: Any, by: str = "pagerank", *, subset: Optional[Sequence] = None,
         top: Optional[int] = 10, n_jobs: Optional[int] = None, verbose: Verbose = False,
         **options: Any) -> Ranking:
    """The most central nodes of a graph (`cafe rank`).

    Parameters
    ----------
    graph : Graph or graph-like
    by : {'pagerank', 'degree', 'relative'}
        PageRank (personalised with a subset), the share p_u of the weight, or p(u,S) / p(S) relative
        to the subset S.
    subset : sequence of nodes, optional
    top : int or None, default 10
        Nodes in the list; None: all.
    **options
        damping, tol, steps of PageRank.

    Examples
    --------
    >>> import cafe
    >>> cafe.rank(cafe.karate(), top=3)
    node  pagerank
      33    0.1009
       0     0.097
      32   0.07169
    """
    g = as_graph(graph, n_jobs)
    options_of(options, "rank", "pagerank")
    if by not in KINDS:
        raise ValueError(f"by={by!r}: expected one of {', '.join(KINDS)}")
    if by == "relative" and subset is None:
        raise ValueError("by='relative' needs subset=, the nodes to be relative to")
    if by == "degree" and subset is not None:
        raise ValueError("subset= does not go with by='degree': did you mean 'relative' or "
                         "'pagerank'?")
    member = None if subset is None else members(g, subset, "subset")
    count = g.n_nodes if top is None else min(whole(top, "top"), g.n_nodes)
    values, order = np.empty(g.n_nodes), np.empty(count, np.int32)

    def work(context: Context) -> Ranking:
        made, report = Run(context, g, sampled_as({})).step("SAMPLE"), {}
        if by == "pagerank":
            o = Table.named("pagerank").pointer_to(context, options, "cafe_pagerank_options")
            found = context.figures("cafe_rank_pagerank", "cafe_pagerank_report", made.sampled, o,
                                    pointer(member), pointer(values))
            report = {name: getattr(found, name) for name, _ in found._fields_}
        elif by == "relative":
            context.call("cafe_rank_relative", made.sampled, pointer(member), pointer(values))
        else:
            degrees = g.degrees
            values[:] = degrees / degrees.sum()
        context.call("cafe_rank_top", g.n_nodes, pointer(values), count, pointer(order))
        return Ranking(g, by, order, values, report)

    return run(work, threads_of(n_jobs), verbose=verbose)


# ---- two sets ----------------------------------------------------------------------------------

@dataclass(frozen=True, repr=False)
class SetFigures(Shown):
    """What is known of a set of nodes S."""

    nodes: int
    mass: float  # p(S)
    inside: float  # p(S,S)
    strength: float  # q(S,S) = p(S,S) - p(S)^2: above 0 for a community
    conductance: float


@dataclass(frozen=True, repr=False)
class SetComparison(Shown):
    """How two sets A and B are related."""

    first: SetFigures
    second: SetFigures
    joint: float  # p(A,B)
    covariance: float  # q(A,B)
    first_to_second: float  # C(A|B) = p(A,B) / p(B)
    second_to_first: float

    def _fields(self) -> Dict[str, Any]:
        whole = {f"{name}.{key}": value for name in ("first", "second")
                 for key, value in getattr(self, name)._fields().items()}
        return {**whole, **{name: getattr(self, name) for name in
                            ("joint", "covariance", "first_to_second", "second_to_first")}}


def compare_sets(graph: Any, first: Sequence, second: Sequence) -> SetComparison:
    """Covariance, relative centralities and conductance of two sets of nodes (`cafe rank`).

    >>> import cafe
    >>> pair = cafe.compare_sets(cafe.karate(), range(10), [32, 33])
    >>> pair.first.nodes, pair.covariance < 0
    (10, True)
    """
    g = as_graph(graph)
    a, b = members(g, first, "first"), members(g, second, "second")

    def work(context: Context) -> SetComparison:
        made = Run(context, g, sampled_as({})).step("SAMPLE")
        found = context.figures("cafe_set_compare", "cafe_pair_figures", made.sampled, pointer(a),
                                pointer(b))
        return SetComparison.of(found, first=SetFigures.of(found.first), second=SetFigures.of(found.second))

    return run(work, 1)
