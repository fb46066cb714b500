#!/usr/bin/env bash
# The interactive page in a real Chromium, driven by playwright-core. Skipped with a reason where one of
# them is missing; scripts/install-deps --browser gets them.
#
# CAFE_FIGURES=FOLDER keeps screenshots there (docs/figures for the documents); CAFE_SLOW=N allows N
# times the time on machines that are busy with something else.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

skip() {
    echo "skipped: $* (scripts/install-deps --browser gets what is missing)"
    exit 77
}

for name in chromium chromium-browser google-chrome; do
    CAFE_CHROMIUM=${CAFE_CHROMIUM:-$(command -v $name || true)}
done
[[ -n $CAFE_CHROMIUM ]] || skip "no Chromium, so the page is not tried in a browser"
command -v node >/dev/null || skip "no Node.js, which drives the browser"
[[ $(node -p 'process.versions.node.split(".")[0]') -ge 18 ]] || skip "Node.js is older than version 18"
[[ -d $SOURCE/tests/browser/node_modules/playwright-core ]] || skip "no playwright-core in tests/browser/node_modules"
export CAFE_CHROMIUM

# Two at a time: a browser waits more than it computes.
mkdir sight
SCRATCH=$SCRATCH/sight node "$SOURCE/tests/browser/sight.mjs" >sight.log 2>&1 &
other=$! failed=0
node "$SOURCE/tests/browser/page.mjs" || failed=1
wait $other || failed=1
cat sight.log
[[ $failed -eq 0 ]] || exit 1
node "$SOURCE/tests/browser/big.mjs"
[[ -z ${CAFE_FIGURES:-} ]] || node "$SOURCE/tests/browser/figures.mjs"
