"""NumPy arrays to the library and back: what the library is to read is looked at here first."""
import ctypes
import numbers
from typing import Any, Dict, Optional

import numpy as np

_POINTERS: Dict[Any, Any] = {
    np.dtype(np.float32): ctypes.c_float, np.dtype(np.float64): ctypes.c_double,
    np.dtype(np.int32): ctypes.c_int32, np.dtype(np.int64): ctypes.c_int64,
    np.dtype(np.uint8): ctypes.c_uint8,
}


def pointer(array: Any) -> Any:
    """To a C-contiguous array's first entry, of the C type of its numbers; None stays None."""
    if array is None:
        return None
    if not (array.flags.c_contiguous and array.flags.aligned):
        raise ValueError("expected numbers one after the other")
    return array.ctypes.data_as(ctypes.POINTER(_POINTERS[array.dtype]))


def copied(at: Any, count: int, dtype: Any = np.float64) -> np.ndarray:
    """`count` numbers that belong to an object of the library, as an array of our own."""
    if not at or count == 0:
        return np.zeros(0, dtype)
    return np.ctypeslib.as_array(at, (count,)).astype(dtype, copy=True)


def refuse_masked(data: Any, what: str) -> None:
    if isinstance(data, np.ma.MaskedArray):
        raise TypeError(f"{what}: a masked array; fill it first, x.filled(0)")


def as_array(data: Any, what: str = "data") -> np.ndarray:
    """NumPy from anything; tensors come from their device first."""
    refuse_masked(data, what)
    if hasattr(data, "detach"):
        data = data.detach().cpu()
    if hasattr(data, "numpy") and not isinstance(data, np.ndarray):
        return np.asarray(data.numpy())
    return np.asarray(data)


def as_numbers(data: Any, what: str) -> np.ndarray:
    """Real numbers, also where they come as objects; text that looks like numbers is none."""
    array = as_array(data, what)
    if array.dtype == object and all(_is_real(x) for x in array.ravel().tolist()):
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{what}: expected real numbers, found {array.dtype}")
    return array


def _is_real(x: Any) -> bool:
    return isinstance(x, (int, float, np.integer, np.floating, np.bool_))


def whole(value: Any, what: str, least: int = 1) -> int:
    """A whole number that was given."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{what}={value!r}: expected a whole number")
    if value < least:
        raise ValueError(f"{what}={value!r}: expected {least} at least")
    return int(value)


def as_floats(array: np.ndarray) -> np.ndarray:
    """As float32, one after the other; what float32 cannot hold becomes infinity."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.require(array, np.float32, ["C", "A"])


def block(x: Any, rows: int, what: str, columns: Optional[int] = None) -> np.ndarray:
    """A finite rows x columns table as float32, row after row; not copied when it is one."""
    array = as_numbers(x, what)
    if array.ndim != 2 or array.shape[0] != rows or columns not in (None, array.shape[1]):
        wide = "" if columns is None else f" and {columns} columns"
        raise ValueError(f"{what}: expected an array of {rows} rows{wide}, found shape {array.shape}")
    array = as_floats(array)
    if not np.isfinite(array).all():
        raise ValueError(f"{what}: expected finite numbers, found NaN or infinity")
    return array
