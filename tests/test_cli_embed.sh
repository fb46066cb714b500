#!/usr/bin/env bash
# cafe embed as a user runs it: outputs, report, options, names, threads, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- the main way: vectors and report, talk on standard error only
expect 0 "$CAFE" embed "$karate" -o v.npy --columns 8 --json r.json
silent
says '34 nodes, 78 edges, 1 component'
says 'objective'
says 'residual'
only v.npy r.json
[[ $(head -c 6 v.npy | tail -c 5) == NUMPY ]] || fail "v.npy is no npy file"
columns=$(json_value r.json columns)
[[ $columns -ge 1 && $columns -le 8 ]] || fail "columns: $columns"
header=$(($(stat -c %s v.npy) - 34 * columns * 4))
[[ $header -gt 0 && $header -le 256 && $((header % 64)) -eq 0 ]] || fail "v.npy has an odd size"
json_check r.json
for key in schema version graph sampling method options objective sweeps converged effective_rank \
    columns columns_dropped ritz_values residuals shares groups certificate \
    seconds peak_bytes allocated_bytes path nodes edges lines self_loops duplicates reversed \
    zero_weights isolated components largest weighted total_weight problem rotated orthogonality \
    tolerance columns_converged products read sample solve finish write total seed threads \
    output-form sweeps beta chunks self-loops; do
    grep -qE "^ *\"$key\": " r.json || fail "the report lacks $key"
done
[[ $(json_value r.json schema) == '"cafe/embed/1"' ]] || fail "schema"
[[ $(json_value r.json nodes) == 34 && $(json_value r.json edges) == 78 ]] || fail "graph figures"
[[ $(json_value r.json problem) == '"Q v = rho D v"' ]] || fail "the walk form's problem"
# tr(H^T Q H) once at the start and after each sweep, never falling
sed -nE 's/^ *"objective": \[(.*)\],?$/\1/p' r.json | tr -d ' ' | tr ',' '\n' >objective.in
[[ $(wc -l <objective.in) -eq $(($(json_value r.json sweeps) + 1)) ]] || fail "objective's length"
awk 'NR > 1 && $1 < last - 1e-6 { bad = 1 } { last = $1 } END { exit bad }' objective.in ||
    fail "the objective falls"

# ---- reports on standard output; quiet is quiet
expect 0 "$CAFE" embed "$karate" -q --columns 8 --json -
quiet
prints '"schema": "cafe/embed/1"'
cp .last/out s.json
json_check s.json
expect 0 "$CAFE" embed "$karate" -v --columns 4 -o verbose.tsv
says 'sweep +1 '
rm verbose.tsv

# ---- forms and formats
for form in scaled walk hhat ritz raw; do
    expect 0 "$CAFE" embed "$karate" -q --output-form $form -k 4 -o $form.tsv --json $form.json
    silent
    quiet
    columns=$(json_value $form.json columns)
    awk -F '\t' -v n=$((columns + 1)) 'NF != n { exit 1 } END { exit NR != 35 }' $form.tsv ||
        fail "$form.tsv is not 34 x $columns with names"
    [[ $(json_value $form.json output-form) == "\"$form\"" ]] || fail "$form is not in the report"
done
expect 0 "$CAFE" embed "$karate" -q -k 4 -o w.txt
[[ $(head -n 1 w.txt) =~ ^34\ [1-4]$ ]] || fail "word2vec's first line"
[[ $(wc -l <w.txt) -eq 35 ]] || fail "word2vec's length"
expect 0 "$CAFE" embed "$karate" -q -k 4 -o -
quiet
same .last/out scaled.tsv

# Ritz vectors to a residual: Q's columns are orthonormal and the report says they converged
expect 0 "$CAFE" embed --no-heading "$karate" -q -k 4 --output-form ritz --residual 1e-4 -o p.tsv --json p.json
[[ $(json_value p.json columns_converged) == $(json_value p.json columns) ]] || fail "not converged"
[[ $(json_value p.json rotated) == true ]] || fail "not rotated"
awk -F '\t' '{ for (i = 2; i <= NF; i++) for (j = i; j <= NF; j++) g[i, j] += $i * $j; n = NF }
    END { for (i = 2; i <= n; i++) for (j = i; j <= n; j++)
        { d = g[i, j] - (i == j); if (d * d > 1e-8) exit 1 } }' p.tsv || fail "not orthonormal"

# ---- the same bits for any number of threads; another seed, other bits
for threads in 1 2 3 8; do
    expect 0 "$CAFE" embed "$karate" -q -k 16 -t $threads -o t$threads.npy
    same t1.npy t$threads.npy
done
expect 0 "$CAFE" embed "$karate" -q -k 16 --seed 1 -o seed1.npy
same t1.npy seed1.npy
expect 0 "$CAFE" embed "$karate" -q -k 16 --seed 18446744073709551615 -o seed2.npy
! cmp -s t1.npy seed2.npy || fail "the seed has no effect"

# ---- a warm start takes the file's columns and begins where the last run ended
expect 0 "$CAFE" embed "$karate" -q -k 6 --output-form raw -o h.npy --json h.json
expect 0 "$CAFE" embed "$karate" -q --start h.npy --sweeps 1 --json again.json
[[ $(json_value again.json columns_asked) == 6 ]] || fail "the start's columns are not used"
last=$(sed -nE 's/^ *"objective": \[.* ([^]]*)\],?$/\1/p' h.json)
first=$(sed -nE 's/^ *"objective": \[([^,]*),.*$/\1/p' again.json)
awk -v a="$last" -v b="$first" 'BEGIN { exit !(a - b < 1e-5 && b - a < 1e-5) }' ||
    fail "the start is $first, the end was $last"
expect 0 "$CAFE" embed "$karate" -q --start h.npy --sweeps 1 -o by-order.npy
expect 0 "$CAFE" embed --no-heading "$karate" -q -k 6 --output-form raw -o h.tsv
tac h.tsv >turned.in.tsv
expect 0 "$CAFE" embed "$karate" -q --start turned.in.tsv --sweeps 1 -o by-name.npy
same by-order.npy by-name.npy
expect 1 "$CAFE" embed "$karate" -q --start h.npy -k 5 --json no.json
says 'start vectors have 6 columns, and --columns is 5'
[[ ! -e no.json ]] || fail "a refused run left a report"

# ---- names come back: integers ascending, strings by first appearance, in every format
printf '30 7\n7 1000000000000\n30 1000000000000\n-4 7\n' >integers.in.txt
expect 0 "$CAFE" embed --no-heading integers.in.txt -q -k 2 -o i.tsv
[[ $(cut -f 1 i.tsv | xargs) == '-4 7 30 1000000000000' ]] || fail "integer names: $(cut -f 1 i.tsv)"
printf 'zo\xc3\xab,b"q\nb"q,<x&y>\n<x&y>,zo\xc3\xab\n<x&y>,007\n' >strings.in.csv
expect 0 "$CAFE" embed strings.in.csv -q -k 2 -o s.npy
[[ $(xargs -d '\n' <s.npy.names.txt) == $'zo\xc3\xab b"q <x&y> 007' ]] || fail "string names"
expect 0 "$CAFE" embed strings.in.csv -q -k 2 -o s.txt
[[ $(tail -n +2 s.txt | cut -d ' ' -f 1 | xargs -d '\n') == $'zo\xc3\xab b"q <x&y> 007' ]] ||
    fail "string names in word2vec text"
# the file of names is an output too
expect 1 "$CAFE" embed strings.in.csv -k 2 -o s.npy
rm s.npy
expect 1 "$CAFE" embed strings.in.csv -k 2 -o s.npy
says 's.npy.names.txt: exists'
expect 0 "$CAFE" embed strings.in.csv -q -k 2 -o s.npy -f

# --nodes declares isolated nodes; ids from 0 on then need no file of names
printf '0 1\n1 2\n2 0\n' >triangle.in.txt
expect 0 "$CAFE" embed triangle.in.txt -k 2 --nodes 5 -o five.npy --json five.json
says '2 isolated nodes'
[[ $(json_value five.json isolated) == 2 && ! -e five.npy.names.txt ]] || fail "--nodes 5"

# ---- refusals come before the work
rm -f ./*.npy ./*.tsv ./*.json ./*.txt
echo keep >kept.in.npy
expect 1 "$CAFE" embed absent.txt -o kept.in.npy
says 'kept.in.npy: exists; -f overwrites it'
[[ $(cat kept.in.npy) == keep ]] || fail "an existing file was touched"
expect 1 "$CAFE" embed absent.txt -o v.npy --json kept.in.npy
says 'exists'
expect 1 "$CAFE" embed absent.txt -o no/such/v.npy
says 'folder does not exist'
mkdir folder.in.npy
expect 1 "$CAFE" embed absent.txt -f -o folder.in.npy
says 'is a folder'
only_inputs

# ---- memory: the plan, and the refusal of what cannot fit
expect 0 "$CAFE" embed "$karate" --dry-run
prints 'the run needs .* it fits'
expect 4 "$CAFE" embed "$karate" --dry-run --memory-limit 1k --json plan.json
prints 'it does not fit'
says '^cafe embed: the run needs'
json_check plan.json
[[ $(json_value plan.json fits) == false ]] || fail "the plan's report"
expect 4 "$CAFE" embed "$karate" -o v.npy --memory-limit 1K
says 'it does not fit'
only plan.json

# what six decimals do not show is 0, without a sign; and one warning of columns that cannot be
printf '%s\n' '1 2' '2 3' '3 1' '3 4' '4 5' '5 6' '6 4' >two.in.txt
expect 0 "$CAFE" embed two.in.txt --method grarep -k 6 -o two.npy
! grep -q -- '-0\.000000' .last/err || fail "a negative 0"
expect 0 "$CAFE" embed two.in.txt --method spectral -k 8 -o two.npy -f
[[ $(grep -c warning .last/err) -eq 1 ]] || fail "two warnings of the same columns"

# ---- rows of 16 bits: the same bits for any threads, near the others, a word that is none
karate=$SOURCE/examples/karate.txt
expect 0 "$CAFE" embed "$karate" -q -k 8 --output-form ritz -o whole.npy -f --json whole.json
for storage in float16 bfloat16; do
    expect 0 "$CAFE" embed "$karate" -k 8 --output-form ritz --tune storage=$storage -o one.npy -f --json one.json
    expect 0 "$CAFE" embed "$karate" -q -k 8 --output-form ritz --tune storage=$storage --threads 3 -o three.npy -f
    same one.npy three.npy
    ! cmp -s one.npy whole.npy || fail "$storage: nothing was rounded"
    grep -q "\"storage\": *\"$storage\"" one.json || fail "$storage: not in the report"
done
expect 2 "$CAFE" embed "$karate" --tune storage=float8 -o v.npy
says 'float32.*float16.*bfloat16'
expect 1 "$CAFE" cluster "$karate" --method softmax --tune rows=sparse --tune storage=float16 -o v.txt
says 'storage is for dense rows'
