"""scikit-learn's conventions, with or without scikit-learn: base classes, warnings, set_output."""
import contextlib
import inspect
import sys
import threading
import warnings
from typing import Any, Dict, Iterator, List, Type

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
except ImportError:

    class BaseEstimator:  # type: ignore[no-redef]
        """The part of scikit-learn's that estimators here need."""

        @classmethod
        def _get_param_names(cls) -> List[str]:
            return sorted(n for n in inspect.signature(cls.__init__).parameters if n != "self")

        def get_params(self, deep: bool = True) -> Dict[str, Any]:
            found: Dict[str, Any] = {}
            for name in self._get_param_names():
                value = found[name] = getattr(self, name)
                if deep and hasattr(value, "get_params") and not isinstance(value, type):
                    found.update({f"{name}__{n}": v for n, v in value.get_params().items()})
            return found

        def set_params(self, **params: Any) -> "BaseEstimator":
            for name, value in params.items():
                own, _, inner = name.partition("__")
                if own not in self._get_param_names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}.")
                if inner:
                    getattr(self, own).set_params(**{inner: value})
                else:
                    setattr(self, own, value)
            return self

        def __repr__(self) -> str:
            parameters = inspect.signature(type(self).__init__).parameters
            changed = [f"{n}={v!r}" for n, v in self.get_params(deep=False).items()
                       if v is not parameters[n].default and v != parameters[n].default]
            return f"{type(self).__name__}({', '.join(changed)})"

    class ClusterMixin:  # type: ignore[no-redef]
        pass

    class ClassifierMixin:  # type: ignore[no-redef]
        def score(self, X: Any, y: Any) -> float:
            """The share of right predictions."""
            return float(np.mean(self.predict(X) == np.asarray(y)))  # type: ignore[attr-defined]

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """A result was asked for before fit()."""

    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """A run ended at max_iter, before it reached tol."""


class CafeWarning(UserWarning):
    """What was asked for was done, but it may not be what was meant."""


_QUIET = threading.local()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings of this package in this thread: what is tried may not be what is meant."""
    before = getattr(_QUIET, "on", False)
    _QUIET.on = True
    try:
        yield
    finally:
        _QUIET.on = before


def warn(text: str, kind: Type[Warning] = CafeWarning) -> None:
    """A warning that points at the line outside of this package that led to it."""
    if getattr(_QUIET, "on", False):
        return
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level + 1)


# ---- transformers ------------------------------------------------------------------------------

class Transformer:
    """transform() in the container that set_output() or scikit-learn's configuration asks for, with
    the names of the nodes as its index. In scikit-learn's own version the index is that of the
    input, and a graph has none."""

    def set_output(self, *, transform: Any = None) -> Any:
        """What transform() returns: 'default' an array, 'pandas' a table indexed by the nodes,
        'polars' a table."""
        if transform not in (None, *CONTAINERS):
            raise ValueError(f"transform={transform!r}: expected one of {', '.join(CONTAINERS)}")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _contained(self, values: Any, index: Any) -> Any:
        asked = getattr(self, "_sklearn_output_config", {}).get("transform") or _configured()
        if asked == "default":
            return values
        names = list(self.get_feature_names_out())  # type: ignore[attr-defined]
        dense = values.toarray() if hasattr(values, "toarray") else values
        if asked == "polars":
            import polars
            return polars.DataFrame(dense, schema=names)
        import pandas
        return pandas.DataFrame(dense, index=index, columns=names)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags  # from 1.6 on
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.transformer_tags = TransformerTags()
        return tags


CONTAINERS = ("default", "pandas", "polars")


def _configured() -> str:
    """What sklearn.set_config(transform_output=) says."""
    if sys.modules.get("sklearn") is None:
        return "default"
    from sklearn import get_config
    return get_config().get("transform_output", "default")
