"""Graphs to try things on, and sets in folders of your own."""
import ctypes
import errno
import os
import pathlib
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from . import _abi
from ._arrays import copied
from ._call import Context, c_path, run, threads_of
from ._library import lib
from ._options import Table, options_of
from ._shown import Shown
from .graph import Graph, generate

# Zachary (1977): who met whom outside the club; node by node, the neighbours of larger number
_NEIGHBOURS: List[List[int]] = [
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31], [2, 3, 7, 13, 17, 19, 21, 30],
    [3, 7, 8, 9, 13, 27, 28, 32], [7, 12, 13], [6, 10], [6, 10, 16], [16], [], [30, 32, 33], [33],
    [], [], [], [33], [32, 33], [32, 33], [], [], [32, 33], [33], [32, 33], [], [32, 33],
    [25, 27, 29, 32, 33], [25, 27, 31], [31], [29, 33], [33], [31, 33], [32, 33], [32, 33],
    [32, 33], [33]]
_OFFICERS = (9, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33)


def karate(return_labels: bool = False) -> Any:
    """Zachary's karate club: 34 members, 78 friendships; with `return_labels` also the faction each
    member joined when the club split (0: Mr. Hi's, 1: the officers').

    >>> import cafe
    >>> cafe.karate()
    Graph(34 nodes, 78 edges)
    """
    edges = [(u, w) for u, others in enumerate(_NEIGHBOURS) for w in others]
    graph = Graph(np.array(edges))
    if not return_labels:
        return graph
    faction = np.zeros(34, dtype=int)
    faction[list(_OFFICERS)] = 1
    return graph, faction


def les_miserables() -> Graph:
    """The 77 characters of Les Misérables; an edge weighs the chapters in which two of them meet
    (Knuth, The Stanford GraphBase).

    >>> import cafe
    >>> graph = cafe.les_miserables()
    >>> graph, graph.neighbors("Javert")[:2].tolist()
    (Graph(77 nodes, 254 edges, weighted), ['Valjean', 'Fantine'])
    """
    text = pathlib.Path(__file__).with_name("les_miserables.txt").read_text()
    lines = [line.split("|") for line in text.splitlines() if line[0] != "#"]
    links = [(u, *map(int, (met if ":" in met else met + ":1").split(":")))
             for u, (_, all_met) in enumerate(lines) for met in all_met.split()]
    table = np.array(links)
    return Graph.from_edges(table[:, 0], table[:, 1], weights=table[:, 2].astype(np.float32),
                            nodes=len(lines), names=[name for name, _ in lines])


def football(return_labels: bool = False, random_state: Any = 1) -> Any:
    """A season that was never played: 115 teams in 12 conferences of like size, 613 games, nearly two
    thirds of them within a conference. Generated (stochastic block model), with the figures of the
    well-known season of 2000 (Girvan and Newman 2002), whose file is not ours to ship.

    >>> import cafe
    >>> cafe.football()
    Graph(115 nodes, 613 edges)
    """
    graph, conference = generate("sbm", nodes=115, edges=613, blocks=12, mixing=0.36,
                                 random_state=random_state)
    return (graph, conference) if return_labels else graph


# ---- folders -----------------------------------------------------------------------------------

Path = Union[str, "os.PathLike[str]"]


class Dataset(Shown):
    """A set from a folder: `graph`, `labels` of its nodes or None, `points` (a table) or None,
    `name` and `path`. A node without a label has None, a node with several has a tuple."""

    def __init__(self, path: pathlib.Path, graph: Optional[Graph], labels: Optional[np.ndarray],
                 points: Optional[np.ndarray]) -> None:
        self.path, self.name = path, path.name
        self.graph, self.labels, self.points = graph, labels, points

    def _fields(self) -> Any:
        classes = None if self.labels is None else len({
            c for label in self.labels.tolist() if label is not None
            for c in (label if isinstance(label, tuple) else (label,))})
        return {"name": self.name, "graph": self.graph, "classes": classes,
                "points": None if self.points is None else str(self.points.shape)}


def _file(folder: pathlib.Path, *names: str) -> Optional[pathlib.Path]:
    """The first that is there, plain or as .gz."""
    for name in names:
        for ending in ("", ".gz"):
            if (folder / f"{name}{ending}").is_file():
                return folder / f"{name}{ending}"
    return None


def load(folder: Path, *, edges: Optional[str] = None, labels: Optional[str] = None,
         n_jobs: Optional[int] = None, **options: Any) -> Dataset:
    """A set in a folder, as `cafe reproduce` has them: edges.txt (or another graph file), labels.txt
    with lines 'node label[,label...]', points.txt with a table; each may end with .gz.

    Parameters
    ----------
    folder : path
    edges, labels : str, optional
        Their names in the folder, where they are called otherwise.
    **options
        As of Graph.from_file(): self_loops, duplicates, directed, ...

    Examples
    --------
    >>> import cafe, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "edges.txt").write_text("a b\\nb c\\n")
    ...     _ = pathlib.Path(folder, "labels.txt").write_text("a x\\nc y\\n")
    ...     found = cafe.load(folder)
    >>> found.graph.nodes.tolist(), found.labels.tolist()
    (['a', 'b', 'c'], ['x', None, 'y'])
    """
    where = pathlib.Path(folder)
    if not where.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(where))
    names = (edges,) if edges else ("edges.txt", "graph.cafe", "edges.csv", "edges.tsv", "arcs.txt",
                                    "graph.mtx", "adjacency.npz")
    graph_file = _file(where, *names)
    label_file = _file(where, labels or "labels.txt")
    point_file = _file(where, "points.txt", "points.csv", "points.npy")
    for given, found in ((edges, graph_file), (labels, label_file)):
        if given and not found:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(where / given))
    if not graph_file and not point_file:
        raise ValueError(f"{where}: expected edges.txt, another graph file or points.txt, found "
                         f"{', '.join(sorted(os.listdir(where))[:5]) or 'nothing'}")
    graph = told = None
    if graph_file:
        graph, told = _labelled(graph_file, label_file, threads_of(n_jobs), options)
    return Dataset(where, graph, told, _table(point_file) if point_file else None)


def read_labels(graph: Graph, path: Path, *, id: Any = None, label: Any = None) -> np.ndarray:
    """Labels of a graph's nodes from a file of lines 'node label[,label...]' or a table. They are
    text, or numbers if all of them are. A node without a label has None, a node with several has a
    tuple.

    Parameters
    ----------
    graph : Graph
    path : path
    id, label : str, int or list, optional
        The columns of the nodes and of the labels, by name or by number from 0 (a list: several
        columns of labels); without them they are found.
    """
    return run(lambda context: _labels(context, graph, path, id, label))


def _column(given: Any) -> Optional[bytes]:
    """One column or several, as the library takes them."""
    if given is None:
        return None
    several = given if isinstance(given, (list, tuple)) else [given]
    return ",".join(str(one) for one in several).encode()


def _labels(context: Context, graph: Graph, path: Path, id: Any = None,
            label: Any = None) -> np.ndarray:
    named = graph._to_write(context)
    columns = _abi.cafe_label_columns(_column(id), _column(label))
    made = context.make("cafe_labels_read", "cafe_labels", named.pointer, c_path(path), columns, None,
                        keep=[named])
    read = lib.cafe_tables_read(context.pointer).decode(errors="replace").splitlines()
    vars(graph).setdefault("_tables", {}).update(line.split("\t", 1) for line in read)
    texts = [lib.cafe_labels_class_name(made.pointer, c).decode(errors="replace")
             for c in range(lib.cafe_labels_classes(made.pointer))]
    classes: List[Any] = texts
    if all(_is_number(text) for text in texts):
        classes = list(map(int, texts))
    several = lib.cafe_labels_multiple(made.pointer) > 0
    at = ctypes.POINTER(ctypes.c_int32)()
    found = np.full(graph.n_nodes, None, object)
    for u in range(graph.n_nodes):
        count = lib.cafe_labels_of(made.pointer, u, at)
        if count:
            own = tuple(classes[at[i]] for i in range(count))
            found[u] = own if several else own[0]
    if not several and all(isinstance(label, int) for label in found):
        return found.astype(int)
    return found


def _is_number(text: str) -> bool:
    """Whether a whole number is written so and in no other way: 7 is, 007 is another class."""
    try:
        return str(int(text)) == text
    except ValueError:
        return False


def _labelled(graph_file: pathlib.Path, label_file: Optional[pathlib.Path], threads: int,
              options: Any) -> Tuple[Graph, Optional[np.ndarray]]:
    """A graph from a file, in which nodes that only the label file names are isolated nodes."""
    options_of(options, "load", "graph")

    def work(context: Context) -> Tuple[Graph, Optional[np.ndarray]]:
        o = Table.named("graph").pointer_to(context, options, "cafe_graph_options")
        handle = context.make("cafe_graph_read", "cafe_graph", c_path(graph_file), o)
        if label_file:
            made, added = handle.pointer, ctypes.c_int64()
            context.call("cafe_graph_add_labelled", c_path(label_file), None, made, added)
            handle.replace(made)  # the graph, or a larger one in its place
        graph = Graph._of(handle)
        graph._asked = False
        return graph, _labels(context, graph, label_file) if label_file else None

    return run(work, threads)


def _table(path: pathlib.Path) -> np.ndarray:
    """The numbers of a table, by the library's reader."""
    def work(context: Context) -> np.ndarray:
        made = context.make("cafe_table_read", "cafe_table", c_path(path))
        rows, columns = (getattr(lib, f"cafe_table_{what}")(made.pointer)
                         for what in ("rows", "columns"))
        return copied(lib.cafe_table_values(made.pointer), rows * columns,
                      np.float32).reshape(rows, columns)

    return run(work)
