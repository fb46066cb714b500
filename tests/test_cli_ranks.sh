#!/usr/bin/env bash
# embed --dry-run --tune ranks: the forecast for several processes, for people and in JSON; refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

expect 0 "$CAFE" generate planted --nodes 5000 --edges 40000 --blocks 20 --seed 3 -q -o g.in.cafe
dry=("$CAFE" embed --dry-run)

# ---- counted in the graph
expect 0 "${dry[@]}" g.in.cafe -k 32 --tune ranks=4 --threads 2 --json plan.json
prints '^5000 nodes, 40000 edges, 32 columns'
prints '^4 ranks of 2 threads: 7[0-9]\.[0-9]% of the edges lie between ranks \(counted\)$'
prints '^memory of a rank: .* \(arrays of all nodes .*, edges .*, own rows .*, ghost rows .*, the rest .*\)$'
prints '^a sweep sends .*, a rank at most .*, and adds up 32 sums [0-9]+ times$'
grep -q takes .last/out && fail "a time without rates"
json_check plan.json
ghosts=$(json_value plan.json ghost_rows)
[[ $(json_value plan.json counted) == true && $ghosts -gt 5000 && $ghosts -lt 15000 ]] || fail "ghosts: $ghosts"
[[ $(json_value plan.json bytes_per_sweep) -eq $((ghosts * 32 * 4)) ]] || fail "bytes of a sweep"
grep -q '"sweep_seconds"' plan.json && fail "a time without rates"
rm plan.json

# ---- rates, as they are understood
expect 0 "${dry[@]}" g.in.cafe --tune ranks=4 --tune network=25G --tune memory-bandwidth=100G --json -
grep -q '"network_rate": 3125000000' .last/out || fail "25G of a network are bits"
grep -q '"memory_rate": 100000000000' .last/out || fail "100G of memory are bytes"
grep -q '"run_seconds": ' .last/out || fail "no time"
expect 0 "${dry[@]}" g.in.cafe --tune ranks=4 --tune network=3GB --tune memory-bandwidth=1TB
prints '^rates of a rank: memory 1e\+03 GB/s, network 24 Gbit/s \(3 GB/s\)$'
prints '^a sweep takes about .* s: rows from memory .* s, ghost rows .* s, waiting .* s$'
prints '^the run takes about .* s with 10 sweeps, without reading and writing files$'

# ---- without a graph
expect 0 "${dry[@]}" --graph-size 1e10,1e12 --tune ranks=1024 --tune cut=0.05 --json plan.json
prints '^10000000000 nodes, 1000000000000 edges, 128 columns'
prints '^1024 ranks of .*: 5\.0% of the edges lie between ranks \(expected\)$'
json_check plan.json
[[ $(json_value plan.json counted) == false && $(json_value plan.json nodes) == 10000000000 ]] || fail "the size"
rm plan.json
expect 0 "${dry[@]}" --graph-size 1e6,1e7
prints '^1 rank of '

# spectral has no sweeps, and no time is forecast
expect 0 "${dry[@]}" g.in.cafe --tune ranks=2 --method spectral --tune network=25Gbit --tune memory-bandwidth=50GB
prints '^a rank has at most '
prints '^memory of a rank: '
! grep -qE 'sweep|the run takes' .last/out || fail 'sweeps of a method that has none'

# walks are drawn, and kept, whole by every rank: a pair is two entries
expect 0 "${dry[@]}" g.in.cafe -k 2 --tune ranks=2 --json plan.json
whole=$(json_value plan.json whole_bytes)
for ranks in 2 512; do
    expect 0 "${dry[@]}" g.in.cafe -k 2 --tune ranks="$ranks" --sampling pagerank --tune samples=10000000 --json plan.json -f
    [[ $(json_value plan.json whole_bytes) -ge $((whole + 8 * 20000000)) ]] || fail "the sampled graph is taken as divided"
    [[ $(json_value plan.json rank_bytes) -ge $((20 * 20000000)) ]] || fail "the drawing of pairs is left out"
done
rm plan.json

# ---- a rank's limit
expect 0 "${dry[@]}" g.in.cafe --tune ranks=2 --memory-limit 8G
prints '^8\.00 GiB is the limit of a rank: it fits$'
expect 4 "${dry[@]}" g.in.cafe --tune ranks=2 --memory-limit 40M --json plan.json
prints 'is the limit of a rank: it does not fit$'
says 'a rank needs .* of memory and 40.0 MiB is the limit: it does not fit; more --tune ranks or fewer --columns'
[[ $(json_value plan.json rank_fits) == false ]] || fail "it fits"
rm plan.json

# ---- refusals
refuses() { # MESSAGE CODE ARGUMENTS...
    local message=$1 code=$2
    shift 2
    expect "$code" "${dry[@]}" "$@"
    says "$message"
}
# a file that others may write is not mapped but copied, by every rank
forecast() { expect 0 "${dry[@]}" g.in.cafe --tune ranks=2 -q -f --json "$1"; }
forecast mapped.in.json
chmod 666 g.in.cafe
forecast copied.in.json
chmod 644 g.in.cafe
[[ $(json_value mapped.in.json mapped_bytes) -gt 0 && $(json_value copied.in.json mapped_bytes) -eq 0 ]] ||
    fail 'the forecast of a file that others may write'
(($(json_value copied.in.json rank_bytes) > $(json_value mapped.in.json rank_bytes))) || fail 'the copy is not in the forecast'

refuses "'25gb' may be bits or bytes a second; write 25Gbit or 25GB" 1 g.in.cafe --tune ranks=2 --tune network=25gb
refuses "'25' may be bits or bytes" 1 g.in.cafe --tune ranks=2 --tune network=25
refuses 'takes a rate such as 25Gbit or 3GB' 1 g.in.cafe --tune ranks=2 --tune memory-bandwidth=fast
refuses '--tune ranks takes a whole number from 1 to 1048576' 2 g.in.cafe --tune ranks=0
refuses '--tune cut takes a number from 0 to 1' 2 g.in.cafe --tune ranks=2 --tune cut=1.5
refuses '--tune network goes with --tune ranks' 2 g.in.cafe --tune network=25G
refuses 'deepwalk runs on one process alone; sphere, cafe and spectral run on several' 1 g.in.cafe --tune ranks=2 --method deepwalk
refuses 'spectral propagation runs on one process alone' 1 g.in.cafe --tune ranks=2 --propagate
refuses 'is for a graph that is not there: leave g.in.cafe out' 2 g.in.cafe --graph-size 10,10
refuses 'goes without --start and --labels' 2 --graph-size 10,10 --labels g.in.cafe
for size in 10 '10,' ,10 0,10 1.5,10 -1,10 10,10,10 1e30,1 many; do
    refuses '--graph-size takes nodes and edges such as 1e10,1e12' 2 "--graph-size=$size"
done
refuses 'missing argument' 2
expect 2 "$CAFE" embed g.in.cafe --tune ranks=2 -o v.npy
says '--tune ranks goes with --dry-run: a run has the processes that mpirun gives it'
expect 2 "$CAFE" embed --graph-size 10,10 -o v.npy
says '--graph-size goes with --dry-run'
only_inputs
