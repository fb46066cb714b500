#!/usr/bin/env bash
# Communities of sums on several processes: those of one process, with the same bytes. Vectors of sums are refused by name.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

several_processes
awk 'BEGIN { srand(4); print "from,to,year"; for (i = 0; i < 60000; i++) { u = int(rand() * 5000); w = int(rand() * 5000);
    if (u % 9 == w % 9 || rand() < 0.1) print u "," w "," 2020 + i % 2 } }' >t.in.csv
awk -F, 'NR > 1 { print $1, $2, ($1 % 9 == $2 % 9) == (rand() < 0.9) ? 1 : -1 }' t.in.csv >s.in.txt

# ranks N WORDS: cafe with so many processes
ranks() { timeout 300 mpirun -q -n "$1" "$CAFE" "${@:2}" -t 1 --engine petsc -q; }

for words in 's.in.txt --signed' 't.in.csv --layer year' 't.in.csv --time year' 't.in.csv --time year --null constant'; do
    # shellcheck disable=SC2086
    expect 0 "$CAFE" cluster $words -o one.in.tsv --effort fast -q -f
    # shellcheck disable=SC2086
    expect 0 ranks 3 cluster $words -o more.in.tsv --effort fast -f
    cmp one.in.tsv more.in.tsv || fail "$words: three processes find other communities"
done

expect 1 ranks 2 embed s.in.txt --signed -o no.npy
says "the engine 'petsc' runs graphs, not tables or sums of operators"
only
