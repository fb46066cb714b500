"""Tables by the Arrow C data interface, read through ctypes: polars, DuckDB, pyarrow, pandas.

An object hands out a capsule with a stream of record batches (`__arrow_c_stream__`) or with one batch
(`__arrow_c_array__`). Numbers are looked at where they lie; the batch is released when the last array
that does so is gone. The interface has no sizes of buffers: lengths are the producer's word, everything
that can be compared with them is.

https://arrow.apache.org/docs/format/CDataInterface.html
"""
import ctypes
from functools import partial
from typing import Any, List, Tuple

import numpy as np

from ._sources import Coded, plain
from ._texts import Texts

_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
            "e": "f2", "f": "f4", "g": "f8"}
_TEXTS = {"u": "i4", "U": "i8"}  # by the type of their offsets
_STRUCT = "+s"


# ---- the structs -------------------------------------------------------------------------------

class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))), ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))), ("private_data", ctypes.c_void_p)]
_Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))), ("private_data", ctypes.c_void_p)]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))), ("private_data", ctypes.c_void_p)]


class _Held:
    """A struct that is ours to release, once nothing uses it."""

    def __init__(self, struct: Any) -> None:
        self.struct = struct

    def __del__(self) -> None:
        if self.struct.release:
            self.struct.release(ctypes.byref(self.struct))


# ---- capsules ----------------------------------------------------------------------------------

_api = ctypes.pythonapi
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api))
_STREAM, _SCHEMA, _ARRAY = b"arrow_array_stream", b"arrow_schema", b"arrow_array"


def is_stream(data: Any) -> bool:
    """Whether data hands out record batches, or is a capsule that does."""
    return (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
            or bool(_is_valid(data, _STREAM)))


def _taken(capsule: Any, name: bytes, kind: Any) -> _Held:
    """The struct of a capsule moves to us: what is left there is marked as released."""
    if not _is_valid(capsule, name):
        raise TypeError(f"expected a capsule {name.decode()!r}, found {type(capsule).__name__}")
    there = kind.from_address(_get_pointer(capsule, name))
    if not there.release:
        raise ValueError("the Arrow stream has been read already")
    ours = kind()
    ctypes.memmove(ctypes.byref(ours), ctypes.byref(there), ctypes.sizeof(kind))
    ctypes.memset(ctypes.addressof(there) + kind.release.offset, 0, kind.release.size)
    return _Held(ours)


def _batches(data: Any) -> Tuple[_Held, List[_Held]]:
    """The schema, and the record batches."""
    if hasattr(data, "__arrow_c_stream__"):
        return _of_stream(_taken(data.__arrow_c_stream__(), _STREAM, _Stream))
    if hasattr(data, "__arrow_c_array__"):
        schema, array = data.__arrow_c_array__()
        return _taken(schema, _SCHEMA, _Schema), [_taken(array, _ARRAY, _Array)]
    if not _is_valid(data, _STREAM):
        raise TypeError("expected an object with __arrow_c_stream__ or __arrow_c_array__, found "
                        f"{type(data).__name__}")
    return _of_stream(_taken(data, _STREAM, _Stream))


def _of_stream(stream: _Held) -> Tuple[_Held, List[_Held]]:
    schema = _Held(_Schema())
    batches: List[_Held] = []
    _check(stream, stream.struct.get_schema(ctypes.byref(stream.struct), ctypes.byref(schema.struct)))
    while True:
        batch = _Held(_Array())
        _check(stream, stream.struct.get_next(ctypes.byref(stream.struct),
                                              ctypes.byref(batch.struct)))
        if not batch.struct.release:
            return schema, batches
        batches.append(batch)


def _check(stream: _Held, status: int) -> None:
    if status != 0:
        at = stream.struct.get_last_error(ctypes.byref(stream.struct))
        text = ctypes.string_at(at).decode(errors="replace") if at else "no reason given"
        raise OSError(status, f"the Arrow stream: {text}")


# ---- the table ---------------------------------------------------------------------------------

class Table:
    """Record batches with the names of their columns; a column is read when it is asked for."""

    def __init__(self, data: Any) -> None:
        self._schema, self._batches = _batches(data)
        schema = self._schema.struct
        if schema.format != _STRUCT.encode():
            raise ValueError(f"expected an Arrow table, found an array of format "
                             f"{(schema.format or b'').decode()!r}")
        self._fields = [schema.children[i].contents for i in range(schema.n_children)]
        self.columns = [(field.name or b"").decode() for field in self._fields]

    def __getitem__(self, name: str) -> Any:
        at = self.columns.index(name)
        chunks = [self._chunk(batch, at) for batch in self._batches]
        chunks = [chunk for chunk in chunks if len(chunk)] or chunks[:1]
        if len(chunks) == 1:
            return chunks[0]
        if chunks and all(isinstance(chunk, Coded) for chunk in chunks):
            before = np.cumsum([0] + [len(chunk.words) for chunk in chunks])
            return Coded(np.concatenate([chunk.codes + at for chunk, at in zip(chunks, before)]),
                         np.concatenate([plain(chunk.words) for chunk in chunks]))
        if chunks and all(isinstance(chunk, Texts) for chunk in chunks):
            return Texts.joined(chunks)
        chunks = [plain(chunk) for chunk in chunks]
        return np.concatenate(chunks) if chunks else _values(self._fields[at], _Array(), 0, 0, None, "")

    def _chunk(self, batch: _Held, at: int) -> Any:
        rows, what = batch.struct, f"column {self.columns[at]!r}"
        if rows.n_children != len(self._fields) or rows.length < 0 or rows.offset < 0:
            raise ValueError(f"{what}: the Arrow batch does not fit its schema")
        if _has_missing(rows, rows.offset, rows.length, batch):
            raise ValueError("rows of the Arrow table are missing")
        column = rows.children[at].contents
        if column.offset < 0 or column.length < rows.offset + rows.length:
            raise ValueError(f"{what}: shorter than its Arrow batch")
        return _values(self._fields[at], column, column.offset + rows.offset, rows.length, batch, what)


def _values(field: Any, column: Any, first: int, count: int, batch: Any, what: str) -> Any:
    """`count` entries from `first` on, none of them missing."""
    kind = (field.format or b"").decode()
    if count == 0:
        return np.zeros(0, _NUMBERS.get(kind, object) if not field.dictionary else object)
    if _has_missing(column, first, count, batch):
        raise ValueError(f"{what} has missing values")
    if field.dictionary:
        return _of_dictionary(field, column, first, count, batch, what)
    if kind in _NUMBERS:
        return _buffer(column, 1, _NUMBERS[kind], first, count, batch, what)
    if kind in _TEXTS:
        return _texts(column, _TEXTS[kind], first, count, batch, what)
    if kind == "vu":
        return _views(column, first, count, batch, what)
    if kind == "b":
        bits = _buffer(column, 1, "u1", first // 8, (first + count + 7) // 8 - first // 8, batch, what)
        return np.unpackbits(bits, bitorder="little")[first % 8:first % 8 + count].astype(bool)
    raise ValueError(f"{what}: expected whole numbers, floats or text, found Arrow format {kind!r}")


def _buffer(column: Any, number: int, kind: str, first: int, count: int, batch: Any,
            what: str) -> np.ndarray:
    """Entries of a buffer where they lie: read-only, and they keep the batch."""
    if column.n_buffers <= number or not column.buffers[number]:
        raise ValueError(f"{what}: the Arrow array lacks a buffer")
    size = np.dtype(kind).itemsize
    memory: Any = (ctypes.c_char * (count * size)).from_address(column.buffers[number] + first * size)
    memory._owner = batch  # NumPy holds the memory, the memory the batch
    array = np.frombuffer(memory, dtype=kind)
    array.flags.writeable = False
    return array


def _has_missing(column: Any, first: int, count: int, batch: Any) -> bool:
    """By the bits of its validity; without these, none is missing."""
    if count == 0 or column.null_count == 0 or column.n_buffers < 1 or not column.buffers[0]:
        return column.null_count > 0 and count > 0
    from_byte = first // 8
    bits = np.unpackbits(_buffer(column, 0, "u1", from_byte, (first + count + 7) // 8 - from_byte,
                                 batch, ""), bitorder="little")
    return not bits[first % 8:first % 8 + count].all()


def _texts(column: Any, kind: str, first: int, count: int, batch: Any, what: str) -> Texts:
    ends = _buffer(column, 1, kind, first, count + 1, batch, what).astype(np.int64)
    if ends[0] < 0 or (np.diff(ends) < 0).any():
        raise ValueError(f"{what}: its Arrow offsets do not ascend")
    begin, size = int(ends[0]), int(ends[-1] - ends[0])
    data = _buffer(column, 2, "u1", begin, size, batch, what) if size else np.zeros(0, np.uint8)
    return Texts(data, ends - begin, partial(_text, what=what))


def _text(piece: bytes, what: str) -> str:
    try:
        return piece.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{what}: {error}") from None


def _views(column: Any, first: int, count: int, batch: Any, what: str) -> Texts:
    """Each entry: its length, and up to 12 bytes, or 4, the number of a buffer and where it is in
    there. The last buffer has the sizes of those between."""
    others = column.n_buffers - 3
    if others < 0:
        raise ValueError(f"{what}: the Arrow array lacks a buffer")
    sizes = _buffer(column, others + 2, "i8", 0, others, batch, what) if others else np.zeros(0, np.int64)
    entries = _buffer(column, 1, "u1", 0, 16 * (first + count), batch, what)[16 * first:]
    numbers = entries.view(np.int32).reshape(count, 4).astype(np.int64)
    lengths, short = numbers[:, 0], numbers[:, 0] <= INLINE
    number, begin = np.where(short, others, numbers[:, 2]), numbers[:, 3]
    limit = np.append(sizes, 16 * count)[np.clip(number, 0, others)]
    begin[short] = 16 * np.flatnonzero(short) + 4
    if (lengths < 0).any() or not ((0 <= number) & (number <= others - ~short) & (0 <= begin)
                                   & (begin + lengths <= limit)).all():
        raise ValueError(f"{what}: text outside its Arrow buffers")
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    data = np.empty(offsets[-1], np.uint8)
    for one in np.unique(number).tolist():
        buffer = entries if one == others else _buffer(column, 2 + one, "u1", 0, int(sizes[one]), batch, what)
        _gather(buffer, np.flatnonzero(number == one), begin, offsets, data)
    return Texts(data, offsets, partial(_text, what=what))


INLINE, AT_ONCE = 12, 1 << 16  # bytes within an entry; texts that are gathered together


def _gather(buffer: np.ndarray, which: np.ndarray, begin: np.ndarray, offsets: np.ndarray, data: np.ndarray) -> None:
    """data[offsets[i]:offsets[i + 1]] = buffer[begin[i]:...] for all i in `which`."""
    for at in range(0, len(which), AT_ONCE):
        some = which[at:at + AT_ONCE]
        lengths = offsets[some + 1] - offsets[some]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        data[np.repeat(offsets[some], lengths) + within] = buffer[np.repeat(begin[some], lengths) + within]


def _of_dictionary(field: Any, column: Any, first: int, count: int, batch: Any, what: str) -> Coded:
    kind = (field.format or b"").decode()
    if _NUMBERS.get(kind, "f")[0] not in "iu" or not column.dictionary:
        raise ValueError(f"{what}: an Arrow dictionary without numbers")
    codes = _buffer(column, 1, _NUMBERS[kind], first, count, batch, what)
    words = column.dictionary.contents
    if words.length < 0 or words.offset < 0 or not 0 <= codes.min() <= codes.max() < words.length:
        raise ValueError(f"{what}: numbers outside its Arrow dictionary")
    used = np.unique(codes)
    if words.null_count != 0 and any(_has_missing(words, words.offset + int(c), 1, batch)
                                     for c in used.tolist()):
        raise ValueError(f"{what} has missing values")
    return Coded(codes, _of_words(field, words, batch, what))


def _of_words(field: Any, words: Any, batch: Any, what: str) -> np.ndarray:
    """The dictionary; a word that is missing is not looked at."""
    plain = _Array.from_buffer_copy(words)
    plain.null_count = 0
    return _values(field.dictionary.contents, plain, words.offset, words.length, batch, what)
