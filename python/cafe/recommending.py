"""Who should be linked to whom, and how well that finds edges that were hidden."""
import ctypes
from typing import Any, Dict, Hashable, List, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._arrays import copied, pointer, whole
from ._call import Context, Handle, Verbose, of_size, run, seed_of, threads_of
from ._library import lib
from ._options import Table, options_of
from ._shown import Rows
from .explanation import embedding_of
from .graph import Graph, as_graph

COLUMNS = Table.named("decoder").default("n_components")


def _vectors(context: Context, graph: Any, nodes: int, n_components: int,
             options: Dict[str, Any]) -> np.ndarray:
    """Vectors whose inner products are P, as `cafe recommend` makes them."""
    o = Table.named("decoder").pointer_to(context, {"n_components": n_components, **options},
                                          "cafe_decoder_options")
    columns, values = ctypes.c_int64(), ctypes.POINTER(ctypes.c_float)()
    context.call("cafe_decoder_vectors", graph, None, o, columns, values)
    found = copied(values, nodes * columns.value, np.float32).reshape(nodes, columns.value)
    lib.cafe_block_free(context.pointer, values)
    return found


def _inputs(graph: Any, vectors: Optional[np.ndarray]) -> Any:
    given = of_size(_abi.cafe_recommend_inputs)
    given.graph = graph
    if vectors is not None:
        given.vectors, given.columns = pointer(vectors), vectors.shape[1]
    return given


def _options(context: Context, top: int, score: str, linked: bool, sides: bool) -> Any:
    values = {"top": top, "score": score, "linked": linked, "sides": sides}
    return Table.named("recommend").pointer_to(context, values, "cafe_recommend_options")


def _checked(score: str, embedding: Any, options: Dict[str, Any], caller: str) -> None:
    options_of(options, caller, "decoder")
    if embedding is not None and score not in ("product", "auto"):
        raise ValueError(f"embedding= goes with score='product', not {score!r}")


def _chosen(context: Context, graph: Any, score: str, query: np.ndarray, options: Any,
            n_components: int, decoder: Dict[str, Any]) -> str:
    """The score for this graph, if it is 'auto'."""
    if score != "auto":
        return score
    recall, best = np.empty(4), ctypes.c_int32()
    o = Table.named("decoder").pointer_to(context, {"n_components": n_components, **decoder},
                                          "cafe_decoder_options")
    context.call("cafe_recommend_choose", graph, o, options, len(query), pointer(query),
                 pointer(recall), best)
    return ("product", "covariance", "common", "popularity")[best.value]


def _queries(graph: Graph, nodes: Any) -> np.ndarray:
    """Whom to recommend to: a node, several, or None for all."""
    if nodes is None:
        return np.arange(graph.n_nodes, dtype=np.int32)
    one = isinstance(nodes, (str, bytes, tuple)) or not hasattr(nodes, "__iter__")
    return np.array([graph.index(node) for node in ([nodes] if one else nodes)], dtype=np.int32)


def recommend(graph: Any, nodes: Union[Hashable, Sequence, None], top: int = 10, *,
              score: str = "auto", embedding: Any = None, n_components: int = COLUMNS,
              linked: bool = False, sides: bool = True, random_state: Any = None,
              n_jobs: Optional[int] = None, verbose: Verbose = False, **options: Any) -> Rows:
    """For each node the nodes whose score with it is largest (`cafe recommend`).

    Parameters
    ----------
    graph : Graph or graph-like
    nodes : node, sequence of nodes, or None
        Whom to recommend to; None: every node.
    top : int, default 10
        Nodes to recommend to each.
    score : {'auto', 'product', 'covariance', 'common', 'popularity'}
        What is largest: the inner product of vectors, q(u,w), common neighbours, or p_w. 'auto'
        takes the product if there is an embedding, else the one that finds most of a hidden tenth
        of the edges.
    embedding : array or fitted estimator, optional
        Vectors to multiply as they are; without it such vectors are made that their products are P
        (n_components, and `decode`, `residual` among the options).
    linked : bool
        Recommend nodes that are linked already, too.
    sides : bool
        Of a bipartite graph recommend only nodes of the other side.

    Returns
    -------
    Rows
        node, place, recommended, score.

    Examples
    --------
    >>> import cafe
    >>> cafe.recommend(cafe.karate(), 33, 3, score="common")
    node  place  recommended  score
      33      1            2      6
      33      2            0      4
      33      3            1      3
    """
    g = as_graph(graph, n_jobs)
    _checked(score, embedding, options, "recommend")
    query, top = _queries(g, nodes), whole(top, "top")
    given = None if embedding is None else embedding_of(embedding, g)
    node, value = np.empty((len(query), top), np.int32), np.empty((len(query), top))

    def work(context: Context) -> None:
        vectors, best = given, score if given is None else "product"
        best = _chosen(context, g.pointer, best, query,
                       _options(context, top, best, linked, sides), n_components, options)
        if best == "product" and vectors is None:
            vectors = _vectors(context, g.pointer, g.n_nodes, n_components, options)
        context.call("cafe_recommend", _inputs(g.pointer, vectors),
                     _options(context, top, best, linked, sides), len(query), pointer(query),
                     pointer(node), pointer(value))

    run(work, threads_of(n_jobs), seed_of(random_state), verbose)
    there = node >= 0
    asked, place = np.nonzero(there)
    return Rows({"node": g.nodes[query[asked]], "place": place + 1,
                 "recommended": g.nodes[node[there]], "score": value[there]})


class Split:
    """A graph with some of its edges hidden: `training` keeps the nodes and a spanning forest,
    `source` and `target` are the ends of the hidden edges."""

    def __init__(self, training: Graph, source: np.ndarray, target: np.ndarray) -> None:
        self.training, self.source, self.target = training, source, target

    def __repr__(self) -> str:
        return f"Split({self.training!r}, {len(self.source)} edges hidden)"


def _hide(context: Context, graph: Graph, share: float) -> Any:
    if not 0 < share < 1:
        raise ValueError(f"share={share!r}: expected a number above 0 and below 1")
    split = _abi.cafe_split()
    context.call("cafe_split_make", graph.pointer, share, split)
    return split


def hide_links(graph: Any, share: float = 0.1, *, random_state: Any = None) -> Split:
    """Hides a share of the edges, drawn by the seed, without cutting a component: for tests of link
    prediction of your own.

    >>> import cafe
    >>> cafe.hide_links(cafe.karate(), 0.2)
    Split(Graph(34 nodes, 62 edges), 16 edges hidden)
    """
    g = as_graph(graph)

    def work(context: Context) -> Split:
        split = _hide(context, g, share)
        try:
            source, target = (copied(ends, split.hidden, np.int32)
                              for ends in (split.source, split.target))
            borrowed = Graph._of(Handle(split.training, lambda at: None), g.names)
            made, arrays = borrowed.__reduce__()
        finally:
            lib.cafe_split_free(context.pointer, split)
        return Split(made(*arrays), g.nodes[source], g.nodes[target])

    return run(work, 1, seed_of(random_state))


def evaluate_recommendation(graph: Any, share: float = 0.1, top: int = 10, *,
                            score: str = "auto", nodes: Optional[Sequence] = None,
                            n_components: int = COLUMNS, sides: bool = True,
                            random_state: Any = None, n_jobs: Optional[int] = None,
                            verbose: Verbose = False, **options: Any) -> Rows:
    """Hides a share of the edges, and tells how well the score finds them, beside popularity and
    common neighbours (`cafe recommend` with an evaluation).

    Returns
    -------
    Rows
        score, recall, hit, mrr, auc, nodes (those with a hidden edge).

    Examples
    --------
    >>> import cafe
    >>> found = cafe.evaluate_recommendation(cafe.karate(), 0.2, score="product")
    >>> found["score"], bool(min(found["auc"]) > 0.5)
    (['product', 'popularity', 'common'], True)
    """
    g = as_graph(graph, n_jobs)
    _checked(score, None, options, "evaluate_recommendation")
    query = _asked(g, nodes, sides)
    compared: List[str] = []

    def work(context: Context) -> List[Any]:
        split = _hide(context, g, share)
        try:
            if split.hidden == 0:
                raise ValueError("no edge can be hidden: without it the graph would fall apart, or "
                                 "the share is less than an edge")
            best = _chosen(context, split.training, score, query,
                           _options(context, top, score, False, sides), n_components, options)
            compared[:] = [best, *(s for s in ("popularity", "common") if s != best)]
            vectors = _vectors(context, split.training, g.n_nodes, n_components, options) \
                if best == "product" else None
            return [context.figures(
                "cafe_recommend_quality", "cafe_quality",
                _inputs(split.training, vectors if s == "product" else None),
                _options(context, top, s, False, sides), split, len(query), pointer(query))
                for s in compared]
        finally:
            lib.cafe_split_free(context.pointer, split)

    found = run(work, threads_of(n_jobs), seed_of(random_state), verbose)
    return Rows({"score": compared, **{name: [getattr(q, name) for q in found]
                                       for name in ("recall", "hit", "mrr", "auc", "nodes")}},
                f"first {top} of each node, {share:g} of the edges hidden")


def _asked(graph: Graph, nodes: Optional[Sequence], sides: bool) -> np.ndarray:
    """The nodes given; else of a bipartite graph the first side, of others all."""
    if nodes is not None or not sides:
        return _queries(graph, nodes)
    side, bipartite = np.empty(graph.n_nodes, np.int8), ctypes.c_int32()
    run(lambda context: context.call("cafe_graph_sides", graph.pointer,
                                     side.ctypes.data_as(ctypes.POINTER(ctypes.c_int8)), bipartite),
        1)
    return np.flatnonzero(side == 0).astype(np.int32) if bipartite.value else _queries(graph, None)
