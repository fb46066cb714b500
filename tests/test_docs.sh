#!/usr/bin/env bash
# Every command in README and docs/ is run, and what stands below it must come out; options named in text exist.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
python=/usr/bin/python3
[[ -x $python ]] || { echo "skipped: no Python to run scripts/docs"; exit 77; }
got=0
CAFE=$(dirname "$CAFE") $python "$SOURCE/scripts/docs.py" >docs.in || got=$?
cat docs.in
[[ $got -eq 0 ]] || fail "documents do not come out; scripts/docs --write renews them"
[[ $(grep -c 'blocks run' docs.in) -ge 3 ]] || fail "too few documents have commands"

# it finds what is wrong: another output, a command that fails, an option that is gone
mkdir tree && cp -r "$SOURCE/examples" tree && mkdir tree/scripts tree/docs && cp "$SOURCE/scripts/docs.py" tree/scripts
# shellcheck disable=SC2016
try() {
    printf '%s\n' "$@" >tree/docs/a.md
    CAFE=$(dirname "$CAFE") $python tree/scripts/docs.py tree/docs/a.md >.last/out 2>.last/err
}
try '```console' '$ cafe info karate.txt' '...' 'nodes        34' '...' '```' || fail "what is right was refused"
! try '```console' '$ cafe info karate.txt' '...' 'nodes        35' '...' '```' || fail "a wrong figure was taken"
! try '```console' '$ cafe info nosuch.txt' '```' || fail "a command that fails was taken"
# shellcheck disable=SC2016
! try 'Use `cafe info --nosuch 3`.' || fail "an option that is gone was taken"

# every link leads somewhere; a page or a heading that is gone is found
$python "$SOURCE/scripts/site.py" --links || fail "links lead nowhere"
cp "$SOURCE/scripts/site.py" tree/scripts
links() {
    printf '%s\n' "$@" >tree/docs/a.md
    $python tree/scripts/site.py --links >.last/out
}
echo '[a](docs/a.md), [all](docs/README.md)' >tree/README.md
echo '| [a](a.md) |' >tree/docs/README.md
links '# The Heading' 'See [above](#the-heading), [examples](../examples), [a page](https://example.org).' || fail "good links were refused"
! links 'See [b](b.md).' || fail "a page that is gone was taken"
! links '# Heading' 'See [above](#headings).' || fail "a heading that is gone was taken"
