"""The tool's words as Python has them: one table, read by estimators, stubs and scripts/check.

A word that is not here keeps its name, with _ for -. It imports nothing, so that a script can read it
without the library.
"""
import re

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
    """Help or a message with the names that options have here: --self-loops -> self_loops."""
    text = re.sub(r"--([a-z][a-z-]*) (yes|no)\b", _switched, text)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])", lambda found: python_name(found[1]), text)


def _switched(found: "re.Match[str]") -> str:
    return f"{python_name(found[1])}={found[2] == 'yes'}"
