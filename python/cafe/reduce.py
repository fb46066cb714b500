"""Tables into vectors: dimensionality reduction by clustering."""
import ctypes
from typing import Any, Dict, Optional

import numpy as np

from ._arrays import as_floats, as_numbers, copied, pointer, refuse_masked
from ._base import RUN, Estimator
from ._call import Context, seconds
from ._library import lib
from ._method import report_of
from ._options import Table, from_table, make_init, numpydoc
from ._sklearn import ConvergenceWarning, Transformer, warn


class Reduce(Transformer, Estimator):
    _parameters = [*from_table(Table.named("reduce")), *RUN]
    __init__ = make_init(_parameters)
    __doc__ = numpydoc(
        "Dimensionality reduction of a table (eq. reduce of the paper): clusters of its rows by\n"
        "Q = X X^T, X centred, through W = X^T H; the vectors are QR(Q H).",
        _parameters, """
Attributes
----------
embedding_ : array of shape (n_rows, n_components_), float32
    The vectors of the rows, orthonormal columns.
components_ : array of shape (n_components_, n_features)
    transform(X) is (X - mean_) @ components_.T: W and the triangular factor of the QR in one.
mean_ : array
    Of the table's columns.
index_ : pandas.Index, or None
    Of the table's rows.
w_ : array of shape (n_features, held)
    Column k is the sum of the centred rows of cluster k, by membership.
ritz_values_, residuals_, shares_ : arrays
    An eigenvalue of Q lies within the residual of each Ritz value; its share of the variance, also
    called explained_variance_ratio_.
projections_, eigenvalues_ : arrays, or None for tables wider than 1024
    How far each column is from the span of the principal components, and their eigenvalues.
objective_, n_iter_, converged_, n_features_in_, report_
    As in cafe.SphereGCN.

Examples
--------
>>> import numpy as np, cafe
>>> rng = np.random.default_rng(0)
>>> table = np.repeat(np.eye(3, 8), 20, axis=0) + 0.01 * rng.normal(size=(60, 8))
>>> model = cafe.Reduce(n_components=3).fit(table)
>>> model.embedding_.shape
(60, 2)
>>> np.allclose(model.transform(table), model.embedding_, atol=1e-4)
True
""")

    def fit(self, X: Any, y: Any = None) -> "Reduce":
        """Reduces a table of finite numbers, a row per sample."""
        table = self._table(X, fitted=False)
        began = seconds()
        results = self._run(lambda context: self._work(context, table))
        width = self.n_features_in_
        names = _column_names(X)
        self._keep({**results, "n_features_in_": width,
                    "index_": _index_of(X),
                    **({} if names is None else {"feature_names_in_": names})})
        self.report_["seconds"] = {"total": seconds() - began}
        found, most = self.n_components_, min(self.n_components, width, len(table) - 1)
        if found < most:
            warn(f"Reduce: {found} of n_components={self.n_components} columns carry information; more sweeps of "
                 "this method lose columns; sklearn.decomposition.PCA has them all, keep_empty=True fills up"
                 if found else "Reduce: no column carries information: the rows of the table are alike")
        if self.tol and not self.converged_:
            warn(f"Reduce: after {self.n_iter_} sweeps the gain is still above tol={self.tol}: raise "
                 "max_iter, or tol where this is good enough", ConvergenceWarning)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """fit, and the vectors of the rows."""
        rows = self.fit(X, y).embedding_.astype(_kept(X), copy=False)
        return self._contained(rows, self.index_)

    def transform(self, X: Any) -> Any:
        """Rows of a table on the axes that were found: those of the training table get their
        vectors, up to rounding."""
        self._check_fitted("components_")
        table = self._table(X, fitted=True)
        projected = (table.astype(np.float64) - self.mean_) @ self.components_.T
        return self._contained(projected.astype(_kept(X), copy=False), _index_of(X))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows of a table with these vectors: the nearest to the column means among all that have
        them."""
        self._check_fitted("components_")
        vectors = np.asarray(X, np.float64)
        if vectors.ndim != 2 or vectors.shape[1] != self.n_components_:
            raise ValueError(f"X: expected {self.n_components_} columns, found shape {vectors.shape}")
        return vectors @ np.linalg.pinv(self.components_).T + self.mean_

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """reduce0, reduce1, ..."""
        self._check_fitted("components_")
        return np.array(self._feature_names(self.n_components_), dtype=object)

    def to_frame(self, attribute: Optional[str] = None) -> Any:
        """The vectors, or another result by its name, as a pandas table; what has a row per row of
        the table has its index."""
        import pandas
        self._check_fitted("embedding_")
        values = getattr(self, attribute or "embedding_")
        index = self.index_ if len(values) == len(self.embedding_) else None
        return pandas.DataFrame(values, index=index, columns=self.get_feature_names_out()
                                if not attribute else None)

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """shares_, by its name in scikit-learn."""
        self._check_fitted("shares_")
        return self.shares_

    # ---- the run

    n_features_in_: int
    n_components_: int
    components_: np.ndarray
    mean_: np.ndarray
    shares_: np.ndarray
    index_: Any
    embedding_: np.ndarray
    tol: float
    n_components: int
    method: str

    def _table(self, X: Any, fitted: bool) -> np.ndarray:
        """Finite numbers as float32; scikit-learn's checks where it is there."""
        refuse_masked(X, "X")
        _refuse_text(X)
        X = X.toarray() if hasattr(X, "tocsr") else X  # minus the column means no entry is 0
        try:
            from sklearn.utils import validation
        except ImportError:
            return self._plain_table(X, fitted)
        rules = {"dtype": [np.float32], "order": "C", "ensure_min_samples": 1 if fitted else 2,
                 "reset": not fitted}
        if hasattr(validation, "validate_data"):  # from 1.6
            return validation.validate_data(self, X, **rules)
        return self._validate_data(X, **rules)  # type: ignore[attr-defined]

    def _plain_table(self, X: Any, fitted: bool) -> np.ndarray:
        table = as_floats(as_numbers(X, "X"))
        if table.ndim != 2 or not np.isfinite(table).all():
            raise ValueError(f"X: expected a table of finite numbers, found shape {table.shape}")
        if fitted and table.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {table.shape[1]} features, but Reduce is expecting "
                             f"{self.n_features_in_} features as input")
        self.n_features_in_ = table.shape[1]
        return table

    def _work(self, context: Context, table: np.ndarray) -> Dict[str, Any]:
        o = Table.named("reduce").pointer_to(context, self._values(), "cafe_reduce_options")
        made = context.make("cafe_reduce", "cafe_reduction", *table.shape, pointer(table), o)
        r = lib.cafe_reduction_get(made.pointer).contents
        vectors = np.empty((r.rows, r.columns), np.float32)
        lib.cafe_reduction_copy(made.pointer, pointer(vectors))
        found: Dict[str, Any] = {
            "embedding_": vectors, "n_components_": int(r.columns),
            "mean_": copied(r.means, r.width),
            "w_": copied(r.w, r.width * r.held).reshape(r.width, r.held),
            "ritz_values_": copied(r.ritz_values, r.columns),
            "residuals_": copied(r.residuals, r.columns), "shares_": copied(r.shares, r.columns),
            "projections_": copied(r.projections, r.columns) if r.projections else None,
            "eigenvalues_": copied(r.eigenvalues, r.eigenpairs) if r.eigenvalues else None,
            "objective_": copied(r.objective, r.sweeps + 1), "n_iter_": int(r.sweeps),
            "converged_": bool(r.converged)}
        found["components_"] = _axes(table, found["mean_"], found["w_"], vectors)

        def fill(report: Any) -> None:
            lib.cafe_report_string(report, b"method", self.method.encode())
            lib.cafe_report_open(report, b"options", b"{")
            lib.cafe_report_context(report)
            lib.cafe_report_options(report, Table.named("reduce").pointer, ctypes.cast(o, ctypes.c_void_p))
            lib.cafe_report_close(report)
            lib.cafe_report_reduction(report, made.pointer)

        return {**found, "report_": report_of(context, "cafe/reduce/1", fill)}

    def _more_tags(self) -> Dict[str, Any]:
        return {"preserves_dtype": [np.float64, np.float32], "pairwise": False,
                "no_validation": False}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise, tags.no_validation = False, False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _refuse_text(X: Any) -> None:
    """Text is no number, whatever it looks like; scikit-learn would read it as one."""
    if hasattr(X, "tocsr"):
        return
    array = np.asarray(X)
    if array.dtype.kind in "US" or (array.dtype == object and
                                    any(isinstance(x, (str, bytes)) for x in array.flat)):
        raise ValueError("X: expected real numbers, found text")


def _column_names(X: Any) -> Optional[np.ndarray]:
    """Of a pandas table whose columns are all named, as scikit-learn has it."""
    named = hasattr(X, "iloc") and all(isinstance(name, str) for name in X.columns)
    return np.asarray(X.columns, dtype=object) if named else None


def _index_of(X: Any) -> Any:
    """Of a pandas table; None for others."""
    return X.index if hasattr(X, "iloc") else None


def _kept(X: Any) -> Any:
    """float32 stays float32, anything else is float64."""
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64


def _axes(table: np.ndarray, mean: np.ndarray, w: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """P with vectors = (X - mean) P, transposed. The vectors are combinations of X W, so P = W C
    with the C that fits best; columns of W to length 1 first, since clusters differ in size."""
    lengths = np.linalg.norm(w, axis=0)
    unit = w / np.where(lengths > 0, lengths, 1)
    product = (table.astype(np.float64) - mean) @ unit
    combined = np.linalg.lstsq(product, vectors.astype(np.float64), rcond=1e-9)[0]
    return np.ascontiguousarray((unit @ combined).T)
