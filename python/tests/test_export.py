"""Vectors out and in, and through Arrow's C interface to whoever reads it."""
import ctypes
import gc

import numpy as np
import pytest

import cafe


@pytest.fixture(scope="module")
def model():
    return cafe.SphereGCN(6).fit(cafe.les_miserables())


@pytest.mark.parametrize("name", ["v.npy", "v.tsv", "v.txt"])
def test_files_go_round(tmp_path, model, name):
    model.write(tmp_path / name)
    back = cafe.read_vectors(cafe.les_miserables(), tmp_path / name)
    assert np.array_equal(back, model.embedding_)
    with pytest.raises(FileExistsError):
        model.write(tmp_path / name)
    model.write(tmp_path / name, overwrite=True)
    if name == "v.npy":
        assert np.array_equal(np.load(tmp_path / name), model.embedding_)
    if name == "v.txt":  # word2vec: rows and columns first
        lines = (tmp_path / name).read_text().splitlines()
        assert lines[0] == "77 6" and lines[1].split()[0] == "Napoleon"


def test_rows_without_names(tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    cafe.write_vectors(x, tmp_path / "x.npy")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.npy"]
    cafe.write_vectors(x, tmp_path / "y.tsv", names=["a", "b c", "d"])
    assert (tmp_path / "y.tsv").read_text().splitlines()[1].split("\t")[0] == "a"
    with pytest.raises(ValueError, match="names"):
        cafe.write_vectors(x, tmp_path / "z.tsv", names=["a"])
    with pytest.raises(ValueError, match="names"):
        cafe.write_vectors(x, tmp_path / "z.tsv", names=["a", "b\nc", "d"])
    with pytest.raises(ValueError, match="shape"):
        cafe.write_vectors(x[0], tmp_path / "z.tsv")


# ---- a consumer of streams, by the specification ------------------------------------------------

class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                   ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
                   ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                  ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)),
                  ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
                  ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream),
                                                   ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream),
                                                 ctypes.POINTER(Array))),
                   ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
                   ("private_data", ctypes.c_void_p)]


def stream_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Stream.from_address(get(capsule, b"arrow_array_stream"))


def read(capsule):
    """The columns by name, copied; the stream is taken out of the capsule and released."""
    stream, schema, batch, end = stream_of(capsule), Schema(), Array(), Array()
    assert stream.get_schema(stream, schema) == 0 and stream.get_next(stream, batch) == 0
    found = {}
    for j in range(schema.n_children):
        told, column = schema.children[j].contents, batch.children[j].contents
        n, kind = column.length, told.format.decode()
        if kind == "U":
            offsets = np.ctypeslib.as_array((ctypes.c_int64 * (n + 1)).from_address(column.buffers[1]))
            text = ctypes.string_at(column.buffers[2], int(offsets[-1]))
            values = [text[a:b].decode() for a, b in zip(offsets[:-1], offsets[1:])]
        else:
            c = {"f": ctypes.c_float, "l": ctypes.c_int64}[kind]
            values = np.ctypeslib.as_array((c * n).from_address(column.buffers[1])).copy()
        found[told.name.decode()] = values
    assert stream.get_next(stream, end) == 0 and not end.release
    schema.release(schema)
    batch.release(batch)
    stream.release(stream)
    assert not stream.release
    return found


def test_arrow_of_names(model):
    found = read(cafe.to_arrow(model).__arrow_c_stream__())
    assert found["node"] == model.nodes_.tolist()
    titles = list(model.get_feature_names_out())
    assert list(found) == ["node", *titles]
    assert np.array_equal(np.stack([found[t] for t in titles], axis=1), model.embedding_)


def test_arrow_of_numbers():
    x = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)
    found = read(cafe.to_arrow(x, key="id", titles=["a", "b"]).__arrow_c_stream__())
    assert found["id"].tolist() == [0, 1, 2, 3, 4] and np.array_equal(found["b"], x[:, 1])
    assert read(cafe.to_arrow(np.zeros((0, 2))).__arrow_c_stream__())["x1"].shape == (0,)
    with pytest.raises(ValueError, match="titles"):
        cafe.to_arrow(x, titles=["a"])


def test_capsules_that_nobody_takes(model):
    from cafe import export
    before = len(export._open)
    for _ in range(100):
        model.__arrow_c_stream__()
    gc.collect()
    assert len(export._open) == before


def test_parquet_by_others(model, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow
    parquet.write_table(pyarrow.table(cafe.to_arrow(model)), tmp_path / "v.parquet")
    table = parquet.read_table(tmp_path / "v.parquet")
    assert table.column("node").to_pylist() == model.nodes_.tolist()
