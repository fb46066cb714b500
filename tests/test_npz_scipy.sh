#!/usr/bin/env bash
# scipy reads the sparse matrices we write; unzip finds the archive sound.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}"
writer=$BUILD/tests/test_io_npz_write
[[ -x $writer ]] || fail "no $writer"
expect 0 "$writer" m.npz
if command -v unzip >/dev/null; then expect 0 unzip -tq m.npz; fi

python=/usr/bin/python3
if ! "$python" -c 'import scipy.sparse' 2>/dev/null; then
    echo "skipped: $python has no scipy"
    exit 77
fi
cat >check.in.py <<'TEXT'
import numpy, scipy.sparse, zipfile
assert zipfile.ZipFile("m.npz").testzip() is None
m = scipy.sparse.load_npz("m.npz")
assert m.format == "csr" and m.shape == (11, 6) and m.dtype == numpy.float32
m.check_format(full_check=True)
want = numpy.zeros((11, 6))
for i in range(11):
    for k in range(i % 4):
        want[i, (7 * i + 3 * k) % 6] += i + k / 8
assert (m.toarray() == want).all()
scipy.sparse.save_npz("again.npz", m)
TEXT
expect 0 "$python" check.in.py
