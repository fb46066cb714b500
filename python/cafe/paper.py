"""The paper's tables as data: what it published, and what comes out here."""
import json
import os
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import datasets, embed
from ._call import Context, Verbose, c_path, c_text, run, seed_of, threads_of
from ._library import lib
from ._options import Option, Table
from ._shown import Figure, Rows, by_column
from .evaluation import Evaluation, evaluate_classification, evaluate_links

MARKS = ("ahead", "equal", "behind")
FLAGS = ("supervised", "full-label", "propagate")


# ---- what the library knows --------------------------------------------------------------------

def _listed(kind: str) -> List[Any]:
    found: List[Any] = []
    while True:
        at = getattr(lib, f"cafe_paper_{kind}_at")(len(found))
        if not at:
            return found
        found.append(at.contents)


def _texts(at: Any) -> List[str]:
    found: List[str] = []
    while at[len(found)]:
        found.append(at[len(found)].decode())
    return found


def _table(name: str) -> Any:
    known = {t.name.decode(): t for t in _listed("table")}
    if name not in known:
        raise ValueError(f"table={name!r}: expected one of {', '.join(known)}")
    return known[name]


def published(table: Optional[str] = None) -> Rows:
    """The figures that the paper published, of one of its tables or of all.

    >>> import cafe
    >>> rows = cafe.published("link")
    >>> rows.titles, len(rows) > 100
    (['table', 'set', 'method', 'column', 'published'], True)
    """
    wanted = None if table is None else _table(table).name
    rows: List[Any] = []
    for row in _listed("published"):
        if wanted is not None and row.table != wanted:
            continue
        headings = _columns(_table(row.table.decode()))
        for i in range(row.count):
            mean, std = row.figures[2 * i], row.figures[2 * i + 1]
            figure = Figure(np.nan if mean == 0 and row.table != b"reduction" else mean, std)
            rows.append((row.table.decode(), row.set.decode(), row.method.decode(), headings[i], figure))
    return Rows(by_column(("table", "set", "method", "column", "published"), rows))


def _columns(table: Any) -> List[str]:
    """Headings that tell all: '10 % accuracy', '10 % F1', ..."""
    found, share = [], ""
    for text in _texts(table.columns):
        if " % " in text:
            share = text[:text.index(" % ") + 3]
            found.append(text)
        else:
            found.append(share + text)
    return found


# ---- what comes out ----------------------------------------------------------------------------

class Reproduction(Rows):
    """Rows of a table: ours beside the published figure, and whether ours is ahead, equal within one
    published standard deviation, or behind. `missing` names the sets that were not there, with where
    they can be had; `refused` says why a row did not run."""

    def __init__(self, rows: Sequence[Any], missing: Mapping[str, str],
                 refused: Mapping[Tuple[str, str], str]) -> None:
        super().__init__(by_column(TITLES, rows))
        self.missing, self.refused = dict(missing), dict(refused)

    def account(self) -> Dict[str, int]:
        """How many cells are ahead, equal, behind."""
        return {mark: self["mark"].count(mark) for mark in MARKS}


def _mark(ours: float, told: Figure) -> str:
    if np.isnan(ours) or np.isnan(told):
        return ""
    difference = ours - float(told)
    return "equal" if abs(difference) <= told.std else "ahead" if difference > 0 else "behind"


TITLES = ("table", "set", "method", "column", "ours", "published", "mark")


def reproduced(report: Union[str, "os.PathLike[str]", Mapping[str, Any]]) -> Reproduction:
    """The tables of a report that `cafe reproduce` wrote as JSON: its path, or what is in it."""
    if isinstance(report, Mapping):
        whole = report
    else:
        whole = json.loads(pathlib.Path(report).read_text())
    if whole.get("schema") != "cafe/reproduce/1":
        raise ValueError(f"report: expected one of cafe reproduce, found {whole.get('schema')!r}")
    rows: List[Any] = []
    missing, refused = {}, {}
    for row in whole["rows"]:
        if row["missing"]:
            missing[row["set"]] = _source(row["set"])
        if "refused" in row:
            refused[row["set"], row["method"]] = row["refused"]
        headings = _columns(_table(row["table"]))
        for i, one in enumerate(row["cells"]):
            ours, told = (Figure(*(np.nan if one[key] is None else one[key] for key in keys))
                          for keys in (("mean", "std"), ("published", "published_std")))
            rows.append((row["table"], row["set"], row["method"], headings[i], ours, told, one["mark"]))
    return Reproduction(rows, missing, refused)


def _source(name: str) -> str:
    found = lib.cafe_paper_set_find(c_text(name))
    return found.contents.source.decode() if found else "unknown"


# ---- running a row -----------------------------------------------------------------------------

def _words(text: str) -> Dict[str, str]:
    """'--tune split=uniform --supervised --tune folds=3' -> {'split': 'uniform', 'supervised': 'yes',
    'folds': '3'}"""
    words, found = text.split(), {}
    while words:
        name = words.pop(0)[2:]
        if name == "tune":
            words[:1] = words[0].split("=")
            name = words.pop(0)
        found[name] = "yes" if name in FLAGS else words.pop(0)
    return found


def _value(option: Option, text: str) -> Any:
    if option.type == "integer":
        return int(float(text))
    if option.type == "real":
        return float(text)
    return text == "yes" if option.type == "switch" else text


def _taken(options: Iterable[Optional[Option]], words: Dict[str, str]) -> Dict[str, Any]:
    """Those of the options that are among the words, which lose them."""
    return {o.keyword: _value(o, words.pop(o.name)) for o in options if o and o.name in words}


def _model(words: Dict[str, str]) -> Any:
    name = words.pop("method")
    kind = next(cls for cls in embed.CLASSES if cls._method.name == name)
    return kind(**_taken((p.option for p in kind._parameters), words))


def _choices(model: Any, text: Optional[str]) -> List[Any]:
    """'window=1,2,5' -> three models"""
    if text is None:
        return [model]
    name, _, values = text.partition("=")
    option = next(p.option for p in model._parameters if p.option and p.option.name == name)
    return [type(model)(**{**model.get_params(), option.keyword: _value(option, v)})
            for v in values.split(",")]


def _judge(words: Dict[str, str], given: Any) -> Any:
    named = words.pop("classifier")
    if named == "none":
        return "none"
    if given is not None or named == "logistic":
        return named if given is None else given
    try:
        from xgboost import XGBClassifier
    except ImportError:
        raise ImportError("this table is by XGBoost: install xgboost, or give another "
                          "classifier='logistic'") from None
    return XGBClassifier(n_estimators=100, max_depth=6, learning_rate=0.3, tree_method="hist",
                         max_bin=32, n_jobs=1)


def _run(recipe: Any, where: pathlib.Path, edges: str, options: Dict[str, Any],
         classifier: Any) -> Evaluation:
    words = _words(recipe.options.decode())
    link, words_train = recipe.table == b"link", words.pop("train", "0.1,0.3,0.5")
    train = [float(share) for share in words_train.split(",")]
    supervised, full = (words.pop(flag, "no") == "yes" for flag in ("supervised", "full-label"))
    chosen, judge, model = words.pop("choose", None), _judge(words, classifier), _model(words)
    task = _taken(Table.named("link" if link else "classify").options, words)
    found = datasets.load(where, edges=edges, **_taken(Table.named("graph").options, words))
    if words:
        raise ValueError(f"{recipe.method.decode()}: options that nobody takes: {', '.join(words)}")
    task = {**task, **options, "train": train, "classifier": judge}
    if link:
        return evaluate_links(found.graph, model, **task)
    if full:
        model.fit(found.graph, found.labels)
    first, *others = _choices(model, chosen)
    return evaluate_classification(found.graph, _several(found.labels), first,
                                   choose=others or None, supervised=supervised, **task)


def _several(labels: Any) -> Any:
    """Lists where nodes have several labels."""
    if not any(isinstance(label, tuple) for label in labels.tolist()):
        return labels
    return [list(label or ()) for label in labels.tolist()]


# ---- running a table ---------------------------------------------------------------------------

class _Table:
    """A table that is run: what was asked for, and the cells so far."""

    def __init__(self, about: Any, data: pathlib.Path, sets: Optional[Sequence[str]],
                 rows: Optional[str]) -> None:
        self.about, self.data, self.wanted = about, data, rows
        self.name = about.name.decode()
        self.sets = [s for s in _texts(about.sets) if sets is None or s in sets]
        self.rows: List[Any] = []
        self.missing: Dict[str, str] = {}
        self.refused: Dict[Tuple[str, str], str] = {}

    def wants(self, method: str) -> bool:
        return self.wanted is None or self.wanted.lower() in method.lower()

    def add(self, name: str, method: str, cells: Sequence[Tuple[Figure, Figure]]) -> None:
        """A row: pairs of our figure and the published one."""
        self.rows += [(self.name, name, method, heading, ours, told, _mark(ours, told))
                      for heading, (ours, told) in zip(_columns(self.about), cells)]


def _experiment(table: str, name: str, data: pathlib.Path, seed: int, n_jobs: Optional[int],
                verbose: Verbose) -> Tuple[str, bool, List[Tuple[Figure, Figure]]]:
    """A row that is no evaluation: its method, whether its set is missing, its cells."""
    def work(context: Context) -> Tuple[str, bool, List[Tuple[Figure, Figure]]]:
        made = context.make("cafe_experiment_run", "cafe_experiment", c_text(table), c_text(name),
                            c_path(data))
        found = lib.cafe_experiment_get(made.pointer).contents
        cells = [found.cells[i] for i in range(found.count)]
        return (found.method.decode(), bool(found.missing),
                [(Figure(c.ours, np.nan), Figure(c.published, c.published_spread)) for c in cells])

    return run(work, threads_of(n_jobs), seed, verbose)


def _experiments(table: _Table, seed: int, n_jobs: Optional[int], verbose: Verbose) -> None:
    for name in table.sets:
        method, missing, cells = _experiment(table.name, name, table.data, seed, n_jobs, verbose)
        if table.wants(method) and missing:
            table.missing[name] = _source(name)
        elif table.wants(method):
            table.add(name, method, cells)


def _evaluations(table: _Table, options: Dict[str, Any], classifier: Any) -> None:
    headings, metrics = _columns(table.about), _texts(table.about.metrics)
    told = {(row[1], row[2], row[3]): row[4] for row in published(table.name)}
    for name in table.sets:
        for recipe in _listed("recipe"):
            method = recipe.method.decode()
            if recipe.table.decode() != table.name or not table.wants(method) or \
                    not lib.cafe_paper_recipe_is_for(recipe, c_text(name)):
                continue
            known = lib.cafe_paper_set_find(c_text(name)).contents
            where = table.data / (known.folder or known.name).decode()
            edges = (recipe.graph or known.graph or b"edges.txt").decode()
            try:
                found = _run(recipe, where, edges, options, classifier)
            except FileNotFoundError:
                table.missing[name] = known.source.decode()
                continue
            except (ValueError, MemoryError) as error:
                table.refused[name, method] = str(error)
                continue
            ours = [found[m][s] for s in range(len(found)) for m in metrics]
            table.add(name, method, [(one, told.get((name, method, heading), Figure(np.nan, np.nan)))
                                     for heading, one in zip(headings, ours)])


def _folder(data: Union[str, "os.PathLike[str]", None]) -> pathlib.Path:
    where = os.environ.get("CAFE_DATA") if data is None else data
    if not where:
        raise ValueError(f"data={data!r}: no folder of data sets: give one, or set CAFE_DATA")
    return pathlib.Path(where)


def reproduce(table: str, data: Union[str, "os.PathLike[str]", None] = None, *, repeats: int = 10,
              sets: Optional[Sequence[str]] = None, rows: Optional[str] = None,
              classifier: Any = None, random_state: Any = None, n_jobs: Optional[int] = None,
              verbose: Verbose = False) -> Reproduction:
    """Runs a table of the paper again (`cafe reproduce`): classification, cora-split, link, reduction,
    eigenvectors; or others, which is not in it.

    Parameters
    ----------
    table : str
    data : path, optional
        The folder of the sets: DATA/SET/edges.txt, labels.txt, points.txt, plain or as .gz; without it
        $CAFE_DATA.
    repeats : int, default 10
        Splits for each cell; the paper has 100. reduction and eigenvectors have no splits.
    sets : sequence of str, optional
    rows : str, optional
        Only rows whose method has this in its name.
    classifier : optional
        In the place of the table's own, which is XGBoost but for the table 'others'; reduction and
        eigenvectors have none.

    Returns
    -------
    Reproduction
        to_frame() is a pandas table, to_dicts() a list of dicts.
    """
    about = _table(table)
    asked = _Table(about, _folder(data), sets, rows)
    if _texts(about.metrics):
        _evaluations(asked, {"repeats": repeats, "random_state": random_state, "n_jobs": n_jobs,
                             "verbose": verbose}, classifier)
    else:
        _experiments(asked, seed_of(random_state), n_jobs, verbose)
    return Reproduction(asked.rows, asked.missing, asked.refused)
