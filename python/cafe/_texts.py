"""Names of nodes that are texts: the library numbers them by first appearance.

A column of texts goes to the library as bytes, in the layout that is cheapest to make. Lists and arrays of objects are
joined with a byte 0 in between, arrays of fixed width go as they are, Arrow by offsets.
"""
import ctypes
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from . import _abi
from ._arrays import pointer
from ._call import Context, run


class Texts:
    """Texts in UTF-8, one behind the other, and where each of them begins and the last ends."""

    def __init__(self, data: np.ndarray, offsets: np.ndarray, decode: Callable[[bytes], str]) -> None:
        self.data, self.offsets, self.decode = data, offsets, decode

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def chosen(self, places: List[int]) -> List[str]:
        data, offsets = self.data.data, self.offsets
        return [self.decode(bytes(data[offsets[i]:offsets[i + 1]])) for i in places]

    def listed(self) -> List[str]:
        """All of them; letters of ASCII are cut out of one text."""
        at = (self.offsets - self.offsets[0]).tolist()
        whole = self.data[self.offsets[0]:self.offsets[-1]].tobytes()
        if whole.isascii():
            text = whole.decode()
            return [text[a:b] for a, b in zip(at, at[1:])]
        return [self.decode(whole[a:b]) for a, b in zip(at, at[1:])]

    @staticmethod
    def joined(parts: List["Texts"]) -> "Texts":
        ends = [part.offsets[1:] - part.offsets[0] for part in parts]
        before = np.cumsum([0] + [int(end[-1]) if len(end) else 0 for end in ends])
        data = [part.data[part.offsets[0]:part.offsets[-1]] for part in parts]
        offsets = [np.zeros(1, np.int64), *(end + at for end, at in zip(ends, before))]
        return Texts(np.concatenate(data), np.concatenate(offsets), parts[0].decode)


def numbered_texts(source: Any, target: Any) -> Optional[Tuple[np.ndarray, np.ndarray, List[str]]]:
    """The numbers of the sources and of the targets, and the different texts in the order in which they
    appear, line by line. None: not all are texts."""
    source, target = _of_one_width(source, target)
    if _repeat(source) and _repeat(target):
        return _of_objects(_objects(source), _objects(target))
    given = _column(source)
    also_given = given and _column(target)
    if not given or not also_given:
        return None
    left, right, first = _numbered(given, also_given)
    return left, right, _names(source, target, first)


def _numbered(*columns: Tuple[Any, Any]) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the two columns of the library: the numbers of both, and where each number appears first."""
    left, right = (texts for texts, _ in columns)
    numbers = [np.empty(left.count, np.int32), np.empty(right.count, np.int32)]
    first, count = np.empty(left.count + right.count, np.int64), ctypes.c_int64()

    def work(context: Context) -> None:
        context.call("cafe_texts_number", left, right, pointer(numbers[0]), pointer(numbers[1]),
                     pointer(first), count)

    run(work, 1)
    return numbers[0], numbers[1], first[:count.value]


def _of_objects(source: np.ndarray, target: np.ndarray) -> Optional[Tuple[np.ndarray, np.ndarray, List[str]]]:
    """The same where few objects stand for many entries: objects are numbered by their addresses, and
    then only the different ones by their texts."""
    left, right, first = _numbered(_fixed(source), _fixed(target))
    objects = _names(source, target, first)
    found = numbered_texts(objects[0::2], [*objects[1::2], *objects[-1:]][:len(objects[0::2])])
    if found is None:
        return None
    number = np.empty(2 * len(found[0]), np.int32)
    number[0::2], number[1::2] = found[:2]
    return number[left], number[right], found[2]


def _repeat(column: Any) -> bool:
    """Whether a column of objects has, by a sample, many entries for each object."""
    if not _are_objects(column) or len(column) < SAMPLE or not isinstance(column[0], str):
        return False
    sample = list(column[::len(column) // SAMPLE])
    again = len(sample) - len(set(map(id, sample)))
    return len(sample) ** 2 < len(column) * again  # half the square over the repeats estimates their number


SAMPLE = 1 << 14


def _are_objects(column: Any) -> bool:
    return is_column(column) and not (isinstance(column, np.ndarray) and column.dtype != object)


def _objects(column: Any) -> np.ndarray:
    """An array of them; the first is a text, so that NumPy does not look into the others."""
    array = np.empty(len(column), object)
    array[:] = column
    return array


def is_column(data: Any) -> bool:
    """A list, or an array of one dimension."""
    return isinstance(data, (list, tuple)) or (isinstance(data, np.ndarray) and data.ndim == 1)


def _names(source: Any, target: Any, first: np.ndarray) -> List[str]:
    """The texts at their first places: those of the sources, and between them those of the targets."""
    lines, right = first // 2, first % 2 == 1
    names = np.empty(len(first), object)
    names[~right], names[right] = _chosen(source, lines[~right]), _chosen(target, lines[right])
    return names.tolist()


def _chosen(column: Any, places: np.ndarray) -> List[str]:
    if isinstance(column, Texts):
        return column.chosen(places.tolist())
    if isinstance(column, np.ndarray):
        return column[places].tolist()
    return [column[i] for i in places.tolist()]


def _of_one_width(source: Any, target: Any) -> Tuple[Any, Any]:
    """Arrays of texts of fixed width: both of the wider one, since shorter texts are filled up."""
    if all(isinstance(end, np.ndarray) and end.dtype.kind == "U" for end in (source, target)):
        wider = np.result_type(source, target)
        return tuple(np.ascontiguousarray(end, wider) for end in (source, target))  # type: ignore[return-value]
    return tuple(end.astype(object) if isinstance(end, np.ndarray) and end.dtype.kind == "U" else end
                 for end in (source, target))  # type: ignore[return-value]


def _column(end: Any) -> Optional[Tuple[Any, Any]]:
    """One end of the edges for the library, and what holds its bytes."""
    count = len(end)
    if isinstance(end, Texts):
        data = np.ascontiguousarray(end.data)
        return _abi.cafe_texts(count, data.size, _at(data), pointer(end.offsets), 0), (data, end)
    if isinstance(end, np.ndarray) and end.dtype.kind == "U":
        return _fixed(end) if end.dtype.itemsize else None
    if not _are_objects(end) or not count or not isinstance(end[0], str):
        return None
    try:
        joined = "\0".join(end.tolist() if isinstance(end, np.ndarray) else end)
    except TypeError:
        return None
    whole = joined.encode("utf-8", "surrogatepass")
    if whole.count(b"\0") != count - 1:  # pandas.factorize would take texts that differ behind a zero for one
        return _column(_with_zeros(end))
    return _abi.cafe_texts(count, len(whole), whole, None, 0), whole


def _with_zeros(texts: Any) -> Texts:
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(list(map(len, parts)), dtype=np.int64)])
    return Texts(np.frombuffer(b"".join(parts), np.uint8), offsets, bytes.decode)


def _fixed(array: np.ndarray) -> Tuple[Any, Any]:
    return _abi.cafe_texts(len(array), array.nbytes, _at(array), None, array.dtype.itemsize), array


def _at(array: np.ndarray) -> Any:
    return ctypes.cast(array.ctypes.data, ctypes.c_char_p)
