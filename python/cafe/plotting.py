"""Pictures of points in the plane: PNG, SVG, characters."""
import ctypes
import pathlib
import tempfile
from typing import Any, Optional, Tuple

import numpy as np

from . import _abi
from ._arrays import as_numbers, block, pointer
from ._call import Context, Verbose, c_path, c_shown, c_texts, of_size, run
from ._fitted import result_of
from ._labels import encode_labels
from ._library import lib
from ._options import Table, options_of
from .export import Path
from .graph import Graph, as_graph

ENDINGS = {".png": "cafe_plot_png", ".svg": "cafe_plot_svg", ".pdf": "cafe_plot_pdf"}


class Picture:
    """A picture of points: shows itself in a notebook, save() writes PNG or SVG, text() draws it in
    characters, pixels() gives it as an array. It keeps no file."""

    def __init__(self, points: np.ndarray, graph: Optional[Graph], kind: Any, names: Any,
                 value: Any, size: Any, texts: Tuple[str, ...], equal: bool,
                 options: Any) -> None:
        self._points, self._graph, self._equal, self._options = points, graph, equal, options
        self._kind, self._names, self._value, self._texts = kind, names, value, texts
        self._size = size
        self._png: Optional[bytes] = None

    def __repr__(self) -> str:
        return f"Picture({len(self._points)} points)"

    def _inputs(self) -> Any:
        given = of_size(_abi.cafe_plot_inputs)
        given.n, given.xy, given.equal = len(self._points), pointer(self._points), int(self._equal)
        given.graph = None if self._graph is None else self._graph.pointer
        given.value, given.size = pointer(self._value), pointer(self._size)
        legend, title, x_label, y_label = (c_shown(t) for t in self._texts)
        given.legend, given.x_label, given.y_label = legend, x_label, y_label
        given.title = title or None
        if self._kind is not None:
            given.kinds, given.kind = len(self._names), pointer(self._kind)
            given.names = given._kept = c_texts(self._names, c_shown)
        return given

    def _table(self, context: Context) -> Any:
        return Table.named("plot").pointer_to(context, self._options, "cafe_plot_options")

    def save(self, path: Path, *, overwrite: bool = False) -> pathlib.Path:
        """Writes .png, .svg or .pdf, by the name's ending."""
        target = pathlib.Path(path)
        if target.suffix.lower() not in ENDINGS:
            raise ValueError(f"{target}: expected a name that ends with .png, .svg or .pdf")
        run(lambda context: context.call(ENDINGS[target.suffix.lower()], self._inputs(),
                                         self._table(context), c_path(target), int(overwrite)))
        return target

    def pixels(self) -> np.ndarray:
        """Red, green and blue of every pixel: height x width x 3, uint8."""
        def work(context: Context) -> np.ndarray:
            o = self._table(context)
            rgb = np.empty((o.contents.height, o.contents.width, 3), np.uint8)
            context.call("cafe_plot_pixels", self._inputs(), o, pointer(rgb))
            return rgb

        return run(work)

    def text(self, columns: int = 80, *, colour: bool = False) -> str:
        """In Braille characters, up to `columns` characters wide, with a legend."""
        def work(context: Context) -> str:
            # a plain pointer: ctypes would turn a char * into bytes and lose what is to be freed
            text = ctypes.POINTER(ctypes.c_char)()
            context.call("cafe_plot_text", self._inputs(), columns, int(colour), text)
            found = ctypes.string_at(text).decode("utf-8", "replace")
            lib.cafe_plot_text_free(context.pointer, text)
            return found

        return run(work)

    def _bytes(self, ending: str) -> bytes:
        with tempfile.TemporaryDirectory(prefix="cafe-") as folder:
            return self.save(pathlib.Path(folder, f"picture{ending}")).read_bytes()

    def _repr_png_(self) -> bytes:
        if self._png is None:
            self._png = self._bytes(".png")
        return self._png

    def svg(self) -> str:
        """The picture as SVG, in a string."""
        return self._bytes(".svg").decode()


def plot(points: Any, *, graph: Any = None, labels: Any = None, values: Any = None,
         sizes: Any = None, columns: Optional[Tuple[int, int]] = None, path: Optional[Path] = None,
         overwrite: bool = False, title: str = "", legend: Optional[str] = None,
         n_jobs: Optional[int] = None, random_state: Any = None, verbose: Verbose = False,
         **options: Any) -> Picture:
    """Draws points of the plane, coloured by classes or by values (`cafe plot`).

    Parameters
    ----------
    points : array of shape (n, 2), or with more columns, or a fitted estimator
        Two columns are drawn as they are; of vectors a map is made (cafe.layout), unless `columns`
        names two of them.
    graph : Graph or graph-like, optional
        Its edges are drawn too; a map of vectors needs it.
    labels : array, mapping or Series, optional
        Classes to colour by; or, from a fitted estimator, 'communities'.
    values : array, optional
        Numbers to colour by instead.
    sizes : array, optional
        The areas of the points, not negative.
    columns : pair of int, optional
    path : path, optional
        Written there too: .png, .svg or .pdf.
    **options
        pixels_wide, pixels_high, links (edges are drawn when there are no more), radius, dark.

    Returns
    -------
    Picture

    Examples
    --------
    >>> import cafe
    >>> karate, faction = cafe.karate(return_labels=True)
    >>> picture = cafe.plot(cafe.SphereGCN(4).fit(karate), graph=karate, labels=faction)
    >>> picture.pixels().shape[2], picture.svg()[:5]
    (3, '<?xml')
    """
    options_of(options, "plot", "plot")
    if labels is not None and values is not None:
        raise ValueError("labels= and values=: colours tell one of them")
    g = None if graph is None else as_graph(graph, n_jobs)
    xy, equal, titles = _plane(points, g, columns, random_state, n_jobs, verbose)
    kind: Any = None
    names: Any = ()
    told = ""
    if isinstance(labels, str) and labels == "communities":
        labels, told = points.labels_, "community"
    if labels is not None:
        nodes = g or Graph.from_edges(np.empty((0, 2), int), nodes=len(xy))
        kind, names = encode_labels(labels, nodes, "labels")
        told = told or "label"
    value, size = _numbers(values, "values", len(xy)), _numbers(sizes, "sizes", len(xy))
    picture = Picture(xy, g, kind, names, value, size,
                      (told if legend is None else legend, title, *titles), equal, options)
    if path is not None:
        picture.save(path, overwrite=overwrite)
    return picture


def _numbers(given: Any, name: str, count: int) -> Any:
    """A number per point, or None."""
    if given is None:
        return None
    numbers = np.ascontiguousarray(as_numbers(given, name), np.float64)
    if numbers.shape != (count,):
        raise ValueError(f"{name}: expected {count}, found shape {numbers.shape}")
    return numbers


def _plane(points: Any, graph: Optional[Graph], columns: Any, random_state: Any, n_jobs: Any,
           verbose: Verbose) -> Any:
    """The points, whether both axes have one scale, and the titles of the axes."""
    vectors = np.asarray(result_of(points, "embedding_"))
    if vectors.ndim != 2 or (graph is not None and len(vectors) != graph.n_nodes):
        raise ValueError(f"points: expected a row per point, found shape {vectors.shape}")
    if columns is not None:
        a, b = columns
        if not (0 <= a < vectors.shape[1] and 0 <= b < vectors.shape[1]):
            raise ValueError(f"columns={columns!r}: expected two of 0 to {vectors.shape[1] - 1}")
        return (block(vectors[:, [a, b]], len(vectors), "points"), False,
                (f"column {a}", f"column {b}"))
    if vectors.shape[1] == 2 and not hasattr(points, "embedding_"):
        return block(vectors, len(vectors), "points"), True, ("", "")
    if graph is None:
        raise ValueError("points: a map of vectors needs graph=; or name two of the columns=")
    from .view import layout
    return (layout(graph, vectors, random_state=random_state, n_jobs=n_jobs, verbose=verbose), True,
            ("", ""))
