"""A folder from a stranger (tests/hostile.sh): Python reads from it and leaves all of it as it was."""
import hashlib
import os
import pathlib
import stat
import subprocess
import sys

import pytest

import cafe
from cafe.datasets import read_labels
from cafe.export import read_vectors, write_vectors

ROOT = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PLANTED = pathlib.Path(os.environ.get("BUILD", ROOT / "build"), "tests", "planted", "libcafe-planted.so")
KINDS = ("absolute", "parent", "link")


def tree(root):
    """Of every name its status but for the time of access, and what it holds or leads to."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [".", *folders, *files]:
            path = os.path.join(folder, name)
            s = os.lstat(path)
            found[path] = (s.st_mode, s.st_uid, s.st_ino, s.st_nlink, s.st_size, s.st_mtime_ns, s.st_ctime_ns)
            if stat.S_ISLNK(s.st_mode):
                found[path] += (os.readlink(path),)
            elif stat.S_ISREG(s.st_mode):
                found[path] += (hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest(),)
    return found


@pytest.fixture
def world(tmp_path, monkeypatch):
    tool = os.environ.get("CAFE")
    if not tool or not PLANTED.exists():
        pytest.skip("no tool in $CAFE, or no tests in $BUILD")
    monkeypatch.setenv("BUILD", str(PLANTED.parents[2]))
    monkeypatch.setenv("CAFE_PLANTED", str(tmp_path / "ran"))
    subprocess.run([ROOT / "tests" / "hostile.sh", tmp_path / "world"], check=True)
    yield tmp_path / "world"
    assert not (tmp_path / "ran").exists(), "a planted library was loaded"


@pytest.mark.parametrize("kind", KINDS)
def test_read(world, kind, tmp_path, monkeypatch):
    before = tree(world)
    monkeypatch.chdir(world / kind)
    for name in ("graph.txt", "graph.cafe", "graph.mtx"):
        graph = cafe.Graph.from_file(name)
        assert graph.n_nodes == 6
    vectors = read_vectors(graph, "v.npy")
    assert vectors.shape == (6, 2)
    assert len(read_labels(graph, "labels.txt")) == 6
    cafe.SphereGCN(n_components=2).fit(graph)
    cafe.explain(graph, vectors)
    write_vectors(vectors, tmp_path / "w.npy", names=list("abcdef"))
    with pytest.raises(cafe.CafeError, match="marked.txt: a run ended while"):
        cafe.Graph.from_file("marked.txt")
    with pytest.raises(cafe.CafeError, match="pipe.mtx.names.txt: expected a file of names"):
        cafe.Graph.from_file("pipe.mtx")
    assert tree(world) == before


@pytest.mark.parametrize("kind", KINDS)
def test_import(world, kind):
    """A process that starts in the folder takes no library from there."""
    before = tree(world)
    subprocess.run([sys.executable, "-B", "-c", "import cafe; cafe.Graph.from_file('graph.txt')"], cwd=world / kind,
                   check=True)
    assert tree(world) == before


@pytest.mark.parametrize("kind", KINDS)
def test_write(world, kind, monkeypatch):
    """An output in the folder: a link in place of its names is replaced, not followed."""
    monkeypatch.chdir(world / kind)
    vectors = read_vectors(cafe.Graph.from_file("graph.txt"), "v.npy")
    write_vectors(vectors, "out.npy", names=list("abcdef"), overwrite=True)
    assert not os.path.islink("out.npy.names.txt")
    assert pathlib.Path("out.npy.names.txt").read_text() == pathlib.Path("v.npy.names.txt").read_text()
    assert (world / "owner" / ".bashrc").read_text() == "alias ll=ls\n"
    assert (world / "owner" / "precious").read_text() == "irreplaceable\n"
