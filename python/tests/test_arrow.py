"""Tables by the Arrow C interface, from a small producer of our own: nothing else is installed."""
import ctypes
import gc

import numpy as np
import pytest

import cafe
from cafe import _arrow

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
SIZES = {"i4": "i", "i8": "l", "u4": "I", "u8": "L", "u1": "C", "f4": "f", "f8": "g", "f2": "e"}


REASON = ctypes.create_string_buffer(b"the well is dry")


class Producer:
    """A table of columns as a stream of record batches. What it gave out and what came back is
    counted in `live`."""

    def __init__(self, columns, *, chunks=1, fail=None, shift=0):
        self.columns, self.chunks, self.fail, self.shift = columns, chunks, fail, shift
        self.kept, self.live, self.at = [], 0, 0

    # ---- structs

    def schema(self, format, name=None, children=(), dictionary=None):
        made = _arrow._Schema(format=format.encode(), name=None if name is None else name.encode())
        made.n_children = len(children)
        made.children = (ctypes.POINTER(_arrow._Schema) * len(children))(
            *[ctypes.pointer(c) for c in children])
        if dictionary is not None:
            made.dictionary = ctypes.pointer(dictionary)
        made.release = self.release(_arrow._Schema)
        self.kept.append((made, children, dictionary))
        return made

    def array(self, length, buffers, children=(), dictionary=None, nulls=0, offset=0):
        made = _arrow._Array(length=length, null_count=nulls, offset=offset, n_buffers=len(buffers),
                             n_children=len(children))
        made.buffers = (ctypes.c_void_p * len(buffers))(
            *[None if b is None else b.ctypes.data for b in buffers])
        made.children = (ctypes.POINTER(_arrow._Array) * len(children))(
            *[ctypes.pointer(c) for c in children])
        if dictionary is not None:
            made.dictionary = ctypes.pointer(dictionary)
        made.release = self.release(_arrow._Array)
        self.kept.append((made, buffers, children, dictionary))
        return made

    def release(self, kind):
        def free(at):
            self.live -= 1
            ctypes.memset(ctypes.addressof(at.contents) + kind.release.offset, 0, 8)
        function = dict(kind._fields_)["release"](free)
        self.kept.append(function)
        return function

    # ---- columns

    def fields(self):
        return [self.field(name, values) for name, values in self.columns.items()]

    def field(self, name, values):
        if isinstance(values, dict):
            return self.schema("i", name, dictionary=self.field(None, values["words"]))
        if isinstance(values, tuple):
            return self.schema(values[0], name)
        return self.schema(SIZES[values.dtype.str[1:]], name)

    def column(self, values, first, last):
        """Entries first .. last - 1, with some in front that do not count."""
        shift = self.shift
        if isinstance(values, dict):
            codes = np.r_[np.zeros(shift), values["codes"][first:last]].astype(np.int32)
            words = self.column(values["words"], 0, len(values["words"][1]))
            return self.array(last - first, [None, codes], dictionary=words, offset=shift)
        if isinstance(values, tuple):
            return self.texts(values[0], ["?"] * shift + values[1][first:last], shift)
        part = np.concatenate([np.zeros(shift, values.dtype), values[first:last]])
        valid = None
        if values.dtype.metadata:  # a bit per entry
            bits = np.ones(len(part), bool)
            at = values.dtype.metadata["missing"]
            bits[shift + at - first:shift + at - first + 1] = not first <= at < last
            valid = np.packbits(bits, bitorder="little")
        return self.array(last - first, [valid, part if shift else values[first:last]],
                          nulls=-1 if valid is not None else 0, offset=shift)

    def texts(self, format, texts, shift):
        pieces = [t.encode() for t in texts]
        if format == "vu":
            data, views = b"".join(p for p in pieces if len(p) > 12), b""
            at = 0
            for p in pieces:
                views += np.int32(len(p)).tobytes() + (
                    p.ljust(12, b"\0") if len(p) <= 12
                    else p[:4] + np.array([0, at], np.int32).tobytes())
                at += len(p) if len(p) > 12 else 0
            buffers = [None, np.frombuffer(views or b"\0", np.uint8),
                       np.frombuffer(data or b"\0", np.uint8), np.array([len(data)])]
        else:
            ends = np.cumsum([0] + [len(p) for p in pieces]).astype("i4" if format == "u" else "i8")
            buffers = [None, ends, np.frombuffer(b"".join(pieces) or b"\0", np.uint8)]
        return self.array(len(texts) - shift, buffers, offset=shift)

    def batch(self, number):
        first = next(iter(self.columns.values()))
        count = len(first["codes"] if isinstance(first, dict) else
                    first[1] if isinstance(first, tuple) else first)
        at = [count * i // self.chunks for i in (number, number + 1)]
        children = [self.column(values, *at) for values in self.columns.values()]
        return self.array(at[1] - at[0], [None], children)

    # ---- the stream

    def give(self, struct, there):
        self.live += 1
        ctypes.memmove(there, ctypes.byref(struct), ctypes.sizeof(struct))
        return 0

    def capsule(self):
        kinds = dict(_arrow._Stream._fields_)

        def next_batch(_, there):
            if self.at == self.fail:
                return 5
            self.at += 1
            if self.at > self.chunks:
                ctypes.memset(there, 0, ctypes.sizeof(_arrow._Array))
                return 0
            return self.give(self.batch(self.at - 1), there)

        stream = _arrow._Stream(
            get_schema=kinds["get_schema"](
                lambda _, there: self.give(self.schema("+s", "", self.fields()), there)),
            get_next=kinds["get_next"](next_batch),
            get_last_error=kinds["get_last_error"](lambda _: ctypes.addressof(REASON)),
            release=self.release(_arrow._Stream))
        self.live += 1
        self.kept.append(stream)
        return _new(ctypes.addressof(stream), b"arrow_array_stream", None)

    def __arrow_c_stream__(self, requested_schema=None):
        self.at = 0
        return self.capsule()


class OneBatch(Producer):
    """The same as one array."""

    __arrow_c_stream__ = property()  # type: ignore[assignment]

    def __arrow_c_array__(self, requested_schema=None):
        self.live += 2
        schema, array = self.schema("+s", "", self.fields()), self.batch(0)
        return (_new(ctypes.addressof(schema), b"arrow_schema", None),
                _new(ctypes.addressof(array), b"arrow_array", None))


def missing(values, where):
    array = np.asarray(values)
    return array.astype(np.dtype(array.dtype, metadata={"missing": where}))


SOURCE, TARGET = np.array([0, 1, 2, 2]), np.array([1, 2, 0, 3])
WEIGHT = np.array([1, 2, 0.5, 3])
WANTED = cafe.Graph.from_edges(SOURCE, TARGET, weights=WEIGHT)
NAMES = ["ann", "bob, who has a longer name", "cy", "Ω"]


def texts(numbers, format="u"):
    return format, [NAMES[i] for i in numbers]


def same(graph, names=None):
    return (graph.to_scipy() != WANTED.to_scipy()).nnz == 0 and \
        graph.nodes.tolist() == (names or [0, 1, 2, 3])


@pytest.mark.parametrize("kind", ["i4", "i8", "u4", "u8", "u1"])
@pytest.mark.parametrize("real", ["f4", "f8", "f2", "i4"])
def test_numbers(kind, real):
    weight = WEIGHT if real != "i4" else WEIGHT * 2
    table = Producer({"a": SOURCE.astype(kind), "x": SOURCE.astype("f8"), "b": TARGET.astype(kind),
                      "w": weight.astype(real)})
    graph = cafe.Graph.from_arrow(table, source="a", target="b", weight="w")
    assert (graph.to_scipy() * (0.5 if real == "i4" else 1) != WANTED.to_scipy()).nnz == 0
    assert not cafe.Graph.from_arrow(table, source="a", target="b").weighted
    del graph
    gc.collect()
    assert table.live == 0


@pytest.mark.parametrize("format", ["u", "U", "vu"])
@pytest.mark.parametrize("chunks", [1, 3])
@pytest.mark.parametrize("shift", [0, 3, 9])
def test_texts_chunks_and_offsets(format, chunks, shift):
    table = Producer({"source": texts(SOURCE, format), "target": texts(TARGET, format),
                      "weight": WEIGHT}, chunks=chunks, shift=shift)
    assert same(cafe.Graph(table), NAMES)
    words = {"codes": SOURCE, "words": (format, NAMES)}
    assert same(cafe.Graph(Producer({"source": words, "target": texts(TARGET), "weight": WEIGHT},
                                    chunks=chunks, shift=shift)), NAMES)
    gc.collect()
    assert table.live == 0


def test_capsules_and_arrays():
    columns = {"source": SOURCE, "target": TARGET, "weight": WEIGHT}
    assert same(cafe.Graph(OneBatch(columns)))
    capsule = Producer(columns).capsule()
    assert same(cafe.Graph(capsule))
    with pytest.raises(ValueError, match="read already"):
        cafe.Graph(capsule)
    gaps = Producer({"source": SOURCE * 10, "target": TARGET * 10, "weight": WEIGHT})
    assert same(cafe.Graph(gaps), [0, 10, 20, 30])


def test_numbers_are_read_where_they_lie():
    columns = {"source": SOURCE.astype("i4"), "target": TARGET.astype("i4"),
               "weight": WEIGHT.astype("f4")}
    producer = Producer(columns)
    links = cafe._columns.from_arrow(producer, "source", "target", "weight")
    for array, given in ((links.source, "source"), (links.target, "target"),
                         (links.weights, "weight")):
        assert array.ctypes.data == columns[given].ctypes.data and not array.flags.writeable
    gc.collect()
    assert producer.live == 1  # the batch, as long as its numbers are looked at
    del links, array
    gc.collect()
    assert producer.live == 0


@pytest.mark.parametrize("columns, error", [
    ({"source": missing(SOURCE, 1), "target": TARGET}, "column 'source' has missing values"),
    ({"source": SOURCE, "target": TARGET, "weight": missing(WEIGHT, 3)},
     "column 'weight' has missing values"),
    ({"source": SOURCE.astype(float), "target": TARGET}, "column 'source': expected whole numbers"),
    ({"source": SOURCE, "target": TARGET, "weight": texts(SOURCE)},
     "column 'weight': expected real numbers"),
    ({"source": ("tdD", NAMES), "target": TARGET}, "column 'source': .* Arrow format 'tdD'"),
    ({"source": {"codes": SOURCE + 9, "words": ("u", NAMES)}, "target": TARGET},
     "column 'source': numbers outside"),
    ({"from": SOURCE, "to": TARGET}, r"Graph.from_arrow\(x, source=..., target=...\)"),
    ({"source": SOURCE, "target": TARGET, "Weight": WEIGHT}, "'Weight' may hold weights"),
])
def test_refused_by_name(columns, error):
    table = Producer(columns)
    with pytest.raises(ValueError, match=error):
        cafe.Graph(table)
    gc.collect()
    assert table.live == 0


def test_streams_that_fail():
    table = Producer({"source": SOURCE, "target": TARGET}, chunks=3, fail=1)
    with pytest.raises(OSError, match="the well is dry"):
        cafe.Graph(table)
    gc.collect()
    assert table.live == 0
    good = Producer({"source": SOURCE, "target": TARGET})
    with pytest.raises(ValueError, match="no column 'from'; there are 'source', 'target'"):
        cafe.Graph.from_arrow(good, source="from", target="target")
    assert cafe.Graph(Producer({"source": SOURCE[:0], "target": TARGET[:0]})).n_nodes == 0
    assert cafe.Graph(Producer({"source": SOURCE, "target": TARGET}, chunks=0)).n_nodes == 0
