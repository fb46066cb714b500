"""What graphs are made from: every kind of input as arrays of edges, and names of nodes.

No other library is imported here. Tables of edges are in _columns.py; the kind of data without
an explicit constructor is in _certain.py.
"""
import numbers
import sys
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from ._arrays import as_array, as_floats, as_numbers
from ._texts import Texts, is_column, numbered_texts

MOST_NODES = 2**31 - 2


@dataclass
class Links:
    """Edges between nodes 0 .. nodes-1: from `source`, or in compressed rows by `offsets`. The
    library reads as many numbers as these say: they are checked when they are put together."""

    nodes: int
    target: np.ndarray  # int32
    weights: Optional[np.ndarray] = None  # float32
    source: Optional[np.ndarray] = None  # int32
    offsets: Optional[np.ndarray] = None  # int64
    names: Optional[np.ndarray] = None
    lent: Tuple[np.ndarray, ...] = ()  # the caller's, which these may be
    matrix: Any = None  # of scipy, that these are of
    directed: bool = False  # the source says that its edges have directions

    def __post_init__(self) -> None:
        count = self.target.size
        for what, array, kind in (("indices", self.target, np.int32), ("edges", self.source, np.int32),
                                  ("weights", self.weights, np.float32)):
            if array is None:
                continue
            if array.shape != (count,):
                raise ValueError(f"{what}: expected {count}, found shape {array.shape}")
            if array.dtype != kind or not (array.flags.c_contiguous and array.flags.aligned):
                raise ValueError(f"{what}: expected {np.dtype(kind)}, found {array.dtype}")
        if self.offsets is not None:
            _check_offsets(self.offsets, self.nodes, count)

    def own(self) -> None:
        """Arrays of our own instead of the caller's."""
        for name in ("target", "weights", "offsets"):
            array = getattr(self, name)
            if array is not None and any(np.may_share_memory(array, other) for other in self.lent):
                setattr(self, name, array.copy())
        self.lent = ()

    def sources(self) -> np.ndarray:
        if self.source is None:
            assert self.offsets is not None
            rows = np.arange(self.nodes, dtype=np.int32)
            self.source = np.repeat(rows, np.diff(self.offsets))
        return self.source[:len(self.target)]


def _check_offsets(offsets: np.ndarray, rows: int, entries: int) -> None:
    if offsets.shape != (rows + 1,):
        raise ValueError(f"indptr: expected {rows + 1} offsets, found shape {offsets.shape}")
    if offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise ValueError("indptr: expected offsets that ascend from 0")
    if offsets[-1] > entries:
        raise ValueError(f"indptr: ends at {offsets[-1]}, but there are {entries} indices")


def count_of(nodes: Any, what: str = "nodes") -> int:
    """A number of nodes that was given."""
    if isinstance(nodes, (bool, np.bool_)) or not isinstance(nodes, numbers.Integral):
        raise TypeError(f"{what}={nodes!r}: expected a whole number")
    if not 0 <= int(nodes) <= MOST_NODES:
        raise ValueError(f"{what}={nodes}: expected 0 to {MOST_NODES}")
    return int(nodes)


# ---- names -------------------------------------------------------------------------------------

def as_names(names: Sequence, distinct: bool = False) -> Optional[np.ndarray]:
    """An array of names: text or whole numbers as such, anything else as objects; None when they
    are just 0 .. n-1. None is missing, and no name comes twice; distinct: this is known."""
    if isinstance(names, (str, bytes, set, frozenset)) or \
            (hasattr(names, "items") and not hasattr(names, "iloc")):
        raise TypeError(f"names: expected a sequence in the order of the nodes, found "
                        f"{type(names).__name__}")
    if isinstance(names, np.ma.MaskedArray):
        raise TypeError("names: a masked array")
    texts = isinstance(names, np.ndarray) and names.ndim == 1 and names.dtype.kind in "UO"
    listed = np.asarray(names).tolist() if texts else list(names)
    if set(map(type, listed)) == {str}:  # most names are, and need no look at each of them
        if not distinct:
            _check_distinct(listed)
        return objects(listed) if "\0" in "".join(listed) else np.array(listed)  # NumPy cuts off zeros
    _check_names(listed)
    array = np.array(listed) if listed and not any(map(_nested, listed)) else objects(listed)
    if array.ndim != 1 or array.dtype.kind not in "iuUO" or len(array) != len(listed):
        array = objects(listed)
    if array.dtype.kind in "iuU" and not _alike(listed):
        array = objects(listed)
    if array.dtype.kind in "iu" and np.array_equal(array, np.arange(len(array))):
        return None
    return array


def _check_names(names: List) -> None:
    if any(is_missing(n) for n in names):
        raise ValueError("names: some are missing (None or NaN)")
    _check_distinct(names)


def _check_distinct(names: List) -> None:
    try:
        distinct = len(set(names))
    except TypeError as error:
        raise TypeError(f"names: {error}") from None
    if distinct < len(names):
        seen: set = set()
        twice = next(n for n in names if n in seen or seen.add(n))  # type: ignore[func-returns-value]
        raise ValueError(f"names: {twice!r} comes twice")


def is_missing(name: Any) -> bool:
    """None, NaN, pandas.NA, pandas.NaT: whatever is not itself."""
    if name is None or type(name).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(name, (float, np.floating, np.datetime64)) and bool(name != name)


def _nested(name: Any) -> bool:
    return isinstance(name, (tuple, list, frozenset)) or (
        hasattr(name, "__array__") and not isinstance(name, np.generic))


def _alike(names: List) -> bool:
    """All text, or all whole numbers: an array makes 1 into "1" and True into 1."""
    return all(isinstance(n, str) for n in names) or \
        all(map(is_whole, names))


def objects(names: Sequence) -> np.ndarray:
    array = np.empty(len(names), dtype=object)
    for i, name in enumerate(names):  # one by one: NumPy would look into tuples
        array[i] = name
    return array


# ---- matrices ----------------------------------------------------------------------------------

def from_scipy(matrix: Any) -> Links:
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"expected a matrix of scipy.sparse, found {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"an adjacency is square, found shape {matrix.shape}")
    csr = _as_csr(matrix)
    lent = (csr.indptr, csr.indices, csr.data) if csr is matrix else ()
    return _rows(csr, csr.shape[0], csr.shape[0], lent=lent, matrix=csr)


def _as_csr(matrix: Any) -> Any:
    """SciPy writes where the indices point to without a look at them: they are looked at here."""
    kind = getattr(matrix, "format", "")
    if kind in ("csr", "csc", "bsr"):
        _check_compressed(matrix, kind)
    if kind in ("csr", "csc", "bsr") or not hasattr(matrix, "tocoo"):
        return matrix.tocsr()
    coo = matrix.tocoo()
    if not len(coo.row) == len(coo.col) == len(coo.data):
        raise ValueError(f"coo: expected rows, columns and data of one length, found {len(coo.row)}, "
                         f"{len(coo.col)} and {len(coo.data)}")
    _check_indices(coo.row, matrix.shape[0], "rows")
    _check_indices(coo.col, matrix.shape[1], "columns")
    return coo.tocsr()


def _check_compressed(matrix: Any, kind: str) -> None:
    block = matrix.blocksize if kind == "bsr" else (1, 1)
    rows, columns = (matrix.shape[i] // block[i] for i in (0, 1))
    if kind == "csc":
        rows, columns = columns, rows
    if len(matrix.data) != len(matrix.indices):
        raise ValueError(f"data: expected {len(matrix.indices)}, found {len(matrix.data)}")
    _check_offsets(_offsets(matrix.indptr), rows, len(matrix.indices))
    _check_indices(matrix.indices, columns, "indices")


def _check_indices(values: Any, nodes: int, what: str) -> None:
    array = as_array(values, what)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError(f"{what}: expected whole numbers, found {array.dtype} of shape {array.shape}")
    if len(array) and not -1 < array.min() <= array.max() < nodes:
        raise ValueError(f"{what}: expected 0 to {nodes - 1}, found {array.min()} to {array.max()}")


def _rows(csr: Any, rows: int, columns: int, **more: Any) -> Links:
    return Links(rows, indices_of(csr.indices, columns), _data_weights(csr.data),
                 offsets=_offsets(csr.indptr), **more)


def _offsets(values: Any) -> np.ndarray:
    array = as_array(values, "indptr")
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError(f"indptr: expected whole numbers, found {array.dtype} of shape {array.shape}")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"indptr: ends at {array.max()}")
    return np.require(array, np.int64, ["C", "A"])


def summed(matrix: Any) -> Links:
    """Entries that are there twice count together, as everywhere in scipy."""
    matrix = matrix.copy()
    matrix.sum_duplicates()
    links = from_scipy(matrix)
    links.lent = ()  # a copy, ours
    return links


def from_adjacency(matrix: Any) -> Links:
    """A square array; or a table whose columns are named as its rows are."""
    if not hasattr(matrix, "iloc") or not hasattr(matrix, "columns"):
        return _from_dense(_square(as_array(matrix, "an adjacency")))
    names = list(matrix.index)
    if list(matrix.columns) != names:
        raise ValueError("an adjacency has its rows and columns named alike and in the same order")
    links = _from_dense(_square(numbers_of(matrix, "an adjacency")))
    links.names = as_names(names)
    return links


def _square(array: np.ndarray) -> np.ndarray:
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"an adjacency is square, found shape {array.shape}")
    return array


def numbers_of(table: Any, what: str) -> np.ndarray:
    """Of a table or column of pandas, nullable ones too."""
    if table.isna().to_numpy().any():
        raise ValueError(f"{what} has missing values")
    return as_numbers(table.to_numpy(), what)


def links_of_rows(matrix: Any, columns: int) -> Links:
    """Edges of new nodes, rows of a matrix, to the nodes of a graph, its columns."""
    if not hasattr(matrix, "tocsr"):
        matrix = as_array(matrix, "links")
    if len(matrix.shape) != 2 or matrix.shape[1] != columns:
        raise ValueError(f"links: expected {columns} columns, found shape {matrix.shape}")
    if not hasattr(matrix, "tocsr"):
        return _from_dense(matrix)
    csr = _as_csr(matrix)
    return _rows(csr, csr.shape[0], columns)


def _data_weights(data: Any) -> Optional[np.ndarray]:
    """None for all ones, which need no weights; float32 as it is, anything else converted."""
    array = as_numbers(data, "weights")
    if array.ndim == 1 and (len(array) == 0 or (array.min() == 1 and array.max() == 1)):
        return None
    return weights_of(array)


def weights_of(values: Any, what: str = "weights") -> np.ndarray:
    """As float32; a weight that would become 0 is refused, as it is in a file."""
    array = as_numbers(values, what)
    if array.dtype.kind == "f":
        small = np.abs(array)
        if ((small > 0) & (small < np.finfo(np.float32).tiny)).any():
            raise ValueError(f"{what}: expected 0 or at least {np.finfo(np.float32).tiny:.3g}, found "
                             f"{array[(small > 0) & (small < np.finfo(np.float32).tiny)].flat[0]:g}")
    return as_floats(array)


def indices_of(values: Any, nodes: int) -> np.ndarray:
    array = as_array(values, "indices")
    if nodes > MOST_NODES:
        raise ValueError(f"{nodes} nodes: a graph has at most {MOST_NODES}")
    _check_indices(array, nodes, "indices")
    return np.require(array, np.int32, ["C", "A"])


# ---- arrays of edges ---------------------------------------------------------------------------

def listed(data: Any) -> np.ndarray:
    """An array of what may be a list. Names in it stay what they are: NumPy would make "1" of 1 and
    look into tuples."""
    if not isinstance(data, (list, tuple)):
        return as_array(data)
    rows = [list(row) if isinstance(row, (list, tuple)) else row for row in data]
    pairs = all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows)
    if not rows or not pairs or not any(_is_name(x) for row in rows for x in row):
        return as_array(data)
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        array[i] = objects(row)
    return array


def is_whole(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


def _is_name(x: Any) -> bool:
    return isinstance(x, (str, bytes, tuple, frozenset)) or x is None


def from_edges(edges: Any, target: Any, weights: Any, nodes: Any) -> Links:
    """Pairs, m x 2, or tuples with a weight; or the sources and the targets, each m long."""
    if target is None:
        if are_tuples(edges):
            return _from_tuples(edges, weights, nodes)
        array = listed(edges)
        if array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(f"edges: expected an m x 2 array, found shape {array.shape}")
        return _from_pairs(array[:, 0], array[:, 1], weights, nodes)
    texts = _from_texts(edges, target, weights, nodes)
    if texts is not None:
        return texts
    array, other = _column(edges), _column(target)
    if array.ndim != 1 or array.shape != other.shape:
        raise ValueError(f"edges: expected sources and targets of one length, found shapes "
                         f"{array.shape} and {other.shape}")
    return _from_pairs(array, other, weights, nodes)


def are_tuples(data: Any) -> bool:
    """Whether data is a list of tuples, which are edges whatever their number."""
    return isinstance(data, list) and bool(data) and all(issubclass(kind, tuple) for kind in set(map(type, data)))


def _from_tuples(edges: List[Tuple], weights: Any, nodes: Any) -> Links:
    """(node, node) or (node, node, weight) each."""
    lengths = set(map(len, edges))
    if lengths == {3} and weights is None:
        weights = list(map(itemgetter(2), edges))
    elif lengths != {2}:
        wanted = "(node, node)" + (" or (node, node, weight), all of one kind" if weights is None else
                                   ", since weights are given")
        odd = next(edge for edge in edges if len(edge) != 2)
        raise ValueError(f"edges: expected {wanted}; found {odd!r}")
    ends = [list(map(itemgetter(side), edges)) for side in (0, 1)]
    texts = _from_texts(ends[0], ends[1], weights, nodes)
    if texts is not None:
        return texts
    if set(map(type, ends[0])) == set(map(type, ends[1])) == {int}:  # no need to look at pairs
        pairs = [as_array(end) for end in ends]
    else:
        pairs = list(listed([edge[:2] for edge in edges]).T)
    return _from_pairs(pairs[0], pairs[1], weights, nodes)


def _from_texts(source: Any, target: Any, weights: Any, nodes: Any) -> Optional[Links]:
    """Edges between names that are all texts, else None."""
    if isinstance(nodes, (int, np.integer)) or not (is_column(source) and is_column(target)) \
            or len(source) != len(target):
        return None
    found = numbered_texts(source, target)
    return None if found is None else _named_links(*found, weights, nodes)


def _column(values: Any) -> np.ndarray:
    """One end of the edges; names in a list stay what they are."""
    if isinstance(values, (list, tuple)) and any(_is_name(x) for x in values):
        return objects(values)
    return as_array(values, "edges")


def from_edge_index(data: Any, weights: Any, nodes: Optional[int]) -> Links:
    """2 x m, or an object that has one, with its weights and number of nodes."""
    if hasattr(data, "edge_index"):
        if weights is None:
            weights = getattr(data, "edge_weight", None)
            if weights is None and getattr(data, "edge_attr", None) is not None:
                raise ValueError("edge_attr may be weights or features: Graph.from_edge_index(x, "
                                 "edge_attr=x.edge_attr), or edge_attr=False to leave it out")
        nodes = getattr(data, "num_nodes", None) if nodes is None else nodes
        data = data.edge_index
    array = listed(data)
    if array.ndim != 2 or array.shape[0] != 2:
        raise ValueError(f"edge_index: expected a 2 x m array, found shape {array.shape}")
    if weights is not None and weights is not False:
        weights = as_array(weights, "edge_attr")
        if weights.ndim == 2 and weights.shape[1] == 1:
            weights = weights[:, 0]
    return _from_pairs(array[0], array[1], None if weights is False else weights, nodes)


def _from_dense(matrix: np.ndarray) -> Links:
    matrix = as_numbers(matrix, "an adjacency")
    if not np.isfinite(matrix).all():
        raise ValueError("an adjacency has finite numbers")
    rows, columns = np.nonzero(matrix)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(matrix)))])
    return Links(len(matrix), indices_of(columns, matrix.shape[1]), _data_weights(matrix[rows, columns]),
                 offsets=np.ascontiguousarray(offsets, dtype=np.int64))


def _from_pairs(source: np.ndarray, target: np.ndarray, weights: Any, nodes: Any) -> Links:
    """Integers are node ids, anything else names by first appearance."""
    source, target = _ends(source), _ends(target)
    if source.dtype.kind not in "iu" or target.dtype.kind not in "iu":
        if isinstance(nodes, (int, np.integer)):
            raise TypeError("nodes: edges between names have their own number of nodes")
        return _named_links(*numbered(source, target, ascending=False), weights, nodes)
    nodes = _node_count(source, target, nodes)
    return Links(nodes, indices_of(target, nodes), _given(weights, len(source)), indices_of(source, nodes))


def _named_links(source: np.ndarray, target: np.ndarray, names: Any, weights: Any, nodes: Any) -> Links:
    """Of numbered names, and of `nodes` that no edge has."""
    links = Links(len(names), indices_of(target, len(names)), _given(weights, len(source)),
                  indices_of(source, len(names)), names=as_names(names, distinct=True))
    return with_nodes(links, nodes)


def _given(weights: Any, count: int) -> Optional[np.ndarray]:
    given = None if weights is None else weights_of(weights)
    if given is not None and given.shape != (count,):
        raise ValueError(f"weights: expected {count}, found shape {given.shape}")
    return given


def with_sides(links: Links, bipartite: Any) -> Links:
    """Two sides, sources before targets: a name on both is two nodes, as `bipartite` of files makes them."""
    if not isinstance(bipartite, (bool, np.bool_)):
        raise TypeError(f"bipartite: expected True or False, found {bipartite!r}")
    if not bipartite:
        return links
    assert links.source is not None  # tables have one
    left, source = np.unique(links.source, return_inverse=True)
    right, target = np.unique(links.target, return_inverse=True)
    known = np.arange(links.nodes) if links.names is None else links.names
    names = [known[left].tolist(), known[right].tolist()]
    if np.intersect1d(left, right).size:
        names = [[str(n) for n in names[0]], [f"right:{n}" for n in names[1]]]
        if any(n.startswith("right:") for n in names[0]):
            raise ValueError("bipartite: names of sources begin with 'right:', as those of targets would")
    links.source, links.target = source.astype(np.int32), (target + len(left)).astype(np.int32)
    links.nodes, links.names = len(left) + len(right), as_names(names[0] + names[1], distinct=True)
    return links


def with_nodes(links: Links, nodes: Any) -> Links:
    """Names that no edge has become nodes without edges, behind the others."""
    if nodes is None:
        return links
    as_names(nodes)  # refuses what is no sequence of different names
    known = list(range(links.nodes)) if links.names is None else links.names.tolist()
    place = set(known)
    more = [n.item() if isinstance(n, np.generic) else n for n in nodes]
    names = known + [n for n in more if n not in place]
    links.nodes, links.names = len(names), as_names(names, distinct=True)
    return links


def _ends(values: np.ndarray) -> np.ndarray:
    """Whole numbers, also where they come as objects, or names."""
    if len(values) == 0:
        return values.astype(np.int64)
    if values.dtype.kind in "bfcV":
        raise ValueError(f"edges: expected whole numbers or names, found {values.dtype}")
    if values.dtype == object and is_whole(values[0]) and all(map(is_whole, values.tolist())):
        low, high = min(values.tolist()), max(values.tolist())
        if low < 0 or high > MOST_NODES:
            raise ValueError(f"edges: expected nodes from 0 on, found {low if low < 0 else high}")
        return values.astype(np.int64)
    return values


# The nodes that numbers may make beyond those of the edges, as for files that state their number.
_SPARE_NODES, _NODES_PER_EDGE = 2 ** 20, 64


def _node_count(source: np.ndarray, target: np.ndarray, nodes: Optional[int]) -> int:
    given = None if nodes is None else count_of(nodes)
    if len(source) == 0:
        return given or 0
    low, high = int(min(source.min(), target.min())), int(max(source.max(), target.max()))
    count = high + 1 if given is None else given
    if low < 0 or high >= count or count > MOST_NODES:
        raise ValueError(f"edges: expected nodes from 0 to {min(count, MOST_NODES) - 1}, found "
                         f"{low if low < 0 else high}; a pandas table takes any numbers as names")
    if given is None and count > _SPARE_NODES + _NODES_PER_EDGE * len(source):
        raise ValueError(f"edges: expected fewer than {count} nodes for {len(source)} edges: "
                         f"nodes={count} takes them all; a pandas table takes only those that occur")
    return count


class MissingNames(ValueError):
    """A name is None, NaN or the like."""


@dataclass
class Coded:
    """Names as numbers of words, each word once: a column of categories."""

    codes: np.ndarray
    words: np.ndarray

    def __len__(self) -> int:
        return len(self.codes)


def plain(end: Any) -> np.ndarray:
    """The names of one end of the edges, one each."""
    if isinstance(end, Texts):
        return objects(end.listed())
    return plain(end.words)[end.codes] if isinstance(end, Coded) else end


def numbered(source: Any, target: Any,
             ascending: bool) -> Tuple[np.ndarray, np.ndarray, Any]:
    """Names to numbers: in ascending order, or by first appearance, line by line."""
    if isinstance(source, Coded) and isinstance(target, Coded):
        return _numbered_codes(source, target)
    source, target = (plain(end) if isinstance(end, Coded) else end for end in (source, target))
    if not ascending:
        texts = numbered_texts(source, target)
        if texts is not None:
            return texts
    source, target = plain(source), plain(target)
    alike = source.dtype.kind == target.dtype.kind and source.dtype.kind in "iu"
    kind = np.result_type(source, target) if alike else np.dtype(object)
    ends = np.empty(2 * len(source), dtype=kind)
    ends[0::2], ends[1::2] = source, target
    names, found = np.unique(ends, return_inverse=True) if ascending else _objects_by_appearance(ends)
    return found[0::2], found[1::2], names


def _first_places(found: np.ndarray, count: int) -> np.ndarray:
    first = np.full(count, len(found))
    first[found[::-1]] = np.arange(len(found))[::-1]  # of several values the last one stays
    return first


def _objects_by_appearance(ends: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """By pandas, if the program has it already, which compares names as a dict does; else by a dict,
    whose keys are in the order of their appearance."""
    pandas = sys.modules.get("pandas")
    try:
        if pandas is not None:
            found, names = pandas.factorize(ends)
            if len(found) and found.min() < 0:
                raise MissingNames("edges: some names are missing (None or NaN)")
            return names, found
        entries = ends.tolist()
        different = list(dict.fromkeys(entries))
    except TypeError as error:
        raise TypeError(f"names: {error}") from None
    if any(map(is_missing, different)):
        raise MissingNames("edges: some names are missing (None or NaN)")
    place = dict(zip(different, range(len(different))))
    return objects(different), np.fromiter(map(place.__getitem__, entries), np.int32, len(entries))


def _numbered_codes(source: "Coded", target: "Coded") -> Tuple[np.ndarray, np.ndarray, Any]:
    """Words get numbers, not every edge; then the numbers are those of first appearance."""
    words = [plain(end.words).astype(object) for end in (source, target)]
    names, numbers = _objects_by_appearance(np.concatenate(words))
    numbers = numbers.astype(np.int32)
    parts = [numbers[:len(words[0])][source.codes], numbers[len(words[0]):][target.codes]]
    both = np.empty(2 * len(parts[0]), np.int32)
    both[0::2], both[1::2] = parts
    first = _first_places(both, len(names))
    order = np.argsort(first, kind="stable")[:int((first < len(both)).sum())]
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    found = rank[both]
    return found[0::2], found[1::2], names[order]


# ---- objects of other libraries ----------------------------------------------------------------

def from_networkx(graph: Any, weight: Any) -> Links:
    if not hasattr(graph, "adj") or not hasattr(graph, "is_multigraph"):
        raise TypeError(f"expected a graph of networkx, found {type(graph).__name__}")
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    attribute = _attribute(weight)
    given = None
    if weight is False:
        pass
    elif any(attribute in data for *_, data in edges):
        given = weights_of([data.get(attribute, 1) for *_, data in edges])
    elif weight is not None and edges:
        raise ValueError(f"weights={weight!r}: no edge has this attribute"
                         + there_are({name for *_, data in edges for name in data}))
    pairs = np.array([(place[u], place[w]) for u, w, *_ in edges], dtype=np.int32).reshape(-1, 2)
    return Links(len(nodes), np.ascontiguousarray(pairs[:, 1]), given,
                 np.ascontiguousarray(pairs[:, 0]), names=as_names(nodes),
                 directed=bool(graph.is_directed()))


def from_igraph(graph: Any, weight: Any) -> Links:
    if not hasattr(graph, "get_edgelist") or not hasattr(graph, "vcount"):
        raise TypeError(f"expected a graph of igraph, found {type(graph).__name__}")
    pairs = np.array(graph.get_edgelist(), dtype=np.int32).reshape(-1, 2)
    attribute = _attribute(weight)
    given = None
    if weight is False:
        pass
    elif attribute in graph.es.attributes():
        given = weights_of(graph.es[attribute])
    elif weight is not None:
        raise ValueError(f"weights={weight!r}: no edge has this attribute"
                         + there_are(graph.es.attributes()))
    names = as_names(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    return Links(graph.vcount(), np.ascontiguousarray(pairs[:, 1]), given,
                 np.ascontiguousarray(pairs[:, 0]), names=names, directed=bool(graph.is_directed()))


def _attribute(weight: Any) -> str:
    if weight is None or weight is False:
        return "weight"
    if not isinstance(weight, str):
        raise TypeError(f"weight={weight!r}: expected the name of an attribute, or False")
    return weight


def there_are(names: Iterable) -> str:
    known = ", ".join(sorted(map(repr, names)))
    return f"; there are {known}" if known else "; there are none"
