"""Results of estimators, or a word about what is missing."""
from typing import Any, Dict


def result_of(thing: Any, name: str) -> Any:
    """That result of a fitted estimator; anything else, an array say, is itself."""
    if hasattr(thing, name):
        return getattr(thing, name)
    if hasattr(thing, "fit"):
        from ._base import NotFittedError
        raise NotFittedError(f"This {type(thing).__name__} instance is not fitted yet, or has no "
                             f"{name}: call fit first.")
    return thing


def made_with(thing: Any) -> Dict[str, Any]:
    """The options of a fitted estimator's run, by the library's names; of anything else none."""
    return thing.report_["options"] if hasattr(thing, "_made") else {}
