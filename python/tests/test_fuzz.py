"""Some hundred cases of the fuzzing of the border, always the same; scripts/fuzz-python runs more."""
import pytest

import fuzzing


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_the_border_holds(first):
    wrong = [f"seed {seed}: {found}" for seed in range(first, first + 50)
             for found in [fuzzing.run(seed)] if found]
    assert not wrong, "\n".join(wrong)
