#!/usr/bin/env bash
# Runs without a person: exit codes, --log json, --config, --no-heading.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- exit codes: the help topic, the overview and the manual have one table
expect 0 "$CAFE" help exit-codes
cp .last/out topic.in
expect 0 "$CAFE" help
cp .last/out overview.in
expect 0 "$CAFE" help --man exit-codes
for row in '0 done' '1 failed' '2 wrong usage' '3 bad input' '4 no resources' '5 bug' '128+N interrupted'; do
    code=${row%% *} title=${row#* }
    grep -qE "^  ${code/+/\\+} +$title( |$)" topic.in || fail "help exit-codes lacks $row"
    tr '\n' ' ' <overview.in | grep -qF "$code $title" || fail "help lacks $row"
    prints "^\*${code/+/\\+}\*$"
done

printf '1 2\n1 x y\n' >bad.in.txt
expect 1 "$CAFE" info absent.txt
expect 2 "$CAFE" info --nonsense
expect 3 "$CAFE" info bad.in.txt
expect 4 "$CAFE" embed "$karate" -o v.npy --memory-limit 1K
expect 4 bash -c '"$@" >/dev/full' - "$CAFE" info "$karate"
only_inputs

# ---- --log json: every line of standard error is an object with the five members
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    exit 77
fi
# objects [MEMBER=VALUE ...]: lines are objects, and the last line of a level that is named has these
objects() {
    python3 - "$@" <<'END' || fail "objects: $*"
import json, re, sys
lines = [json.loads(line) for line in open(".last/err")]
assert lines, "no line"
for line in lines:
    assert list(line)[:5] == ["time", "level", "command", "phase", "message"], line
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"]), line
    assert line["level"] in ("error", "warning", "info", "progress"), line
wanted = dict(w.split("=", 1) for w in sys.argv[1:])
found = [line for line in lines if line["level"] == wanted.get("level", line["level"])]
for name, value in wanted.items():
    assert str(found[-1].get(name)) == value, (name, value, found[-1])
END
}
expect 3 "$CAFE" info bad.in.txt --log json
objects level=error command=info phase=read file=bad.in.txt line=2 exit_code=3
expect 1 "$CAFE" info --log=json absent.txt
objects level=error file=absent.txt line=None exit_code=1
# files of any name, as messages show them
for name in $'q"uo\nte' $'back\\slash' $'n\xffm' 'a:b'; do
    cp bad.in.txt "$name.in.txt"
    printf '\nsee = 1\n' >"$name.in.toml"
    expect 3 "$CAFE" info "$name.in.txt" --log json
    objects level=error line=2 column=5
    grep -q '"file":".*\.in\.txt"' .last/err || fail "no file: $name"
    expect 2 "$CAFE" embed "$karate" -o x.npy --config "$name.in.toml" --log json
    objects level=error line=2
    grep -q '"file":".*\.in\.toml"' .last/err || fail "no file: $name"
    expect 2 "$CAFE" embed "$karate" -o x.npy --config "$name.in.toml"
    says 'in.toml:2: unknown option --see'
done
expect 1 "$CAFE" embed "$karate" -o x.npy --config absent.toml --log json
objects level=error file=absent.toml line=None exit_code=1
expect 1 "$CAFE" embed "$karate" -o x.npy --config absent.toml
says '^cafe embed: absent.toml: cannot be opened: No such file'
expect 2 "$CAFE" embed "$karate" --colums 3 --log json
objects level=error command=embed phase=options exit_code=2
expect 2 "$CAFE" nosuch --log json
objects level=error command= exit_code=2
expect 0 "$CAFE" cluster "$karate" --log json -o -
objects level=info command=cluster
expect 0 "$CAFE" embed "$karate" --log json -k 64 -o v.npy
objects level=warning
expect 0 "$CAFE" embed "$karate" --log json -k 4 -q -f -o v.npy
quiet
expect 2 "$CAFE" info "$karate" --log xml
says "takes one of text\|json"
# the clock agrees with that of the system
expect 3 "$CAFE" info bad.in.txt --log json
python3 - <<'END' || fail 'time'
import datetime, json
line = json.loads(open(".last/err").readline())
then = datetime.datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%S.%fZ")
now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
assert abs(now - then) < datetime.timedelta(minutes=10), (then, now)
END
# progress while it runs, and the interruption as an error
"$CAFE" generate ba --nodes 3000 --edges 30000 -q -o g.in.cafe
"$CAFE" embed g.in.cafe -k 32 --sweeps 1000000 --tune tolerance=0 -t 1 -f -o v.npy --log json 2>.last/err &
pid=$!
until grep -q '"level":"progress"' .last/err; do
    kill -0 $pid || fail 'ended without progress'
    sleep 0.05
done
kill -TERM $pid
code=0
wait $pid || code=$?
[[ $code -eq 143 ]] || fail "exit code $code"
objects level=progress command=embed
objects level=error message=interrupted exit_code=143
rm v.npy

# ---- --config: TOML
cat >run.in.toml <<END
# nightly
threads = 1
"seed" = 7
[cluster]
seed = 9
arguments = ["$karate"]
[embed]
arguments = [
    '$karate', # one
]
columns = 3
method = "sphere"
propagate = false
chunks = 16     # an option of --tune
END
expect 0 "$CAFE" embed --config run.in.toml -o a.tsv -q
expect 0 "$CAFE" embed "$karate" -k 3 --seed 7 -t 1 --tune chunks=16 -o b.tsv -q
same a.tsv b.tsv
expect 0 "$CAFE" embed --config run.in.toml -k 2 -f -o a.tsv -q # the command line goes before
expect 0 "$CAFE" embed "$karate" -k 2 --seed 7 -t 1 --tune chunks=16 -f -o b.tsv -q
same a.tsv b.tsv
expect 0 "$CAFE" cluster --config run.in.toml --json c.json -q # the command's table before the others
grep -q '"seed": 9' c.json || fail 'seed of [cluster]'
rm -f a.tsv b.tsv
# a report as the configuration: the same options and inputs
expect 0 "$CAFE" cluster "$karate" --resolution 2 --seed 5 -q --json r.in.json -o first.tsv
expect 0 "$CAFE" cluster --config r.in.json -q -o second.tsv
same first.tsv second.tsv
expect 0 "$CAFE" embed "$karate" --method cafe --labels "$SOURCE/examples/karate.labels.txt" -k 2 \
    --propagate -q --json r2.in.json -o first.tsv -f
expect 0 "$CAFE" embed --config r2.in.json -q -o second.tsv -f
same first.tsv second.tsv
# names with letters of any alphabet, as they are and as escapes of JSON (\u00e4, a pair of two)
cp "$karate" $'gr\u00e4ph \u65e5\U1f600.in.txt'
expect 0 "$CAFE" cluster $'gr\u00e4ph \u65e5\U1f600.in.txt' -q --json r3.in.json -o first.tsv -f
expect 0 "$CAFE" cluster --config r3.in.json -q -o second.tsv -f
same first.tsv second.tsv
/usr/bin/env python3 -c 'import json; print(json.dumps(json.load(open("r3.in.json"))))' >r4.in.json
grep -qF 'gr\u00e4ph \u65e5\ud83d\ude00.in.txt' r4.in.json || fail 'no escapes in the report'
expect 0 "$CAFE" cluster --config r4.in.json -q -o second.tsv -f
same first.tsv second.tsv
rm -f first.tsv second.tsv c.json
expect 2 "$CAFE" embed --config r.in.json -o x.npy
says 'r.in.json:[0-9]+: this is a report of cafe cluster'
# refused with file and line
refused() { # CODE TEXT LINES
    printf '%b' "$3" >c.in.toml
    expect "$1" "$CAFE" embed --config c.in.toml -o x.npy
    says "^cafe embed: c.in.toml:$2"
    silent
    expect "$1" "$CAFE" embed --config c.in.toml -o x.npy --log json
    objects level=error file=c.in.toml "line=${2%%:*}" "exit_code=$1"
}
refused 2 '2: unknown option --colums; did you mean --columns' 'seed = 1\ncolums = 3\n'
refused 2 "1: --columns takes .*, not 'x'" 'columns = "x"\n'
refused 2 "1: propagate takes true or false, not '1'" 'propagate = 1\n'
refused 2 "3: there is no command 'clustr'" '\n\n[clustr]\n'
refused 2 '1: unknown option --config' 'config = "other"\n'
refused 3 "1: expected a text in quotes, a number, true or false, found 'yes'" 'propagate = yes\n'
refused 3 "2: expected each key once, found 'seed' also in line 1" 'seed = 1\nseed = 2\n'
refused 3 "1: expected = behind the key" 'seed 1\n'
refused 3 '1: expected one of .* uXXXX behind a' 'method = "\\ud800x"\n'
refused 3 "1: expected the closing quote on the same line" 'method = "sphere\n'
refused 3 "1: expected the end of the line, found 'x'" 'seed = 1 x\n'
refused 3 "1: expected a comma or \]" 'arguments = ["a" "b"]\n'
refused 3 "1: expected a key, found" '= 3\n'
refused 3 "1: expected a report with the member 'given'" '{"schema": "x", "a": [1, {"b": null}]}'
refused 3 "1: expected a comma or }" '{"schema": "x" 3'
expect 1 "$CAFE" embed --config none.toml -o x.npy
says 'none.toml: cannot be opened'
expect 2 "$CAFE" embed --config run.in.toml -o run.in.toml -f # it is an input

grep -v '^#' "$SOURCE/examples/karate.labels.txt" | head -20 >known.in
# ---- headings: every table has one, and none with --no-heading
tables() {
    "$CAFE" cluster "$karate" -q "$@" -o part.tsv
    "$CAFE" embed "$karate" -q -k 2 "$@" -o vectors.tsv
    "$CAFE" embed "$karate" -q -k 2 "$@" -o vectors.csv
    "$CAFE" embed "$karate" -q -k 2 -f -o vectors.npy
    "$CAFE" predict "$karate" -q --labels known.in "$@" -o labels.tsv
    "$CAFE" plot "$karate" vectors.npy -q "$@" -o map.tsv
    "$CAFE" rank "$karate" -q "$@" -o rank.tsv
    "$CAFE" recommend "$karate" -q "$@" -o recommended.tsv
    "$CAFE" explain "$karate" --eigenvector -q "$@" -o eigenvector.tsv >theorem.in
    "$CAFE" generate sbm --nodes 40 --edges 90 --blocks 2 -q "$@" -o g.txt --labels generated.tsv
}
tables
head -qn 1 part.tsv vectors.tsv vectors.csv labels.tsv map.tsv rank.tsv recommended.tsv eigenvector.tsv generated.tsv >headings.in
cat >wanted.in <<'END'
node	community
node	x0	x1
node,x0,x1
node	label	probability
node	x0	x1
node	pagerank
node	place	recommended	score
node	x	qx	v1	x_centred
node	label
END
same headings.in wanted.in
# a file with its heading and one without are the same to every reader
for option in -q --no-heading; do
    tables "$option" -f
    expect 0 "$CAFE" explain "$karate" vectors.tsv --communities part.tsv -q -f --json "explained$option.in"
    expect 0 "$CAFE" explain "$karate" vectors.csv --communities part.tsv -q -f --json "explained2$option.in"
    expect 0 "$CAFE" cluster "$karate" --start part.tsv -q -f -o again.tsv
    expect 0 "$CAFE" plot "$karate" vectors.tsv --map map.tsv -q -f -o page.html
    expect 0 "$CAFE" evaluate cluster "$karate" --communities part.tsv --labels part.tsv -q
    expect 0 "$CAFE" reduce vectors.tsv -k 2 -q -f -o reduced.tsv
    expect 0 "$CAFE" evaluate cluster g.txt --labels generated.tsv -q
done
for stem in explained explained2; do
    diff <(grep -vE 'seconds|"reading"' -- "$stem-q.in") <(grep -vE 'seconds|"reading"' -- "$stem--no-heading.in") >/dev/null ||
        fail "$stem differs without headings"
done
for file in part.tsv vectors.tsv labels.tsv map.tsv rank.tsv eigenvector.tsv; do
    ! head -n 1 "$file" | grep -q '^node' || fail "$file has a heading"
done
# no word of the heading is a node of the graph
printf 'node\tname\nname\tid\nid\tnode\nid\tb\n' >words.in.tsv
expect 0 "$CAFE" cluster words.in.tsv --header no -q -o words.part.in.tsv
[[ $(head -n 1 words.part.in.tsv) == $'vertex\tcommunity' ]] || fail "heading: $(head -n 1 words.part.in.tsv)"
expect 0 "$CAFE" evaluate cluster words.in.tsv --header no --communities words.part.in.tsv -q
