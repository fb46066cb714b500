"""How sure communities are: searches with other seeds, on random graphs with the same degrees, and at
other resolutions."""
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._arrays import copied
from ._call import Context, Verbose, run, seed_of, threads_of
from ._library import lib
from ._method import Given, Run, searched_as
from ._options import Option
from ._shown import Shown
from .graph import as_graph


@dataclass(frozen=True, repr=False)
class Trials(Shown):
    """What trials tell of communities: those of the best trial.

    In another trial the counterpart of a community is the one that has most of its nodes."""

    labels: np.ndarray  # of the nodes
    modularity: np.ndarray  # of each trial
    best: int  # the trial with the largest one
    stay: np.ndarray  # of each node: share of the trials in which it is in the counterpart
    community_stay: np.ndarray  # its mean over each community
    merged: List[Tuple[int, int, float]]  # neighbours, and the share of trials with one counterpart
    consensus: np.ndarray  # the partition that agrees with the trials on most pairs of nodes
    consensus_modularity: float
    random: np.ndarray  # modularity of as many random graphs with the same degrees
    z: float  # deviations of the first trial above their mean; NaN: they do not differ
    z_error: float
    p: float  # 1 + the random graphs that reach it, over 1 + all of them
    p_error: float

    def _fields(self) -> Dict[str, Any]:
        """What a reader asks first."""
        return {"communities": int(self.labels.max(initial=-1)) + 1, "modularity": self.modularity,
                "nodes that stay": float(self.stay.mean()) if len(self.stay) else 1.0,
                "consensus": f"{int(self.consensus.max(initial=-1)) + 1} communities, modularity "
                             f"{self.consensus_modularity:.4f}",
                "random graphs": self.random, "z": f"{self.z:.2f} ± {self.z_error:.2f}",
                "p": f"{self.p:.3g} ± {self.p_error:.2g}"}


def trials(graph: Any, trials: int = 20, *, random_state: Any = None, n_jobs: Optional[int] = None,
           verbose: Verbose = False, **options: Any) -> Trials:
    """Searches for communities with several seeds, and in random graphs with the same degrees
    (`cafe cluster --trials`).

    Options: those of cafe.LayeredCafe for communities (resolution, effort, ...) and of the sampling.

    >>> import cafe
    >>> found = cafe.trials(cafe.karate())
    >>> found.p < 0.05, float(found.stay.min())
    (True, 1.0)
    """
    g = as_graph(graph, n_jobs)
    given = _given("trials", options, Option("trials", "integer", 0, 2, 10000, (), ""), trials)

    def work(context: Context) -> Trials:
        return _found(Run(context, g, given).step("WRITE"))

    return run(work, threads_of(n_jobs), seed_of(random_state), verbose)


@dataclass(frozen=True, repr=False)
class Profile(Shown):
    """Communities at several resolutions. Similarities are adjusted Rand indices."""

    resolution: np.ndarray
    communities: np.ndarray  # of the best search at each resolution
    modularity: np.ndarray  # of these, at their resolution
    seeds: np.ndarray  # mean similarity of searches with other seeds
    next: np.ndarray  # similarity with the next resolution; NaN for the last
    plateau: np.ndarray  # number of the row of stable resolutions, from 1; 0: in none

    def to_frame(self) -> Any:
        """A pandas table with a row per resolution."""
        import pandas
        return pandas.DataFrame(self._fields())


def resolution_profile(graph: Any, low: float = 0.1, high: float = 10.0, count: int = 20, *,
                       random_state: Any = None, n_jobs: Optional[int] = None, verbose: Verbose = False,
                       **options: Any) -> Profile:
    """Searches for communities at several resolutions in equal ratios, and says which have a stable
    partition (`cafe cluster --profile`).

    Options: those of cafe.LayeredCafe for communities, and of the sampling.

    >>> import cafe
    >>> found = cafe.resolution_profile(cafe.karate(), 0.25, 4)
    >>> found.communities[[0, -1]].tolist(), bool(found.plateau.max() > 0)
    ([1, 12], True)
    """
    g = as_graph(graph, n_jobs)
    text = f"{float(low)!r}:{float(high)!r}:{count}"
    given = _given("resolution_profile", options, Option("profile", "text", None, 0, 0, (), ""), text)

    def work(context: Context) -> Profile:
        results = Run(context, g, given).step("SOLVE").results
        rows = results.profile[:results.profile_count]
        return Profile(*(np.array([getattr(row, name) for row in rows])
                         for name in Profile.__dataclass_fields__))

    return run(work, threads_of(n_jobs), seed_of(random_state), verbose)


def _given(caller: str, options: Dict[str, Any], own: Option, value: Any) -> Given:
    """A search by layers with these options."""
    return searched_as(caller, options).but(**{own.name: own.text(value)})


def _found(made: Run) -> Trials:
    t, nodes, labels = made.results.trials.contents, made.graph.n_nodes, made.partition()
    pairs = copied(t.pairs, 2 * t.pair_count, np.int32).reshape(-1, 2)
    merged = copied(t.merged, t.pair_count, np.float32)
    return Trials.of(
        t, labels=labels, modularity=copied(t.modularity, t.count), random=copied(t.random, t.count),
        stay=copied(t.stay, nodes, np.float32), consensus=copied(t.consensus, nodes, np.int32),
        community_stay=copied(t.community_stay, int(labels.max(initial=-1)) + 1, np.float32),
        merged=[(int(a), int(b), float(share)) for (a, b), share in zip(pairs, merged)])
