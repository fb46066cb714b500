"""NumPy arrays to the library and back."""
import ctypes
from typing import Any, Dict

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
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.POINTER(_POINTERS[array.dtype]))


def copied(at: Any, count: int, dtype: Any = np.float64) -> np.ndarray:
    """`count` numbers that belong to an object of the library, as an array of our own."""
    if not at or count == 0:
        return np.zeros(0, dtype)
    return np.ctypeslib.as_array(at, (count,)).astype(dtype, copy=True)


def block(x: Any, rows: int, what: str) -> np.ndarray:
    """A finite rows x columns table as float32, row after row; not copied when it is one."""
    array = np.ascontiguousarray(x, dtype=np.float32)
    if array.ndim != 2 or array.shape[0] != rows:
        raise ValueError(f"{what}: expected an array of {rows} rows, found shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what}: expected finite numbers, found NaN or infinity")
    return array
