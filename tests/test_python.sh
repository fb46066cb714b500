#!/usr/bin/env bash
# The Python package: builds its wheel, installs it into a virtual environment and runs its tests
# there, those of the tutorial and of the docstrings among them.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}"
python=${PYTHON:-/usr/bin/python3}

skip() {
    echo "skipped: $*"
    exit 77
}

if sanitized; then
    skip "an interpreter without sanitizers cannot load a library that has them"
fi
[[ -x $python ]] || skip "no $python"
for module in venv pip setuptools wheel numpy scipy sklearn pytest networkx igraph pandas joblib tqdm; do
    "$python" -c "import $module" 2>/dev/null ||
        skip "$python has no $module (scripts/install-deps --python)"
done

expect 0 env CAFE_SKIP_DEPS=1 BUILD="$BUILD" PYTHON="$python" "$SOURCE/scripts/python" \
    "$SCRATCH/venv"
prints "cafe [0-9.]+ in $SCRATCH/venv"
[[ -e $(echo venv/wheel/*-py3-none-linux_*.whl) ]] || fail "no wheel py3-none-linux"
for name in libcafe libcafe-lab; do search_path "$(echo venv/lib/python*/site-packages/cafe/$name.so.0)"; done
export SOURCE CAFE BUILD
exec venv/bin/python -m pytest -q -p no:cacheprovider --durations=5 \
    --basetemp="$SCRATCH/pytest" "$SOURCE/python/tests"
