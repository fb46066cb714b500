"""What a run will take, before it runs."""
import ctypes
import numbers
from dataclasses import dataclass, replace
from typing import Any, Optional, Tuple, Union

from ._call import Context, run, threads_of
from ._library import lib
from ._method import Run
from ._shown import Shown
from .graph import as_graph


@dataclass(frozen=True, repr=False)
class Forecast(Shown):
    """Bytes that a run takes (`cafe embed` with a dry run)."""

    needed: int  # of memory, at the peak, without a limit
    available: int  # the limit, or what the machine has free for graph and run
    fits: bool  # within the limit, or else what is available
    limit: Optional[int]  # as given; None: there is none
    least: int  # the least limit that the run keeps to, with vectors in files
    files: int  # in files at the peak, within the limit
    reads: int  # from and to files in the whole run, about
    writes: int

    def _fields(self) -> Any:
        """With units, for people; the attributes are bytes."""
        return {name: value if isinstance(value, bool) or value is None else units(value)
                for name, value in super()._fields().items()}


@dataclass(frozen=True, repr=False)
class RanksForecast(Shown):
    """What a run on several processes takes (`cafe embed` with a dry run and ranks).

    Figures of a rank are those of the one that has most; seconds are None where a rate that they
    need was not given. docs/algorithms/ranks.md has the model.
    """

    ranks: int
    threads: int  # of each
    counted: bool  # the edges between ranks, in the graph; else they are expected
    sweeps: int  # at most
    nodes: int
    links: int  # from both ends
    columns: int
    piece: int  # rows that stay together
    cut: float  # share of the edges that lie between ranks
    inner: float  # share of the rows that have no such edge
    ghost_rows: int  # copies of rows of other ranks, in all
    bytes_per_sweep: int  # sent by all ranks
    chunks: int  # of a sweep, after each of which the ranks add up sums
    rank_rows: int
    rank_links: int
    rank_ghosts: int
    rank_sends: int  # bytes a sweep
    memory: int  # bytes of a rank, and what they are for:
    whole_bytes: int  # arrays of all nodes
    link_bytes: int
    block_bytes: int  # own rows
    ghost_bytes: int
    work_bytes: int
    mapped_bytes: int  # pages of the graph's file, which the ranks of a machine share
    network: Optional[float]  # bytes a second, as understood
    memory_bandwidth: Optional[float]
    work_seconds: Optional[float]  # of a sweep: rows from memory, ghosts, waiting, all
    ghost_seconds: Optional[float]
    wait_seconds: Optional[float]
    sweep_seconds: Optional[float]
    run_seconds: Optional[float]

    @classmethod
    def _of(cls, plan: Any) -> "RanksForecast":
        told = plan.ranks == 1 and plan.run_seconds
        rates = {name: getattr(plan, name) for name, kind in plan._fields_ if kind is ctypes.c_double}
        unknown = {name: None for name, value in rates.items()
                   if name not in ("cut", "inner", "latency") and not value > 0 and not told}
        return cls.of(plan, counted=bool(plan.counted), **unknown)


def units(count: int) -> str:
    """12345678 -> '11.8 MiB'"""
    return lib.cafe_bytes_text(count, ctypes.create_string_buffer(64)).decode()


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
    _check_model(model)
    g = as_graph(graph)

    def work(context: Context) -> Forecast:
        found = Run(context, g, replace(_to_come(model), memory_limit=memory_limit)).plan()
        return Forecast(found.needed, found.available, bool(found.fits), memory_limit,
                        found.plan.least, found.plan.files, found.plan.reads, found.plan.writes)

    return run(work, threads_of(model.n_jobs))


def _to_come(model: Any) -> Any:
    """Attributes, which only fit() gets, are not missing from a forecast."""
    return model._given(attributes_to_come=model.sampling == "twisted") \
        if hasattr(model, "sampling") else model._given()


def _check_model(model: Any) -> None:
    if not hasattr(model, "_method") or model._communities:
        raise TypeError("model: expected an estimator that makes vectors of graphs, found "
                        f"{type(model).__name__}")


def _rate(rate: Union[None, str, float]) -> Optional[str]:
    """A number is in bytes."""
    return rate if isinstance(rate, str) or rate is None else f"{float(rate):.17g}B"


def forecast_ranks(model: Any, graph: Any, ranks: int, *, network: Union[None, str, float] = None,
                   memory_bandwidth: Union[None, str, float] = None, latency: float = 20,
                   cut: Optional[float] = None) -> RanksForecast:
    """What model.fit(graph) will take on several processes: memory, bytes sent, time.

    Parameters
    ----------
    model : estimator
        SphereGCN or CafeGCN; its n_jobs are the threads of each process.
    graph : Graph, graph-like, or (nodes, edges)
        Two numbers stand for a graph that is not there yet.
    ranks : int
        Processes.
    network, memory_bandwidth : str or float, optional
        Of one process, a second: "25Gbit", "100GB", or bytes as a number. "25G" are bits of a
        network and bytes of memory.
    latency : float
        Microseconds that a message takes.
    cut : float, optional
        Share of the edges that lie between processes, instead of counting them.

    Examples
    --------
    >>> import cafe
    >>> plan = cafe.forecast_ranks(cafe.SphereGCN(64), cafe.karate(), 2, network="25Gbit")
    >>> plan.counted, plan.ghost_rows, plan.run_seconds is None
    (True, 0, True)
    >>> big = cafe.forecast_ranks(cafe.SphereGCN(128), (10**10, 10**12), 1024, cut=0.05)
    >>> big.bytes_per_sweep > 10**13
    True
    """
    _check_model(model)
    size = _size_of(graph)

    def work(context: Context) -> RanksForecast:
        given = _to_come(model).but(ranks=ranks, latency=latency, cut=cut, network=_rate(network),
                                    memory_bandwidth=_rate(memory_bandwidth))
        return RanksForecast._of(Run(context, size or as_graph(graph), given).plan().ranks)

    return run(work, threads_of(model.n_jobs))


def _size_of(graph: Any) -> Optional[Tuple[int, int]]:
    """Of (nodes, edges); None: it is a graph."""
    if not (isinstance(graph, tuple) and len(graph) == 2
            and all(isinstance(size, numbers.Integral) for size in graph)):
        return None
    if not all(0 <= size <= 2**53 for size in graph):
        raise ValueError(f"graph={graph!r}: expected (nodes, edges), each up to 2**53")
    return int(graph[0]), int(graph[1])
