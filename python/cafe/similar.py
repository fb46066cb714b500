"""Vectors most like a given one: all of them compared, or found on a graph of near ones."""
from typing import Any, Hashable, Optional

import numpy as np

from ._arrays import as_floats, as_numbers, pointer, whole
from ._call import CafeNodeError, Context, Handle, Verbose, run, seed_of, threads_of
from ._library import lib
from ._options import Table, options_of
from ._shown import Rows
from .export import named_rows


class SimilarIndex:
    """An index of vectors, to be asked again and again.

    Parameters
    ----------
    vectors : array of shape (n, columns), or a fitted estimator
    names : sequence, optional
        Of the rows; without it those of the estimator's nodes, else their numbers.
    **options
        measure ('cosine', 'product', 'distance'), approximate ('auto', 'yes', 'no'; True and False
        are yes and no), links, effort: `cafe.most_similar` says what they are.

    Examples
    --------
    >>> import cafe
    >>> karate = cafe.karate()
    >>> index = cafe.SimilarIndex(cafe.SphereGCN(4).fit(karate))
    >>> index, len(index.most_similar(0, 3))
    (SimilarIndex(34 vectors, cosine, exact), 3)
    """

    def __init__(self, vectors: Any, *, names: Any = None, random_state: Any = None,
                 n_jobs: Optional[int] = None, verbose: Verbose = False, **options: Any) -> None:
        options_of(options, "SimilarIndex", "similar")
        self._rows, self.names = named_rows(vectors, names, "vectors")
        self._numbers = {name: i for i, name in enumerate(self.names.tolist())}
        if len(self._numbers) < len(self.names):
            raise ValueError("names: some come twice")
        self.measure = options.get("measure", "cosine")

        def work(context: Context) -> Handle:
            o = Table.named("similar").pointer_to(context, options, "cafe_similar_options")
            return context.make("cafe_similar_create", "cafe_similar", *self._rows.shape,
                                pointer(self._rows), o)

        self._handle = run(work, threads_of(n_jobs), seed_of(random_state), verbose)
        self.exact = bool(lib.cafe_similar_is_exact(self._handle.pointer))

        self._options = dict(options, random_state=seed_of(random_state))

    def __reduce__(self) -> Any:
        return _remade, (self._rows, self.names, self._options)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "approximate"
        return f"SimilarIndex({len(self)} vectors, {self.measure}, {kind})"

    def most_similar(self, node: Hashable, k: int = 10) -> Rows:
        """The k others most like a node, by its name: node and score, best first."""
        u = self._number(node)
        found, score = self._search(self._rows[u:u + 1], np.array([u], np.int32), k, 1)
        return self._listed(found[0], score[0])

    def search(self, vectors: Any, k: int = 10, *, n_jobs: Optional[int] = None) -> Any:
        """For each of some vectors the k rows most like it. Returns names and scores, two arrays
        with a row per vector. Rows with fewer than k entries end with None and NaN."""
        rows = _rows(vectors, "vectors")
        if rows.shape[1] != self._rows.shape[1]:
            raise ValueError(f"vectors: expected {self._rows.shape[1]} columns, found "
                             f"{rows.shape[1]}")
        found, score = self._search(rows, None, k, threads_of(n_jobs))
        there = found >= 0
        if there.all():
            return self.names[found], score
        names = np.full(found.shape, None, object)
        names[there] = self.names[found[there]]
        return names, np.where(there, score, np.nan)

    def _number(self, node: Hashable) -> int:
        try:
            return self._numbers[node.item() if isinstance(node, np.generic) else node]
        except (KeyError, TypeError):
            raise CafeNodeError(node, self.names) from None

    def _search(self, rows: np.ndarray, own: Any, k: int, threads: int) -> Any:
        count = min(whole(k, "k"), max(len(self) - (own is not None), 1))
        node, score = np.empty((len(rows), count), np.int32), np.empty((len(rows), count))
        run(lambda context: context.call(
            "cafe_similar_search", self._handle.pointer, len(rows), pointer(rows), pointer(own),
            count, pointer(node), pointer(score)), threads)
        return node, score

    def _listed(self, found: np.ndarray, score: np.ndarray) -> Rows:
        there = found >= 0
        return Rows({"node": self.names[found[there]], self.measure: score[there]})


def _rows(vectors: Any, what: str) -> np.ndarray:
    rows = as_floats(as_numbers(vectors, what))
    if rows.ndim != 2 or rows.shape[1] < 1:
        raise ValueError(f"{what}: expected a table of numbers, found shape {rows.shape}")
    return rows


def most_similar(embedding: Any, node: Hashable, k: int = 10, **options: Any) -> Rows:
    """The k nodes whose vectors are most like that of a node, best first.

    Parameters
    ----------
    embedding : array or fitted estimator
        Of a fitted estimator nodes have their names.
    node : node
    k : int, default 10
    **options
        measure : {'cosine', 'product', 'distance'}; approximate, links and effort as of
        cafe.SimilarIndex. One question is compared with all vectors unless approximate says
        otherwise: an index takes as long as thousands of them. Keep one for many questions.

    Returns
    -------
    Rows
        node and score.

    Examples
    --------
    >>> import cafe
    >>> model = cafe.SphereGCN(4).fit(cafe.karate())
    >>> len(cafe.most_similar(model, 33, 5))
    5
    """
    return SimilarIndex(embedding, **{"approximate": False, **options}).most_similar(node, k)


def _remade(rows: np.ndarray, names: np.ndarray, options: Any) -> SimilarIndex:
    return SimilarIndex(rows, names=names, **options)
