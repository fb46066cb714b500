"""The tool's words as Python has them: one table, read by estimators, stubs and scripts/check.

A word that is not here keeps its name, with _ for -. It imports nothing, so that a script can read it
without the library.
"""
import difflib
import re
from typing import Any, Iterable, List

NAMES = {
    "columns": "n_components",
    "sweeps": "max_iter",
    "tolerance": "tol",
    "neighbours": "n_neighbors",
    "lambda": "lam",  # a word of Python's, and lambda_ would read like a result of fit
    "seed": "random_state",
    "threads": "n_jobs",
}


def python_name(option: str) -> str:
    """'twist-mean' -> 'twist_mean', 'columns' -> 'n_components'"""
    return NAMES.get(option, option.replace("-", "_"))


def in_python(text: str) -> str:
    """Help or a message with the names that options have here: ‘self-loops’ -> self_loops,
    ‘rows=sparse’ -> rows='sparse'."""
    return re.sub("‘([a-z-]+)(?:=([^’]*))?’", _spelled, text)


def _spelled(found: "re.Match[str]") -> str:
    name, value = python_name(found[1]), found[2]
    if value is None:
        return name
    return f"{name}={value == 'yes'}" if value in ("yes", "no") else f"{name}={value!r}"


# ---- names that are nearly right ---------------------------------------------------------------

MOST_COMPARED = 20000  # names: more take too long for an error


def nearest(name: Any, names: Iterable[Any], most: int = 3) -> List[Any]:
    """Those of the names that read most like it."""
    texts = {str(n): n for n, _ in zip(names, range(MOST_COMPARED))}
    found = difflib.get_close_matches(str(name), texts, most, 0.6)
    return [texts[text] for text in found]


def nearest_names(name: Any, names: Iterable[Any]) -> str:
    """'; did you mean 'Valjean' or 'Myriel'?', or nothing."""
    found = [n.item() if hasattr(n, "item") else n for n in nearest(name, names)]
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""
