"""Tables of edges, a row each: columns of pandas or of Arrow, by their names."""
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _arrow
from ._arrays import as_array
from ._sources import (Coded, Links, MissingNames, as_names, indices_of, is_whole, numbered,
                       numbers_of, plain, there_are, weights_of)
from ._texts import Texts


_LARGEST = np.iinfo(np.int64).max


def certain_table(data: Any, weights: Any, kind: str) -> Links:
    """A table says by its headings what it is, or is refused."""
    table = data if kind == "pandas" else _arrow.Table(data)
    columns = list(table.columns)
    if not {"source", "target"} <= set(columns):
        raise ValueError("a table of edges has columns source and target; otherwise "
                         f"Graph.from_{kind}(x, source=..., target=...), or for a square table of "
                         f"weights Graph.from_adjacency(x); found columns {columns[:6]}")
    if weights is None:
        weights = _certain_weight(columns, kind)
    return (from_pandas if kind == "pandas" else from_arrow)(table, "source", "target", weights)


def _certain_weight(columns: List, kind: str) -> Optional[str]:
    alike = [c for c in columns if isinstance(c, str) and c.lower() in ("weight", "weights")]
    if alike and alike != ["weight"]:
        raise ValueError(f"column {alike[0]!r} may hold weights: Graph.from_{kind}(x, "
                         f"source='source', target='target', weight={alike[0]!r})")
    return "weight" if alike else None


# ---- pandas ------------------------------------------------------------------------------------

def from_pandas(table: Any, source: Any, target: Any, weight: Any) -> Links:
    """Columns by their names; the weights may be an array of their own."""
    if not hasattr(table, "iloc") or not hasattr(table, "columns"):
        raise TypeError(f"expected a table of pandas, found {type(table).__name__}")
    given = None
    if _is_name_of_column(weight):
        given = weights_of(numbers_of(_column(table, weight), f"column {weight!r}"),
                           f"column {weight!r}")
    elif weight is not None:
        if hasattr(weight, "iloc") and not weight.index.equals(table.index):
            raise ValueError("weight: its index is not that of the table")
        given = weights_of(weight)
    columns = [_column(table, c) for c in _two(source, target)]
    ends = [_names_of(column) for column in columns]
    try:
        return _links(ends[0], ends[1], given)
    except MissingNames:
        for column in columns:
            _check_missing(column)
        raise


def _is_name_of_column(name: Any) -> bool:
    if isinstance(name, (bool, np.bool_)):
        raise TypeError(f"weight={name}: expected a column or an array; None: every edge weighs 1")
    return name is not None and (isinstance(name, (str, tuple)) or np.ndim(name) == 0)


def _two(source: Any, target: Any) -> Tuple[Any, Any]:
    if isinstance(source, type(target)) and source == target:
        raise ValueError(f"source and target are one column, {source!r}")
    return source, target


def _column(table: Any, name: Any) -> Any:
    columns = list(table.columns)
    if name not in columns:
        raise ValueError(f"the table has no column {name!r}{there_are(columns)}")
    if columns.count(name) > 1:
        raise ValueError(f"the table has {columns.count(name)} columns {name!r}")
    return table[name]


def _names_of(column: Any) -> Any:
    if column.dtype != object:  # missing objects are found when they are numbered
        _check_missing(column)
    if column.dtype.kind in "mM":  # a time as NumPy's is a number to Python
        column = column.astype(object)
    what = f"column {_shown(column.name)}"
    if hasattr(column, "cat") and len(column):
        codes = column.cat.codes.to_numpy()
        return _as_ends(Coded(codes, column.cat.categories.to_numpy()), what)
    return _as_ends(column.to_numpy(), what)


def _check_missing(column: Any) -> None:
    if column.isna().any():
        raise ValueError(f"column {_shown(column.name)} of the edges has missing values")


def _shown(name: Any) -> str:
    """0 rather than np.int64(0), as NumPy 2 has it."""
    return repr(name.item() if isinstance(name, np.generic) else name)


def _as_ends(values: Any, what: str) -> Any:
    """Whole numbers, text, or objects; nothing that rounds."""
    if isinstance(values, Texts):
        return values
    if isinstance(values, Coded):
        words = _as_ends(plain(values.words), what)
        return words[values.codes] if words.dtype.kind in "iu" else Coded(values.codes, words)
    if values.dtype == object and len(values) and is_whole(values[0]) and all(map(is_whole, values.tolist())):
        return np.array(values.tolist())  # nullable integers
    if values.dtype.kind in "bfc":
        raise ValueError(f"{what}: expected whole numbers or names, found {values.dtype}")
    if values.dtype.kind == "u" and (len(values) == 0 or values.max() <= _LARGEST):
        return values.astype(np.int64)
    return values if values.dtype.kind in "iuUO" else values.astype(object)


# ---- Arrow -------------------------------------------------------------------------------------

def from_arrow(table: Any, source: Any, target: Any, weight: Any) -> Links:
    """Columns of anything that gives an Arrow stream, by their names."""
    if not isinstance(table, _arrow.Table):
        table = _arrow.Table(table)
    given = None
    if _is_name_of_column(weight):
        given = weights_of(plain(_column(table, weight)), f"column {weight!r}")
    elif weight is not None:
        given = weights_of(as_array(weight, "weight"))
    ends = [_as_ends(_column(table, c), f"column {c!r}") for c in _two(source, target)]
    return _links(ends[0], ends[1], given)


# ---- the edges ---------------------------------------------------------------------------------

def _links(source: Any, target: Any, weights: Optional[np.ndarray]) -> Links:
    """Any values are names of nodes; whole numbers are in ascending order."""
    if weights is not None and weights.shape != (len(source),):
        raise ValueError(f"weights: expected {len(source)}, found shape {weights.shape}")
    if all(isinstance(end, np.ndarray) and end.dtype.kind in "iu" for end in (source, target)):
        dense = _dense(source, target)
        if dense is not None:
            return Links(dense, indices_of(target, dense), weights, indices_of(source, dense))
        source, target, names = numbered(source, target, ascending=True)
    else:
        source, target, names = numbered(source, target, ascending=False)
    return Links(len(names), indices_of(target, len(names)), weights, indices_of(source, len(names)),
                 names=as_names(names, distinct=True))


def _dense(source: np.ndarray, target: np.ndarray) -> Optional[int]:
    """n when the numbers are 0 .. n-1 and each is there: they are taken as they lie."""
    if len(source) == 0:
        return None
    low, high = min(source.min(), target.min()), int(max(source.max(), target.max()))
    if low != 0 or high >= 2 * len(source):
        return None
    there = np.zeros(high + 1, bool)
    there[source] = there[target] = True
    return high + 1 if there.all() else None
