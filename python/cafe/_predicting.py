"""The library's prediction of classes (`cafe predict`), as arrays."""
import ctypes
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _abi
from ._arrays import copied, pointer
from ._call import Context, Verbose, of_size, run, threads_of
from ._library import lib
from ._options import Table
from ._shown import Rows
from .graph import Graph


class Known(NamedTuple):
    """Classes of some nodes: rows of `offsets`, as the library has them."""

    offsets: np.ndarray
    value: np.ndarray
    classes: int
    weight: Optional[np.ndarray]


class Prediction(NamedTuple):
    """What the library found: probabilities, classes of every node, and the figures."""

    probabilities: np.ndarray
    decided: np.ndarray
    figures: Any
    compared: Rows


def known_classes(nodes: int, at: np.ndarray, marks: np.ndarray, weight: Optional[np.ndarray]) -> Known:
    """From an indicator matrix, a row for each of the nodes `at`."""
    order = np.argsort(at, kind="stable")
    row, column = np.nonzero(marks[order])
    count = np.zeros(nodes + 1, np.int64)
    np.add.at(count, at[order][row] + 1, 1)
    spread = None
    if weight is not None:
        spread = np.ones(nodes)
        spread[at] = weight
    return Known(np.cumsum(count), column.astype(np.int32), marks.shape[1], spread)


def predict(graph: Graph, known: Known, vectors: np.ndarray, averaged: bool, by: str, several: bool,
            folds: int, n_jobs: Optional[int], seed: int, verbose: Verbose) -> Prediction:
    """`cafe_predict()`; averaged: the vectors have columns of features."""
    targets = _abi.cafe_targets()
    targets.nodes, targets.classes = graph.n_nodes, known.classes
    targets.offsets, targets.value = pointer(known.offsets), pointer(known.value)
    given = of_size(_abi.cafe_predict_inputs)
    given.graph, given.known = graph.pointer, ctypes.pointer(targets)
    given.vectors, given.columns, given.averaged = pointer(vectors), vectors.shape[1], averaged
    if known.weight is not None:
        given.weight = pointer(known.weight)
    options = {"by": by, "several": several, "folds": folds}

    def work(context: Context) -> Prediction:
        o = Table.named("predict").pointer_to(context, options, "cafe_predict_options")
        found = context.make("cafe_predict", "cafe_prediction", given, o)
        return _taken(found.pointer, graph.n_nodes, known.classes)

    return run(work, threads_of(n_jobs), seed, verbose)


def _taken(found: Any, nodes: int, classes: int) -> Prediction:
    p = copied(lib.cafe_prediction_probabilities(found), nodes * classes, np.float32)
    offsets, value = ctypes.POINTER(ctypes.c_int64)(), ctypes.POINTER(ctypes.c_int32)()
    lib.cafe_prediction_classes(found, offsets, value)
    start = copied(offsets, nodes + 1, np.int64)
    decided = np.zeros((nodes, classes), bool)
    decided[np.repeat(np.arange(nodes), np.diff(start)), copied(value, start[-1], np.int32)] = True
    figures = lib.cafe_prediction_figures(found).contents
    tried = figures.trial[:figures.trials]
    names = ("accuracy", "error", "log_loss", "ahead", "ahead_error")
    compared = Rows({"predictor": [t.predictor.decode() for t in tried],
                     **{name: [getattr(t, name) for t in tried] for name in names}})
    kept = {name: getattr(figures, name) for name, _ in figures._fields_ if name != "trial"}
    return Prediction(p.reshape(nodes, classes), decided, kept, compared)
