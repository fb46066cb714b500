"""Graphs: from whatever Python holds them in."""
import ctypes
import os
import pathlib
from typing import Any, Dict, Hashable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi, _columns, _sources
from ._arrays import as_floats, as_numbers, block, pointer
from ._call import CafeNodeError, Context, Handle, Verbose, c_path, c_text, c_texts, run, seed_of, threads_of
from ._certain import certain_links
from ._library import lib
from ._names import in_python
from ._options import Table, check_keywords, described_options, options_of
from ._sklearn import warn

_OF_FILES = {"format", "trust", "source", "target", "weight", "header", "delimiter", "decimal",
             "name", "bipartite", "nodes_from", "layer", "layer_weight", "time", "slices", "coupling"}
_OF_WEIGHTS = ["min_weight", "max_weight", "weight_transform", "top_edges"]
_OF_ALL = ["self_loops", "duplicates", "directed", "reorder", "signed", *_OF_WEIGHTS]
LARGE = 1 << 20  # entries or bytes; below, one thread is as quick as many


class Graph:
    """An undirected graph, immutable, in compressed rows.

    What data means is never guessed: anything with two meanings is refused, and the message names
    the constructors to choose from.

    Parameters
    ----------
    data : graph-like
        - a matrix of scipy.sparse of any format, or a square NumPy array of at least four rows: the
          adjacency. A matrix M that is not symmetric becomes M + M.T.
        - a list of tuples: edges, (node, node) or (node, node, weight)
        - an m x 2 array of edges, or a 2 x m `edge_index`, m > 3. Integers are node ids,
          from 0 to the largest one or to `nodes` - 1; anything else is a name.
        - an object with `edge_index` (and `edge_weight`, `num_nodes`), as PyTorch Geometric has
        - a graph of networkx or igraph
        - a table of pandas, polars, DuckDB or pyarrow with columns source, target and perhaps weight
        - the path of a file: edge list, Matrix Market, METIS, scipy .npz, or .cafe
    weights : array, str or bool, optional
        Of the edges: an array of m, the name of an edge attribute or column (default "weight"), or
        False: every edge weighs 1.
    names : sequence, optional
        Of the nodes, in their order, for data that has none.
    n_jobs : int, optional
        Threads; None is 1, -1 one per CPU.
    verbose : bool or callable
        Show progress, or call this with it.
    **options
        As in `cafe info --help`, "Reading the graph": self_loops, duplicates, directed, reorder, signed (weights may be
        negative), min_weight, max_weight, weight_transform, top_edges. If the edges are numbers also nodes. For files
        also format and trust, and for edge lists with layers or times layer, layer_weight, time, slices and coupling
        (see cafe.Sum and cafe.Slices). With copy=False CSR with int32 indices is used in place if it is symmetric with
        sorted rows, without loops and zeros, and its data is float32 or all ones. `shared` is then True, and a run
        refuses the graph once the arrays changed.

    Examples
    --------
    >>> import numpy as np, cafe
    >>> graph = cafe.Graph(np.array([[0, 1], [1, 2], [2, 0], [2, 3]]))
    >>> graph
    Graph(4 nodes, 4 edges)
    >>> cafe.Graph([["ann", "bob"], ["bob", "cy"]]).nodes
    array(['ann', 'bob', 'cy'], dtype='<U3')
    >>> cafe.Graph([[0, 1], [1, 2]])
    Traceback (most recent call last):
    ValueError: a 2 x 2 array may be two edges or an edge_index of two columns: \
Graph.from_edges(x) or Graph.from_edge_index(x)
    """

    __networkx_backend__ = "cafe"  # functions of networkx that the backend has take it as it is

    _handle: Handle

    def __init__(self, data: Any, *, weights: Any = None, names: Optional[Sequence] = None,
                 n_jobs: Optional[int] = None, verbose: Verbose = False, **options: Any) -> None:
        check_keywords(options, [*(o.keyword for o in _table().options), "copy", "nodes_from"], "Graph")
        self._names: Any = None
        self._asked = False
        self._index: Optional[Dict[Hashable, int]] = None
        self.shared = False
        if isinstance(weights, (bool, np.bool_)):
            options["weights"] = bool(weights)
            weights = None
        if isinstance(data, Graph):
            if weights is not None or options:
                raise TypeError("a Graph is immutable: options go with the data it is made from")
            self._handle, self._names, self._asked = data._handle, data.names, True
            self.shared = data.shared
        elif _are_paths(data):
            if weights is not None:
                raise TypeError("weights: a file has its own; True or False: they count or not")
            if "copy" in options:
                raise TypeError("copy: belongs to arrays; a file is always read into memory")
            self._handle = _read(data, options, n_jobs, verbose)
            reading = self.reading
            if reading.get("warning"):
                warn(in_python(reading["warning"]))
            if reading.get("format") != "cafe":  # its input was left behind when it was made
                _warn_of_losses(self.counts, options)
        else:
            for name in _OF_FILES & set(options):
                raise TypeError(f"{name}: belongs to files")
            links = certain_links(data, weights, options.pop("nodes", None))
            self._take(links, options, n_jobs, verbose)
        if names is not None:
            self._rename(names, isinstance(data, Graph))

    def _take(self, links: "_sources.Links", options: Dict[str, Any], n_jobs: Optional[int],
              verbose: Verbose) -> None:
        if _switch("copy", options.pop("copy", None)) is not False:
            links.own()
        self._handle = _build(links, options, n_jobs, verbose)
        if links.matrix is not None and self.counts["duplicates"] and "duplicates" not in options:
            links = _sources.summed(links.matrix)
            self._handle = _build(links, options, n_jobs, verbose)
        self._names, self._asked = links.names, True
        _warn_of_losses(self.counts, options, links.offsets is not None)
        chosen = set(_OF_WEIGHTS) & set(options)
        if "directed" not in options and not chosen and _one_way(self, links):
            warn("the edges have directions, and become edges without: directed='no' says that this is "
                 "meant, 'sum', 'cocitation' and 'flow' are other ways (docs/formats.md)")
        self.shared = _shares(self, links)
        links.lent, links.matrix = (), None  # what is not used is the caller's alone again

    @classmethod
    def _of(cls, handle: Handle, names: Any = None) -> "Graph":
        """Around what the library made."""
        graph = cls.__new__(cls)
        graph._handle, graph._names, graph._asked, graph._index = handle, names, True, None
        graph.shared = False
        return graph

    @classmethod
    def _from(cls, links: "_sources.Links", caller: str, *, names: Optional[Sequence] = None,
              n_jobs: Optional[int] = None, verbose: Verbose = False, **options: Any) -> "Graph":
        """Of edges whose meaning is certain; what is left are the options of every graph."""
        check_keywords(options, [*_OF_ALL, "copy"], caller)
        graph = cls._of(None)  # type: ignore[arg-type]
        graph._take(links, options, n_jobs, verbose)
        if names is not None:
            graph._rename(names)
        return graph

    # ---- constructors that say what the data is

    @classmethod
    def from_edges(cls, edges: Any, target: Any = None, *, weights: Any = None,
                   nodes: Union[int, Sequence, None] = None, bipartite: bool = False, **options: Any) -> "Graph":
        """Pairs of nodes, m x 2; or their sources and targets, two arrays. `nodes`: of edges between
        numbers their count; of edges between names a sequence with those that have no edge.
        `bipartite`: sources and targets are two kinds of nodes, so that a name in both is two nodes.

        >>> import cafe
        >>> cafe.Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[1, 2, 1])
        Graph(4 nodes, 3 edges, weighted)
        """
        links = _sources.from_edges(edges, target, weights, None if bipartite else nodes)
        links = _sources.with_sides(links, bipartite)
        return cls._from(_sources.with_nodes(links, nodes) if bipartite else links, "from_edges", **options)

    @classmethod
    def from_edge_index(cls, edge_index: Any, *, edge_attr: Any = None,
                        num_nodes: Optional[int] = None, **options: Any) -> "Graph":
        """A 2 x m array as in PyTorch Geometric, or an object that has one. `edge_attr`: one number
        an edge, its weight; False leaves out what the object has."""
        links = _sources.from_edge_index(edge_index, edge_attr, num_nodes)
        return cls._from(links, "from_edge_index", **options)

    @classmethod
    def from_adjacency(cls, matrix: Any, **options: Any) -> "Graph":
        """A square array of weights, 0 where there is no edge; or a pandas table of them, whose rows
        and columns carry the names of the nodes."""
        return cls._from(_sources.from_adjacency(matrix), "from_adjacency", **options)

    @classmethod
    def from_scipy(cls, matrix: Any, **options: Any) -> "Graph":
        """A square matrix of scipy.sparse, of any format."""
        return cls._from(_sources.from_scipy(matrix), "from_scipy", **options)

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: Union[str, bool, None] = None,
                      **options: Any) -> "Graph":
        """`weight`: the attribute with the weights; None takes "weight" where edges have it, False
        none."""
        links = _sources.from_networkx(graph, weight)
        return cls._from(links, "from_networkx", **options)

    @classmethod
    def from_igraph(cls, graph: Any, *, weight: Union[str, bool, None] = None,
                    **options: Any) -> "Graph":
        """`weight`: the attribute with the weights; None takes "weight" where edges have it, False
        none."""
        return cls._from(_sources.from_igraph(graph, weight), "from_igraph", **options)

    @classmethod
    def from_pandas(cls, table: Any, *, source: Any, target: Any, weight: Any = None,
                    nodes: Optional[Sequence] = None, bipartite: bool = False, **options: Any) -> "Graph":
        """A row per edge: the columns of its two nodes and, if it has one, of its weight. Any
        values are names of nodes. `nodes`: names, those of nodes without edges among them.
        `bipartite`: the columns name two kinds of nodes, so that a name in both is two nodes.

        >>> import pandas, cafe
        >>> table = pandas.DataFrame({"id": [1, 2], "from": ["a", "b"], "to": ["b", "c"]})
        >>> cafe.Graph.from_pandas(table, source="from", target="to").nodes.tolist()
        ['a', 'b', 'c']
        """
        links = _sources.with_sides(_columns.from_pandas(table, source, target, weight), bipartite)
        links = _sources.with_nodes(links, nodes)
        return cls._from(links, "from_pandas", **options)

    @classmethod
    def from_arrow(cls, table: Any, *, source: str, target: str, weight: Any = None,
                   nodes: Optional[Sequence] = None, bipartite: bool = False, **options: Any) -> "Graph":
        """As from_pandas, of anything with an Arrow stream (`__arrow_c_stream__`,
        `__arrow_c_array__` or the capsule itself): tables of polars, DuckDB, pyarrow. Numbers are
        read where they lie when they are int32 from 0 on, without gaps, and float32."""
        links = _sources.with_sides(_columns.from_arrow(table, source, target, weight), bipartite)
        links = _sources.with_nodes(links, nodes)
        return cls._from(links, "from_arrow", **options)

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike, Sequence[Union[str, os.PathLike]]],
                  **options: Any) -> "Graph":
        """Edge list, Matrix Market, METIS, DIMACS, scipy .npz, .cafe, GraphML, GEXF, GML, node-link JSON,
        Pajek, DOT, GDF, DL, LGL or adjacency list.
        A list of paths, or a folder, is one edge list in several files. `nodes_from`: the path of a
        list or table of nodes; those that no edge mentions are added without an edge.

        The first lines of an edge list decide about its columns and heading; an uncertain file is
        refused. These options decide instead: source, target, weight (columns by name, or by number
        from 0), header (True, False), delimiter (";", "tab"), decimal (","). Where nodes
        have attributes (GraphML, JSON, ...), name is the one that names them, or "id". `reading`
        describes the reading.

        >>> import pathlib, tempfile, cafe
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "trade.csv"
        >>> _ = path.write_text("year;buyer;seller;tons\\n1999;ann;bob;0,5\\n1999;bob;cy;2\\n")
        >>> graph = cafe.Graph.from_file(path, source="buyer", target="seller", weight="tons",
        ...                              decimal=",")
        >>> graph.to_edges()[2].tolist()
        [0.5, 2.0]
        >>> graph.reading["text"]
        "source column 1 'buyer', target column 2 'seller', weight column 3 'tons', \
ignored column 0 'year'; a heading; semicolons"
        """
        if isinstance(path, (list, tuple)) and path:
            path = [pathlib.Path(one) for one in path]
        if not _are_paths(path):
            raise TypeError(f"path: expected a path or a list of paths, found {type(path).__name__}")
        return cls(path, **options)

    @classmethod
    def from_points(cls, x: Any, *, random_state: Any = None, n_jobs: Optional[int] = None,
                    verbose: Verbose = False, **options: Any) -> "Graph":
        """The graph of the nearest neighbours of points, rows of a table. The index of a pandas
        table names the nodes.

        >>> import numpy as np, cafe
        >>> x = np.random.default_rng(0).normal(size=(50, 3))
        >>> cafe.Graph.from_points(x, n_neighbors=5).n_nodes
        50
        """
        options_of(options, "from_points", "points")
        rows = as_numbers(x, "x")
        values = block(rows, rows.shape[0] if rows.ndim else 0, "x")
        names = _sources.as_names(list(x.index)) if hasattr(x, "iloc") else None

        def work(context: Context) -> Handle:
            o = Table.named("points").pointer_to(context, options, "cafe_points_options")
            return context.make("cafe_graph_from_points", "cafe_graph", values.shape[0],
                                values.shape[1], pointer(values), o)

        return cls._of(run(work, threads_of(n_jobs), seed_of(random_state), verbose), names)

    # ---- what is in it

    @property
    def n_nodes(self) -> int:
        return int(lib.cafe_graph_nodes(self._handle.pointer))

    @property
    def n_edges(self) -> int:
        return int(lib.cafe_graph_get_counts(self._handle.pointer).contents.edges)

    def __len__(self) -> int:
        return self.n_nodes

    def __iter__(self) -> Iterator[Any]:
        """The nodes, by their names."""
        return iter(self.nodes.tolist())

    def __contains__(self, name: object) -> bool:
        try:
            self.index(name)  # type: ignore[arg-type]
        except CafeNodeError:
            return False
        return True

    def __getitem__(self, name: Hashable) -> Dict[Any, float]:
        """The neighbours of a node, each with the weight of the edge.

        >>> import cafe
        >>> graph = cafe.Graph.from_edges(["ann", "bob"], ["bob", "cy"], weights=[1, 2])
        >>> graph["bob"], "dan" in graph, list(graph)
        ({'ann': 1.0, 'cy': 2.0}, False, ['ann', 'bob', 'cy'])
        """
        offsets, _, weights = self.csr()
        u = self.index(name)
        near = self.neighbors(name).tolist()
        ones = np.ones(len(near)) if weights is None else weights[offsets[u]:offsets[u + 1]]
        return dict(zip(near, ones.tolist()))

    @property
    def pointer(self) -> Any:
        """For a run. Arrays that the graph shares are looked at first: the library trusts them."""
        if self.shared:
            threads = 0 if len(self.csr()[1]) > LARGE else 1
            Context(threads).call("cafe_graph_unchanged", self._handle.pointer)
        return self._handle.pointer

    @property
    def owned(self) -> Any:
        return self._handle.owned

    @property
    def counts(self) -> Dict[str, Any]:
        """What was found in the input and what became of it, as `cafe info` tells."""
        counts = lib.cafe_graph_get_counts(self._handle.pointer).contents
        return {name: getattr(counts, name) for name, _ in counts._fields_}

    @property
    def reading(self) -> Dict[str, Any]:
        """How a file was understood: its format, and of an edge list which columns were taken as
        what and the first three edges; {} when the graph is from no file."""
        reading = lib.cafe_graph_get_reading(self._handle.pointer).contents
        if not reading.format:
            return {}
        found = {name: getattr(reading, name) for name, _ in reading._fields_
                 if not name.startswith("attribute")}
        formats = {value: name for name, value in _abi.ENUMS["cafe_format"].items()}
        found["format"] = formats[reading.format].rpartition("_")[2].lower()
        found["heading"] = bool(reading.heading)
        found["text"] = (reading.text or b"").decode()
        found["warning"] = (reading.warning or b"").decode()
        lines = (reading.edges or b"").decode().splitlines()
        found["edges"] = [line.split("\t") for line in lines]
        return found

    @property
    def tables(self) -> Dict[str, str]:
        """What was taken for what in the files of labels that were read for this graph, by file."""
        return dict(vars(self).get("_tables", {}))

    @property
    def attributes(self) -> Dict[str, np.ndarray]:
        """Of the nodes, as their file has them (GraphML, GEXF, GML, JSON, Pajek, DOT, GDF), by name:
        numbers with NaN, or texts with None, for nodes without a value. They can be labels.

        >>> import pathlib, tempfile, cafe
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.dot"
        >>> _ = path.write_text("graph { ann [city=Bern, age=7]; bob [age=8]; ann -- bob }")
        >>> graph = cafe.Graph.from_file(path)
        >>> graph.attributes["age"].tolist(), graph.attributes["city"].tolist()
        ([7.0, 8.0], ['Bern', None])
        """
        reading = lib.cafe_graph_get_reading(self._handle.pointer).contents
        return {column.name.decode(): _attribute(column, self.n_nodes)
                for column in reading.attributes[:reading.attribute_count]}

    @property
    def layers(self) -> List[str]:
        """Names of the layers or slices (cafe.Sum, cafe.Slices); empty if it is one graph."""
        count = ctypes.c_int64()
        layers = lib.cafe_graph_layers(self._handle.pointer, count)
        return [layers[l].name.decode() for l in range(count.value)]

    @property
    def weighted(self) -> bool:
        return bool(self.counts["weighted"])

    @property
    def names(self) -> Optional[np.ndarray]:
        """Of the nodes; None when they are simply 0 .. n-1."""
        if not self._asked:
            self._names = _names_of(self._handle.pointer)
            self._asked = True
        return self._names

    @property
    def nodes(self) -> np.ndarray:
        """The nodes in the order of all results: their names, or their numbers."""
        return np.arange(self.n_nodes) if self.names is None else self.names

    def _rename(self, names: Sequence, again: bool = False) -> None:
        """Names for nodes that are numbers so far, or once more for those of another Graph."""
        if self.names is not None and not again:
            raise TypeError("names: the nodes of this data have names of their own")
        if len(names) != self.n_nodes:
            raise ValueError(f"names: expected {self.n_nodes}, found {len(names)}")
        self._names, self._asked = _sources.as_names(names), True

    def index(self, name: Hashable) -> int:
        """The number of a node; a KeyError that names the nearest when there is none of that name."""
        if self.names is None:
            whole = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
            if whole and 0 <= name < self.n_nodes:  # type: ignore[operator]
                return int(name)  # type: ignore[call-overload]
            raise CafeNodeError(name, self.n_nodes)
        if self._index is None:
            self._index = {n: i for i, n in enumerate(self.names.tolist())}
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise CafeNodeError(name, self.names) from None

    # ---- as arrays

    def csr(self) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
        """Offsets, targets and weights (None: all 1) of the compressed rows: views, not copies."""
        offsets = ctypes.POINTER(ctypes.c_int64)()
        targets = ctypes.POINTER(ctypes.c_int32)()
        weights = ctypes.POINTER(ctypes.c_float)()
        lib.cafe_graph_csr(self._handle.pointer, offsets, targets, weights)
        first = _view(offsets, self.n_nodes + 1, self._handle)
        count = int(first[-1])
        return (first, _view(targets, count, self._handle),
                _view(weights, count, self._handle) if weights else None)

    def to_scipy(self) -> Any:
        """The adjacency as a scipy.sparse CSR matrix; its indices are the graph's own."""
        from scipy.sparse import csr_matrix
        offsets, targets, weights = self.csr()
        data = np.ones(len(targets), np.float32) if weights is None else weights
        return csr_matrix((data, targets, offsets), shape=(self.n_nodes, self.n_nodes))

    def to_edges(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sources, targets and weights, each edge once; nodes by their names.

        >>> import cafe
        >>> source, target, weight = cafe.karate().to_edges()
        >>> len(source), int(source[0]), int(target[0]), float(weight[0])
        (78, 0, 1, 1.0)
        """
        source, target, weight = self._once()
        ones = np.ones(len(source), np.float32)
        return self.nodes[source], self.nodes[target], ones if weight is None else weight

    def _once(self) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
        offsets, targets, weights = self.csr()
        rows = np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(offsets))
        once = rows <= targets
        return rows[once], targets[once], None if weights is None else weights[once]

    def to_networkx(self) -> Any:
        """With names, and weights where the graph has them."""
        import networkx
        graph = networkx.Graph()
        graph.add_nodes_from(self.nodes.tolist())
        source, target, weight = (part.tolist() for part in self.to_edges())
        if self.weighted:
            graph.add_weighted_edges_from(zip(source, target, weight))
        else:
            graph.add_edges_from(zip(source, target))
        return graph

    def to_igraph(self) -> Any:
        """With names as the attribute "name", and weights where the graph has them."""
        import igraph
        source, target, weight = self._once()
        graph = igraph.Graph(self.n_nodes, np.column_stack([source, target]).tolist())
        if self.names is not None:
            graph.vs["name"] = self.names.tolist()
        if weight is not None:
            graph.es["weight"] = weight.tolist()
        return graph

    def neighbors(self, node: Hashable) -> np.ndarray:
        """The nodes linked to a node, by their names."""
        offsets, targets, _ = self.csr()
        u = self.index(node)
        return self.nodes[targets[offsets[u]:offsets[u + 1]]]

    def subgraph(self, nodes: Sequence) -> "Graph":
        """The edges among these nodes, which keep their names.

        >>> import cafe
        >>> cafe.karate().subgraph([0, 1, 2, 33]).nodes.tolist()
        [0, 1, 2, 33]
        """
        chosen = np.array([self.index(node) for node in nodes], dtype=np.int64)
        loops = "keep" if self.counts["self_loops_kept"] else "drop"
        return Graph.from_scipy(self.to_scipy()[chosen][:, chosen], names=self.nodes[chosen],
                                self_loops=loops, copy=True)

    @property
    def degrees(self) -> np.ndarray:
        """Sums of the weights of each node's edges, a loop counting twice."""
        offsets, targets, weights = self.csr()
        if weights is None:
            return np.diff(offsets).astype(float)
        sums = np.concatenate([[0.0], np.cumsum(weights, dtype=float)])
        return sums[offsets[1:]] - sums[offsets[:-1]]

    def frame(self, array: Any, prefix: str = "x") -> Any:
        """A pandas table of an array with a row per node, indexed by the nodes."""
        import pandas
        values = np.asarray(array)
        if values.ndim not in (1, 2) or len(values) != self.n_nodes:
            raise ValueError(f"expected a row per node, {self.n_nodes}; found shape {values.shape}")
        columns = None if values.ndim == 1 else [f"{prefix}{j}" for j in range(values.shape[1])]
        if values.ndim == 1:
            return pandas.Series(values, index=self.nodes, name=prefix)
        return pandas.DataFrame(values, index=self.nodes, columns=columns)

    def write(self, path: Union[str, os.PathLike], *, overwrite: bool = False,
              attributes: Optional[Mapping[str, Any]] = None) -> None:
        """Edge list, .mtx, METIS (.graph), .graphml, .gexf, .gml, .json or .cafe by the name's ending, text packed
        when .gz stands behind it. Names that came from Python are written as text: each one line, no
        two the same. `attributes` of the nodes go into .graphml, .gexf, .gml and .json: arrays of a number or a
        text per node, or of rows, whose columns are then called name0, name1, ...

        >>> import pathlib, tempfile, cafe
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "karate.graphml"
        >>> graph = cafe.karate()
        >>> graph.write(path, attributes={"degree": graph.degrees})
        >>> '<node id="0"><data key="d0">16</data></node>' in path.read_text()
        True
        """
        columns = _as_attributes(attributes or {}, self.n_nodes)
        array = (_abi.cafe_attribute * max(1, len(columns)))(*[column for column, _ in columns])

        def work(context: Context) -> None:
            graph = self._to_write(context)  # lives as long as it is written
            context.call("cafe_graph_write_attributes", graph.pointer, len(columns), array,
                         c_path(path), 0, int(overwrite))

        run(work)

    def _to_write(self, context: Context) -> Handle:
        """Itself, or a graph on the same rows with the names that came from Python."""
        assert self.pointer  # of rows that did not change
        if self.names is None or not lib.cafe_graph_names_are_indices(self.pointer):
            return self._handle
        twin = twin_of(context, self)
        context.call("cafe_graph_set_names", twin.pointer, c_texts(self.names.tolist()))
        return twin

    def __repr__(self) -> str:
        kind = (", weighted" if self.weighted else "") + (", shared" if self.shared else "")
        return f"Graph({self.n_nodes} nodes, {self.n_edges} edges{kind})"

    def __copy__(self) -> "Graph":
        return self  # immutable: a clone of an estimator shares it

    def __deepcopy__(self, memo: Any) -> "Graph":
        return self

    def __reduce__(self) -> Any:
        offsets, targets, weights = self.csr()
        copies = (offsets.copy(), targets.copy(), None if weights is None else weights.copy())
        return _restored, (*copies, bool(self.counts["self_loops_kept"]), self.names)


def twin_of(context: Context, graph: Graph) -> Handle:
    """A graph on the same rows whose names are numbers."""
    assert graph.pointer  # of rows that did not change
    offsets, targets, weights = graph.csr()
    loops = "keep" if graph.counts["self_loops_kept"] else "drop"
    o = Table.named("graph").pointer_to(context, {"self_loops": loops}, "cafe_graph_options")
    return context.make("cafe_graph_from_csr", "cafe_graph", graph.n_nodes, pointer(offsets),
                        pointer(targets), pointer(weights), 1, o, keep=[graph])


# ---- making them -------------------------------------------------------------------------------

def _table() -> Table:
    return Table.named("graph")


def _attribute(column: Any, nodes: int) -> np.ndarray:
    """The values of an attribute: numbers, or objects that are texts or None."""
    if column.numbers:
        return np.ctypeslib.as_array(column.numbers, (nodes,)).copy()
    texts = np.array([column.texts[i].decode() for i in range(column.values)] + [None], object)
    return texts[np.ctypeslib.as_array(column.integers, (nodes,))]  # -1: the last one


def _as_attributes(attributes: Mapping[str, Any], nodes: int) -> List[Tuple[Any, Any]]:
    """Attributes of nodes as the library takes them, each with what it points at."""
    found: List[Tuple[Any, Any]] = []
    for name, values in attributes.items():
        rows = np.asarray(values)
        if rows.ndim not in (1, 2) or len(rows) != nodes:
            raise ValueError(f"attributes[{name!r}]: expected a value or a row per node, {nodes}; "
                             f"found shape {rows.shape}")
        if rows.ndim == 2:
            parts = {f"{name}{j}": rows[:, j] for j in range(rows.shape[1])}
            found += _as_attributes(parts, nodes)
            continue
        column, key = _abi.cafe_attribute(), c_text(name)
        keep: Any
        if rows.dtype.kind in "biu" and (rows.size == 0 or abs(int(rows.max())) < 2 ** 31 and
                                         abs(int(rows.min())) < 2 ** 31):
            keep = np.ascontiguousarray(rows, np.int32)
            column.integers = keep.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
        elif rows.dtype.kind == "f":
            keep = as_floats(rows)
            if (np.isinf(keep) & np.isfinite(rows)).any():
                raise ValueError(f"attributes[{name!r}]: expected numbers that float32 can hold")
            column.reals = keep.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
            column.stride = 1
        else:
            keep = c_texts(rows.tolist())
            column.texts = ctypes.cast(keep, type(column.texts))
        column.name = key
        found.append((column, (key, keep)))
    return found


def _switch(name: str, value: Any) -> Optional[bool]:
    if value is not None and not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={value!r}: expected True, False or None")
    return None if value is None else bool(value)


def _are_paths(data: Any) -> bool:
    """One path, or a list of some."""
    return isinstance(data, (str, os.PathLike)) or (isinstance(data, list) and bool(data) and
                                                    all(isinstance(d, os.PathLike) for d in data))


def _read(data: Any, options: Dict[str, Any], n_jobs: Optional[int], verbose: Verbose) -> Handle:
    paths = [c_path(path) for path in (data if isinstance(data, list) else [data])]
    known = all(os.path.isfile(path) for path in paths)
    size = sum(map(os.path.getsize, paths)) if known else 0
    threads = threads_of(n_jobs) if size > LARGE or not known else 1
    options = dict(options)
    nodes = options.pop("nodes_from", None)

    def work(context: Context) -> Handle:
        o = _table().pointer_to(context, options, "cafe_graph_options")
        more = (ctypes.c_char_p * len(paths))(*paths[1:])
        o.contents.more, o.contents.more_count = ctypes.cast(more, type(o.contents.more)), len(paths) - 1
        graph = context.make("cafe_graph_read", "cafe_graph", paths[0], o)
        if nodes is not None:
            _add_nodes(context, graph, nodes)
        return graph

    return run(work, threads, verbose=verbose)


def _add_nodes(context: Context, graph: Handle, nodes: Any) -> None:
    """Nodes of a file that the graph lacks, without edges."""
    made, columns = graph.pointer, _abi.cafe_label_columns(nodes=1)
    try:
        context.call("cafe_graph_add_labelled", c_path(nodes), columns, made, ctypes.c_int64())
    finally:
        graph.replace(made)


def _build(links: "_sources.Links", options: Dict[str, Any], n_jobs: Optional[int],
           verbose: Verbose) -> Handle:
    directed = options.get("directed", "no")
    threads = threads_of(n_jobs) if len(links.target) > LARGE else 1
    if not options.get("weights", True):
        links.weights = None

    def work(context: Context) -> Handle:
        o = _table().pointer_to(context, options, "cafe_graph_options")
        weights, target = pointer(links.weights), pointer(links.target)
        if links.offsets is not None and directed == "no":
            return context.make("cafe_graph_from_csr", "cafe_graph", links.nodes,
                                pointer(links.offsets), target, weights, 1, o, keep=[links])
        source = pointer(links.sources())
        return context.make("cafe_graph_from_edges", "cafe_graph", links.nodes, len(links.target),
                            source, target, weights, o)

    return run(work, threads, verbose=verbose)


def _one_way(graph: Graph, links: "_sources.Links") -> bool:
    """Whether a matrix, or a graph that says it is directed, has edges that do not go both ways alike.
    Pairs alone need not mean a direction."""
    if not links.directed and links.offsets is None:
        return False
    found = graph.counts
    once = found["lines"] - found["self_loops"] - found["duplicates"] - found["zero_weights"]
    if once > 2 * found["reversed"]:
        source = links.sources()
        triangle = (source <= links.target).all() or (source >= links.target).all()
        return links.directed or not triangle  # half of a symmetric matrix is enough
    if links.weights is None:
        return False
    others = links.sources() != links.target  # a symmetric M stays M, any other is M + M.T
    return bool(found["total_weight"] > 1.5 * links.weights[others].sum(dtype=np.float64))


def _warn_of_losses(counts: Dict[str, Any], options: Dict[str, Any], matrix: bool = False) -> None:
    """What of the input is not in the graph though nobody said so. Zeros of a matrix are no edges."""
    lost = []
    if counts["self_loops"] and not counts["self_loops_kept"] and "self_loops" not in options:
        lost.append(f"{counts['self_loops']} loops (self_loops='drop' or 'keep')")
    if counts["duplicates"] and not counts["weighted"] and "duplicates" not in options:
        lost.append(f"{counts['duplicates']} repeated edges (duplicates='one' or 'sum')")
    if counts["zero_weights"] and not matrix:
        lost.append(f"{counts['zero_weights']} edges of weight 0")
    if lost:
        warn(f"left out of the graph: {', '.join(lost)}")


def _shares(graph: Graph, links: "_sources.Links") -> bool:
    """Whether the graph lies in arrays of the caller's."""
    own = [array for array in graph.csr() if array is not None]
    return any(np.may_share_memory(lent, array) for lent in links.lent for array in own)


def _restored(offsets: np.ndarray, targets: np.ndarray, weights: Optional[np.ndarray], loops: bool,
              names: Any) -> Graph:
    links = _sources.Links(len(offsets) - 1, targets, weights, offsets=offsets)
    return Graph._of(_build(links, {"self_loops": "keep" if loops else "drop"}, 1, False), names)


def _names_of(graph: Any) -> Optional[np.ndarray]:
    """Names from a file: integers when all of them are written as such."""
    if lib.cafe_graph_names_are_indices(graph):
        return None
    text = ctypes.create_string_buffer(256)
    names: List[Any] = []
    for u in range(lib.cafe_graph_nodes(graph)):
        length = lib.cafe_graph_name(graph, u, text, len(text))
        if length >= len(text):
            text = ctypes.create_string_buffer(length + 1)
            lib.cafe_graph_name(graph, u, text, len(text))
        names.append(text.value.decode(errors="surrogateescape"))
    try:
        numbers = np.array(names, dtype=np.int64)
    except (ValueError, OverflowError):
        return _sources.as_names(names)
    return numbers if [str(n) for n in numbers.tolist()] == names else _sources.as_names(names)


def _view(at: Any, count: int, owner: Any) -> np.ndarray:
    """The library's own numbers, read-only; the view keeps their owner alive."""
    kind = np.dtype(at._type_)
    if count == 0:
        return np.zeros(0, kind)
    buffer: Any = (ctypes.c_char * (count * kind.itemsize)).from_address(
        ctypes.addressof(at.contents))
    buffer._owner = owner  # NumPy holds the buffer, the buffer the owner
    array = np.frombuffer(buffer, dtype=kind)
    array.flags.writeable = False
    return array


def as_graph(data: Any, n_jobs: Optional[int] = None) -> Graph:
    """A Graph as it is, anything else through Graph()."""
    return data if isinstance(data, Graph) else Graph(data, n_jobs=n_jobs)


def generate(model: str = "planted", *, random_state: Any = None, n_jobs: Optional[int] = None,
             verbose: Verbose = False, **options: Any) -> Tuple[Graph, np.ndarray]:
    """A random graph with known structure, and the block of each node.

    >>> import cafe
    >>> graph, blocks = cafe.generate("sbm", nodes=300, edges=2000, blocks=3)
    >>> graph.n_nodes, sorted(set(blocks.tolist()))
    (300, [0, 1, 2])
    """
    options_of(options, "generate", "generate")
    models = {n.rpartition("_")[2].lower(): v for n, v in _abi.ENUMS["cafe_generator"].items()}
    if model not in models:
        raise ValueError(f"model={model!r}: expected one of {', '.join(models)}")

    def work(context: Context) -> Tuple[Handle, np.ndarray]:
        o = Table.named("generate").pointer_to(context, options, "cafe_generate_options")
        labels = np.zeros(o.contents.nodes, np.int32)
        made = ctypes.POINTER(_abi.cafe_graph)()
        context.call("cafe_generate", models[model], o, made, pointer(labels))
        return Handle(made, lib.cafe_graph_free, context), labels

    handle, labels = run(work, threads_of(n_jobs), seed_of(random_state), verbose)
    return Graph._of(handle), labels


generate.__doc__ = (generate.__doc__ or "") + "\n\n    Options: \n" + "\n".join(
    "    " + line for line in described_options(Table.named("generate")).splitlines()) + "\n"
