"""Results that are pleasant to read: rows with titles, as text, as HTML, as a pandas table."""
import html
import numbers
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

SHOWN_ROWS = 20


class Figure(float):
    """A mean with the standard deviation beside it, `std`: shown as 0.8312 ± 0.0120."""

    std: float

    def __new__(cls, mean: float, std: float) -> "Figure":
        made = super().__new__(cls, mean)
        made.std = std
        return made

    def __getnewargs__(self) -> Tuple[float, float]:  # type: ignore[override]
        return float(self), self.std

    def __str__(self) -> str:
        if np.isnan(self):
            return "-"
        return f"{float(self):.4f}" + ("" if np.isnan(self.std) else f" ± {self.std:.4f}")

    __repr__ = __str__


def cell(value: Any) -> str:
    """A value as a table shows it."""
    if isinstance(value, Figure):
        return str(value)
    if value is None:
        return "-"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return "-" if np.isnan(float(value)) else f"{float(value):.4g}"
    if isinstance(value, np.ndarray):
        return listed(value.tolist())
    return str(value)


def listed(values: Sequence[Any], most: int = 5) -> str:
    texts = [cell(v) for v in values[:most]]
    return ", ".join(texts) + (", ..." if len(values) > most else "")


def _right(values: Sequence[Any]) -> bool:
    """Numbers stand on the right."""
    return all(isinstance(v, numbers.Real) and not isinstance(v, bool) for v in values)


def text_table(titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns side by side, under their titles."""
    columns = [[row[j] for row in rows] for j in range(len(titles))]
    lines: List[List[str]] = [[] for _ in range(len(rows) + 1)]
    for title, values in zip(titles, columns):
        texts = [title, *map(cell, values)]
        width, right = max(map(len, texts)), bool(values) and _right(values)
        for line, text in zip(lines, texts):
            line.append(text.rjust(width) if right else text.ljust(width))
    return "\n".join("  ".join(line).rstrip() for line in lines)


def html_table(titles: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    def line(values: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell(v))}</{tag}>" for v in values) + "</tr>"

    head = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return (f"<table>{head}<thead>{line(titles, 'th')}</thead><tbody>"
            + "".join(line(row, "td") for row in rows) + "</tbody></table>")


def fields_text(title: str, values: Mapping[str, Any]) -> str:
    """A title, then a name and a value a line."""
    width = max(map(len, values), default=0)
    return "\n".join([title, *(f"  {name.ljust(width)}  {cell(v)}" for name, v in values.items())])


def fields_html(title: str, values: Mapping[str, Any]) -> str:
    return html_table(("", ""), list(values.items()), title)


def by_column(titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> Dict[str, List[Any]]:
    return {title: [row[j] for row in rows] for j, title in enumerate(titles)}


class Rows:
    """A table of results: iterate over its rows, take a column by its title, or the whole as a pandas
    table by to_frame()."""

    def __init__(self, columns: Mapping[str, Any], caption: str = "") -> None:
        self._columns: Dict[str, Any] = dict(columns)  # arrays or lists, all of a length
        self.caption = caption

    @property
    def titles(self) -> List[str]:
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        return iter(zip(*(_plain(values) for values in self._columns.values())))

    def __getitem__(self, which: Any) -> Any:
        """A column by its title, else a row by its number."""
        return self._columns[which] if isinstance(which, str) else list(self)[which]

    def to_dicts(self) -> List[Dict[str, Any]]:
        """A dict per row."""
        return [dict(zip(self.titles, row)) for row in self]

    def to_frame(self) -> Any:
        """A pandas table; a mean with a deviation becomes two columns, the second called _std."""
        import pandas
        whole: Dict[str, Any] = {}
        for title, values in self._columns.items():
            if len(values) and all(isinstance(v, Figure) for v in values):
                whole[title] = [float(v) for v in values]
                whole[f"{title}_std"] = [v.std for v in values]
            else:
                whole[title] = values
        return pandas.DataFrame(whole)

    def _head(self) -> List[Tuple[Any, ...]]:
        return list(self)[:SHOWN_ROWS]

    def _more(self) -> str:
        hidden = len(self) - SHOWN_ROWS
        return f"... and {hidden} more" if hidden > 0 else ""

    def __repr__(self) -> str:
        parts = [self.caption, text_table(self.titles, self._head()), self._more()]
        return "\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        return html_table(self.titles, self._head(), self.caption) + html.escape(self._more())


def _plain(values: Any) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values


class Shown:
    """For dataclasses: a name and a value a line, and a table in a notebook. `_title` is above."""

    _title: Optional[str] = None

    @classmethod
    def of(cls, struct: Any, **others: Any) -> Any:
        """From a struct of the library: fields of the same names, and others as given."""
        names = [n for n in cls.__dataclass_fields__ if n not in others]  # type: ignore[attr-defined]
        return cls(**{name: getattr(struct, name) for name in names}, **others)

    def _fields(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).__dataclass_fields__  # type: ignore
                if not name.startswith("_")}

    def __repr__(self) -> str:
        return fields_text(self._title or type(self).__name__, self._fields())

    def _repr_html_(self) -> str:
        return fields_html(self._title or type(self).__name__, self._fields())

    def to_dict(self) -> Dict[str, Any]:
        """As plain Python: for JSON."""
        names = getattr(type(self), "__dataclass_fields__", None) or vars(self)
        return {name: json_ready(getattr(self, name)) for name in names if not name.startswith("_")}


def json_ready(value: Any) -> Any:
    """As JSON has it: arrays as lists, what it has no word for as text."""
    if isinstance(value, Shown):
        return value.to_dict()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): json_ready(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(v) for v in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
