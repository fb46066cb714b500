#!/usr/bin/env bash
# Several files and folders as one edge list; nodes without edges from a file.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# ---- parts with a heading each, packed or not, have the bits of the concatenated file
awk 'BEGIN { srand(7); for (i = 0; i < 900; i++) print "n" int(rand() * 90) "," "n" int(rand() * 90) "," int(rand() * 4) / 2 }' >body.in
{ echo source,target,weight; cat body.in; } >whole.in.csv
mkdir parts.in
split -n l/3 --additional-suffix=.csv -d body.in parts.in/part-
for part in parts.in/*; do sed -i '1i source,target,weight' "$part"; done
gzip parts.in/part-01.csv
printf '# a comment\n' >parts.in/part-03.csv
: >parts.in/_SUCCESS
: >parts.in/.part-00.csv.crc
: >parts.in/part-04.csv
expect 0 "$CAFE" convert -q whole.in.csv whole.cafe
expect 0 "$CAFE" convert -q parts.in parts.cafe
same whole.cafe parts.cafe
expect 0 "$CAFE" embed -q -k 4 parts.cafe -o whole.npy
expect 0 "$CAFE" embed -k 4 parts.in/part-0[0-4].csv* -o parts.npy -t 3
says '; a heading; commas; 5 files: parts.in/part-00.csv to parts.in/part-04.csv$'
same whole.npy parts.npy
expect 0 "$CAFE" info parts.in --json -
cp .last/out info.json
[[ $(json_value info.json files) == 5 && $(json_value info.json lines) == 900 ]] || fail 'files of the report'

# ---- integers that become wide, or names, in a later file are read again from the first one on
printf '1 2\n2 3\n' >one.in.txt
printf '3 99999999999\n' >wide.in.txt
printf 'x 1\n' >name.in.txt
expect 0 "$CAFE" info one.in.txt wide.in.txt
prints '^names +integers: 1 .. 99999999999$'
expect 0 "$CAFE" info one.in.txt wide.in.txt name.in.txt
prints '^names +strings: 1 .. x$'

# ---- places in errors are those of the file
printf '4 5 0.5 7\n1 2 x y\n' >bad.in.txt
expect 3 "$CAFE" info one.in.txt one.in.txt bad.in.txt
says 'bad.in.txt:1:'
printf 'target,source,weight\nn1,n2,3\n' >turned.in.csv
expect 3 "$CAFE" info parts.in/part-00.csv turned.in.csv
says "turned.in.csv:1:1: expected an edge, or the heading of parts.in/part-00.csv, 'source,target,weight', found another"

# ---- refused: other formats, a folder without files or with folders, two inputs
expect 3 "$CAFE" info whole.cafe one.in.txt
says 'expected an edge list, as every file of several is, found binary'
expect 1 "$CAFE" info one.in.txt absent.txt
says 'absent.txt: cannot be opened'
mkdir empty.in nested.in nested.in/inner
expect 3 "$CAFE" info empty.in
says 'expected files in the folder, found none'
expect 3 "$CAFE" info nested.in
says 'found the folder inner in it'
expect 2 "$CAFE" update one.in.txt wide.in.txt both.txt --from v.npy -o w.npy
says "unexpected argument 'both.txt': the old graph is one file or a folder"
expect 2 "$CAFE" embed one.in.txt wide.in.txt -o wide.in.txt
says 'would replace a file that is read'

# ---- nodes without edges: a list, a table with a heading, the same names again
printf '7\n1\n9\n' >nodes.in.txt
expect 0 "$CAFE" cluster one.in.txt --nodes-from nodes.in.txt -o found.tsv
says '2 nodes of nodes.in.txt without an edge: isolated'
[[ $(cut -f1 found.tsv | xargs) == *'1 2 3 7 9' ]] || fail 'integers in order'
expect 0 "$CAFE" info one.in.txt --nodes-from nodes.in.txt
prints '^isolated +2$'
printf '7\nseven\n' >words.in.txt
expect 3 "$CAFE" info one.in.txt --nodes-from words.in.txt
says 'words.in.txt:2:1: expected an integer, as the names of the graph are'
printf 'a b\nb c\n' >names.in.txt
printf 'Id,Kind\nz,1\na,2\ny,1\n' >table.in.csv
expect 0 "$CAFE" info names.in.txt --nodes-from table.in.csv
prints '^names +strings: a .. y$'
prints '^isolated +2$'
