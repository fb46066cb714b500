"""From a graph to its operator, and from a solution to an embedding: the steps methods share.

Everything here runs inside a call (see _call.run) and returns handles or arrays.
"""
import ctypes
from dataclasses import asdict, dataclass, fields
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._arrays import block, copied, pointer
from ._call import Context, Handle, of_size
from ._library import lib
from ._options import Table
from .graph import Graph

SAMPLINGS = {n.rpartition("_")[2].lower(): v for n, v in _abi.ENUMS["cafe_sampling"].items()}


# ---- the model ---------------------------------------------------------------------------------

@dataclass
class Sampling:
    """Which pairs of nodes count: the estimator's options, and data that some samplings need."""

    name: str
    options: Mapping[str, Any]
    seeds: Optional[Sequence] = None
    attributes: Any = None


class Model:
    """A graph, sampled; its modularity operator Q, and the operator vectors are certified for."""

    def __init__(self, context: Context, graph: Graph, sampling: Optional[Sampling] = None) -> None:
        self.context, self.graph = context, graph
        given = sampling or Sampling("edge", {})
        self.sampled = _sample(context, graph, given)
        self.operator = context.make("cafe_operator_modularity", "cafe_operator",
                                     self.sampled.pointer, keep=[graph, self.sampled])
        self.info = _sampled_info(self.sampled)
        self.certified = self._exact_walks(given) or self.operator

    def _exact_walks(self, given: Sampling) -> Optional[Handle]:
        """Drawn walks are certified for the exact P, which takes products alone."""
        if self.info["sampling"] != "walk" or self.info["exact"] or self.info["seeds"] > 0:
            return None
        values = {k: v for k, v in given.options.items() if v is not None}
        options = Table.named("sample").fill(self.context, values, "cafe_sample_options")
        if options.balance:
            return None  # products do not know of the weights
        edges = _sample(self.context, self.graph, Sampling("edge", {}))
        return self.context.make("cafe_operator_walk", "cafe_operator", edges.pointer,
                                 options.window, keep=[self.graph, edges])

    def modularity(self, part: np.ndarray, parts: int) -> float:
        return self.context.figures("cafe_partition_measure", "cafe_partition_quality",
                                    self.sampled.pointer, pointer(part), parts).modularity


def _sample(context: Context, graph: Graph, given: Sampling) -> Handle:
    if given.name not in SAMPLINGS:
        raise ValueError(f"sampling={given.name!r}: expected one of {', '.join(SAMPLINGS)}")
    values = {k: v for k, v in given.options.items() if v is not None}
    options = Table.named("sample").fill(context, values, "cafe_sample_options")
    options.aim = int(given.name == "twisted" and "twist_mean" in values)
    inputs = of_size(_abi.cafe_sample_inputs)
    seeds = attributes = None
    if given.seeds is not None:
        seeds = np.array([graph.index(s) for s in given.seeds], dtype=np.int32)
        inputs.seeds, inputs.seed_count = pointer(seeds), len(seeds)
    if given.attributes is not None:
        table = np.asarray(given.attributes)
        attributes = block(table.reshape(len(table), -1), graph.n_nodes, "attributes")
        inputs.attributes, inputs.width = pointer(attributes), attributes.shape[1]
    return context.make("cafe_sample_with", "cafe_sampled", graph.pointer, SAMPLINGS[given.name],
                        options, inputs, keep=[graph, seeds, attributes])


def _sampled_info(sampled: Handle) -> Dict[str, Any]:
    info = lib.cafe_sampled_get_info(sampled.pointer).contents
    found = {name: getattr(info, name) for name, _ in info._fields_}
    found["sampling"] = lib.cafe_sampling_name(info.sampling).decode()
    return found


# ---- solutions ---------------------------------------------------------------------------------

@dataclass
class Course:
    """A solver's history."""

    objective: np.ndarray  # at the start and after every sweep
    sweeps: int
    converged: bool


def course_of(solution: Handle) -> Course:
    sweeps = lib.cafe_solution_sweeps(solution.pointer)
    objective = copied(lib.cafe_solution_objective(solution.pointer), sweeps + 1)
    return Course(objective, int(sweeps), bool(lib.cafe_solution_converged(solution.pointer)))


def rows_of(solution: Handle, nodes: int) -> np.ndarray:
    """H, nodes x columns."""
    h = np.empty((nodes, lib.cafe_solution_columns(solution.pointer)), np.float32)
    lib.cafe_solution_copy(solution.pointer, pointer(h))
    return h


def partition_of(context: Context, name: str, solution: Handle, nodes: int) -> Tuple[Any, int]:
    """The hard partition of a softmax solution or of sparse memberships."""
    part, count = np.empty(nodes, np.int32), ctypes.c_int64()
    context.call(name, solution.pointer, pointer(part), count)
    return part, count.value


# ---- layers ------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Layer:
    """One layer of communities, as LayeredCafe finds them."""

    communities: int
    modularity: float
    partition: np.ndarray  # of the nodes: 0 .. communities - 1
    parent: Optional[np.ndarray]  # of each community: its community in the next layer


def find_layers(model: Model, options: Mapping[str, Any]) -> Tuple[Handle, List[Layer]]:
    o = Table.named("layers").pointer_to(model.context, options, "cafe_layers_options")
    handle = model.context.make("cafe_layers_find", "cafe_layers", model.operator.pointer, o,
                                keep=[model.operator])
    return handle, [_layer(handle, i, model.graph.n_nodes)
                    for i in range(lib.cafe_layers_count(handle.pointer))]


def _layer(layers: Handle, i: int, nodes: int) -> Layer:
    found = lib.cafe_layers_get(layers.pointer, i).contents
    parent = copied(found.parent, found.communities, np.int32) if found.parent else None
    return Layer(int(found.communities), found.modularity,
                 copied(found.partition, nodes, np.int32), parent)


# ---- the finish --------------------------------------------------------------------------------

@dataclass(frozen=True)
class Certificate:
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

    def to_dict(self) -> Dict[str, Any]:
        return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in asdict(self).items()}


_PER_PAIR = ("ritz_values", "residuals", "shares")
_PER_COLUMN = ("column_values", "column_residuals")


def certificate_of(embedding: Handle) -> Certificate:
    found = lib.cafe_embedding_certificate(embedding.pointer).contents
    values = {field.name: getattr(found, field.name) for field in fields(Certificate)}
    for names, count in ((_PER_PAIR, found.pairs), (_PER_COLUMN, found.columns)):
        values.update({name: copied(values[name], count) for name in names})
    values.update(generalised=bool(found.generalised), rotated=bool(found.rotated))
    return Certificate(**values)


def vectors_of(embedding: Handle) -> np.ndarray:
    shape = (lib.cafe_embedding_nodes(embedding.pointer),
             lib.cafe_embedding_columns(embedding.pointer))
    vectors = np.empty(shape, np.float32)
    lib.cafe_embedding_copy(embedding.pointer, pointer(vectors))
    return vectors


def finish(model: Model, solution: Handle, options: Mapping[str, Any],
           propagate: Optional[Mapping[str, Any]]) -> Tuple[np.ndarray, Certificate]:
    """The spectral finish, which consumes the solution; then ProNE's filter where it is wanted."""
    context = model.context
    o = Table.named("finish").pointer_to(context, options, "cafe_finish_options")
    embedding = context.make("cafe_finish", "cafe_embedding", model.certified.pointer,
                             solution.pointer, o)
    vectors = vectors_of(embedding)
    if propagate is not None:
        embedding.close()
        po = Table.named("propagate").pointer_to(context, propagate, "cafe_propagate_options")
        context.call("cafe_propagate", model.graph.pointer, po, vectors.shape[1], pointer(vectors))
        embedding = certify(model, vectors)
        vectors = vectors_of(embedding)
    return vectors, certificate_of(embedding)


def certify(model: Model, vectors: np.ndarray) -> Handle:
    """Any vectors, as they are."""
    return model.context.make("cafe_certify", "cafe_embedding", model.operator.pointer,
                              vectors.shape[1], pointer(vectors), None)
