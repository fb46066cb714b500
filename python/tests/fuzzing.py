"""The border under fire: constructors, estimators and functions are given arrays and arguments that
nobody would give them.

    scripts/fuzz-python SECONDS [SEED]    with the address sanitizer, from a seed on

A case is a seed: it is printed when something goes wrong, and runs again by itself. This must hold:
a result is sound, or there is an error of Python's kind for wrong arguments. Nothing is read
outside its array (the sanitizers check this), and nothing takes long.
"""
import faulthandler
import os
import sys
import time
import traceback
import types
import warnings

import numpy as np
import scipy.sparse

import cafe
from cafe import cluster, embed

FINE = (ValueError, TypeError, KeyError, OSError, MemoryError, cafe.CafeError)
# of these, what a slip of our own raises is not fine
SLIPS = ("NoneType' object is not sub", "unexpected keyword", "positional argument", "operand", "ufunc",
         "can't multiply", "LP_", "ctypes", "c_", "instance instead of")
PATIENCE = 120  # seconds a case may take, with sanitizers on a busy machine


class Odd:
    """Values from a seed: mostly sound, often not."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one(self, values):
        return values[int(self.rng.integers(len(values)))]

    def chance(self, share):
        return bool(self.rng.random() < share)

    def size(self, most=40):
        return int(self.one([0, 1, 2, 3, 4, self.rng.integers(5, most), self.rng.integers(5, most)]))

    # ---- numbers and words

    def number(self):
        return self.one([0, 1, 2, 3, 5, -1, 7, 2.5, 0.0, 1e-9, 0.5, 1e30, float("nan"), float("inf"),
                         -float("inf"), 2**31, 2**63, -2**70, True, np.int64(3), np.float32(0.25),
                         np.uint8(9), "3", "no", "", None, [], (1,), {}, b"x", 1j, object(),
                         np.array(2), np.array([1, 2])])

    def word(self):
        return self.one(["a", "b", "ann", "Ω", "a b", "", "\0", "x" * 300, "-1", "nan", "a\nb"])

    def name(self):
        return self.one([self.word(), self.word(), int(self.rng.integers(-3, 40)), (self.word(), 1), None,
                         2.5, float("nan"), True, b"b", frozenset([1]), np.int32(4), np.str_("q")])

    # ---- arrays

    def fill(self, shape, dtype, low=0, high=8):
        kind = np.dtype(dtype)
        if kind.kind in "iu":
            array = self.rng.integers(low, max(high, low + 1), shape).astype(kind)
            odd = [np.iinfo(kind).max, np.iinfo(kind).min, -1, high, 2**31 - 1]
        elif kind.kind in "fc":
            array = self.rng.normal(size=shape).astype(kind)
            odd = [np.nan, np.inf, 1e38, -1, 0]
        elif kind.kind == "b":
            return self.rng.random(shape) < 0.5
        elif kind.kind == "U":
            return np.array([self.word() for _ in range(int(np.prod(shape)))], dtype="U9").reshape(shape)
        elif kind.kind == "M":
            return self.rng.integers(0, 9, shape).astype("M8[D]")
        else:
            array = np.empty(shape, object)
            for at in np.ndindex(*shape):
                array[at] = self.name()
            return array
        if array.size and self.chance(0.15):
            with np.errstate(all="ignore"):
                at = self.rng.integers(array.size)
                array.reshape(-1)[at] = np.array(self.one(odd)).astype(kind)
        return array

    def laid(self, array):
        """The same numbers, laid out another way."""
        how = self.rng.integers(12)
        if how == 0:
            return np.asfortranarray(array)
        if how == 1 and array.ndim:
            return array[::-1]
        if how == 2 and array.ndim:
            return np.repeat(array, 2, axis=0)[::2]
        if how == 3 and array.dtype.kind in "iuf":
            return array.astype(array.dtype.newbyteorder())
        if how == 4 and array.dtype.kind in "iuf" and array.size:
            raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
            raw[:] = array.ravel()
            return raw.reshape(array.shape)
        if how == 5:
            array = array.copy()
            array.flags.writeable = False
            return array
        if how == 6:
            return array.tolist()
        if how == 7 and self.chance(0.3):
            return np.ma.masked_array(array, mask=self.rng.random(array.shape) < 0.3)
        if how == 8 and array.ndim:
            return array[..., None] if self.chance(0.5) else array.reshape(-1)
        if how == 9 and array.dtype.kind in "iufbU" and array.ndim == 1:
            import pandas
            return pandas.Series(array, index=self.rng.permutation(len(array)))
        return array

    def dtype(self, usual):
        return self.one([usual] * 6 + ["i1", "u1", "i2", "i4", "i8", "u4", "u8", "f2", "f4", "f8", "c8",
                                       "?", "U9", "O", "M8[D]"])

    def array(self, shape, usual="f4", low=0, high=8):
        if self.chance(0.1):
            shape = self.one([(), (0,), (3,), (2, 3), (3, 3), (0, 2), (2, 0), (4, 1, 2)])
        return self.laid(self.fill(tuple(int(s) for s in shape), self.dtype(usual), low, high))

    def rows(self, n):
        """Vectors of n nodes, nearly."""
        return self.array((max(0, n + int(self.one([0, 0, 0, 0, 0, 1, -1]))), self.one([1, 2, 4, 0, 9])))

    def names(self, n):
        how = self.rng.integers(5)
        if how == 0:
            return [f"n{i}" for i in range(n)]
        if how == 1:
            return self.rng.permutation(n) * 3
        if how == 2:
            return [self.name() for _ in range(n)]
        return self.one(["ab", None, {}, 5, range(n), np.arange(n + 1), object()])

    # ---- options

    def options(self, rows, chance=0.08):
        """Keywords: of the parameters of an estimator, some."""
        found = {}
        for parameter in rows:
            if not self.chance(chance):
                continue
            default = parameter.default
            sound = [default, default]
            if isinstance(default, bool):
                sound += [True, False]
            elif isinstance(default, (int, float)):
                sound += [0, 1, 2, 3, 0.5, default / 2, 4]
            found[parameter.name] = self.number() if self.chance(0.4) else self.one(sound)
        return found

    def graph_options(self):
        table = {"self_loops": ["keep", "drop", 1], "duplicates": ["one", "sum", "auto", None],
                 "directed": ["no", "sum", "cocitation", "flow", 3], "reorder": ["degree", "none"],
                 "copy": [True, False, None, 1], "n_jobs": [1, 2, None, 0, "a"], "format": ["mtx"],
                 "nodes": [3, 50, 0, -1, 2.5], "weights": [True, False, "weight", "nosuch"]}
        return {name: self.one(values) for name, values in table.items() if self.chance(0.08)}


# ---- graphs ------------------------------------------------------------------------------------

def sound_rows(odd, n):
    """Compressed rows of a symmetric graph."""
    matrix = scipy.sparse.random(n, n, 0.2, format="csr", dtype=np.float32,
                                 random_state=int(odd.rng.integers(2**31)))
    matrix = scipy.sparse.triu(matrix, 1)
    matrix = (matrix + matrix.T).tocsr()
    matrix.sort_indices()
    if odd.chance(0.5):
        matrix.data[:] = 1
    return matrix


class Rows:
    """A matrix with arrays that nothing has checked."""

    def __init__(self, indptr, indices, data, shape):
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape

    def tocsr(self):
        return self

    def copy(self):
        return self

    def sum_duplicates(self):
        pass


def a_matrix(odd):
    n = odd.size()
    matrix = sound_rows(odd, n)
    if odd.chance(0.4):
        return getattr(matrix, "to" + odd.one(["csc", "coo", "lil", "csr"]))()
    parts = [matrix.indptr.copy(), matrix.indices.copy(), matrix.data.copy()]
    for i in range(3):
        if odd.chance(0.3):
            parts[i] = odd.array(parts[i].shape, parts[i].dtype, 0, n)
        elif odd.chance(0.2) and len(parts[i]):
            parts[i][odd.rng.integers(len(parts[i]))] = odd.one([-1, 0, n, 2**31 - 1, -2**31])
        elif odd.chance(0.1):
            parts[i] = parts[i][:-1]
    return Rows(*parts, odd.one([(n, n), (n, n), (n, n), (n + 1, n + 1), (n, 3), (2**31, 2**31), (n,)]))


def a_pair_list(odd):
    n, m = odd.size() + 1, odd.size(80)
    ends = odd.array((m, 2), "i8", 0, n)
    return odd.one([ends, ends, [(odd.name(), odd.name()) for _ in range(m)]])


def a_table(odd):
    import pandas
    m, n = odd.size(80), odd.size() + 1
    columns = {}
    for name in odd.one([["source", "target"], ["source", "target", "weight"], ["id", "from", "to"],
                         ["source", "target", "Weight"], [0, 1, 2], list("abcd")]):
        usual = "f8" if name in ("weight", "Weight") else odd.one(["i8", "U9"])
        values = odd.fill((m,), odd.dtype(usual), 0, n)
        columns[name] = pandas.array(values, dtype="Int64") if values.dtype == np.int64 and \
            odd.chance(0.3) else values
    return pandas.DataFrame(columns)


def a_foreign_graph(odd):
    import igraph
    import networkx
    n = odd.size() + 1
    edges = odd.rng.integers(0, n, (odd.size(80), 2)).tolist()
    if odd.chance(0.5):
        values = [odd.number() for _ in edges] if odd.chance(0.3) else [1.5] * len(edges)
        made = igraph.Graph(n, edges, edge_attrs={odd.one(["weight", "w"]): values})
        if odd.chance(0.5):
            made.vs["name"] = [odd.name() for _ in range(n)]
        return made
    graph = getattr(networkx, odd.one(["Graph", "DiGraph", "MultiGraph"]))()
    words = [odd.one([i, odd.name()]) for i in range(n)]
    for u, w in edges:
        u, w = words[u], words[w]
        if u is not None and w is not None:
            graph.add_edge(u, w, **({odd.one(["weight", "w"]): odd.one([1, 2.5, odd.number()])}
                                    if odd.chance(0.3) else {}))
    return graph


def an_arrow_table(odd):
    from test_arrow import NAMES, Producer, missing
    m, n = odd.size(80), odd.size() + 1
    columns = {}
    for name in odd.one([["source", "target"], ["source", "target", "weight"], ["a", "b"]]):
        how = odd.rng.integers(5)
        if name == "weight":
            columns[name] = odd.fill((m,), odd.one(["f4", "f8", "i4", "f2"]))
        elif how == 0:
            columns[name] = odd.one(["u", "U", "vu"]), [odd.one(NAMES) for _ in range(m)]
        elif how == 1:
            columns[name] = {"codes": odd.rng.integers(0, 4 + odd.chance(0.2), m), "words": ("u", NAMES)}
        else:
            columns[name] = odd.fill((m,), odd.one(["i4", "i8", "u4", "u1", "f8"]), 0, n)
            if m and odd.chance(0.2):
                columns[name] = missing(columns[name], int(odd.rng.integers(m)))
    return Producer(columns, chunks=odd.one([1, 1, 2, 5, 0]), shift=odd.one([0, 0, 3, 8]))


def make_graph(odd):
    """A constructor with what it may not want."""
    make, how = cafe.Graph, odd.rng.integers(12)
    options = odd.graph_options() if odd.chance(0.4) else {}
    if odd.chance(0.1):
        options["names"] = odd.names(odd.size())
    columns = {"source": odd.one(["source", "a", 0, None]), "target": odd.one(["target", "b", 1]),
               "weight": odd.one([None, None, "weight", 2, False, odd.array((9,))])}
    if how == 0:
        return make(odd.one([a_pair_list, a_matrix, a_table, a_foreign_graph, an_arrow_table])(odd),
                    **options)
    if how == 1:
        return make.from_edges(a_pair_list(odd), **options)
    if how == 2:
        m = odd.size(80)
        return make.from_edges(odd.array((m,), "i4", 0, 20), odd.array((m,), "i4", 0, 20),
                               weights=odd.one([None, odd.array((m,))]), **options)
    if how == 3:
        ends = odd.array((2, odd.size(80)), "i8", 0, 20)
        thing = types.SimpleNamespace(edge_index=ends, edge_weight=odd.one([None, odd.array((5,))]),
                                      num_nodes=odd.one([None, 20, 3, odd.number()]))
        return make.from_edge_index(odd.one([ends, thing]), **options)
    if how == 4:
        n = odd.size(12)
        return make.from_adjacency(odd.array((n, n), odd.one(["i4", "f4"])), **options)
    if how == 5:
        return make.from_networkx(a_foreign_graph(odd), **options)
    if how == 6:
        return make.from_igraph(a_foreign_graph(odd), weight=odd.one([None, "w", False]), **options)
    if how == 7:
        return make.from_pandas(a_table(odd), **columns, **options)
    if how == 8:
        return make.from_arrow(an_arrow_table(odd), **columns, **options)
    if how == 9:
        return make.from_points(odd.array((odd.size(), odd.one([1, 2, 3, 0]))),
                                **odd.one([{}, {"n_neighbors": odd.number()}, {"n_neighbors": 3}]))
    return make.from_scipy(a_matrix(odd), **options)


def check_graph(graph):
    """What every graph is."""
    offsets, targets, weights = graph.csr()
    n = graph.n_nodes
    assert len(offsets) == n + 1 and offsets[0] == 0 and (np.diff(offsets) >= 0).all()
    assert len(targets) == offsets[-1] and (len(targets) == 0 or 0 <= targets.min() <= targets.max() < n)
    assert weights is None or (np.isfinite(weights).all() and (weights > 0).all())
    matrix = graph.to_scipy()
    assert (matrix != matrix.T).nnz == 0
    assert len(graph.nodes) == n and len(set(graph.nodes.tolist())) == n
    return graph


# ---- what is done with them --------------------------------------------------------------------

def a_graph(odd):
    """A sound one, that the arguments beside it are tried on."""
    n = int(odd.rng.integers(5, 30))
    names = odd.one([None, None, [f"n{i}" for i in range(n)], list(range(10, 10 + n))])
    return cafe.Graph.from_scipy(sound_rows(odd, n), names=names)


def some_labels(odd, graph):
    import pandas
    n = graph.n_nodes
    plain = odd.array((n,), odd.one(["i4", "U9", "i8"]), -1, 3)
    return odd.one([plain, plain, {odd.name(): 1}, dict(zip(graph.nodes.tolist(), range(n))),
                    pandas.Series(odd.rng.integers(0, 3, n), index=odd.rng.permutation(graph.nodes)),
                    odd.number(), None])


def fit(odd, graph=None):
    kind = odd.one([*embed.CLASSES, *cluster.CLASSES])
    parameters = [p for p in kind._parameters if p.name not in ("max_iter", "verbose", "epochs")]
    options = odd.options(parameters)
    names = {p.name for p in kind._parameters}
    options.update({k: v for k, v in {"max_iter": odd.one([1, 3, 10]), "epochs": 1}.items() if k in names})
    if "n_components" in names:
        options.setdefault("n_components", odd.one([1, 2, 3, 8]))
    graph = a_graph(odd) if graph is None else graph
    n = graph.n_nodes
    given = {}
    if odd.chance(0.1):
        given["start"] = odd.rows(n)
    if odd.chance(0.1):
        given["seeds"] = odd.one([graph.nodes[:2], [odd.name()], odd.number(), []])
    if odd.chance(0.1):
        given["attributes"] = odd.rows(n)
    wants = kind._method.takes("NEEDS_LABELS") or odd.chance(0.1)
    model = kind(**options).fit(graph, some_labels(odd, graph) if wants else None, **given)
    for name in ("embedding_", "memberships_"):
        found = getattr(model, name, None)
        if isinstance(found, np.ndarray):
            assert len(found) == n and np.isfinite(found).all(), name
    return model, graph


def after_fit(odd):
    """What a fitted model can do, with arguments of every kind."""
    model, graph = fit(odd)
    calls = [name for name in ("transform", "predict", "predict_proba", "score", "partial_fit", "to_frame")
             if hasattr(model, name)]
    name = odd.one(calls)
    argument = odd.one([graph, a_graph(odd), odd.rows(graph.n_nodes), [odd.name()], graph.nodes[:3],
                        odd.number(), [[0, 1], [2]], sound_rows(odd, graph.n_nodes)[:3]])
    arguments = {"to_frame": [odd.one([None, "nosuch", "nodes_", "labels_"])],
                 "score": [argument, some_labels(odd, graph)]}.get(name, [argument])
    return getattr(model, name)(*arguments)


def functions(odd):
    graph = a_graph(odd)
    n = graph.n_nodes
    vectors = odd.rows(n)
    how = odd.rng.integers(5)
    part = odd.one([None, odd.array((n,), "i4", -1, 4), some_labels(odd, graph)])
    options = {odd.one(["top", "window", "degree_exponent", "probes", "nosuch", "n_jobs", "sampling"]):
               odd.one([odd.number(), 2])} if odd.chance(0.4) else {}
    if how == 0:
        return repr(cafe.explain(graph, vectors, communities=part, **options))
    if how == 1:
        return cafe.layout(graph, vectors, **({} if odd.chance(0.8) else options))
    if how == 2:
        links = odd.one([odd.array((3, n)), sound_rows(odd, n)[:2], [[odd.name()], [0, 1]],
                         [graph.nodes[:3].tolist()], a_matrix(odd), odd.number()])
        return cafe.place(graph, vectors, links, form=odd.one(["ritz", "raw", "scaled", "walk", None, 3]),
                          return_bound=odd.chance(0.5))
    if how == 3:
        return cafe.view(graph, vectors, labels=some_labels(odd, graph), communities=part,
                         map=odd.one([None, "auto", odd.rows(n), odd.array((n, 2))]))
    table = odd.array((odd.size(), odd.one([1, 2, 5])))
    model = cafe.Reduce(**odd.options(cafe.Reduce._parameters)).fit(table)
    return model.transform(odd.one([table, odd.array((3, 2)), odd.number()]))


def tools(odd):
    """The functions beside estimators."""
    graph = a_graph(odd)
    n, count = graph.n_nodes, odd.one([1, 3, 5, 10**6, odd.number()])
    vectors, labels = odd.rows(n), some_labels(odd, graph)
    nodes = odd.one([graph.nodes[:3], [odd.name()], odd.number(), [], None, graph.nodes[0]])
    share = odd.one([0.1, 0.5, odd.number()])
    calls = [
        lambda: cafe.rank(graph, odd.one(["pagerank", "degree", "relative", 3]), subset=nodes),
        lambda: cafe.compare_sets(graph, nodes, odd.one([graph.nodes[2:5], nodes])),
        lambda: cafe.recommend(graph, nodes, count, embedding=odd.one([None, vectors])),
        lambda: cafe.hide_links(graph, share),
        lambda: cafe.evaluate_recommendation(graph, share, count),
        lambda: cafe.most_similar(vectors, odd.one([0, odd.name(), graph.nodes[0]]), count),
        lambda: cafe.SimilarIndex(vectors, names=odd.one([None, odd.names(n)])),
        lambda: cafe.to_arrow(vectors, names=odd.one([None, odd.names(n)])),
        lambda: cafe.write_vectors(vectors, odd.one(["/nonexistent/v.npy", 5, "", b"/nonexistent/x.npy"])),
        lambda: cafe.evaluate_classification(graph, labels, vectors, repeats=2),
        lambda: cafe.evaluate_clustering(graph, labels, odd.one([None, odd.array((n,), "i4", -1, 4)])),
        lambda: cafe.evaluate_links(graph, odd.one([vectors, cafe.SphereGCN(2)]), repeats=2,
                                    protocol=odd.one(["paper", "honest"])),
        lambda: cafe.layout_quality(vectors, odd.rows(n)), lambda: cafe.bounds(graph),
        lambda: cafe.update(graph, vectors, added=odd.array((3, 2), "i8", 0, n + 1),
                            removed=odd.one([None, odd.array((2, 2), "i8", 0, n)]), communities=labels),
        lambda: cafe.forecast(odd.one([cafe.SphereGCN(2), cafe.LayeredCafe(), odd.number()]), graph),
        lambda: cafe.forecast_ranks(cafe.SphereGCN(2), odd.one([graph, (n, n), (odd.number(), 5)]),
                                    odd.one([1, 3, odd.number()]), cut=odd.one([None, 0.5, odd.number()]),
                                    network=odd.one([None, "25G", "gb", odd.number()])),
        lambda: cafe.plot(odd.one([vectors, odd.rows(n)]), graph=odd.one([None, graph]), labels=labels,
                          values=odd.one([None, odd.array((n,))])),
    ]
    return odd.one(calls)()


def asking(odd):
    graph = a_graph(odd)
    name = odd.name()
    call = odd.one(["index", "neighbors", "subgraph", "frame", "write"])
    argument = odd.one([name, [name], graph.nodes[:3], odd.number(), odd.rows(graph.n_nodes)])
    if call == "write":
        argument = odd.one(["/nonexistent/x.txt", "", b"x", 5, "a\0b", None])
    return getattr(graph, call)(argument)


def later(odd):
    """Another view writes into what a graph shares. A run refuses that; and should the change come
    after it looked, it stays within its arrays, and ends."""
    matrix = sound_rows(odd, int(odd.rng.integers(5, 30)))
    matrix = scipy.sparse.csr_matrix((matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()))
    views = matrix.indices[:], matrix.data[:]
    graph = cafe.Graph.from_scipy(matrix, copy=False)
    if not graph.shared or len(views[0]) == 0:
        return
    blind = odd.chance(0.7)
    for _ in range(int(odd.one([1, 3, 30]))):
        at = int(odd.rng.integers(len(views[0])))
        if odd.chance(0.7):
            views[0][at] = odd.rng.integers(graph.n_nodes) if blind else odd.one([-1, 0, 99, 2**31 - 1])
        else:
            views[1][at] = odd.one([np.nan, np.inf, -1, 0, 1e38, 1e-45, 3])
    graph.shared = not blind
    vectors = odd.rng.normal(size=(graph.n_nodes, 3))
    return odd.one([lambda: fit(odd, graph), lambda: fit(odd, graph), lambda: cafe.layout(graph, vectors),
                    lambda: cafe.explain(graph, vectors).node(0),
                    lambda: cafe.place(graph, vectors, [[0, 1], [2]], form="ritz", return_bound=True),
                    lambda: cafe.view(graph, vectors)])()


def try_graph(odd):
    graph = check_graph(make_graph(odd))
    if odd.chance(0.2) and graph.n_nodes:
        fit(odd, graph)


CASES = ([try_graph] * 5 + [fit] * 3 + [after_fit, functions, functions, asking, later, later]
         + [tools] * 3)


# ---- runs --------------------------------------------------------------------------------------

def run(seed):
    """A case; None, or what went wrong."""
    odd = Odd(seed)
    case = CASES[int(odd.rng.integers(len(CASES)))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case(odd)
    except FINE as error:
        slip = isinstance(error, TypeError) and any(word in str(error) for word in SLIPS) and \
            not any(word in str(error) for word in ("; did you mean ", "; there are "))  # ours, on purpose
        inside = traceback.extract_tb(error.__traceback__)[-1].filename
        return f"{case.__name__}: {traceback.format_exc()}" if slip and f"{os.sep}cafe{os.sep}" in inside \
            else None
    except Exception:
        return f"{case.__name__}: {traceback.format_exc()}"
    return None


def main(arguments):
    seconds = float(arguments[0]) if arguments else 60
    seed = int(arguments[1]) if len(arguments) > 1 else int(time.time()) * 1000
    began, cases, found = time.monotonic(), 0, {}
    last = os.open(os.environ.get("FUZZ_LAST", os.devnull), os.O_RDWR | os.O_CREAT)
    faulthandler.enable()
    while time.monotonic() < began + seconds:
        os.pwrite(last, f"{seed:20d}\n".encode(), 0)
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        wrong = run(seed)
        if wrong:
            kind = wrong.strip().splitlines()[-1][:60]
            if kind not in found:
                print(f"seed {seed}: {wrong}", flush=True)
            found.setdefault(kind, seed)
        cases, seed = cases + 1, seed + 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{cases} cases in {time.monotonic() - began:.0f} s, {len(found)} kinds of findings, "
          f"next seed {seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
