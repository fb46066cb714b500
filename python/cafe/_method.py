"""Methods of the library's registry, and its runs: what one is given and leaves behind.

Everything that takes a context runs inside a call (see _call.run) and returns handles or arrays.
"""
import ctypes
import json
import operator
import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np

from . import _abi
from ._arrays import as_array, block, copied, pointer, whole
from ._call import Context, c_path, c_shown, c_text, c_texts, of_size
from ._labels import decode_labels, known_communities, rows_by_name
from ._library import lib
from ._options import Option, Table, check_keywords
from ._shown import Shown

FORMS = [n.rpartition("_")[2].lower() for n in _abi.ENUMS["cafe_form"]]


# ---- the registry ------------------------------------------------------------------------------

class Method:
    """A row of the registry."""

    def __init__(self, row: Any) -> None:
        self.row, found = row, row.contents
        self.name, self.title, self.summary = (
            getattr(found, field).decode() for field in ("name", "title", "summary"))
        self.form = FORMS[found.form]
        self.degree_exponent = found.degree_exponent
        self.vectors = Table(found.vectors()) if found.vectors else None
        self.communities = Table(found.communities()) if found.communities else None

    @property
    def class_name(self) -> str:
        """'Label propagation' -> LabelPropagation"""
        return "".join(w[0].upper() + w[1:] for w in re.findall(r"\w+", self.title))

    def __reduce__(self) -> Any:
        return method_of, (self.name,)

    def takes(self, what: str) -> bool:
        members = _abi.ENUMS["cafe_takes"]
        return bool(self.row.contents.takes & members.get(f"CAFE_{what}", 0))


def methods() -> List[Method]:
    count = ctypes.c_size_t()
    rows = lib.cafe_lab_methods(count)
    return [Method(rows[i]) for i in range(count.value)]


def method_of(name: str) -> Method:
    return next(method for method in methods() if method.name == name)


def samplings() -> Dict[str, str]:
    """The summaries of all of them, by their names."""
    found: Dict[str, str] = {}
    while lib.cafe_sampler_at(len(found)):
        row = lib.cafe_sampler_at(len(found)).contents
        found[row.name.decode()] = row.summary.decode()
    return found


def sampled_as(options: Mapping[str, Any], **data: Any) -> "Given":
    """A graph that is sampled and nothing else, by options of the sampling."""
    known = {o.keyword: o for o in (SAMPLING, *Table.named("sample").options)}
    return Given(method_of("layers"), True,
                 {known[k].name: known[k].text(v) for k, v in options.items() if v is not None}, **data)


def searched_as(caller: str, options: Mapping[str, Any], **data: Any) -> "Given":
    """A search for communities by layers, with options of cafe.LayeredCafe for it and of the sampling."""
    tables = (Table.named("layers"), Table.named("sample"))
    known = {o.keyword: o for o in (SAMPLING, *(o for t in tables for o in t.options))}
    check_keywords(dict(options), list(known), caller)
    texts = {known[k].name: known[k].text(v) for k, v in options.items() if v is not None}
    return Given(method_of("layers"), True, texts, **data)


SAMPLING = Option("sampling", "choice", next(iter(samplings())), 0, 0, tuple(samplings()),
                  "how pairs of nodes are drawn; an option of another sampling is refused. "
                  + ". ".join(f"{name}: {summary}" for name, summary in samplings().items()))


# ---- a run -------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Given:
    """What a run is given: its method, options by the library's names, and data beside the graph."""

    method: Method
    communities: bool
    options: Mapping[str, str]
    label: Optional[np.ndarray] = None  # numbers of classes, -1: not known
    classes: Optional[np.ndarray] = None
    start: Any = None  # vectors, or communities where the method starts from those
    keep: Any = None  # nodes that stay in them
    seeds: Any = None
    attributes: Any = None
    attributes_to_come: bool = False  # they are not missing from a forecast
    features: Any = None
    memory_limit: Optional[int] = None
    scratch: Any = None
    checkpoint: Any = None
    every: int = 1

    def but(self, **options: Any) -> "Given":
        """The same with other options; None takes one away."""
        texts = {name.replace("_", "-"): value for name, value in options.items()}
        found = {**self.options, **texts}
        return replace(self, options={n: str(v) for n, v in found.items() if v is not None})


class Run:
    """The library's run of a method on a graph; or on (nodes, edges), which can only be forecast."""

    def __init__(self, context: Context, graph: Any, given: Given) -> None:
        self.context, self.graph = context, graph
        self.kept: List[Any] = []
        purpose = "CAFE_PURPOSE_COMMUNITIES" if given.communities else "CAFE_PURPOSE_VECTORS"
        self.made = context.make("cafe_run_create", "cafe_run", _abi.ENUMS["cafe_purpose"][purpose],
                                 given.method.name.encode(), keep=[graph, self.kept])
        for name, text in given.options.items():
            self.kept.append(c_text(text))
            self.call("set", name.encode(), self.kept[-1])
        if given.memory_limit is not None:
            folder = None if given.scratch is None else c_path(given.scratch)
            self.call("limit", whole(given.memory_limit, "memory_limit"), folder)
        if given.checkpoint is not None:
            self.call("checkpoint", c_path(given.checkpoint), operator.index(given.every))
        self.call("give", self._inputs(given))
        if isinstance(graph, tuple):
            self.call("size", *graph)
        else:
            self.call("graph", graph.pointer, None, None)

    def call(self, name: str, *arguments: Any) -> None:
        self.context.check(getattr(lib, f"cafe_run_{name}")(self.made.pointer, *arguments), arguments)

    @property
    def results(self) -> Any:
        return lib.cafe_run_get(self.made.pointer).contents

    def _inputs(self, given: Given) -> Any:
        found, graph = of_size(_abi.cafe_run_inputs), self.graph

        def lend(array: np.ndarray) -> Any:
            self.kept.append(array)
            return pointer(array)

        if given.label is not None and given.classes is not None:
            found.labels, found.classes = lend(given.label), len(given.classes)
            names = c_texts(given.classes.tolist(), c_shown)
            self.kept.append(names)
            found.class_names = names
        communities = given.method.takes("TAKES_PARTITION") and np.ndim(given.start) != 2
        if given.start is not None and communities:
            found.partition = lend(known_communities(given.start, graph))
        elif given.start is not None:
            rows = block(rows_by_name(given.start, graph, "start"), graph.n_nodes, "start")
            found.start, found.start_columns = lend(rows), rows.shape[1]
        if given.keep is not None:
            kept = np.array([graph.index(node) for node in given.keep], dtype=np.int32)
            found.keep, found.keep_count = lend(kept), len(kept)
        if given.seeds is not None:
            seeds = np.array([graph.index(s) for s in given.seeds], dtype=np.int32)
            found.seeds, found.seed_count = lend(seeds), len(seeds)
        if given.attributes is not None:
            table = as_array(rows_by_name(given.attributes, graph, "attributes"), "attributes")
            rows = block(table.reshape(len(table), -1), graph.n_nodes, "attributes")
            found.attributes, found.attribute_columns = lend(rows), rows.shape[1]
        found.attributes_path = b"attributes" if given.attributes_to_come else None
        if given.features is not None:
            found.features = ctypes.pointer(self._features(given.features, lend))
            in_order = isinstance(given.features, (np.ndarray, list)) or hasattr(given.features, "tocsr")
            found.features_reading = (b"rows in the order of the nodes" if in_order else
                                      b"rows by the names of the nodes")
        return found

    def _features(self, features: Any, lend: Callable[[np.ndarray], Any]) -> Any:
        """A table, or a sparse matrix in compressed rows."""
        found, nodes = of_size(_abi.cafe_feature_inputs), self.graph.n_nodes
        if hasattr(features, "tocsr"):
            rows = features.tocsr()
            if rows.shape[0] != nodes:
                raise ValueError(f"features: expected a row for each of {nodes} nodes, found {rows.shape[0]}")
            found.offsets = lend(np.ascontiguousarray(rows.indptr, np.int64))
            found.indices = lend(np.ascontiguousarray(rows.indices, np.int32))
            found.values = lend(np.ascontiguousarray(rows.data, np.float32))
            found.columns = rows.shape[1]
        else:
            table = as_array(rows_by_name(features, self.graph, "features"), "features")
            dense = block(table.reshape(len(table), -1), nodes, "features")
            found.values, found.columns = lend(dense), dense.shape[1]
        self.kept.append(found)
        return found

    # ---- steps

    def plan(self) -> Any:
        found = _abi.cafe_run_forecast()
        self.call("plan_sized", found, ctypes.sizeof(found))
        return found

    def step(self, name: str) -> "Run":
        """All steps up to this one."""
        last, done = _abi.ENUMS["cafe_run_step"][f"CAFE_STEP_{name}"], ctypes.c_int(0)
        while done.value < last:
            self.call("next", done)
        return self

    @property
    def model(self) -> Any:
        return self.results.model

    @property
    def operator(self) -> Any:
        """Q of the sampled graph."""
        return self.results.op

    @property
    def sampled(self) -> Any:
        return self.results.sampled

    # ---- what they leave

    def course(self) -> Dict[str, Any]:
        c = self.results.course.contents
        findings = {c.findings[i].name: c.findings[i].value for i in range(c.finding_count)}
        return {"objective_": copied(c.objective, c.sweeps + 1), "n_iter_": int(c.sweeps),
                "converged_": bool(c.converged), "modularity_": findings.get(b"modularity", 0.0)}

    def rows(self) -> np.ndarray:
        """H, after the solve step."""
        h = np.empty((self.graph.n_nodes, self.results.course.contents.columns), np.float32)
        self.call("rows", pointer(h))
        return h

    def predicted(self, classes: np.ndarray) -> np.ndarray:
        """The most likely class of each node, after the solve step."""
        best = np.empty(self.graph.n_nodes, np.int32)
        self.call("predict", pointer(best), None)
        return decode_labels(best, classes)

    def layers(self) -> List["Layer"]:
        layers = self.results.layers
        return [Layer._of(lib.cafe_layers_get(layers, i).contents, self.graph.n_nodes)
                for i in range(lib.cafe_layers_count(layers) if layers else 0)]

    def numbered(self) -> Optional[np.ndarray]:
        """The communities by the numbers of those that the run started from; None: it did not."""
        changes = self.results.changes
        return copied(changes.contents.partition, self.graph.n_nodes, np.int32) if changes else None

    def partition(self) -> np.ndarray:
        """Of a run for communities."""
        info = lib.cafe_clustering_get(self.results.clustering).contents
        return copied(info.partition, info.nodes, np.int32)

    def vectors(self) -> np.ndarray:
        embedding = self.results.embedding
        known = lib.cafe_embedding_certificate(embedding).contents
        found = np.empty((known.nodes, known.columns), np.float32)
        self.context.check(lib.cafe_embedding_copy(embedding, pointer(found)) or 0)
        return found

    def certificate(self) -> "Certificate":
        return Certificate._of(lib.cafe_embedding_certificate(self.results.embedding).contents)

    def report(self, schema: str) -> Dict[str, Any]:
        return report_of(self.context, schema,
                         lambda report: lib.cafe_run_report(self.made.pointer, 0, report))


def report_of(context: Context, schema: str, fill: Callable[[Any], None]) -> Dict[str, Any]:
    """The library's JSON of a run."""
    report, text = context.make("cafe_report_new", "cafe_report", schema.encode()), ctypes.c_char_p()
    fill(report.pointer)
    context.check(lib.cafe_report_text(report.pointer, text))
    return json.loads(text.value or b"{}")


# ---- what a run leaves -------------------------------------------------------------------------

@dataclass(frozen=True, repr=False)
class Layer(Shown):
    """One layer of communities."""

    communities: int
    modularity: float
    partition: np.ndarray  # of the nodes: 0 .. communities - 1
    parent: Optional[np.ndarray]  # of each community: its community in the next layer

    def __repr__(self) -> str:
        last = ", the last" if self.parent is None else ""
        return f"Layer({self.communities} communities, modularity {self.modularity:.4f}{last})"

    @classmethod
    def _of(cls, one: Any, nodes: int) -> "Layer":
        parent = copied(one.parent, one.communities, np.int32) if one.parent else None
        return cls(int(one.communities), one.modularity, copied(one.partition, nodes, np.int32), parent)

    def _fields(self) -> Dict[str, Any]:
        sizes = np.sort(np.bincount(self.partition, minlength=self.communities))[::-1]
        return {"communities": self.communities, "modularity": self.modularity, "sizes": sizes}


@dataclass(frozen=True, repr=False)
class Group(Shown):
    """Columns side by side that come from one source, and the values of their problem."""

    kind: str  # "top", "bottom", "hubs", "layers", "clusters"; else "rows"
    problem: str
    first: int
    columns: int
    values: np.ndarray
    residuals: np.ndarray

    @classmethod
    def _of(cls, found: Any) -> "Group":
        return cls(found.kind.decode(), found.problem.decode(), found.first, found.columns,
                   copied(found.values, found.columns), copied(found.residuals, found.columns))


@dataclass(frozen=True, repr=False)
class Certificate(Shown):
    """What is known and proved about an embedding: see docs/certificate.md.

    For each Ritz value some eigenvalue of the problem (Q v = rho v, or Q v = rho D v when
    `generalised`) lies within the residual beside it."""

    asked: int
    columns: int
    pairs: int
    dropped: int
    objective: float
    effective_rank: float
    generalised: bool
    rotated: bool
    tolerance: float
    converged: int
    products: int
    orthogonality: float
    ritz_values: np.ndarray
    residuals: np.ndarray
    shares: np.ndarray
    certified: int
    groups: Tuple[Group, ...]

    def _fields(self) -> Dict[str, Any]:
        """What a reader asks first; arrays by their largest."""
        problem = "Q v = rho D v" if self.generalised else "Q v = rho v"
        return {"problem": problem, "columns": f"{self.columns} of {self.asked} asked for",
                "objective": self.objective, "effective_rank": self.effective_rank,
                "ritz_values": self.ritz_values, "residuals": self.residuals, "shares": self.shares,
                "largest residual": float(self.residuals.max()) if len(self.residuals) else None,
                "converged": f"{self.converged} of {self.pairs} pairs to {self.tolerance:.2g}",
                "orthogonality": self.orthogonality, "products": self.products,
                "groups": ", ".join(f"{g.columns} {g.kind}" for g in self.groups)}

    @classmethod
    def _of(cls, found: Any) -> "Certificate":
        lists = {name: copied(getattr(found, name), found.pairs)
                 for name in ("ritz_values", "residuals", "shares")}
        groups = tuple(Group._of(found.groups[i]) for i in range(found.group_count))
        return cls.of(found, generalised=bool(found.generalised), rotated=bool(found.rotated),
                      groups=groups, **lists)

    def to_frame(self) -> Any:
        """The Ritz pairs as a pandas table: value, residual, share."""
        import pandas
        return pandas.DataFrame({"ritz_value": self.ritz_values, "residual": self.residuals,
                                 "share": self.shares})
