"""One interactive page of an embedding, for a browser or a notebook."""
import ctypes
import html
import os
import pathlib
import tempfile
from dataclasses import dataclass
from typing import Any, List, Optional, Union

import numpy as np

from . import _abi
from ._arrays import block, pointer, whole
from ._call import (Context, Handle, Verbose, c_path, c_shown, c_texts, of_size, run, seed_of,
                    threads_of)
from ._fitted import made_with, result_of
from ._labels import encode_labels, rows_by_name
from ._library import lib
from ._options import Table, options_of
from ._shown import Shown
from .explanation import embedding_of
from .graph import Graph, as_graph, twin_of


def layout(graph: Any, embedding: Any, *, random_state: Any = None, n_jobs: Optional[int] = None,
           verbose: Verbose = False, **options: Any) -> np.ndarray:
    """Every node as a point of the plane, as `cafe plot -o MAP.npy` lays them out.

    >>> import cafe
    >>> karate = cafe.karate()
    >>> cafe.layout(karate, cafe.SphereGCN(n_components=4).fit(karate)).shape
    (34, 2)
    """
    g = as_graph(graph, n_jobs)
    options_of(options, "layout", "map")
    vectors = embedding_of(embedding, g)
    return run(lambda context: _map(context, g, vectors, options), threads_of(n_jobs),
               seed_of(random_state), verbose)


def _map(context: Context, graph: Graph, vectors: np.ndarray, options: Any) -> np.ndarray:
    o = Table.named("map").pointer_to(context, options, "cafe_map_options")
    points = np.empty((graph.n_nodes, 2), np.float32)
    context.call("cafe_map", graph.pointer, graph.n_nodes, vectors.shape[1], pointer(vectors), o,
                 pointer(points))
    return points


@dataclass(frozen=True, repr=False)
class LayoutQuality(Shown):
    """How true a map is."""

    nodes: int  # that were looked at
    neighbours: int
    kept: float  # share of the nearest vectors that are among the nearest points
    trustworthiness: float  # 1: the nearest points are the nearest vectors; 0.5: chance


def layout_quality(embedding: Any, points: Any, *, n_neighbors: int = 15,
                   nodes: int = 2000) -> LayoutQuality:
    """How true a layout is to the vectors, from so many nodes chosen evenly (`cafe plot -o MAP.npy`).

    >>> import cafe
    >>> karate = cafe.karate()
    >>> model = cafe.SphereGCN(4).fit(karate)
    >>> cafe.layout_quality(model, cafe.layout(karate, model)).trustworthiness > 0.7
    True
    """
    vectors = np.asarray(result_of(embedding, "embedding_"))
    rows = block(vectors, len(vectors), "embedding")
    xy = block(points, len(rows), "points")
    if xy.shape[1] != 2:
        raise ValueError(f"points: expected two columns, found {xy.shape[1]}")

    n_neighbors, nodes = whole(n_neighbors, "n_neighbors"), whole(nodes, "nodes")

    def work(context: Context) -> LayoutQuality:
        return LayoutQuality.of(context.figures("cafe_map_measure", "cafe_map_quality", *rows.shape,
                                                pointer(rows), pointer(xy), n_neighbors, nodes))

    return run(work)


class Page:
    """A page: `html` is its text, which shows itself in a notebook; save() writes it. `path` is where
    view() was asked to write it, else None; `report` tells what it holds."""

    def __init__(self, path: Optional[pathlib.Path], text: str, report: Any) -> None:
        self.path, self.html = path, text
        self.report = {name: getattr(report, name) for name, _ in report._fields_}

    def __repr__(self) -> str:
        where = "" if self.path is None else f"{str(self.path)!r}, "
        return f"Page({where}{self.report['bytes']} bytes)"

    def save(self, path: Union[str, os.PathLike], *, overwrite: bool = False) -> pathlib.Path:
        """Writes the page into a file, which appears whole or not at all."""
        def work(context: Context) -> None:
            output, text = ctypes.POINTER(_abi.cafe_output)(), self.html.encode()
            context.call("cafe_output_create", c_path(path), int(overwrite), output)
            status = lib.cafe_output_write(output, text, len(text))
            if status == 0:
                status = lib.cafe_output_commit(output)
            else:
                lib.cafe_output_discard(output)
            context.check(status, (c_path(path),))

        run(work)
        return pathlib.Path(path)

    def show(self) -> None:
        """Opens the page in a browser, from a file that goes with this process."""
        import atexit
        import shutil
        import webbrowser
        folder = tempfile.mkdtemp(prefix="cafe-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        webbrowser.open(self.save(pathlib.Path(folder, "page.html")).as_uri())

    def _repr_html_(self) -> str:
        """The page in a frame of its own; its text is an attribute, escaped as such."""
        text = html.escape(self.html, quote=True)
        return (f'<iframe srcdoc="{text}" sandbox="allow-scripts allow-downloads" width="100%" '
                'height="640" style="border:0"></iframe>')


# ---- names and labels --------------------------------------------------------------------------

def _texts(values: Any) -> Any:
    """Names as the library takes them: one line each, none empty."""
    return c_texts((" ".join(str(v).split()) or "-" for v in values), c_shown)


def _named_twin(context: Context, graph: Graph) -> Handle:
    """A graph on the same rows with the names of the nodes, unless two are the same: then numbers
    tell nodes apart, and names would not."""
    twin = twin_of(context, graph)
    if graph.names is not None:
        names = _texts(graph.names.tolist())
        if len(set(names)) == len(names):
            context.call("cafe_graph_set_names", twin.pointer, names)
    return twin


def _cells(column: Any, graph: Graph, name: Any) -> List[str]:
    """One text per node: from an array in the order of the nodes, or a mapping from nodes."""
    if hasattr(column, "items") and not hasattr(column, "iloc"):
        values: List[Any] = [None] * graph.n_nodes
        for node, value in column.items():
            values[graph.index(node)] = value
    else:
        values = np.asarray(rows_by_name(column, graph, f"table[{name!r}]"), dtype=object).tolist()
    if len(values) != graph.n_nodes:
        raise ValueError(f"table[{name!r}]: expected {graph.n_nodes} values, found {len(values)}")
    return ["" if v is None or v != v else " ".join(str(v).split()) for v in values]


def _facts(context: Context, table: Any, graph: Graph) -> Handle:
    """The columns of a mapping or a data frame."""
    columns = dict(table.items())
    cells = [c for name, column in columns.items() for c in _cells(column, graph, name)]
    text = c_texts(cells, c_shown)
    return context.make("cafe_facts_from_arrays", "cafe_facts", graph.n_nodes, len(columns),
                        _texts(columns), text)


def _labels(context: Context, labels: Any, graph: Graph) -> Handle:
    label, classes = encode_labels(labels, graph, "labels")
    return context.make("cafe_labels_from_arrays", "cafe_labels", graph.n_nodes, None,
                        pointer(label), len(classes), _texts(classes))


def _before(before: Any, graph: Graph) -> Any:
    """Communities of another run, their names, and its vectors."""
    if before is None:
        return None, (), None
    if getattr(before, "embedding_", None) is not None or np.ndim(before) == 2:
        return None, (), embedding_of(before, graph)
    part, names = encode_labels(result_of(before, "labels_"), graph, "before")
    return np.ascontiguousarray(part, np.int32), names, None


# ---- the call ----------------------------------------------------------------------------------

def view(graph: Any, embedding: Any, path: Union[str, os.PathLike, None] = None, *,
         labels: Any = None, communities: Any = None, before: Any = None, map: Any = "auto",
         table: Any = None, title: Optional[str] = None, overwrite: bool = False, random_state: Any = None,
         n_jobs: Optional[int] = None, verbose: Verbose = False, **options: Any) -> Page:
    """One interactive page of an embedding, which needs nothing but itself.

    Parameters
    ----------
    graph : Graph or graph-like
    embedding : array of shape (n_nodes, columns), or a fitted estimator
    path : path, optional
        Written there too; without it no file is left.
    labels : array or mapping, optional
        To colour by.
    communities : array, mapping or fitted estimator, optional
        Without it those of cafe.LayeredCafe, layer by layer. They keep their names.
    before : array, mapping, fitted estimator or array of shape (n_nodes, columns), optional
        Another run beside this one: its communities, or vectors, which get a map. The page lists what
        changed.
    table : mapping or data frame, optional
        What else is known of the nodes, to show, sort and colour by: columns by name, each an array
        in the order of the nodes or a mapping from nodes.
    map : 'auto', None or array of shape (n_nodes, 2)
        The layout to open with: cafe.layout(), none, or one given.
    title : str, optional
    overwrite : bool
        An existing file is kept unless told otherwise.
    **options
        columns_shown, links, page_limit, as in `cafe help tune`.

    Returns
    -------
    Page
        Shows itself in a notebook; save(path) writes it, show() opens it in a browser.

    Examples
    --------
    >>> import cafe
    >>> karate = cafe.karate()
    >>> page = cafe.view(karate, cafe.SphereGCN(n_components=4).fit(karate))
    >>> page.html[:15]
    '<!DOCTYPE html>'
    """
    g = as_graph(graph, n_jobs)
    options_of(options, "view", "view")
    vectors = embedding_of(embedding, g)
    given_part = result_of(communities, "labels_")
    part: Any = None
    names: Any = ()
    if given_part is not None:
        part, names = encode_labels(given_part, g, "communities")
    part = None if part is None else np.ascontiguousarray(part, np.int32)
    earlier = _before(before, g)
    objective = np.ascontiguousarray(getattr(embedding, "objective_", []), dtype=np.float64)

    def work(context: Context, target: pathlib.Path) -> Page:
        points = None if map is None or isinstance(map, str) else block(map, g.n_nodes, "map", 2)
        twin = _named_twin(context, g)
        read = None if labels is None else _labels(context, labels, g)
        given = of_size(_abi.cafe_view_inputs)
        given.title = c_shown(title or "Embedding")
        given.columns, given.vectors = vectors.shape[1], pointer(vectors)
        given.map, given.labels = pointer(points), read.pointer if read else None
        given.named = len(names)
        given.community_names = _texts(names) if len(names) else None
        part_before, names_before, points_before = earlier
        given.before, given.before_named = pointer(part_before), len(names_before)
        given.before_names = _texts(names_before) if len(names_before) else None
        other = None if points_before is None else _map(context, g, points_before, {})
        given.before_map = pointer(other)
        given.degree_exponent = made_with(embedding).get("degree-exponent", 0.0)
        about = None if table is None else _facts(context, table, g)
        given.facts = about.pointer if about else None
        given.objectives, given.objective = len(objective), pointer(objective)
        o = Table.named("view").pointer_to(context, options, "cafe_view_options")
        found = context.make("cafe_view_find", "cafe_view_found", twin.pointer, pointer(part),
                             int(isinstance(map, str)), given, keep=[twin])
        report = context.figures("cafe_view_write", "cafe_view_report", twin.pointer, given, o,
                                 c_path(target), int(overwrite))
        text = target.read_text(encoding="utf-8")
        return Page(None if path is None else target, text, report)

    if path is not None and pathlib.Path(path).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{path}: expected a name that ends with .html")
    if isinstance(map, str) and map != "auto":
        raise ValueError(f"map={map!r}: expected 'auto', None or an array")
    with tempfile.TemporaryDirectory(prefix="cafe-") as folder:
        target = pathlib.Path(folder, "page.html") if path is None else pathlib.Path(path)
        return run(lambda context: work(context, target), threads_of(n_jobs), seed_of(random_state),
                   verbose)
