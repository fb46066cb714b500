"""What can be asked of a fitted estimator that has vectors."""
from typing import Any, Hashable, Optional

from ._shown import Rows
from .export import ArrowVectors, Path, to_arrow, write_vectors
from .similar import most_similar


class Vectors:
    """For the estimators that turn a graph into vectors."""

    def most_similar(self, node: Hashable, k: int = 10, **options: Any) -> Rows:
        """The k nodes whose vectors are most like that of a node: see cafe.most_similar()."""
        return most_similar(self, node, k, **options)

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """The vectors as .npy, .tsv or .txt (word2vec): see cafe.write_vectors()."""
        write_vectors(self, path, overwrite=overwrite)

    def to_arrow(self) -> ArrowVectors:
        """The vectors for pyarrow, polars, DuckDB, and so for Parquet: see cafe.to_arrow()."""
        return to_arrow(self)

    def __arrow_c_stream__(self, requested_schema: Optional[Any] = None) -> Any:
        """Estimators are such tables themselves: pyarrow.table(model)."""
        return to_arrow(self).__arrow_c_stream__(requested_schema)
