# What the shell tests share. $CAFE is the tool, $SCRATCH a folder to work in, $SOURCE the
# repository. A failed check ends the test and shows the last command's output.
# shellcheck shell=bash
set -euo pipefail

# A script in the background has SIGINT ignored, and so has what it starts: tests of Ctrl-C would wait without end.
ignored=$(sed -n 's/^SigIgn:[[:blank:]]*//p' /proc/self/status)
if (((16#$ignored >> 1) & 1)); then exec env --default-signal=INT bash "$0" "$@"; fi

: "${CAFE:?}" "${SCRATCH:?}" "${SOURCE:?}"
rm -rf "$SCRATCH"
mkdir -p "$SCRATCH"
cd "$SCRATCH"
mkdir .last

fail() {
    echo "FAILED: $*" >&2
    for stream in out err; do
        [[ ! -s .last/$stream ]] || { echo "-- $stream:"; head -n 30 .last/$stream; } >&2
    done
    exit 1
}

# expect CODE COMMAND...: runs it, keeps what it prints in .last/out and .last/err.
expect() {
    local want=$1 got=0
    shift
    "$@" >.last/out 2>.last/err || got=$?
    [[ $got -eq $want ]] || fail "exit code $got instead of $want: $*"
}

says() { grep -qE -- "$1" .last/err || fail "standard error lacks: $1"; }
prints() { grep -qE -- "$1" .last/out || fail "standard output lacks: $1"; }
silent() { [[ ! -s .last/out ]] || fail "standard output is not empty"; }
quiet() { [[ ! -s .last/err ]] || fail "standard error is not empty"; }

# Nothing but these files (and the test's own inputs, *.in*) is in the folder.
only() {
    local found wanted
    found=$(find . -mindepth 1 -maxdepth 1 ! -name .last ! -name '*.in*' -printf '%f\n' | sort | xargs)
    wanted=$(printf '%s\n' "$@" | sort | xargs)
    [[ $found == "$wanted" ]] || fail "files: '$found' instead of '$wanted'"
}

only_inputs() { only ''; }

# Is the tool built with a sanitizer? With that of threads?
sanitized() { grep -q '^CAFE_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; }
sanitized_threads() { grep -q '^CAFE_SANITIZE:STRING=thread' "$BUILD/CMakeCache.txt"; }

# Are the calls to the system those of any POSIX system, without Linux's own?
posix_form() { grep -q '^CAFE_OS:STRING=posix' "$BUILD/CMakeCache.txt"; }

# eventually COMMAND...: waits until it succeeds. A test that needs five minutes has failed on any machine.
eventually() {
    local n
    for ((n = 0; n < 6000; n++)); do
        ! "$@" || return 0
        sleep 0.05
    done
    fail "not within five minutes: $*"
}

# catches PROCESS: it is over, or has the tool's handlers of SIGALRM, SIGINT and SIGTERM, which is the last of them (15)
catches() {
    local mask
    mask=$(sed -n 's/^SigCgt:[[:blank:]]*//p' "/proc/$1/status" 2>/dev/null || true)
    [[ -z $mask ]] || (((16#$mask >> 14) & 1))
}

same() { cmp -s -- "$1" "$2" || fail "$1 and $2 differ"; }

# A report without the words of its command line.
without_given() { sed '/^  "given": {$/,/^  },*$/d' "$1"; }

# A Python for JSON, if available.
json_check() {
    local python
    python=$(command -v python3 || true)
    if [[ -z $python ]]; then
        echo "skipped: no python3, so $1 is not checked as JSON"
        return
    fi
    "$python" -m json.tool <"$1" >/dev/null || fail "$1 is not JSON"
}

# The value of a scalar in a report as the tool lays it out: of the outermost object, else of the
# first inner one that has it.
json_value() {
    local value
    value=$(sed -nE "s/^  \"$2\": ([^,]*),?\$/\\1/p" "$1")
    [[ -n $value ]] || value=$(sed -nE "s/^ +\"$2\": ([^,]*),?\$/\\1/p" "$1" | sed 1q)
    printf '%s\n' "$value"
}

# group_columns FILE KIND: the columns of that kind in a report of cafe embed.
group_columns() {
    grep -A3 "^      \"kind\": \"$2\"" "$1" | sed -n 's/.*"columns": \([0-9]*\).*/\1/p' |
        awk '{ sum += $1 } END { print sum + 0 }'
}

# The folders in which FILE, a program or a shared library, lets the loader look: none is empty or relative,
# for those would be the folder of whoever calls it. $ORIGIN is the file's own.
search_path() {
    local path folder
    path=$(readelf -dW "$1" | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p')
    [[ -n $path ]] || return 0
    while IFS= read -r -d : folder; do
        case $folder in
            /* | \$ORIGIN | \$ORIGIN/*) ;;
            *) fail "$1: '$folder' in its search path '$path'" ;;
        esac
    done <<<"$path:"
}

# several_processes: ready for mpirun, or the test is skipped with the reason. There are not as many processors as
# processes, which give way to one another while they wait; messages of mpirun itself are not what is tested.
several_processes() {
    command -v mpirun >/dev/null || { echo 'skipped: there is no mpirun'; exit 77; }
    [[ -e ${BUILD:?}/libcafe-petsc.so ]] || { echo 'skipped: libcafe-petsc.so was not built'; exit 77; }
    export CAFE_ENGINE_PATH=$BUILD
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    timeout 300 mpirun -q -n 2 true || { echo 'skipped: mpirun cannot start two processes here'; exit 77; }
}
