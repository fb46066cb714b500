#!/usr/bin/env bash
# Ctrl-C and SIGTERM end a long run soon, long before it would be over, with exit code 130 or 143, "interrupted", and
# no output. Soon is measured by the processor time of the run, which other work on the machine does not change.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
set -m # background jobs then get SIGINT

nodes=100000
if sanitized; then nodes=10000; fi
expect 0 "$CAFE" generate rmat --nodes $nodes --edges $((nodes * 10)) -q -o g.in.cafe

# Hundredths of a second that $job has computed, by the kernel; and those of all processes that were waited for. Both
# start no process themselves.
computed() {
    local line ticks
    computed=0
    { read -r line <"/proc/$job/stat"; } 2>/dev/null || return 0 # it is over
    read -ra ticks <<<"${line##*) }"
    computed=$(((ticks[11] + ticks[12]) * 100 / ticks_a_second))
}
waited_for() {
    local line minutes seconds hundredths field
    times >.last/times
    { read -r line; read -r line; } <.last/times
    waited_for=0
    for field in $line; do # 0m1.234s
        minutes=${field%m*} seconds=${field#*m}
        hundredths=${seconds#*.}
        waited_for=$((waited_for + minutes * 6000 + ${seconds%.*} * 100 + 10#${hundredths:0:2}))
    done
}
ticks_a_second=$(getconf CLK_TCK)

# send SIGNAL: sends it to $job, waits for the end of the job and leaves its exit code in $got
send() {
    local before
    eventually catches "$job"
    got=0
    waited_for
    computed
    before=$((waited_for + computed))
    kill "-$1" "$job" 2>/dev/null || true # it may be over by now
    wait "$job" || got=$?
    waited_for
    [[ $((waited_for - before)) -lt 1000 ]] || fail "$1: computed for $((waited_for - before)) hundredths of a second"
}

# interrupted SIGNAL CODE: what the job left behind is what a signal leaves. A busy machine may not give it the second in
# which it removes its temporary file: then it ends without.
interrupted() {
    [[ $got -eq $2 ]] || fail "$1: exit code $got instead of $2"
    says ': interrupted$'
    rm -f .cafe-????????????????.tmp
    only_inputs
}

# stop SIGNAL CODE: a run that does not end by itself is ended by the signal
stop() {
    send "$1"
    interrupted "$1" "$2"
}

# while the solver sweeps
for signal in INT:130 TERM:143 ALRM:142; do
    : >.last/err
    "$CAFE" embed g.in.cafe -k 64 --sweeps 100000 --tune tolerance=0 -o v.npy --json v.json \
        >.last/out 2>.last/err &
    job=$!
    eventually grep -q '^graph' .last/err
    stop "${signal%:*}" "${signal#*:}"
done

# while another library computes, a wide finish is made, or a large picture is drawn
expect 0 "$CAFE" generate planted --nodes $nodes --edges $((nodes * 5)) -q -o p.in.cafe --labels l.in.txt
expect 0 "$CAFE" embed p.in.cafe -q -k 8 --sweeps 2 -o v.in.tsv
cut -f1-3 v.in.tsv >m.in.tsv
# moments COMMAND...: stopped early and late; a run that is done when the signal comes has done all of its work
moments() {
    local moment
    for moment in 0.2 2; do
        : >.last/err
        "$CAFE" "$@" >.last/out 2>.last/err &
        job=$!
        sleep "$moment"
        send TERM
        if [[ $got -eq 0 ]]; then ! grep -q interrupted .last/err || fail "interrupted, and exit code 0"; else interrupted TERM 143; fi
        rm -f p.svg p.html v.npy
    done
}
others() {
    if "$CAFE" evaluate classify p.in.cafe --labels l.in.txt --train 0.5 --repeats 1 --method label-propagation -q \
        --classifier none >.last/out 2>.last/err; then
        moments evaluate link p.in.cafe -k 16 --sweeps 2
        moments evaluate classify p.in.cafe --labels l.in.txt -k 16 --sweeps 2
        moments evaluate classify p.in.cafe --labels l.in.txt -k 16 --sweeps 2 --classifier logistic
    fi
    moments embed p.in.cafe -k 1024 --sweeps 1 -o v.npy
    moments plot p.in.cafe v.in.tsv --map m.in.tsv -o p.svg
    moments plot p.in.cafe v.in.tsv --map m.in.tsv -o p.html
}
# a signal meets the same threads in all of them: for their sanitizer one is enough
if sanitized_threads; then moments embed p.in.cafe -k 256 --sweeps 1 -o v.npy; else others; fi

# while it waits for standard input
mkfifo pipe.in
exec 9<>pipe.in
: >.last/err
"$CAFE" info - <pipe.in >.last/out 2>.last/err &
job=$!
eventually catches "$job"
sleep 0.3 # by then it most likely waits
stop INT 130
exec 9>&-

# a progress bar is drawn on a terminal, and only there (under the thread sanitizer: test_cli_terminal)
if sanitized_threads; then
    exit
elif script -qec true /dev/null >/dev/null 2>&1; then
    TERM=xterm script -qec "'$CAFE' embed g.in.cafe -k 64 --sweeps 300 --tune tolerance=0 -o v.npy" \
        typescript.in >/dev/null
    tr '\r' '\n' <typescript.in >.last/out # no pipe: a grep that has seen enough would end tr by a signal
    prints '^sweep [0-9]+/300 +[0-9]+ % \[[#-]+\]'
    TERM=xterm script -qec "'$CAFE' embed g.in.cafe -q -k 64 -o v.npy -f" quiet.in >/dev/null
    ! grep -q 'sweep' quiet.in || fail "-q draws a progress bar"
else
    echo "skipped: no script(1) or no pseudo-terminal, so the progress bar is not seen"
fi
expect 0 "$CAFE" embed g.in.cafe -k 16 -o v.npy -f
! grep -q '\[[#-]*\]' .last/err || fail "a progress bar that is not on a terminal"
