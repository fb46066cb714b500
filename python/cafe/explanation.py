"""Why an embedding looks as it does: cards of its dimensions, of nodes and of communities."""
import ctypes
import html
import threading
from dataclasses import asdict, dataclass, replace
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi
from ._arrays import block, copied, pointer
from ._asked import same_graph
from ._call import Context, Verbose, of_size, run, seed_of, threads_of
from ._fitted import made_with, result_of
from ._labels import encode_labels, rows_by_name
from ._library import lib
from ._method import Given, Run, method_of, sampled_as
from ._options import Table, options_of
from ._shown import Shown, html_table, json_ready, listed
from .graph import Graph, as_graph

CHEAP_NODES, CHEAP_EDGES = 3000, 30000  # up to here spectrum and bound come unasked
Listed = List[Tuple[Any, float]]


@dataclass(frozen=True, repr=False)
class DimensionCard(Shown):
    """What a column stands for."""

    column: int
    contribution: float  # v^T Q v; these sum to the modularity of the embedding
    share: float
    value: float  # Rayleigh quotient
    residual: float
    mean: float
    deviation: float
    high: Listed  # nodes by entry, largest first
    low: Listed
    high_communities: Listed  # communities by correlation
    low_communities: Listed
    label: Optional[Tuple[Any, float, float]] = None  # class, correlation, ratio of variance

    def _fields(self) -> Dict[str, Any]:
        return {**super()._fields(), "high": _listing(self.high), "low": _listing(self.low),
                "high_communities": _listing(self.high_communities),
                "low_communities": _listing(self.low_communities),
                "label": None if self.label is None else
                f"{self.label[0]} (correlation {self.label[1]:.3f})"}


@dataclass(frozen=True)
class Force:
    """How another node acts on a node: a pull when positive, a push when negative."""

    node: Any
    linked: bool
    covariance: float
    product: float
    value: float


@dataclass(frozen=True, repr=False)
class NodeCard(Shown):
    """What holds a node where it is."""

    node: Any
    mass: float
    linked: int
    length: float
    coordinates: List[Dict[str, float]]
    total: float
    own: float
    linked_pull: float
    linked_push: float
    other_pull: float
    other_push: float
    pulls: List[Force]
    pushes: List[Force]
    community: int
    attachment: float
    second: int
    second_attachment: float
    margin: float
    centrality: float
    rank: int
    members: int
    _words: str = ""

    def text(self) -> str:
        """The card in about ten plain sentences, as `cafe explain --node` prints them."""
        return self._words

    def _fields(self) -> Dict[str, Any]:
        columns = sorted(self.coordinates, key=lambda c: -abs(c["deviations"]))
        return {**super()._fields(), "coordinates": _listing([
            (f"{c['column']}: {c['value']:.3g}", c["value"]) for c in columns[:3]]),
            "pulls": ", ".join(str(f.node) for f in self.pulls),
            "pushes": ", ".join(str(f.node) for f in self.pushes)}


@dataclass(frozen=True, repr=False)
class CommunityCard(Shown):
    """How strong a community is, who is central in it, and which others are near."""

    community: int
    nodes: int
    mass: float
    inside: float
    strength: float
    conductance: float
    central: Listed
    nearest: Listed

    def _fields(self) -> Dict[str, Any]:
        return {**super()._fields(), "central": _listing(self.central),
                "nearest": _listing(self.nearest)}


@dataclass(frozen=True, repr=False)
class LayerCard(Shown):
    """What a layer of the operator adds: kinds of edges, 'positive', 'negative', 'features'. Over the
    layers the numbers sum to those of the cards."""

    name: str
    weight: float
    contribution: float  # to the modularity of the embedding
    part_modularity: float  # to that of the partition
    columns: np.ndarray  # to the contribution of each column
    nodes: np.ndarray  # to the total of each node
    communities: np.ndarray  # to the strength of each community

    def _fields(self) -> Dict[str, Any]:
        return {n: v for n, v in super()._fields().items() if not isinstance(v, np.ndarray)}


@dataclass(frozen=True, repr=False)
class Spectrum(Shown):
    """The largest eigenvalues, also beyond the columns, and how much the columns hold."""

    values: np.ndarray
    residuals: np.ndarray
    held: float
    positive: float
    standard_error: float
    exact: bool
    elbow: int
    gap: float


@dataclass(frozen=True, repr=False)
class Ceiling(Shown):
    """Upper bounds on the modularity of any partition; `bound` is the smallest."""

    pairs: float
    spectral: float
    dual: float
    witness: float
    inequalities: float
    proved: bool
    exact: bool
    bound: float


class Explanation:
    """Cards of an embedding; in a notebook, a page of tables. See explain().

    sampling, degree_exponent : which Q = P - p p^T all figures are of."""

    def __init__(self, how: "How", model: Run, handle: Any, labels: Any, top: int) -> None:
        self._how, self._model, self._handle = how, model, handle
        self._graph = how.graph
        info = lib.cafe_sampled_get_info(model.sampled).contents
        self.sampling: str = lib.cafe_sampling_name(info.sampling).decode()
        self.degree_exponent: float = info.degree_exponent
        report = lib.cafe_explanation_get(handle.pointer).contents
        self.modularity: float = report.modularity
        self.generalised = bool(report.generalised)
        self.ritz_values = copied(report.values, report.pairs)
        self.residuals = copied(report.residuals, report.pairs)
        self.partition = copied(report.part, report.nodes, np.int32) if report.part else None
        self.partition_modularity: float = report.part_modularity
        self.dimensions = [self._dimension(j, labels) for j in range(report.columns)]
        self.communities = [self._community(c) for c in range(report.communities)]
        self.layers = self._layers()
        self.spectrum: Optional[Spectrum] = None
        self.ceiling: Optional[Ceiling] = None
        self.top = top
        self._lock = threading.Lock()  # a card's lists live until the next card

    def _name(self, u: int) -> Any:
        name = self._graph.nodes[u]
        return name.item() if isinstance(name, np.generic) else name

    def _nodes(self, at: Any, count: int) -> Listed:
        return [(self._name(at[i].index), at[i].value) for i in range(count)]

    def _dimension(self, j: int, labels: Any) -> DimensionCard:
        c = _abi.cafe_dimension_card()
        lib.cafe_explain_dimension_sized(self._handle.pointer, j, c, ctypes.sizeof(c))
        return DimensionCard.of(
            c, column=j, high=self._nodes(c.high, c.ends), low=self._nodes(c.low, c.ends),
            high_communities=_listed(c.high_communities, c.high_count),
            low_communities=_listed(c.low_communities, c.low_count), label=labels[j] if labels else None)

    def _community(self, number: int) -> CommunityCard:
        c = self._model.context.figures("cafe_explain_community", "cafe_community_card",
                                        self._handle.pointer, number)
        return CommunityCard.of(c, central=self._nodes(c.central, c.central_count),
                                nearest=_listed(c.nearest, c.nearest_count))

    def _layers(self) -> List[LayerCard]:
        count, cards = ctypes.c_int64(), ctypes.POINTER(_abi.cafe_layer_card)()
        self._model.context.call("cafe_explain_layers", self._handle.pointer, self._model.model,
                                 ctypes.byref(count), ctypes.byref(cards))
        return [LayerCard.of(c, name=c.name.decode(), columns=copied(c.columns, len(self.dimensions)),
                             nodes=copied(c.nodes, self._graph.n_nodes),
                             communities=copied(c.communities, len(self.communities)))
                for c in cards[:count.value]]

    def node(self, name: Hashable) -> NodeCard:
        """The card of a node, by its name."""
        u = self._graph.index(name)
        with self._lock:
            if self._handle is None:
                self._model, self._handle, _ = run(self._how.open, threads=1)
            return run(lambda context: self._node(context, name, u), threads=1)

    def __getstate__(self) -> Dict[str, Any]:
        """All but what the library holds, which is made again when a node is asked for."""
        part = self.partition if self.partition is not None else self._how.part
        kept = {name: value for name, value in vars(self).items()
                if name not in ("_model", "_handle", "_lock")}
        return {**kept, "_how": replace(self._how, part=part)}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        vars(self).update(state, _model=None, _handle=None, _lock=threading.Lock())

    def _node(self, context: Context, name: Hashable, u: int) -> NodeCard:
        c = context.figures("cafe_explain_node", "cafe_node_card", self._handle.pointer, u)
        coordinates = [{"column": x.column, "value": x.value, "deviations": x.deviations,
                        "percentile": x.percentile}
                       for x in (c.coordinates[i] for i in range(c.coordinate_count))]
        card = NodeCard.of(c, node=name, coordinates=coordinates, _words="",
                           pulls=self._forces(c.pulls, c.pull_count),
                           pushes=self._forces(c.pushes, c.push_count))
        given = of_size(_abi.cafe_explanation_inputs)
        named = self._graph._to_write(context)
        given.graph = named.pointer
        words = ctypes.c_char_p()
        context.call("cafe_explain_words", self._handle.pointer, given, u, words)
        return replace(card, _words=(words.value or b"").decode())

    def _forces(self, at: Any, count: int) -> List[Force]:
        return [Force(self._name(at[i].node), bool(at[i].linked), at[i].covariance, at[i].product,
                      at[i].value) for i in range(count)]

    # ---- as text

    def to_frame(self, what: str = "dimensions") -> Any:
        """Cards as a pandas table, a row per card: 'dimensions' or 'communities'."""
        import pandas
        if what not in ("dimensions", "communities"):
            raise ValueError(f"what={what!r}: expected 'dimensions' or 'communities'")
        return pandas.DataFrame([asdict(card) for card in getattr(self, what)])

    def to_dict(self) -> Dict[str, Any]:
        """Everything but node cards, as plain Python: for JSON."""
        names = ("sampling", "degree_exponent", "modularity", "generalised", "ritz_values", "residuals",
                 "partition_modularity", "layers", "dimensions", "communities", "spectrum", "ceiling")
        return {name: json_ready(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        bound = f", no partition above {self.ceiling.bound:.4f}" if self.ceiling else ""
        return (f"Explanation({len(self.dimensions)} dimensions, {len(self.communities)} "
                f"communities of modularity {self.partition_modularity:.4f}{bound}; Q of sampling "
                f"{self.sampling}, degree exponent {self.degree_exponent:g})")

    def _repr_html_(self) -> str:
        return _html(self)


def _listed(at: Any, count: int) -> Listed:
    return [(at[i].index, at[i].value) for i in range(count)]


# ---- HTML --------------------------------------------------------------------------------------

def _listing(items: Listed) -> str:
    return listed([str(name) for name, _ in items], 10)


def _html(e: Explanation) -> str:
    dimensions = [(d.column, d.share, d.value, d.residual, _listing(d.high), _listing(d.low))
                  for d in e.dimensions]
    communities = [(c.community, c.nodes, c.strength, c.conductance, _listing(c.central),
                    _listing(c.nearest)) for c in e.communities]
    return ("<div>" + f"<p>{html.escape(repr(e))}</p>" + html_table(
        ("column", "share", "Ritz value", "residual", "high end", "low end"), dimensions,
        "Dimensions") + html_table(
            ("community", "nodes", "q(S,S)", "conductance", "central", "nearest"), communities,
            "Communities") + "</div>")


# ---- the call ----------------------------------------------------------------------------------

@dataclass(frozen=True)
class How:
    """What an explanation is made from, so that it can be made again."""

    graph: Graph
    vectors: np.ndarray
    part: Optional[np.ndarray]
    given: Given
    options: Dict[str, Any]

    def open(self, context: Context) -> Tuple[Run, Any, int]:
        """The model, the library's explanation, and how many stand in its lists."""
        model = Run(context, self.graph, self.given).step("SAMPLE")
        o = Table.named("explain").pointer_to(context, self.options, "cafe_explain_options")
        handle = context.make("cafe_explain", "cafe_explanation", model.operator,
                              self.vectors.shape[1], pointer(self.vectors), pointer(self.part), o,
                              keep=[model.made])
        return model, handle, o.contents.top


def _spectrum(context: Context, handle: Any, options: Dict[str, Any]) -> Spectrum:
    o = Table.named("spectrum").pointer_to(context, options, "cafe_spectrum_options")
    made = context.make("cafe_spectrum_find", "cafe_spectrum", handle.pointer, o)
    r = lib.cafe_spectrum_get(made.pointer).contents
    return Spectrum.of(r, values=copied(r.values, r.count), residuals=copied(r.residuals, r.count),
                       exact=bool(r.exact))


def _ceiling(context: Context, model: Run, part: Any, options: Dict[str, Any]) -> Ceiling:
    o = Table.named("ceiling").pointer_to(context, options, "cafe_ceiling_options")
    c = context.figures("cafe_ceiling_find", "cafe_ceiling", model.operator,
                        pointer(part), o)
    return Ceiling.of(c, exact=bool(c.exact), proved=bool(c.proved))


def _label_cards(context: Context, handle: Any, columns: int, label: np.ndarray, classes: np.ndarray) -> List[Any]:
    """Of each column: the class whose indicator correlates most with it, that correlation, and the
    share of the column's variance that all classes explain."""
    labels = context.make("cafe_labels_from_arrays", "cafe_labels", len(label), None, pointer(label),
                          len(classes), None)
    best = (_abi.cafe_association * columns)()
    context.call("cafe_explain_labels", handle.pointer, labels.pointer, best)
    return [(classes[b.index].item() if b.index >= 0 else None, b.correlation, b.ratio) for b in best]


def embedding_of(embedding: Any, graph: Graph) -> np.ndarray:
    """Vectors of a graph's nodes: an array, a pandas table by the names in its index, or those of an
    estimator that was fitted to the graph."""
    vectors = result_of(embedding, "embedding_")
    if vectors is not embedding and hasattr(embedding, "graph_") and \
            not same_graph(graph, embedding.graph_):
        raise ValueError(f"{type(embedding).__name__} was fitted to another graph: give its embedding_ "
                         "to use it with this one")
    return block(rows_by_name(vectors, graph, "embedding"), graph.n_nodes, "embedding")


def communities_of(given: Any, graph: Graph) -> Optional[np.ndarray]:
    """A partition from an array, a mapping or a fitted estimator."""
    part = result_of(given, "labels_")
    return None if part is None else encode_labels(part, graph, "communities")[0]


def given_to(embedding: Any, sampling: Optional[str], options: Mapping[str, Any], seeds: Any,
             attributes: Any) -> Given:
    """The sampling that an embedding was made with: an estimator knows it, unless told otherwise."""
    made = getattr(embedding, "_made", None)
    if made is None or sampling is not None:
        return sampled_as({"sampling": sampling, **options}, seeds=seeds, attributes=attributes)
    given = sampled_as(options, seeds=made.seeds if seeds is None else seeds,
                       attributes=made.attributes if attributes is None else attributes)
    names = ["sampling", *(o.name for o in Table.named("sample").options)]
    used = {name: made.options[name] for name in names if name in made.options}
    exponent = made_with(embedding).get("degree-exponent", 0.0)
    return replace(given, options={"degree-exponent": repr(exponent), **used, **given.options})


def _with_features(given: Given, embedding: Any, features: Any, options: Mapping[str, Any]) -> Given:
    """The same with features: softmax takes them."""
    made = getattr(embedding, "_made", None)
    features = made.features if features is None and made is not None else features
    if features is None:
        return given
    weight = {} if made is None else {n: v for n, v in made.options.items() if n == "feature-weight"}
    own = {n.replace("_", "-"): str(v) for n, v in options.items()}
    return replace(given, method=method_of("softmax"), features=features,
                   options={**given.options, **weight, **own})


def explain(graph: Any, embedding: Any = None, *, communities: Any = None, labels: Any = None,
            spectrum: Union[bool, str] = "auto", bound: Union[bool, str] = "auto",
            sampling: Optional[str] = None, seeds: Optional[Sequence] = None, attributes: Any = None,
            features: Any = None, random_state: Any = None, n_jobs: Optional[int] = None, verbose: Verbose = False,
            **options: Any) -> Explanation:
    """Says in numbers from Q alone why an embedding looks as it does.

    Parameters
    ----------
    graph : Graph or graph-like, or a fitted estimator
        An estimator knows the graph it was fitted to: explain(model).
    embedding : array of shape (n_nodes, columns), or a fitted estimator
    communities : array, mapping or fitted estimator, optional
        Of the nodes; without it those of cafe.LayeredCafe.
    labels : array or mapping, optional
        The class that goes most with each column is named.
    spectrum, bound : bool or 'auto'
        Eigenvalues beyond the columns, and an upper bound on the modularity of any partition;
        'auto' for graphs of up to 3,000 nodes and 30,000 edges.
    sampling, seeds, attributes
        As the embedding was made with. The default is the estimator's sampling with its options
        (the degree exponent among them). For arrays it is edges with degree exponent 0, the usual
        modularity.
    features : array, scipy.sparse matrix or DataFrame, optional
        Of the nodes, as the embedding was made with; an estimator knows them.
    **options
        top, and those of `cafe explain --help` and of the sampling: next, probes, bound_sweeps,
        window, ...

    Returns
    -------
    Explanation
        dimensions, communities, layers, spectrum, ceiling; node(name) for the card of a node.

    Examples
    --------
    >>> import cafe
    >>> karate = cafe.karate()
    >>> model = cafe.SphereGCN(n_components=4).fit(karate)
    >>> why = cafe.explain(karate, model)
    >>> why.dimensions[0].high[0][0] in range(34)
    True
    >>> why.node(33).rank, why.node(33).members
    (1, 11)
    """
    if embedding is None:
        embedding, graph = graph, getattr(graph, "graph_", graph)
    g = as_graph(graph, n_jobs)
    names = ("explain", "spectrum", "ceiling", "sample", "feature")
    chosen = dict(zip(names, options_of(options, "explain", *names)))
    vectors = embedding_of(embedding, g)
    part = communities_of(communities, g)
    label = None if labels is None else encode_labels(labels, g, "labels")
    cheap = g.n_nodes <= CHEAP_NODES and g.n_edges <= CHEAP_EDGES

    def work(context: Context) -> Explanation:
        given = _with_features(given_to(embedding, sampling, chosen["sample"], seeds, attributes), embedding,
                               features, chosen["feature"])
        how = How(g, vectors, part, given, chosen["explain"])
        model, handle, top = how.open(context)
        cards = None if label is None else _label_cards(context, handle, vectors.shape[1], *label)
        found = Explanation(how, model, handle, cards, top)
        if spectrum is True or (spectrum == "auto" and cheap):
            found.spectrum = _spectrum(context, handle, chosen["spectrum"])
        if bound is True or (bound == "auto" and cheap and len(found.layers) < 2):
            found.ceiling = _ceiling(context, model, found.partition, chosen["ceiling"])
        return found

    return run(work, threads_of(n_jobs), seed_of(random_state), verbose)
