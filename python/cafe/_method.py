"""Methods of the library's registry, and what a run of one is given and leaves behind.

Everything that takes a context runs inside a call (see _call.run) and returns handles or arrays.
"""
import ctypes
import json
import operator
import os
import re
from dataclasses import asdict, dataclass, fields
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._arrays import as_array, block, copied, pointer
from ._call import Context, Handle, c_path, of_size
from ._labels import rows_by_name
from ._library import lib
from ._options import Parameter, Table
from ._shown import Shown
from .graph import Graph

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

    def takes(self, what: str) -> bool:
        members = _abi.ENUMS["cafe_takes"]
        return bool(self.row.contents.takes & members.get(f"CAFE_{what}", 0))


def methods() -> List[Method]:
    count = ctypes.c_size_t()
    rows = lib.cafe_methods(count)
    return [Method(rows[i]) for i in range(count.value)]


@dataclass(frozen=True)
class Sampler:
    """A row of the registry of samplings."""

    number: int
    summary: str


def samplings() -> Dict[str, Sampler]:
    """All of them, by their names."""
    found: Dict[str, Sampler] = {}
    while True:
        row = lib.cafe_sampler_at(len(found))
        if not row:
            return found
        found[row.contents.name.decode()] = Sampler(row.contents.sampling,
                                                    row.contents.summary.decode())


# ---- a run -------------------------------------------------------------------------------------

@dataclass
class Given:
    """What an estimator hands to a run: options by their tables, and data beside the graph."""

    own: Mapping[str, Any]
    sampling: str = "edge"
    sample: Optional[Mapping[str, Any]] = None
    finish: Optional[Mapping[str, Any]] = None
    propagate: Optional[Mapping[str, Any]] = None
    free_columns: bool = False
    label: Optional[np.ndarray] = None
    classes: int = 0
    start: Any = None
    seeds: Any = None
    attributes: Any = None


def library_run(context: Context, method: Method, table: Table, parameters: Sequence[Parameter],
                given: Given) -> Handle:
    """The library's run for vectors, with the parameters that differ from their defaults."""
    made = context.make("cafe_run_create", "cafe_run",
                        _abi.ENUMS["cafe_purpose"]["CAFE_PURPOSE_VECTORS"], method.name.encode())

    def put(name: str, text: str) -> None:
        context.check(lib.cafe_run_set(made.pointer, name.encode(), text.encode()))

    defaults = {p.name: p.default for p in parameters}
    if given.sampling != defaults.get("sampling", "edge"):
        put("sampling", given.sampling)
    if given.propagate is not None:
        put("propagate", "yes")
    tables = [table, *map(Table.named, ("sample", "finish", "propagate"))]
    for one, values in zip(tables, (given.own, given.sample, given.finish, given.propagate)):
        for option in one.options:
            value = (values or {}).get(option.keyword)
            if value is not None and value != defaults.get(option.keyword):
                put(option.name, option.text(value))
    return made


class Run:
    """A method at work on a graph: its options and inputs as the library has them, and its model."""

    def __init__(self, context: Context, graph: Graph, method: Method, table: Table,
                 given: Given, only_options: bool = False,
                 parameters: Optional[Sequence[Parameter]] = None) -> None:
        self.context, self.graph, self.method, self.table = context, graph, method, table
        self.given, self.kept = given, []  # type: Given, List[Any]
        self.options, self.inputs = self._options(given), self._inputs(given)
        self.own = ctypes.create_string_buffer(table.pointer.contents.struct_size)
        context.call("cafe_method_settle", method.row, table.pointer, self.options, self.inputs,
                     graph.n_nodes, self.own)
        self.options.own = ctypes.addressof(self.own)
        if only_options:  # as settled, for a forecast
            return
        if parameters is not None:
            self._check_fits(parameters)
        self.model = context.make("cafe_model_create", "cafe_model", graph.pointer, method.row,
                                  self.options, self.inputs, keep=[graph, *self.kept])

    def _filled(self, name: str, values: Mapping[str, Any]) -> Any:
        struct = Table.named(name).fill(self.context, values, f"cafe_{name}_options")
        self.kept.append(struct)
        return struct

    def _options(self, given: Given) -> Any:
        o = of_size(_abi.cafe_method_options)
        numbers = samplings()
        if given.sampling not in numbers:
            raise ValueError(f"sampling={given.sampling!r}: expected one of {', '.join(numbers)}")
        own = self.table.fill(self.context, given.own)
        self.kept.append(own)
        o.own, o.sampling = ctypes.addressof(own), numbers[given.sampling].number
        o.free_columns = given.free_columns
        for name in ("sample", "finish", "propagate"):
            values = getattr(given, name)
            if values is not None:
                setattr(o, name, ctypes.pointer(self._filled(name, values)))
        if given.sample and "twist_mean" in given.sample:
            o.sample.contents.aim = 1
        return o

    def _inputs(self, given: Given) -> Any:
        found, nodes = of_size(_abi.cafe_method_inputs), self.graph.n_nodes
        if given.label is not None:
            found.labels, found.classes = pointer(given.label), given.classes
        if given.start is not None:
            rows = block(rows_by_name(given.start, self.graph, "start"), nodes, "start")
            found.start, found.start_columns = pointer(rows), rows.shape[1]
            self.kept.append(rows)
        sample = of_size(_abi.cafe_sample_inputs)
        if given.seeds is not None:
            seeds = np.array([self.graph.index(s) for s in given.seeds], dtype=np.int32)
            sample.seeds, sample.seed_count = pointer(seeds), len(seeds)
            self.kept.append(seeds)
        if given.attributes is not None:
            named = rows_by_name(given.attributes, self.graph, "attributes")
            table = as_array(named, "attributes")
            rows = block(table.reshape(len(table), -1), nodes, "attributes")
            sample.attributes, sample.width = pointer(rows), rows.shape[1]
            self.kept.append(rows)
        if given.seeds is not None or given.attributes is not None:
            found.sample = ctypes.pointer(sample)
        return found

    def _check_fits(self, parameters: Sequence[Parameter]) -> None:
        """A run for vectors that would not fit into the memory is refused, as the tool does."""
        planned = library_run(self.context, self.method, self.table, parameters, self.given)
        inputs, mine = of_size(_abi.cafe_run_inputs), self.inputs
        for name in ("labels", "classes", "start", "start_columns"):
            setattr(inputs, name, getattr(mine, name))
        if mine.sample:
            sample = mine.sample.contents
            inputs.attributes, inputs.attribute_columns = sample.attributes, sample.width
            inputs.seeds, inputs.seed_count = sample.seeds, sample.seed_count
        self.context.check(lib.cafe_run_give(planned.pointer, inputs))
        self.context.check(lib.cafe_run_graph(planned.pointer, self.graph.pointer, None, None))
        self.context.check(lib.cafe_run_fits(planned.pointer))

    @property
    def operator(self) -> Any:
        """Q of the sampled graph."""
        return lib.cafe_model_operator(self.model.pointer)

    # ---- steps

    def solve(self) -> Handle:
        return self.context.make("cafe_model_solve", "cafe_solution", self.model.pointer,
                                 self.method.row, self.options, self.inputs)

    def finish(self, solution: Handle) -> Handle:
        return self._of_the_file(self.context.make(
            "cafe_model_finish", "cafe_embedding", self.model.pointer, self.method.row,
            self.options, solution.pointer))

    def cluster(self) -> Handle:
        return self._of_the_file(self.context.make(
            "cafe_model_cluster", "cafe_clustering", self.model.pointer, self.method.row,
            self.options, self.inputs, keep=[self.model]))

    def _of_the_file(self, result: Handle) -> Handle:
        """Nothing is made of a graph whose arrays changed meanwhile."""
        self.context.call("cafe_graph_unchanged", self.graph.pointer)
        return result

    def modularity(self, part: np.ndarray, parts: int) -> float:
        return self.context.figures("cafe_partition_measure", "cafe_partition_quality",
                                    lib.cafe_model_sampled(self.model.pointer), pointer(part),
                                    parts).modularity

    def report(self, schema: str) -> "Report":
        """A report with what was asked for: graph, method, options."""
        report = Report(self.context, schema)
        report.add("graph", None, self.graph.pointer)
        report.add("string", b"method", self.method.name.encode())
        report.add("open", b"options", b"{")
        report.add("context")
        report.add("options", self.table.pointer, self.own)
        for name in ("sample", "finish"):
            values = getattr(self.options, name)
            if values:
                report.add("options", Table.named(name).pointer,
                           ctypes.cast(values, ctypes.c_void_p))
        report.add("close")
        return report


def with_checkpoint(context: Context, path: Any, every: int,
                    work: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """What work() returns, with checkpoints in a file that is removed when it is done."""
    if path is None:
        return work()
    context.call("cafe_checkpoint_keep", c_path(path), operator.index(every))
    found, info = work(), _abi.cafe_checkpoint_info()
    lib.cafe_checkpoint_get_sized(context.pointer, info, ctypes.sizeof(info))
    found["report_"]["checkpoint"] = {
        "path": os.fsdecode(path), "every": info.every, "resumed_after_sweep": info.resumed,
        "saved": info.saved, "bytes": info.bytes}
    context.call("cafe_checkpoint_remove")
    return found


class Report:
    """The library's JSON of a run."""

    def __init__(self, context: Context, schema: str) -> None:
        self.context = context
        self.handle = context.make("cafe_report_new", "cafe_report", schema.encode())

    def add(self, kind: str, *arguments: Any) -> None:
        getattr(lib, f"cafe_report_{kind}")(self.handle.pointer, *arguments)

    def read(self) -> Dict[str, Any]:
        text = ctypes.c_char_p()
        self.context.check(lib.cafe_report_text(self.handle.pointer, text))
        return json.loads(text.value or b"{}")


# ---- what a run leaves -------------------------------------------------------------------------

def course_of(solution: Handle) -> Tuple[np.ndarray, int, bool]:
    """Objective at the start and after every sweep, sweeps, whether it converged."""
    sweeps = lib.cafe_solution_sweeps(solution.pointer)
    objective = copied(lib.cafe_solution_objective(solution.pointer), sweeps + 1)
    return objective, int(sweeps), bool(lib.cafe_solution_converged(solution.pointer))


def rows_of(context: Context, solution: Handle, nodes: int) -> np.ndarray:
    """H, nodes x columns."""
    h = np.empty((nodes, lib.cafe_solution_columns(solution.pointer)), np.float32)
    context.check(lib.cafe_solution_copy(solution.pointer, pointer(h)) or 0)
    return h


def vectors_of(context: Context, embedding: Handle) -> np.ndarray:
    shape = (lib.cafe_embedding_nodes(embedding.pointer),
             lib.cafe_embedding_columns(embedding.pointer))
    vectors = np.empty(shape, np.float32)
    context.check(lib.cafe_embedding_copy(embedding.pointer, pointer(vectors)) or 0)
    return vectors


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

    def _fields(self) -> Dict[str, Any]:
        sizes = np.sort(np.bincount(self.partition, minlength=self.communities))[::-1]
        return {"communities": self.communities, "modularity": self.modularity, "sizes": sizes}


def layers_of(layers: Any, nodes: int) -> List[Layer]:
    found = []
    for i in range(lib.cafe_layers_count(layers)):
        one = lib.cafe_layers_get(layers, i).contents
        parent = copied(one.parent, one.communities, np.int32) if one.parent else None
        found.append(Layer(int(one.communities), one.modularity,
                           copied(one.partition, nodes, np.int32), parent))
    return found


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
    column_values: np.ndarray
    column_residuals: np.ndarray
    top: int
    bottom: int
    certified: int
    hubs: int
    hub_values: np.ndarray
    hub_residuals: np.ndarray

    def _fields(self) -> Dict[str, Any]:
        """What a reader asks first; arrays by their largest."""
        problem = "Q v = rho D v" if self.generalised else "Q v = rho v"
        return {"problem": problem, "columns": f"{self.columns} of {self.asked} asked for",
                "objective": self.objective, "effective_rank": self.effective_rank,
                "ritz_values": self.ritz_values, "residuals": self.residuals, "shares": self.shares,
                "largest residual": float(self.residuals.max()) if len(self.residuals) else None,
                "converged": f"{self.converged} of {self.pairs} pairs to {self.tolerance:.2g}",
                "orthogonality": self.orthogonality, "products": self.products,
                "hubs": self.hubs}

    def to_frame(self) -> Any:
        """The Ritz pairs as a pandas table: value, residual, share."""
        import pandas
        return pandas.DataFrame({"ritz_value": self.ritz_values, "residual": self.residuals,
                                 "share": self.shares})

    def to_dict(self) -> Dict[str, Any]:
        """Every figure as plain Python: for JSON."""
        return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in asdict(self).items()}


def certificate_of(embedding: Handle) -> Certificate:
    found = lib.cafe_embedding_certificate(embedding.pointer).contents
    values = {field.name: getattr(found, field.name) for field in fields(Certificate)}
    for count, names in ((found.pairs, ("ritz_values", "residuals", "shares")),
                         (found.certified, ("column_values", "column_residuals")),
                         (found.hubs, ("hub_values", "hub_residuals"))):
        values.update({name: copied(values[name], count) for name in names})
    values.update(generalised=bool(found.generalised), rotated=bool(found.rotated))
    return Certificate(**values)
