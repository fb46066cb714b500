"""Vectors of new nodes, while all others stay where they are."""
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple, Union

import numpy as np

from ._arrays import pointer
from ._asked import links_to, mean_of_neighbours
from ._call import Context, Verbose, run, threads_of
from ._fitted import made_with
from ._options import Table
from ._sources import Links, links_of_rows
from .explanation import embedding_of
from .graph import Graph, as_graph

FORMS = ("scaled", "walk", "ritz", "raw")
Placed = Tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Rule:
    """How a row follows from its edges: see include/cafe/update.h."""

    form: str
    degree_exponent: Optional[float] = None
    centred: bool = False  # the rule of the scaled form for columns that need not have the mean 0


def place(graph: Any, embedding: Any, links: Any, *, form: Optional[str] = None,
          degree_exponent: Optional[float] = None, return_bound: bool = False,
          n_jobs: Optional[int] = None, verbose: Verbose = False) -> Union[np.ndarray, Placed]:
    """Gives nodes that are not in the graph vectors, from their edges alone (`cafe place`).

    Parameters
    ----------
    graph : Graph or graph-like
        That the embedding is of.
    embedding : array of shape (n_nodes, columns), or a fitted estimator
        An estimator knows its graph, form and sampling. Vectors of other samplings or of published
        methods have no formula for new nodes. These nodes then follow from the mean of their
        neighbours, by the linear map that fits the existing nodes best.
    links : sparse matrix or array of shape (new, n_nodes), or sequences of nodes
        Row i has the weights of new node i's links to the nodes of the graph; or item i has the
        names of the nodes it is linked to. A mapping from new names to such counts in its order.
    form : {'scaled', 'walk', 'ritz', 'raw'}, optional
        What the columns are: needed for arrays.
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
    vectors, rule = embedding_of(embedding, g), _made_by(embedding)
    if form or rule is None:
        if form not in FORMS:
            raise ValueError(f"form={form!r}: expected {', '.join(FORMS[:-1])} or {FORMS[-1]}")
        rule = Rule(form, rule.degree_exponent if rule else None)
    if degree_exponent is not None:
        rule = Rule(rule.form, degree_exponent, rule.centred)
    placed, bound = _place(g, vectors, _rows(links, g), rule, return_bound, n_jobs, verbose)
    return (placed, bound) if return_bound else placed


def placed_by(model: Any, links: Links) -> np.ndarray:
    """Rows of new nodes for a fitted estimator, as it was made."""
    rule = _made_by(model)
    assert rule is not None
    if rule.centred and hasattr(model, "memberships_"):  # rows that sum to 1 stay such
        return mean_of_neighbours(model.embedding_, links)
    return _place(model.graph_, model.embedding_, links, rule, False, model.n_jobs, False)[0]


def _made_by(model: Any) -> Optional[Rule]:
    """The rule for vectors of an estimator; None for arrays."""
    made = made_with(model)
    if not made:
        return None
    form, exponent = made.get("output-form"), made.get("degree-exponent", 0.0)
    known = made.get("sampling", "edge") == "edge" and not made.get("propagate")
    if form == "raw":
        lengths = np.linalg.norm(model.embedding_, axis=1)
        known = known and bool(np.abs(lengths - 1).max() < 1e-3)
    if known and form in FORMS:
        return Rule(form, exponent)
    return Rule("scaled", exponent, centred=True)


def _place(graph: Graph, vectors: np.ndarray, links: Links, rule: Rule, bounded: bool,
           n_jobs: Optional[int], verbose: Verbose) -> Placed:
    centre = vectors.mean(axis=0, dtype=np.float64) if rule.centred else np.zeros(1)
    rows = np.ascontiguousarray(vectors - centre, np.float32) if rule.centred else vectors
    asked = {"form": rule.form, "degree_exponent": rule.degree_exponent}
    options = {name: value for name, value in asked.items() if value is not None}
    placed = np.empty((links.nodes, rows.shape[1]), np.float32)
    bound = np.full(links.nodes, np.inf)

    def work(context: Context) -> None:
        o = Table.named("place").pointer_to(context, options, "cafe_place_options")
        new = context.make("cafe_new_links_from_csr", "cafe_new_links", graph.pointer, links.nodes,
                           pointer(links.offsets), pointer(links.target), pointer(links.weights),
                           keep=[graph])
        given = (graph.pointer, rows.shape[1], pointer(rows), new.pointer, o, pointer(placed))
        context.call("cafe_place_nodes", *given)
        if bounded and not rule.centred:
            context.call("cafe_place_bound", *given, pointer(bound))

    run(work, threads_of(n_jobs), verbose=verbose)
    return (placed + centre.astype(np.float32) if rule.centred else placed), bound


def _rows(links: Any, graph: Graph) -> Links:
    if hasattr(links, "tocsr") or isinstance(links, np.ndarray):
        return links_of_rows(links, graph.n_nodes)
    return links_to(links.values() if isinstance(links, Mapping) else links, graph)
