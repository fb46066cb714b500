"""Vectors out and in: .npy, word2vec text, tab-separated text, and Arrow for everything else."""
import ctypes
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi
from ._arrays import as_array, block, copied, pointer
from ._call import Context, c_path, c_text, c_texts, of_size, run
from ._fitted import result_of
from ._library import lib
from .graph import as_graph

Path = Union[str, "os.PathLike[str]"]
_STREAM_BYTES = 5 * ctypes.sizeof(ctypes.c_void_p)  # struct ArrowArrayStream
_NAME = b"arrow_array_stream"


# ---- files -------------------------------------------------------------------------------------

def named_rows(embedding: Any, names: Any, what: str = "embedding") -> Tuple[np.ndarray, np.ndarray]:
    """Vectors and the names of their rows: as given, of a pandas table's index, of an estimator's nodes,
    or their numbers."""
    own = embedding.index if hasattr(embedding, "iloc") else getattr(embedding, "nodes_", None)
    values = as_array(result_of(embedding, "embedding_"), what)
    if values.ndim != 2 or values.shape[1] < 1:
        raise ValueError(f"{what}: expected a table of numbers, found shape {values.shape}")
    rows, given = block(values, len(values), what), own if names is None else names
    found = np.arange(len(rows)) if given is None else np.asarray(given)
    if len(found) != len(rows):
        raise ValueError(f"names: expected {len(rows)}, found {len(found)}")
    return rows, found


def write_vectors(embedding: Any, path: Path, *, names: Any = None, overwrite: bool = False) -> None:
    """Writes vectors in the format that the ending tells: .npy (names beside it in FILE.names.txt),
    .tsv, or .txt, which is word2vec's text. The file appears whole or not at all.

    Parameters
    ----------
    embedding : array or fitted estimator
    path : path
    names : sequence, optional
        Of the rows; without it those of the estimator's nodes, else their numbers.
    overwrite : bool
        An existing file is kept unless told otherwise.
    """
    rows, found = named_rows(embedding, names)

    def work(context: Context) -> None:
        # a graph without edges carries the names
        nothing = np.zeros(len(rows) + 1, np.int64)
        graph = context.make("cafe_graph_from_csr", "cafe_graph", len(rows), pointer(nothing), None,
                             None, 1, None, keep=[nothing])
        if found.dtype.kind not in "iu" or not np.array_equal(found, np.arange(len(rows))):
            context.call("cafe_graph_set_names", graph.pointer, _texts(found))
        context.call("cafe_vectors_write", graph.pointer, rows.shape[1], pointer(rows),
                     c_path(path), int(overwrite))

    run(work)


def _texts(names: np.ndarray) -> Any:
    texts = [str(name) for name in names.tolist()]
    for text in texts:
        if not text or "\n" in text:
            raise ValueError(f"names: expected one line of text each, found {text!r}")
    return c_texts(texts)


def read_vectors(graph: Any, path: Path) -> np.ndarray:
    """Vectors of a graph's nodes from a file that the tool or write_vectors() wrote: rows that have
    names go to their nodes, others are in the order of the nodes."""
    g = as_graph(graph)

    def work(context: Context) -> np.ndarray:
        columns, values = ctypes.c_int64(), ctypes.POINTER(ctypes.c_float)()
        named = g._to_write(context)
        context.call("cafe_vectors_read", named.pointer, c_path(path), columns, values, None)
        found = copied(values, g.n_nodes * columns.value, np.float32)
        lib.cafe_block_free(context.pointer, values)
        return found.reshape(g.n_nodes, columns.value)

    return run(work)


# ---- Arrow -------------------------------------------------------------------------------------

class ArrowVectors:
    """Vectors as a table that pyarrow, polars, DuckDB and others take as it is: they find
    `__arrow_c_stream__`, Arrow's way from one library to another, which needs none of them here.

        pyarrow.parquet.write_table(pyarrow.table(cafe.to_arrow(model)), "vectors.parquet")
        polars.DataFrame(cafe.to_arrow(model)).write_parquet("vectors.parquet")
        duckdb.sql("copy vectors to 'vectors.parquet'")     # vectors = cafe.to_arrow(model)
    """

    def __init__(self, rows: np.ndarray, names: Optional[np.ndarray], titles: Sequence[str],
                 key: str) -> None:
        self._rows, self._names = rows, names
        self.titles: List[str] = list(titles)
        self.key = key

    @property
    def shape(self) -> Tuple[int, int]:
        return self._rows.shape[0], self._rows.shape[1] + (self._names is not None)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        first = [] if self._names is None else [self.key]
        shown = [*first, *self.titles]
        more = f", ... {shown[-1]}" if len(shown) > 4 else ""
        return f"ArrowVectors({len(self)} rows: {', '.join(shown[:3 if more else 4])}{more})"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule with a stream of one batch; a schema that is asked for may be ignored."""
        stream = (ctypes.c_char * _STREAM_BYTES)()
        run(lambda context: context.call("cafe_arrow_stream", self._inputs(),
                                         ctypes.cast(stream, ctypes.POINTER(_abi.ArrowArrayStream))))
        return _capsule(stream)

    def _inputs(self) -> Any:
        given = of_size(_abi.cafe_arrow_inputs)
        given.rows, given.columns = self._rows.shape
        given.values = pointer(self._rows)
        titles = given.titles = c_texts(self.titles)
        given._kept = [titles]  # as long as the struct
        if self._names is None:
            return given
        given.key = c_text(self.key)
        if self._names.dtype.kind in "iu":
            numbers = np.ascontiguousarray(self._names, np.int64)
            given.numbers = pointer(numbers)
            given._kept.append(numbers)
        else:
            texts = given.texts = c_texts(self._names.tolist())
            given._kept.append(texts)
        return given


def to_arrow(embedding: Any, *, names: Any = None, key: str = "node",
             titles: Optional[Sequence[str]] = None) -> ArrowVectors:
    """Vectors for pyarrow, polars, DuckDB and whatever else reads Arrow: and so for Parquet.

    Parameters
    ----------
    embedding : array or fitted estimator
    names : sequence, optional
        Of the rows; without it those of the estimator's nodes, else their numbers.
    key : str
        The title of the column of names.
    titles : sequence of str, optional
        Of the columns; without it the estimator's get_feature_names_out(), else x0, x1, ...

    Examples
    --------
    >>> import cafe
    >>> cafe.to_arrow(cafe.SphereGCN(3).fit(cafe.karate()))
    ArrowVectors(34 rows: node, spheregcn0, spheregcn1, spheregcn_hubs0)
    """
    rows, found = named_rows(embedding, names)
    if titles is None and hasattr(embedding, "get_feature_names_out"):
        titles = embedding.get_feature_names_out()
    plain = [f"x{j}" for j in range(rows.shape[1])] if titles is None else list(map(str, titles))
    if len(plain) != rows.shape[1]:
        raise ValueError(f"titles: expected {rows.shape[1]}, found {len(plain)}")
    return ArrowVectors(rows, found, plain, key)


# ---- capsules ----------------------------------------------------------------------------------

# prototypes of our own: those of ctypes.pythonapi belong to everybody in the process
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
_pointer_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_open: Dict[int, Any] = {}  # streams that a capsule holds, by address

_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _close(capsule: int) -> None:
    """A capsule goes: the stream is released, unless a consumer took it and set its release to 0."""
    at = _pointer_in(capsule, _NAME)
    words = (ctypes.c_void_p * 5).from_address(at)
    if words[3]:
        _Release(words[3])(at)
    _open.pop(at, None)


def _capsule(stream: Any) -> Any:
    at = ctypes.addressof(stream)
    _open[at] = stream
    return _new_capsule(at, _NAME, ctypes.cast(_close, ctypes.c_void_p))
