"""Softmax clustering with K = 2 against the dominant eigenvector: theorem 4 of the paper."""
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ._arrays import copied
from ._call import Context, Verbose, run, seed_of, threads_of
from ._library import lib
from ._method import Run, sampled_as
from ._options import Table, options_of
from ._shown import Shown, html_table, text_table
from .graph import as_graph


@dataclass(frozen=True, repr=False)
class Bound(Shown):
    """What the theorem says of one vector x, and what is the case."""

    rayleigh: float  # x^T Q x / x^T x
    epsilon: float  # 1 - rayleigh / lambda_1
    cosine_x: float
    cosine_qx: float
    applies: bool
    first: float  # cos(v1, x) is at least this where it applies
    second: float  # likewise cos(v1, Qx)
    second_published: float  # the weaker one that the paper states
    holds: bool


@dataclass(frozen=True, repr=False)
class Bounds(Shown):
    """The ends of the spectrum, softmax clustering of two columns, and the theorem for both forms of
    x: h_1 / |h_1| (`plain`) and (h_1 - h_2) / |h_1 - h_2| (`centred`)."""

    first: float  # lambda_1
    second: float
    last: float
    delta: float  # max(lambda_2, -lambda_n) / lambda_1
    objective: float
    best: int  # the start that counts
    converged: int  # starts that reached the tolerance
    plain: Bound
    centred: Bound
    x: np.ndarray
    xc: np.ndarray
    qx: np.ndarray
    v1: np.ndarray

    def _rows(self) -> Any:
        return [(name, getattr(self.plain, name), getattr(self.centred, name))
                for name in Bound.__dataclass_fields__]

    def _head(self) -> str:
        return (f"eigenvalues {self.first:.4g}, {self.second:.4g}, ..., {self.last:.4g}; delta "
                f"{self.delta:.4g}{'' if self.delta < 1 else ': the theorem does not apply'}")

    def __repr__(self) -> str:
        return f"Bounds: {self._head()}\n" + text_table(("", "plain", "centred"), self._rows())

    def _repr_html_(self) -> str:
        return html_table(("", "plain", "centred"), self._rows(), self._head())


def bounds(graph: Any, *, random_state: Any = None, n_jobs: Optional[int] = None,
           verbose: Verbose = False, **options: Any) -> Bounds:
    """Compares two communities with the dominant eigenvector of Q (`cafe explain --eigenvector`).

    Options: theta, restarts, max_iter, tol.

    >>> import cafe
    >>> found = cafe.bounds(cafe.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]))
    >>> found.delta < 1, found.centred.applies, found.centred.holds
    (True, True, True)
    """
    g = as_graph(graph, n_jobs)
    options_of(options, "bounds", "bounds")

    def bound(found: Any) -> Bound:
        return Bound.of(found, applies=bool(found.applies), holds=bool(found.holds))

    def work(context: Context) -> Bounds:
        sampled = Run(context, g, sampled_as({})).step("SAMPLE")
        o = Table.named("bounds").pointer_to(context, options, "cafe_bounds_options")
        made = context.make("cafe_bounds_find", "cafe_bounds", sampled.operator, o, keep=[sampled.made])
        r = lib.cafe_bounds_get(made.pointer).contents
        arrays = [copied(a, g.n_nodes) for a in (r.x, r.xc, r.qx, r.first)]
        return Bounds(r.gap.first, r.gap.second, r.gap.last, r.gap.delta, r.objective, r.best,
                      r.converged, bound(r.plain), bound(r.centred), *arrays)

    return run(work, threads_of(n_jobs), seed_of(random_state), verbose)
