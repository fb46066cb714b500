"""Options of methods as Python keywords, read from the library's own tables.

A table has the name, default, range and help of every option, so that nothing is written twice. The
keywords of an estimator, their defaults and their documentation come from here. Values go back as
text through cafe_options_set(), whose errors are the library's.
"""
import ctypes
import functools
import inspect
import math
import numbers
import textwrap
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._call import Context, c_text
from ._library import lib
from ._names import in_python, nearest_names, python_name

_TYPES = {value: name for name, value in _abi.ENUMS["cafe_option_type"].items()}
_TUNE = _abi.ENUMS["cafe_option_type"]["CAFE_OPTION_TUNE"]  # added to a type: for developers


@dataclass(frozen=True)
class Option:
    """A row of an option table."""

    name: str  # as on the command line
    type: str  # integer, real, choice, switch, text
    default: Any
    minimum: float
    maximum: float
    choices: Tuple[str, ...]
    help: str

    @property
    def keyword(self) -> str:
        return python_name(self.name)

    def described(self, default: Any) -> str:
        kind = {"integer": "int", "real": "float", "switch": "bool",
                "text": "str"}.get(self.type, "")
        kind = kind or "{" + ", ".join(map(repr, self.choices)) + "}"
        text = in_python(self.help)
        text = text[0].upper() + text[1:]
        return f"{self.keyword} : {kind}, default={default!r}\n{indented(text)}."

    def text(self, value: Any) -> str:
        """A value as the library reads it. Wrong types are refused here, wrong values there."""
        if self.type == "switch":
            if not isinstance(value, (bool, np.bool_, numbers.Integral)):
                raise TypeError(f"{self.keyword}={value!r}: expected True or False")
            return "yes" if value else "no"
        if self.type == "choice":
            if isinstance(value, (bool, np.bool_)) and "no" in self.choices:  # as for a switch
                return "yes" if value else "no"
            return str(value)
        if self.type == "text" and self.maximum > 0 and isinstance(value, numbers.Real):
            return repr(float(value))
        if self.type == "text":
            whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
            if not whole and not isinstance(value, str):
                raise TypeError(f"{self.keyword}={value!r}: expected a text or a whole number")
            return str(value)
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            raise TypeError(f"{self.keyword}={value!r}: expected a number")
        if self.type == "integer" and not isinstance(value, numbers.Integral):
            raise TypeError(f"{self.keyword}={value!r}: expected a whole number")
        return repr(int(value)) if self.type == "integer" else repr(float(value)).removesuffix(".0")


def _option(row: Any) -> Option:
    kind = _TYPES[row.type & ~_TUNE].rpartition("_")[2].lower()
    choices = tuple(row.choices.decode().split("|")) if row.choices else ()
    default: Any = row.initial
    if kind == "integer":
        default = int(row.initial)
    elif kind == "switch":
        default = bool(row.initial)
    elif kind == "choice":
        default = choices[int(row.initial)]
    elif kind == "text":
        default = None
    return Option(row.name.decode(), kind, default, row.minimum, row.maximum, choices,
                  row.help.decode())


class Table:
    """An option table of the library: its rows, and structs filled from keywords."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer
        self.name = pointer.contents.name.decode()
        self.summary = pointer.contents.summary.decode()
        self.options = [_option(pointer.contents.options[i])
                        for i in range(pointer.contents.count)]

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def named(name: str) -> "Table":
        core = lib.cafe_options_table(name.encode())
        return Table(core if core else lib.cafe_lab_options_table(name.encode()))

    def default(self, keyword: str) -> Any:
        return next(option.default for option in self.options if option.keyword == keyword)

    def fill(self, context: Context, values: Mapping[str, Any], kind: Optional[str] = None) -> Any:
        """The options struct with these keywords set, others at their defaults: of the ctypes
        class `kind`, else as a pointer to plain bytes."""
        size = self.pointer.contents.struct_size
        struct: Any = getattr(_abi, kind)() if kind else ctypes.create_string_buffer(size)
        if ctypes.sizeof(struct) != size:
            raise ImportError(f"{kind}: {ctypes.sizeof(struct)} bytes here, {size} in the library")
        address = ctypes.cast(ctypes.pointer(struct), ctypes.c_void_p)
        lib.cafe_options_init(self.pointer, address, size)
        struct.texts = []  # what the struct points at
        for option in self.options:
            if option.keyword in values and (option.type != "text" or
                                             values[option.keyword] is not None):
                text = c_text(option.text(values[option.keyword]))
                struct.texts.append(text)
                context.call("cafe_options_set", self.pointer, address, option.name.encode(),
                             text)
        context.call("cafe_options_check", self.pointer, address)
        return struct

    def pointer_to(self, context: Context, values: Mapping[str, Any], kind: str) -> Any:
        return ctypes.pointer(self.fill(context, values, kind))


def described_options(table: Table) -> str:
    """For docstrings of functions that take the table's options as keywords."""
    return "\n".join(option.described(shown(option.default)) for option in table.options)


def shown(value: Any) -> Any:
    """1e6 is an int in the tables' ranges, 8000000 reads better than 8000000.0."""
    return int(value) if isinstance(value, float) and math.isinf(value) is False and \
        value.is_integer() and abs(value) >= 1e6 else value


def check_keywords(given: Mapping[str, Any], allowed: Iterable[str], what: str) -> None:
    """A TypeError, as Python has it, for a keyword that nobody knows."""
    names = set(allowed)
    for name in given:
        if name not in names:
            raise unknown_keyword(name, names, what)


def options_of(given: Mapping[str, Any], caller: str, *tables: str) -> Tuple[Dict[str, Any], ...]:
    """The keywords that each of these tables has; a TypeError for one that none has."""
    known = [[o.keyword for o in Table.named(name).options] for name in tables]
    check_keywords(given, [keyword for names in known for keyword in names], caller)
    return tuple({k: given[k] for k in names if k in given} for names in known)


def unknown_keyword(name: str, names: Iterable[str], what: str) -> TypeError:
    """'SphereGCN() got an unexpected keyword argument 'colums'; did you mean 'columns'?'"""
    known, tool = sorted(names), python_name(name)
    hint = f"; did you mean {tool!r}?" if tool != name and tool in known else \
        nearest_names(name, known) or f"; there are {', '.join(known)}"
    return TypeError(f"{what}() got an unexpected keyword argument {name!r}{hint}")


def indented(text: str, spaces: int = 4) -> str:
    return textwrap.fill(text, 92, initial_indent=" " * spaces, subsequent_indent=" " * spaces)


# ---- parameters of estimators ------------------------------------------------------------------

@dataclass(frozen=True)
class Parameter:
    """A keyword of an estimator: from a table, or of the estimator's own."""

    name: str
    default: Any
    text: str  # its entry in the docstring
    annotation: str
    option: Optional[Option] = None

    def asked(self, value: Any) -> Optional[str]:
        """The value as the library reads it; None: the default, which is the library's too."""
        if self.option is None or value is None:
            return None
        text = self.option.text(value)
        return None if self.default is not None and text == self.option.text(self.default) else text


_ANNOTATIONS = {"integer": "int", "real": "float", "switch": "bool", "text": "str"}


def _annotation(option: Option, default: Any) -> str:
    kind = _ANNOTATIONS.get(option.type) or f"Literal[{', '.join(map(repr, option.choices))}]"
    if option.type == "text" and option.maximum > 0:  # a number, or one of the choices
        kind = "Union[str, float]"
    return f"Optional[{kind}]" if default is None else kind


def from_option(option: Option, default: Any) -> Parameter:
    return Parameter(option.keyword, default, option.described(default), _annotation(option, default),
                     option)


def from_table(table: Table, defaults: Optional[Mapping[str, Any]] = None) -> List[Parameter]:
    """The table's options as parameters; `defaults` differ from the table's."""
    found = [from_option(o, (defaults or {}).get(o.keyword, o.default)) for o in table.options]
    return sorted(found, key=lambda p: p.name != "n_components")  # what every method has comes first


def make_init(parameters: Sequence[Parameter]) -> Callable[..., None]:
    """An __init__ that stores its arguments untouched, with a signature that tells them: the first
    may come without its name, all others need it."""
    either, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature(
        [inspect.Parameter("self", either)] +
        [inspect.Parameter(p.name, named if i else either, default=p.default)
         for i, p in enumerate(parameters)])

    names = [p.name for p in parameters]

    def __init__(self: Any, *first: Any, **keywords: Any) -> None:
        check_keywords(keywords, names, type(self).__name__)
        try:
            bound = signature.bind(self, *first, **keywords)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}() {error}") from None
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def numpydoc(summary: str, parameters: Sequence[Parameter], rest: str) -> str:
    """A docstring: summary, Parameters, and the rest (Attributes, Examples)."""
    entries = "\n".join(p.text for p in parameters)
    return f"{summary}\n\nParameters\n----------\n{entries}\n\n{inspect.cleandoc(rest)}\n"

