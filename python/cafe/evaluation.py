"""How good vectors and communities are: node classification, link prediction, partitions."""
import ctypes
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from . import _abi
from ._arrays import pointer
from ._call import Context, Handle, Verbose, of_size, run, seed_of, threads_of
from ._labels import encode_labels
from ._library import lib
from ._method import Run, sampled_as
from ._options import Table, options_of
from ._shown import Figure, Rows, Shown, by_column
from ._sklearn import warn
from .explanation import communities_of, embedding_of
from .graph import Graph, as_graph

SHARES = (0.1, 0.3, 0.5)


class Evaluation(Rows):
    """Figures of an evaluation, a row per share of training: means and standard deviations over the
    repeats. `values` has every single one, shares x repeats x metrics."""

    def __init__(self, evaluation: Handle) -> None:
        at = evaluation.pointer
        shares, repeats, metrics = (
            getattr(lib, f"cafe_evaluation_{what}")(at) for what in ("shares", "repeats", "metrics"))
        self.metrics = [lib.cafe_evaluation_metric_name(at, m).decode() for m in range(metrics)]
        self.values = np.array([[[lib.cafe_evaluation_value(at, s, r, m) for m in range(metrics)]
                                 for r in range(repeats)] for s in range(shares)])
        told = [lib.cafe_evaluation_share(at, s).contents for s in range(shares)]
        self.choices = np.array([[lib.cafe_evaluation_choice(at, s, r) for r in range(repeats)]
                                 for s in range(shares)])
        self.seconds: float = lib.cafe_evaluation_seconds(at)
        self.train_counts, self.test_counts = ([int(getattr(s, name)) for s in told]
                                               for name in ("train_count", "test_count"))
        self.hidden = [int(s.hidden) for s in told]
        columns: Dict[str, Any] = {"train": [s.train for s in told]}
        for m, name in enumerate(self.metrics):
            columns[name] = [_figure(at, s, m) for s in range(shares)]
        super().__init__(columns, f"{repeats} splits for each share")


def _figure(evaluation: Any, share: int, metric: int) -> Figure:
    found = _abi.cafe_figure()
    lib.cafe_evaluation_figure(evaluation, share, metric, found)
    return Figure(found.mean, found.std)


class Comparison(Rows):
    """Several models on the same splits, each against the first: rank, mean difference, and t and p
    of the paired test with Nadeau and Bengio's correction. `evaluations` has all figures."""

    def __init__(self, evaluations: Mapping[str, Evaluation], metric: str) -> None:
        self.evaluations, self.metric = dict(evaluations), metric
        names = list(evaluations)
        first = self.evaluations[names[0]]
        if metric not in first.metrics:
            raise ValueError(f"metric={metric!r}: expected one of {', '.join(first.metrics)}")
        at = first.metrics.index(metric)
        rows: List[Any] = []
        for s, train in enumerate(first["train"]):
            means = np.array([float(self.evaluations[n][metric][s]) for n in names])
            for i, name in enumerate(names):
                one = self.evaluations[name]
                paired = _paired(one, first, s, at)
                rank = 1 + float((means > means[i]).sum() + ((means == means[i]).sum() - 1) / 2)
                rows.append((train, name, one[metric][s], rank,
                             *((paired.mean, paired.t, paired.p) if i else (np.nan,) * 3)))
        titles = ("train", "model", metric, "rank", "difference", "t", "p")
        super().__init__(by_column(titles, rows), first.caption)


def _paired(one: Evaluation, first: Evaluation, share: int, metric: int) -> Any:
    a, b = (np.ascontiguousarray(e.values[share, :, metric]) for e in (one, first))
    found = _abi.cafe_paired()
    ratio = one.test_counts[share] / max(one.train_counts[share], 1)
    lib.cafe_paired_test_sized(len(a), pointer(a), pointer(b), ratio, found, ctypes.sizeof(found))
    return found


# ---- labels ------------------------------------------------------------------------------------

class _Targets:
    """Classes of nodes in compressed rows; a node may have several."""

    def __init__(self, labels: Any, graph: Graph) -> None:
        several = _several(labels, graph)
        self.label: Optional[np.ndarray] = None
        if several is None:
            self.label, self.classes = encode_labels(labels, graph, "labels")
            rows: List[Sequence[int]] = [[c] if c >= 0 else [] for c in self.label.tolist()]
        else:
            self.classes, rows = several
        self.offsets = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
        self.value = np.array([c for row in rows for c in row], np.int32)

    def warn(self) -> None:
        """Of labels whose scores say nothing of the vectors."""
        labelled = int((np.diff(self.offsets) > 0).sum())
        if len(self.classes) == 1:
            warn("labels: all are alike, so there is nothing to tell apart and every score is 1")
        elif len(self.classes) >= labelled:
            warn(f"labels: {len(self.classes)} classes for {labelled} labelled nodes: are they classes?")

    def struct(self) -> Any:
        found = _abi.cafe_targets()
        found.nodes, found.classes = len(self.offsets) - 1, len(self.classes)
        found.offsets, found.value = pointer(self.offsets), pointer(self.value)
        return found


def _several(labels: Any, graph: Graph) -> Any:
    """Classes and rows where nodes have several labels: lists, sets, or a table of 0 and 1 with a
    column a class; None: one label a node."""
    array = labels if isinstance(labels, np.ndarray) else None
    if array is not None and array.ndim == 2:
        if array.shape[0] != graph.n_nodes:
            raise ValueError(f"labels: expected {graph.n_nodes} rows, found {array.shape[0]}")
        if array.shape[1] < 2 or not np.isin(array, (0, 1)).all():
            raise ValueError("labels: expected a table of 0 and 1 with a column for each of several classes")
        return np.arange(array.shape[1]), [np.flatnonzero(row).tolist() for row in array]
    if isinstance(labels, Mapping):
        listed: List[Any] = [()] * graph.n_nodes
        if not any(isinstance(v, (list, set, frozenset)) for v in labels.values()):
            return None
        for node, value in labels.items():
            listed[graph.index(node)] = () if value is None else value
    elif isinstance(labels, (list, tuple)) and any(isinstance(v, (list, set, frozenset))
                                                   for v in labels):
        listed = [() if value is None else value for value in labels]
    else:
        return None
    if len(listed) != graph.n_nodes:
        raise ValueError(f"labels: expected {graph.n_nodes} labels, found {len(listed)}")
    odd = [row for row in listed if not isinstance(row, (list, tuple, set, frozenset))]
    if odd:
        raise TypeError(f"labels: expected a list of labels for every node, found {odd[0]!r}")
    classes = sorted({c for row in listed for c in row})
    number = {c: i for i, c in enumerate(classes)}
    return np.array(classes), [sorted({number[c] for c in row}) for row in listed]


# ---- classifiers -------------------------------------------------------------------------------

class _Classifier:
    """What predicts: the library's logistic regression, none, or one of scikit-learn's kind, which
    is called back from the library's threads; what it raises is raised again by the evaluation."""

    def __init__(self, given: Any, options: Mapping[str, Any]) -> None:
        self.given, self.options = given, options
        self.errors: List[BaseException] = []
        named = isinstance(given, str) or given is None
        if named and given not in ("logistic", "none", None):
            raise ValueError(f"classifier={given!r}: expected 'logistic', 'none', or a classifier "
                             "with fit and predict_proba")
        if not named and not hasattr(given, "fit"):
            raise TypeError(f"classifier: expected 'logistic', 'none', or a classifier with fit, "
                            f"found {type(given).__name__}")

    def pointer(self, context: Context) -> Any:
        if self.given in ("none", None) and not hasattr(self.given, "fit"):
            return None
        self.struct = of_size(_abi.cafe_classifier)
        if isinstance(self.given, str):
            self.table = Table.named("logistic").pointer_to(context, self.options,
                                                            "cafe_logistic_options")
            context.call("cafe_classifier_logistic", self.table, self.struct)
        else:
            kind: Any = dict(_abi.cafe_classifier._fields_)["predict"]
            self.struct.name = type(self.given).__name__.encode()
            self.struct.predict = self.called = kind(self._predict)
        return ctypes.pointer(self.struct)

    def _predict(self, own: Any, context: Any, data: Any, scores: Any) -> int:
        try:
            self._fill(data.contents, scores)
            return 0
        except BaseException as error:
            self.errors.append(error)
            return lib.cafe_evaluate_fail(context, _abi.ENUMS["cafe_status"]["CAFE_ERROR_NUMERIC"],
                                          f"{type(error).__name__}: {error}".encode())

    def _fill(self, d: Any, scores: Any) -> None:
        train = np.ctypeslib.as_array(d.x_train, (d.train, d.columns))
        test = np.ctypeslib.as_array(d.x_test, (d.test, d.columns))
        offsets = np.ctypeslib.as_array(d.offsets, (d.train + 1,))
        value = np.ctypeslib.as_array(d.value, (max(int(offsets[-1]), 1),))[:offsets[-1]]
        out = np.ctypeslib.as_array(scores, (d.test, d.classes))
        if not d.multiple:
            made = self._fresh(d.seed).fit(train, value)
            out[:, np.asarray(made.classes_, int)] = _scores(made, test, len(made.classes_))
            return
        row = np.repeat(np.arange(d.train), np.diff(offsets))
        for c in np.unique(value):
            has = np.zeros(d.train, int)
            has[row[value == c]] = 1
            out[:, c] = 1.0 if has.all() else _scores(self._fresh(d.seed).fit(train, has), test,
                                                      2)[:, 1]

    def _fresh(self, seed: int) -> Any:
        from sklearn.base import clone
        made = clone(self.given)
        if "random_state" in made.get_params() and made.get_params()["random_state"] is None:
            made.set_params(random_state=seed % (2**32 - 1))  # the same for any number of threads
        return made


def _scores(made: Any, test: np.ndarray, classes: int) -> np.ndarray:
    """A column per class of the training rows."""
    if hasattr(made, "predict_proba"):
        return made.predict_proba(test)
    if hasattr(made, "decision_function"):
        found = np.asarray(made.decision_function(test), float)
        return np.stack([-found, found], axis=1) if found.ndim == 1 else found
    return (np.asarray(made.predict(test))[:, None] == made.classes_[None, :]).astype(float)


# ---- what it is predicted from -----------------------------------------------------------------

class _Features:
    """Vectors, or a method that makes them for every split."""

    def __init__(self, model: Any, graph: Graph, again: bool, label: Any, classes: int,
                 seed: Any) -> None:
        self.model, self.graph, self.again = model, graph, again
        self.label, self.classes = label, classes
        self.vectors = None if again else _vectors(model, graph, seed)
        self.kept: List[Any] = []

    def struct(self, context: Context, alone: bool = False) -> Any:
        """alone: without a model of this graph, for graphs with hidden edges."""
        found = of_size(_abi.cafe_features)
        if self.vectors is not None:
            found.block, found.columns = pointer(self.vectors), self.vectors.shape[1]
            return found
        given = self.model._given()
        if self.label is not None:  # a column a class
            given = replace(given.but(columns=None), label=self.label, classes=np.arange(self.classes))
        made = Run(context, self.graph, given)
        self.kept.append(made)
        if alone:
            made.call("check")
        else:
            found.model = made.step("SAMPLE").model
        found.method, found.options = made.results.method, made.results.options
        return found


def _is_estimator(model: Any) -> bool:
    return hasattr(model, "_method") and hasattr(model, "_given")


def _vectors(model: Any, graph: Graph, seed: Any) -> np.ndarray:
    """Of an array, a fitted estimator, or one that is fitted here."""
    if not _is_estimator(model) or hasattr(model, "embedding_"):
        return embedding_of(model, graph)
    fresh = type(model)(**model.get_params())
    if fresh.random_state is None:
        fresh.random_state = seed
    return embedding_of(fresh.fit(graph), graph)


def _needs_labels(model: Any, supervised: bool) -> bool:
    if not _is_estimator(model):
        if supervised:
            raise ValueError("supervised=True needs an estimator that can use labels, not vectors")
        return False
    if supervised and not model._method.takes("TAKES_LABELS"):
        raise ValueError(f"supervised=True: {type(model).__name__} takes no labels")
    return supervised or model._method.takes("NEEDS_LABELS")


def _default() -> Any:
    from . import embed
    return embed.SphereGCN()  # type: ignore[attr-defined]


def _named(model: Any) -> Optional[Dict[str, Any]]:
    """Several models by name; None: it is one."""
    if isinstance(model, Mapping):
        return dict(model)
    if isinstance(model, (list, tuple)) and model and all(_is_estimator(m) for m in model):
        names = [type(m).__name__ for m in model]
        return {n if names.count(n) == 1 else repr(m): m for n, m in zip(names, model)}
    return None


def _shares(train: Any) -> np.ndarray:
    found = np.atleast_1d(np.asarray(train))
    shares = np.ascontiguousarray(found, np.float64) if found.dtype.kind in "iuf" else np.zeros(1)
    if shares.ndim != 1 or not (shares > 0).all():
        raise ValueError(f"train={train!r}: expected shares such as (0.1, 0.5), or node counts")
    return shares


def _measured(work: Callable[[Context], Handle], classifier: _Classifier, n_jobs: Any, seed: int,
              verbose: Verbose) -> Evaluation:
    try:
        return run(lambda context: Evaluation(work(context)), threads_of(n_jobs), seed, verbose)
    except Exception:
        if classifier.errors:
            raise classifier.errors[0] from None
        raise


# ---- the three tasks ---------------------------------------------------------------------------

def evaluate_classification(graph: Any, labels: Any, model: Any = None, *, train: Any = SHARES,
                            classifier: Any = "logistic", supervised: bool = False,
                            choose: Optional[Sequence] = None, metric: str = "micro_f1",
                            random_state: Any = None, n_jobs: Optional[int] = None,
                            verbose: Verbose = False, **options: Any) -> Any:
    """Predicts the labels of nodes from vectors (`cafe evaluate classify`).

    Parameters
    ----------
    graph : Graph or graph-like
    labels : array, mapping or Series
        Nodes without one (None, NaN) take no part. Lists or sets: several labels a node; so does a
        table of 0 and 1 with a column a class.
    model : estimator, array, or several of them
        An estimator is fitted once on the whole graph; a fitted one is taken as it is. An estimator
        that needs labels is fitted for every split, with the labels of the training nodes alone. A
        list, or a dict by name: all of them on the same splits. Without it, cafe.SphereGCN().
    train : sequence of float
        Shares of the labelled nodes to train on; from 1 on, node counts.
    classifier : 'logistic', 'none', or a classifier of scikit-learn's kind
        'none': the columns are the classes' scores.
    supervised : bool
        A model that can use labels (cafe.CafeGCN) is fitted for every split with those of the
        training nodes, a column a class.
    choose : sequence of estimators, optional
        Settings to choose from in every split, by folds of its training nodes; model is the first.
    metric : str
        With several models, the one that is compared.
    **options
        repeats, split, test, first, folds; classifier_c, standardise, logistic_tolerance.

    Returns
    -------
    Evaluation, or of several models a Comparison

    Examples
    --------
    >>> import cafe
    >>> karate, faction = cafe.karate(return_labels=True)
    >>> found = cafe.evaluate_classification(karate, faction, cafe.SphereGCN(8), train=0.5)
    >>> found.metrics
    ['accuracy', 'micro_f1', 'macro_f1', 'auc', 'auc_paper']
    >>> bool(found["accuracy"][0] > 0.8)
    True
    """
    g = as_graph(graph, n_jobs)
    own, logistic = options_of(options, "evaluate_classification", "classify", "logistic")
    targets, shares, seed = _Targets(labels, g), _shares(train), seed_of(random_state)
    targets.warn()

    def one(choices: Sequence[Any]) -> Evaluation:
        judge = _Classifier(classifier, logistic)
        again = any(_needs_labels(m, supervised) for m in choices)
        if again and targets.label is None:
            raise ValueError("labels: a model that uses labels takes one per node")
        features = [_Features(m, g, again, targets.label if again else None, len(targets.classes),
                              random_state) for m in choices]
        if judge.given in ("none", None) and features[0].vectors is not None:
            _check_scores(features[0].vectors, targets.classes)

        def work(context: Context) -> Handle:
            structs = [f.struct(context) for f in features]
            others = (ctypes.c_void_p * len(structs))(*map(ctypes.addressof, structs))
            if len(structs) > 1:
                structs[0].choices, structs[0].choice_count = others, len(structs)
            o = Table.named("classify").pointer_to(context, own, "cafe_classify_options")
            return context.make("cafe_classify", "cafe_evaluation", targets.struct(), structs[0],
                                judge.pointer(context), o, len(shares), pointer(shares))

        return _measured(work, judge, n_jobs, seed, verbose)

    several = _named(model)
    if several is not None:
        if choose is not None:
            raise ValueError("choose= goes with one model")
        return Comparison({name: one([m]) for name, m in several.items()}, metric)
    return one([_default() if model is None else model, *(choose or ())])


def _check_scores(vectors: np.ndarray, classes: np.ndarray) -> None:
    if vectors.shape[1] != len(classes):
        raise ValueError("classifier='none' takes the largest column for the class: there are "
                         f"{vectors.shape[1]} columns and {len(classes)} classes")


def evaluate_links(graph: Any, model: Any = None, *, train: Any = 0.8,
                   classifier: Any = "logistic", random_state: Any = None,
                   n_jobs: Optional[int] = None, verbose: Verbose = False,
                   **options: Any) -> Evaluation:
    """Tells edges from other pairs of nodes (`cafe evaluate link`): link prediction.

    Parameters
    ----------
    graph : Graph or graph-like
    model : estimator or array
        protocol='honest' (the default): test edges are hidden first and the estimator is fitted on
        what is left, for every split. protocol='paper': vectors of the whole graph. Without a model,
        cafe.SphereGCN().
    train : sequence of float
        Shares of the pairs to train on (paper), of the edges that stay (honest).
    classifier : 'logistic', 'none', or a classifier of scikit-learn's kind
    **options
        protocol, operator (concatenation, hadamard, l1, l2, dot), repeats, negatives, most, first.

    Examples
    --------
    >>> import cafe
    >>> graph, _ = cafe.generate("planted", nodes=300, edges=2000, blocks=6, mixing=0.1)
    >>> found = cafe.evaluate_links(graph, cafe.SphereGCN(16), repeats=2)
    >>> found.metrics, bool(found["auc"][0] > 0.7)
    (['accuracy', 'f1', 'auc', 'average_precision'], True)
    """
    g = as_graph(graph, n_jobs)
    own, logistic = options_of(options, "evaluate_links", "link", "logistic")
    shares, chosen = _shares(train), _default() if model is None else model
    honest = own.get("protocol", Table.named("link").default("protocol")) == "honest"
    if _is_estimator(chosen) and chosen._method.takes("NEEDS_LABELS"):
        raise ValueError(f"{type(chosen).__name__} needs labels")
    if honest and not _is_estimator(chosen):
        raise ValueError("protocol='honest', the default, hides edges before there are vectors: it needs an "
                         "estimator; protocol='paper' takes vectors")
    judge = _Classifier(classifier, logistic)
    features = _Features(chosen, g, honest, None, 0, random_state)

    def work(context: Context) -> Handle:
        o = Table.named("link").pointer_to(context, own, "cafe_link_options")
        return context.make("cafe_link", "cafe_evaluation", g.pointer,
                            features.struct(context, alone=True), judge.pointer(context), o,
                            len(shares), pointer(shares))

    return _measured(work, judge, n_jobs, seed_of(random_state), verbose)


@dataclass(frozen=True, repr=False)
class ClusteringScore(Shown):
    """How well a partition fits a graph, and labels."""

    communities: int
    modularity: float
    conductance: float  # mean over the communities
    weighted_conductance: float  # likewise, by their nodes
    nmi: Optional[float]  # with the labels, over the nodes that have both
    ari: Optional[float]
    nodes: Optional[int]  # that were compared
    labels_modularity: Optional[float]  # of the labels as a partition


def evaluate_clustering(graph: Any, communities: Any = None, labels: Any = None, *,
                        sampling: str = "edge", seeds: Optional[Sequence] = None,
                        attributes: Any = None, random_state: Any = None,
                        n_jobs: Optional[int] = None, verbose: Verbose = False,
                        **options: Any) -> ClusteringScore:
    """Judges a partition by the graph and by labels (`cafe evaluate cluster`).

    Parameters
    ----------
    graph : Graph or graph-like
    communities : array, mapping or fitted estimator, optional
        Without it those of cafe.LayeredCafe.
    labels : array, mapping or Series, optional
    sampling, seeds, attributes, **options
        The sampled graph that modularity and conductance are of.

    Examples
    --------
    >>> import cafe
    >>> karate, faction = cafe.karate(return_labels=True)
    >>> found = cafe.evaluate_clustering(karate, labels=faction)
    >>> found.communities, round(found.modularity, 4), round(found.nmi, 4)
    (4, 0.4198, 0.5878)
    """
    g = as_graph(graph, n_jobs)
    options_of(options, "evaluate_clustering", "sample")
    part = communities_of(communities, g)
    label = None if labels is None else encode_labels(labels, g, "labels")[0]

    def work(context: Context) -> ClusteringScore:
        model = Run(context, g, sampled_as({"sampling": sampling, **options}, seeds=seeds,
                                           attributes=attributes)).step("SAMPLE")
        sampled = model.sampled
        found = part if part is not None else model.step("SOLVE").partition()
        quality = _quality(context, sampled, found)
        truth = agreement = None
        if label is not None:
            truth = _quality(context, sampled, label)
            agreement = context.figures("cafe_partition_agreement", "cafe_agreement", g.n_nodes,
                                        pointer(found), pointer(label))
        return ClusteringScore(
            quality.sets, quality.modularity, quality.conductance, quality.weighted_conductance,
            *((None,) * 3 if agreement is None else (agreement.nmi, agreement.ari, agreement.nodes)),
            None if truth is None else truth.modularity)

    return run(work, threads_of(n_jobs), seed_of(random_state), verbose)


def _quality(context: Context, sampled: Any, part: np.ndarray) -> Any:
    part = np.ascontiguousarray(part, np.int32)
    return context.figures("cafe_partition_measure", "cafe_partition_quality", sampled,
                           pointer(part), int(part.max()) + 1)
