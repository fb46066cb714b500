#!/usr/bin/env bash
# Tables of databases by a pipe: SQLite, and PostgreSQL from a server of our own if it is installed. The pipe gives the results
# of the same edges in a file; names with commas, quotes, line breaks and letters of other scripts survive.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
command -v sqlite3 >/dev/null || { echo "skipped: no sqlite3 (scripts/install-deps --tests)"; exit 77; }
set -o pipefail

expect 0 "$CAFE" generate planted --nodes 200 --edges 1200 --blocks 4 -q -o numbers.in.txt
{
    echo "CREATE TABLE sales(day TEXT, buyer TEXT, seller TEXT, amount REAL);"
    grep -v '^#' numbers.in.txt | while read -r u w _; do
        echo "INSERT INTO sales VALUES('2026-01-0$((u % 9 + 1))', 'ann, \"$u\" Müller', 'ann, \"$w\" Müller', $((u + w + 1)) / 4.0);"
    done
    printf "INSERT INTO sales VALUES('2026-02-01', 'two\nlines', 'ann, \"1\" Müller', 0.5);\n"
} >sales.in.sql
# The same edges as a file that no database wrote.
{
    echo 'day,buyer,seller,amount'
    grep -v '^#' numbers.in.txt | while read -r u w _; do
        printf '2026-01-0%d,"ann, ""%d"" Müller","ann, ""%d"" Müller",%s\n' $((u % 9 + 1)) "$u" "$w" \
            "$(((u + w + 1) / 4)).$((25 * ((u + w + 1) % 4)))"
    done
    printf '2026-02-01,"two\nlines","ann, ""1"" Müller",0.5\n'
} >sales.in.csv
columns=(--source buyer --target seller --weight amount)
expect 0 "$CAFE" embed sales.in.csv "${columns[@]}" -k 4 -q -o file.in.npy
expect 0 "$CAFE" cluster sales.in.csv "${columns[@]}" -q -o file.in.tsv

# piped QUERY...: the vectors and communities of what a query prints
piped() {
    "$@" | "$CAFE" embed - "${columns[@]}" -k 4 -q -f -o pipe.in.npy || fail "$1: no vectors"
    cmp file.in.npy pipe.in.npy || fail "$1: other vectors"
    cmp file.in.npy.names.txt pipe.in.npy.names.txt || fail "$1: other names"
    "$@" | "$CAFE" cluster - "${columns[@]}" -q -f -o pipe.in.tsv || fail "$1: no communities"
    cmp file.in.tsv pipe.in.tsv || fail "$1: other communities"
}

# ---- SQLite, there and back
sqlite3 sales.in.db 'BEGIN' '.read sales.in.sql' 'COMMIT'
piped sqlite3 -csv -header sales.in.db 'SELECT * FROM sales'
"$CAFE" cluster sales.in.csv "${columns[@]}" -q -o - |
    sqlite3 -separator $'\t' sales.in.db '.import /dev/stdin communities' || fail "communities are not imported"
found=$(sqlite3 sales.in.db 'SELECT count(*), count(DISTINCT community) FROM communities JOIN
    (SELECT buyer AS node FROM sales UNION SELECT seller FROM sales) USING (node)')
names=$(sqlite3 sales.in.db "SELECT count(*) FROM (SELECT buyer FROM sales WHERE day < '2026-02' UNION SELECT seller FROM sales)")
[[ ${found%|*} -eq $names ]] || fail "names that come back: ${found%|*} of $names" # one has a line break, now a blank
[[ ${found#*|} -ge 2 ]] || fail "communities that come back: ${found#*|}"

# ---- a missing end is refused with its line
sqlite3 sales.in.db "INSERT INTO sales VALUES('2026-03-01', NULL, 'bob', 1)"
lines=$(sqlite3 -csv -header sales.in.db 'SELECT * FROM sales' | wc -l)
sqlite3 -csv -header sales.in.db 'SELECT * FROM sales' >missing.in.csv
expect 3 "$CAFE" info - "${columns[@]}" <missing.in.csv
says "<stdin>:$lines:"

# ---- PostgreSQL: a server of our own in this folder, without a network
bin=$(find /usr/lib/postgresql/*/bin /usr/local/pgsql/bin -maxdepth 0 2>/dev/null | tail -n 1) || true
if ! command -v psql >/dev/null || [[ ! -x $bin/initdb ]]; then
    echo "PostgreSQL was not tested: no psql, or no initdb"
    exit 0
fi
as=() # it refuses to run as root
if [[ $(id -u) -eq 0 ]]; then
    if ! getent passwd postgres >/dev/null || ! command -v runuser >/dev/null; then
        echo "PostgreSQL was not tested: no user for it"
        exit 0
    fi
    as=(runuser -u postgres --)
fi
base=$(mktemp -d)
cleanup() {
    "${as[@]}" "$bin/pg_ctl" -D "$base/data" -m immediate stop >/dev/null 2>&1
    rm -rf "$base"
}
trap cleanup EXIT
[[ ${#as[@]} -eq 0 ]] || chown postgres "$base"
(cd "$base" && "${as[@]}" "$bin/initdb" -D data -A trust -U tester --no-sync -E UTF8 --locale=C >/dev/null &&
    "${as[@]}" "$bin/pg_ctl" -D data -w -l log -o "-F -c listen_addresses='' -c unix_socket_directories='$base'" start >/dev/null) ||
    fail "no server"
psql() { PGOPTIONS='--client-min-messages=warning' command psql -X -q -v ON_ERROR_STOP=1 -h "$base" -U tester -d postgres "$@"; }
psql -f sales.in.sql || fail "the table is not made"
piped psql -c 'COPY (SELECT * FROM sales) TO STDOUT WITH (FORMAT csv, HEADER)'
psql -c 'CREATE TABLE communities(node TEXT, community INT)'
"$CAFE" cluster sales.in.csv "${columns[@]}" -q -o - |
    psql -c "COPY communities FROM STDIN WITH (FORMAT csv, DELIMITER E'\t', HEADER)" || fail "communities are not imported"
[[ $(psql -At -c 'SELECT count(*), count(DISTINCT community) FROM communities JOIN
    (SELECT buyer AS node FROM sales UNION SELECT seller FROM sales) AS names USING (node)') == "$found" ]] || fail "PostgreSQL: other communities"
