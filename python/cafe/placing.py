"""Vectors of new nodes, while all others stay where they are."""
from typing import Any, Optional, Tuple, Union

import numpy as np

from ._arrays import pointer
from ._call import Context, Verbose, run, threads_of
from ._options import Table
from ._sources import Links, links_of_rows
from .explanation import embedding_of
from .graph import Graph, as_graph


def place(graph: Any, embedding: Any, links: Any, *, form: Optional[str] = None,
          degree_exponent: Optional[float] = None, return_bound: bool = False, n_jobs: Optional[int] = None,
          verbose: Verbose = False) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
    """Gives nodes that are not in the graph vectors, from their links alone (`cafe place`).

    Parameters
    ----------
    graph : Graph or graph-like
        That the embedding is of, by edge sampling.
    embedding : array of shape (n_nodes, columns), or a fitted estimator
    links : sparse matrix or array of shape (new, n_nodes), or sequences of nodes
        Row i has the weights of new node i's links to the nodes of the graph; or item i has the
        names of the nodes it is linked to.
    form : {'scaled', 'walk', 'ritz', 'raw'}, optional
        What the columns are; without it the estimator's output_form.
    degree_exponent : float, optional
        That of the sampling the vectors were made with; without it the estimator's, or that of
        `cafe place`.
    return_bound : bool, default False
        Return also how far each row can be from that of a full run (not of raw; inf: not known).

    Returns
    -------
    array of shape (new, columns); with return_bound also one of shape (new,)

    Examples
    --------
    >>> import numpy as np, cafe
    >>> karate = cafe.karate()
    >>> model = cafe.SphereGCN(n_components=2, residual=1e-6).fit(karate)
    >>> new = cafe.place(karate, model, [[0, 1, 2], [32, 33]])
    >>> new.shape, bool(new[0, 0] * model.embedding_[0, 0] > 0)
    ((2, 2), True)
    """
    g = as_graph(graph, n_jobs)
    vectors = embedding_of(embedding, g.n_nodes)
    known = form or getattr(embedding, "output_form", None)
    if known not in ("scaled", "walk", "ritz", "raw"):
        raise ValueError(f"form={known!r}: expected scaled, walk, ritz or raw")
    rows = _rows(links, g)
    options = {"form": known, "degree_exponent": degree_exponent}
    if degree_exponent is None:
        options["degree_exponent"] = getattr(embedding, "degree_exponent", None)
    options = {name: value for name, value in options.items() if value is not None}
    table = Table.named("place")
    placed = np.empty((rows.nodes, vectors.shape[1]), np.float32)
    bound = np.empty(rows.nodes)

    def work(context: Context) -> None:
        o = table.pointer_to(context, options, "cafe_place_options")
        new = context.make("cafe_new_links_from_csr", "cafe_new_links", g.pointer, rows.nodes,
                           pointer(rows.offsets), pointer(rows.target), pointer(rows.weights),
                           keep=[g])
        context.call("cafe_place_nodes", g.pointer, vectors.shape[1], pointer(vectors),
                     new.pointer, o, pointer(placed))
        if return_bound:
            context.call("cafe_place_bound", g.pointer, vectors.shape[1], pointer(vectors),
                         new.pointer, o, pointer(placed), pointer(bound))

    run(work, threads_of(n_jobs), verbose=verbose)
    return (placed, bound) if return_bound else placed


def _rows(links: Any, graph: Graph) -> Links:
    if hasattr(links, "tocsr") or isinstance(links, np.ndarray):
        return links_of_rows(links, graph.n_nodes)
    lists = [[graph.index(node) for node in row] for row in links]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])]).astype(np.int64)
    target = np.array([u for row in lists for u in sorted(row)], dtype=np.int32)
    return Links(len(lists), target, offsets=offsets)
