#!/usr/bin/env bash
# cafe plot as a user runs it: PNG that decodes, SVG that is XML, pictures in the terminal.
. "$SOURCE/tests/lib.sh"

python=$(command -v python3 || true)

# png FILE WIDTH HEIGHT: decodes, of that size, with more than one colour
png() {
    [[ -n $python ]] || { echo "skipped: no python3, so $1 is not decoded"; return; }
    "$python" - "$@" <<'P' || fail "$1 is no PNG of $2 x $3"
import struct, sys, zlib
data = open(sys.argv[1], 'rb').read()
assert data[:8] == b'\x89PNG\r\n\x1a\n'
at, packed, kinds = 8, b'', []
while at < len(data):
    size, = struct.unpack('>I', data[at:at + 4])
    kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
    assert struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
    kinds.append(kind)
    if kind == b'IHDR':
        width, height, depth, colour = struct.unpack('>IIBB', body[:10])
    if kind == b'IDAT':
        packed += body
    at += 12 + size
assert kinds == [b'IHDR', b'IDAT', b'IEND'] and (depth, colour) == (8, 2)
assert (width, height) == (int(sys.argv[2]), int(sys.argv[3]))
rows = zlib.decompress(packed)
assert len(rows) == height * (3 * width + 1) and len(set(rows)) > 20
P
}

# svg FILE CIRCLES: well-formed, of so many circles, without a script
svg() {
    [[ -n $python ]] || { echo "skipped: no python3, so $1 is not parsed"; return; }
    "$python" - "$@" <<'P' || fail "$1 is no SVG with $2 circles"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
names = [e.tag.split('}')[1] for e in root.iter()]
assert root.tag == '{http://www.w3.org/2000/svg}svg'
assert set(names) <= {'svg', 'title', 'rect', 'g', 'circle', 'line', 'text', 'image'}, set(names)
assert names.count('circle') == int(sys.argv[2]), names.count('circle')
assert not any(a.startswith('on') for e in root.iter() for a in e.attrib)
P
}

# wide FILE WIDTH: no line has more characters, the terminal's codes aside
wide() {
    sed 's/\x1b\[[0-9;]*m//g' "$1" | LC_ALL=C tr -d '\200-\277' | # one byte of each character stays
        LC_ALL=C awk -v most="$2" 'length($0) > most { exit 1 }' ||
        fail "$1 has lines of more than $2 characters"
}

expect 0 "$CAFE" generate sbm --nodes 600 --edges 6000 --blocks 3 --mixing 0.1 -q -o g.in.txt --labels l.in
expect 0 "$CAFE" embed g.in.txt -q --columns 8 -o e.in.npy
expect 0 "$CAFE" plot g.in.txt e.in.npy -q -o m.in.npy
plot() { "$CAFE" plot g.in.txt e.in.npy -q "$@"; }

# ---- files: a map made here, one read, columns; all colours; light and dark
expect 0 plot -o a.png
quiet
silent
png a.png 1200 900
expect 0 plot --map m.in.npy -o b.png
same a.png b.png
expect 0 plot --map m.in.npy --tune pixels-wide=500 --tune pixels-high=400 --dark yes --colour centrality -o c.png
png c.png 500 400
expect 0 plot --dimensions 0,2 --column 3 --title 'Columns' -o d.svg
svg d.svg 600
grep -q '>column 2<' d.svg || fail "the axis has no name"
expect 0 plot --map m.in.npy --labels l.in -o e.svg
svg e.svg 603 # three of the legend
expect 0 plot --map m.in.npy --communities l.in --colour community -o f.svg
expect 0 plot --map m.in.npy --colour none --tune most-links=10000 -o h.svg
[[ $(grep -c '<line' h.svg) -gt 5000 ]] || fail "no edges"
expect 0 plot --map m.in.npy --colour none -o i.svg
! grep -q '<line' i.svg || fail "links although there are many"
only a.png b.png c.png d.svg e.svg f.svg h.svg i.svg
for threads in 1 3; do
    expect 0 plot -t $threads -o t$threads.png
    expect 0 plot -t $threads --dimensions 0,1 -o t$threads.svg
done
same t1.png t3.png
same t1.svg t3.svg
same a.png t1.png

# ---- legends tell what communities are about, and which attribute the labels are
{
    echo 'graph ['
    for u in {0..19}; do
        printf 'node [ id %d Field "%s" age %d ]\n' "$u" "$([[ $u -lt 10 ]] && echo Physics || echo Biology)" $((20 + u))
    done
    for u in {0..19}; do
        for w in {0..19}; do
            [[ $u -ge $w || $((u / 10)) -ne $((w / 10)) ]] || echo "edge [ source $u target $w ]"
        done
    done
    echo 'edge [ source 0 target 10 ] ]'
} >field.in.gml
expect 0 "$CAFE" embed field.in.gml -q --columns 3 -o field.in.npy
expect 0 "$CAFE" cluster field.in.gml -q -o field.in.tsv
field() { "$CAFE" plot field.in.gml field.in.npy -q -f -o field.svg "$@"; }
expect 0 field
grep -q '>0  Field: Physics (100 %)<' field.svg || fail "the first community has no name"
grep -q '>1  Field: Biology (100 %)<' field.svg || fail "the second community has no name"
expect 0 field --communities field.in.tsv
grep -q '>1  Field: Biology (100 %)<' field.svg || fail "a community of a file has no name"
expect 0 field --label Field
grep -q '>Field<' field.svg || fail "the legend does not name the attribute"
grep -q '>Physics<' field.svg || fail "the legend does not name the classes"
expect 0 field --label age
grep -q '>age<' field.svg || fail "the scale does not name the attribute"
rm field.svg

# ---- many points: an image in the SVG
expect 0 "$CAFE" generate sbm --nodes 21000 --edges 60000 --blocks 3 -q -o big.in.txt
expect 0 "$CAFE" embed big.in.txt -q --columns 2 --sweeps 3 -o big.in.npy
expect 0 "$CAFE" plot big.in.txt big.in.npy --dimensions 0,1 --colour none -o big.svg
says 'are an image'
svg big.svg 0
grep -q 'href="data:image/png;base64,' big.svg || fail "no image"

# ---- hostile names and labels
printf '%s\n' 'a b' 'b c' 'c a' >h.in
printf 'a <script>alert(1)</script>\nb x"&y\nc \x01\x1b[31mred\n' >hl.in
expect 0 "$CAFE" embed h.in -q --columns 2 -o h.in.tsv
expect 0 "$CAFE" plot h.in h.in.tsv -q --labels hl.in --title $'<b onload="x">\x02&amp;\xff' -o h2.svg
svg h2.svg 6
! grep -q '<script\|<b ' h2.svg || fail "a name became markup"
CLICOLOR_FORCE=1 expect 0 "$CAFE" plot h.in h.in.tsv -q --labels hl.in --terminal --title $'\x1b[2J'
! grep -qF -e $'\x1b[31m' -e $'\x1b[2J' .last/out || fail "a name reached the terminal"

# ---- the terminal
for width in 20 80 131; do
    COLUMNS=$width expect 0 plot --map m.in.npy --terminal --labels l.in
    wide .last/out $width
    ! grep -q $'\x1b' .last/out || fail "colours although this is no terminal"
    COLUMNS=$width CLICOLOR_FORCE=1 expect 0 plot --map m.in.npy --terminal --labels l.in
    wide .last/out $width
    grep -q $'\x1b\\[38' .last/out || fail "no colours"
done
expect 0 plot --map m.in.npy --terminal
wide .last/out 80
prints '600 points'
NO_COLOR=1 expect 0 plot --dimensions 0,1 --terminal
! grep -q $'\x1b' .last/out || fail "NO_COLOR"

# ---- names of the leading nodes, in any script of Europe
printf '"Zo\303\251" "\305\201ukasz"\n"\305\201ukasz" "x & y"\n"x & y" "Zo\303\251"\n' >n.in
expect 0 "$CAFE" embed n.in -q --columns 2 -o n.in.tsv
expect 0 "$CAFE" plot n.in n.in.tsv -q -o n.svg
for name in $'Zo\303\251' $'\305\201ukasz' 'x &amp; y'; do
    grep -q ">$name</text>" n.svg || fail "no name $name"
done
expect 0 "$CAFE" plot n.in n.in.tsv -q --tune names=1 -o n1.svg
[[ $(grep -c 'paint-order' n1.svg) -eq 1 ]] || fail "one name"
expect 0 "$CAFE" plot n.in n.in.tsv -q --tune names=0 -o n0.svg
! grep -q 'paint-order' n0.svg || fail "no names"
expect 2 "$CAFE" plot n.in n.in.tsv -q --tune names=few -o n2.svg

# ---- refusals
expect 1 plot -o a.png
says 'exists'
expect 0 plot -f --map m.in.npy -o a.png
expect 2 plot
says 'no output: give'
expect 2 plot -o x.jpg
says 'it can be .svg .png'
expect 2 plot -o x.png --dimensions 0,8
says 'from 0 to 7'
expect 2 plot -o x.png --dimensions 0,1 --map m.in.npy
expect 2 plot -o x.png --tune pixels-wide=10
expect 2 plot -o x.png --tune pixels-high=big
expect 2 plot -o x.png --tune most-links=many
expect 2 plot -o x.png --colour label
expect 2 plot -o x.png --colour rainbow
expect 2 plot -o x.png --dark maybe
says 'maybe: the ending tells the format'
expect 3 plot -o x.png --map e.in.npy
says 'expected 2 columns'
[[ ! -e x.png ]] || fail "a refused run left a file"

# ---- PDF: every object is where the table at the end says, and the picture has its length; also with an image
at() { grep -abo -m 1 -- "$2" "$1" | head -n 1 | cut -d : -f 1; }
printf '0 1\n1 2\n2 0\n' >few.in.txt
expect 0 "$CAFE" embed few.in.txt -q --columns 2 -o few.in.npy
expect 0 "$CAFE" generate ba --nodes 20100 --edges 20200 -q -o many.in.cafe
expect 0 "$CAFE" embed many.in.cafe -q --columns 2 --sweeps 1 -o many.in.npy
for name in few.in.txt many.in.cafe; do
    expect 0 "$CAFE" plot $name ${name%%.*}.in.npy --dimensions 0,1 -q --title 'K(\)' --tune pixels-wide=340 --tune pixels-high=200 -o p.pdf
    quiet
    [[ $(head -c 8 p.pdf) == %PDF-1.4 && $(tail -n 1 p.pdf) == %%EOF ]] || fail "$name: no PDF"
    grep -aq '/MediaBox \[0 0 255.00 150.00\]' p.pdf || fail "$name: another size"
    table=$(tail -n 2 p.pdf | head -n 1)
    [[ $(tail -c +$((table + 1)) p.pdf | head -n 1) == xref ]] || fail "$name: the table is elsewhere"
    i=0
    while read -r place; do
        i=$((i + 1))
        [[ $(tail -c +$((10#$place + 1)) p.pdf | head -n 1) == "$i 0 obj" ]] || fail "$name: object $i is elsewhere"
    done < <(tail -c +$((table + 1)) p.pdf | sed -n 's/ 00000 n $//p')
    [[ $i -eq $([[ $name == few* ]] && echo 5 || echo 6) ]] || fail "$name: $i objects"
    length=$(grep -aA1 '^5 0 obj' p.pdf | tail -n 1)
    [[ $length -eq $(($(at p.pdf '^endstream') - $(at p.pdf '^stream') - 7)) ]] || fail "$name: length $length"
    rm p.pdf
done
