#!/usr/bin/env bash
# Names with orders for a terminal: shown there and in every message, as they are in files and pipes.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
command -v script >/dev/null || { echo "skipped: no script(1) for a pseudo-terminal"; exit 77; }

esc=$'\e' c1=$'\xc2\x9b'
evil=$esc']0;owned'$'\a' red=$c1'31mred' left=$'\u202eabc'
printf '"%s" "%s"\n"%s" "%s"\n"%s" "%s"\n' "$evil" "$red" "$red" "$left" "$left" "$evil" >g.in.txt
printf '"%s" "%s"\n' "$evil" "$red" >labels.in.txt
printf '"%s" "%s"\n' "$red" "$left" >>labels.in.txt
expect 0 "$CAFE" convert g.in.txt g.cafe
expect 0 "$CAFE" embed g.in.txt -k 2 -o v.npy

# No byte that a terminal could take for an order, but line ends and the tool's own progress.
harmless() {
    sed "s/\r//g; s/$esc\[K//g" "$1" >.last/clean
    if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xff' .last/clean; then
        LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xff' .last/clean | cat -v >&2
        fail "orders for a terminal in $1: $2"
    fi
}

# on_terminal CODE WORDS...: the tool with a terminal for both outputs.
on_terminal() {
    local want=$1 got=0 command
    shift
    printf -v command '%q ' "$CAFE" "$@"
    SHELL=/bin/bash script -qec "$command" .last/terminal </dev/null >.last/out 2>&1 || got=$?
    [[ $got -eq $want ]] || fail "exit code $got instead of $want: $*"
    harmless .last/out "$*"
}

on_terminal 0 info g.cafe
prints '\\x1b\]0;owned\\x07'
on_terminal 0 rank g.cafe
prints '\\xc2\\x9b31mred'
prints '\\xe2\\x80\\xaeabc'
on_terminal 0 explain g.cafe v.npy --node "$evil" --labels labels.in.txt --communities labels.in.txt
prints '\\x1b\]0;owned.* is in '
on_terminal 0 recommend g.cafe --score common
on_terminal 0 embed g.cafe -q -k 2 -o -
prints '\\x1b\]0;owned\\x07'
on_terminal 0 cluster g.cafe -q -o -
on_terminal 0 rank g.cafe --json -
on_terminal 0 evaluate cluster g.cafe --labels labels.in.txt

# ---- pipes and files keep the bytes
for words in 'rank g.cafe' 'embed g.cafe -k 2 -o -' 'cluster g.cafe -o -' 'info g.cafe'; do
    # shellcheck disable=SC2086
    expect 0 "$CAFE" $words
    grep -qF "$evil" .last/out || fail "$words: a pipe does not get the bytes"
done
expect 0 "$CAFE" rank g.cafe -o ranked
grep -qF "$red" ranked || fail "a file does not get the bytes"

# ---- messages are clean wherever they go
messages() {
    local code=$1
    shift
    expect "$code" "$CAFE" "$@"
    harmless .last/err "$*"
    says "\\\\x"
}
messages 1 recommend g.cafe --node "no$evil"
messages 1 explain g.cafe v.npy --node "${evil}x"
messages 2 rank g.cafe --by "$evil"
messages 2 "$evil"
messages 2 rank g.cafe "--$evil"
messages 2 evaluate "$red"
messages 1 info "$evil"
messages 1 info $'line\nbreak'
[[ $(wc -l <.last/err) -eq 1 ]] || fail "a path broke the line"
messages 1 info $'\xff\xfe'
printf '%s x\n' "$evil" >unknown.in.txt
messages 3 evaluate cluster g.cafe --communities unknown.in.txt
messages 3 rank g.cafe --set unknown.in.txt
printf -- '- "x%s" "%s"\n' "$evil" "$red" >changes.in.txt
messages 3 update g.cafe changes.in.txt --from v.npy -o u.npy
printf '%s\t1\n' "x$evil" "$red" "$left" >v.in.tsv
messages 3 explain g.cafe v.in.tsv
messages 1 rank g.cafe -o "no/$evil"
cp g.in.txt "$red.in.txt"
messages 0 rank "$red.in.txt"

# ---- the colours of a picture in characters are the tool's own
expect 0 "$CAFE" embed g.in.txt -k 2 -o w.npy
SHELL=/bin/bash script -qec "$(printf '%q ' env CLICOLOR_FORCE=1 "$CAFE" plot g.cafe w.npy --labels labels.in.txt --terminal)" \
    /dev/null </dev/null >.last/out
grep -q "$esc\[38;2;" .last/out || fail "the picture lost its colours"
sed -i "s/$esc\[38;2;[0-9;]*m//g; s/$esc\[0m//g" .last/out
harmless .last/out plot

# ---- progress fits a terminal of any width, with a percentage and the time that is left
nodes=20000 widths='90 30 7'
if sanitized; then nodes=3000 widths=90; fi # ten times as slow
expect 0 "$CAFE" generate sbm --nodes $nodes --edges $((10 * nodes)) -o big.cafe
for columns in $widths; do
    SHELL=/bin/bash script -qec "stty cols $columns; $(printf '%q ' "$CAFE" embed big.cafe -k 64 --sweeps 300 --tune tolerance=0 -f -o b.npy)" \
        /dev/null </dev/null >.last/out
    tr '\r' '\n' <.last/out | grep -aF "${esc}[K" | sed "s/$esc\[K.*//" >.last/bar
    [[ $(awk '{ if (length($0) > w) w = length($0) } END { print w + 0 }' .last/bar) -lt $columns ]] ||
        fail "progress is wider than $columns columns"
    [[ $columns -lt 90 ]] || grep -qE '^sweep [0-9]+/300 +[0-9]+ % \[[#-]+\] .*[0-9] s' .last/bar || fail "no progress: $(head -3 .last/bar)"
done
