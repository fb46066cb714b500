"""What a run will take, before it runs."""
import ctypes
from dataclasses import dataclass
from typing import Any, Optional

from . import _abi
from ._call import Context, run, threads_of
from ._library import lib
from ._method import Run
from ._shown import Shown
from .graph import as_graph


@dataclass(frozen=True, repr=False)
class Forecast(Shown):
    """Bytes that a run takes (`cafe embed` with a dry run)."""

    needed: int  # of memory, at the peak, without a limit
    available: int  # that this process may still take
    fits: bool  # within the limit, or else what is available
    limit: Optional[int]  # as given; None: there is none
    least: int  # the least limit that the run keeps to, with vectors in files
    files: int  # in files at the peak, within the limit
    reads: int  # from and to files in the whole run, about
    writes: int

    def _fields(self) -> Any:
        """With units, for people; the attributes are bytes."""
        return {name: value if isinstance(value, bool) or value is None else units(value)
                for name, value in self._plain().items()}

    def _plain(self) -> Any:
        return {name: getattr(self, name) for name in type(self).__dataclass_fields__}

    def to_dict(self) -> Any:
        """Bytes as plain Python: for JSON."""
        return self._plain()


def units(count: int) -> str:
    """12345678 -> '12.3 MB'"""
    value, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"


def forecast(model: Any, graph: Any, *, memory_limit: Optional[int] = None) -> Forecast:
    """The memory that model.fit(graph) will take, from sizes alone: nothing is run.

    Parameters
    ----------
    model : estimator
        That makes vectors of a graph.
    graph : Graph or graph-like
    memory_limit : int, optional
        Bytes to stay below, with vectors in files as the tool keeps them.

    Examples
    --------
    >>> import cafe
    >>> plan = cafe.forecast(cafe.SphereGCN(64), cafe.karate())
    >>> plan.fits, 10_000 < plan.needed < 100_000_000
    (True, True)
    """
    if not hasattr(model, "_given"):
        raise TypeError("model: expected an estimator that makes vectors of graphs, found "
                        f"{type(model).__name__}")
    g = as_graph(graph)

    def work(context: Context) -> Forecast:
        planned = Run(context, g, model._method, model._own, model._given(None, None, None),
                      only_options=True)
        plan = _abi.cafe_plan()
        threads = threads_of(model.n_jobs) or lib.cafe_threads(context.pointer)
        lib.cafe_method_plan_sized(model._method.row, planned.options, g.pointer, threads,
                                   memory_limit or 0, plan, ctypes.sizeof(plan))
        available = int(lib.cafe_memory_available())
        most = memory_limit if memory_limit else available
        fits = plan.needed <= most or bool(memory_limit and plan.files and plan.least <= most)
        return Forecast(plan.needed, available, fits, memory_limit, plan.least, plan.files,
                        plan.reads, plan.writes)

    return run(work, threads_of(model.n_jobs))
