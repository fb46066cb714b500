#!/usr/bin/env bash
# Every file that a command writes is read, without an option about its content, by every command that takes such a
# file. Nodes have numbers, or names with blanks, commas and quotes in them. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

sed 's/ /\t/' "$SOURCE/examples/karate.txt" | grep -v '^#' >numbers.tsv
awk -F '\t' 'function name(u) { return u % 4 == 0 ? "\"Smith, J " u "\"" : u % 4 == 1 ? "Anna Maria " u : \
    u % 4 == 2 ? "\"" u "\"" : "\"say \"\"" u "\"\"\"" }
    { print name($1) "\t" name($2) }' numbers.tsv >names.tsv
changed=('+ 0\t5' '+ "Smith, J 0"\t"Anna Maria 5"') placed=('99\t0' 'new\t"Smith, J 0"') i=0
pairs=0
# reads COMMAND...: the command works, and says nothing of lines or nodes that it left out
reads() {
    expect 0 "$CAFE" "$@" -f -q
    quiet
    pairs=$((pairs + 1))
}

graphs=(numbers.tsv names.tsv)
if sanitized; then graphs=(names.tsv) i=1; fi # slow
for graph in "${graphs[@]}"; do
    # ---- files of labels and communities
    expect 0 "$CAFE" cluster "$graph" -q -o cluster.tsv -f
    awk -F '\t' 'FNR > 1 && $2 < 2 && FNR % 3 == 0' cluster.tsv >known.tsv
    expect 0 "$CAFE" cluster "$graph" -q --method softmax --labels known.tsv -o softmax.tsv --soft soft.npz -f
    expect 0 "$CAFE" predict "$graph" -q --labels known.tsv -o predicted.tsv -f
    expect 0 "$CAFE" embed "$graph" -q -k 4 -o v.npy -f
    expect 0 "$CAFE" cluster "$graph" -q --trials 3 -o trials.tsv -f
    for partition in cluster softmax trials predicted; do
        file=$partition.tsv
        reads cluster "$graph" --start "$file" -o again.tsv
        [[ $partition != cluster ]] || same again.tsv cluster.tsv
        reads cluster "$graph" --labels "$file" --method softmax -o again.tsv
        reads embed "$graph" --labels "$file" --method cafe -o again.npy
        reads evaluate cluster "$graph" --communities "$file" --labels cluster.tsv
        reads evaluate cluster "$graph" --labels "$file"
        reads predict "$graph" --labels "$file" --by propagation -o again.tsv
        reads evaluate classify "$graph" --embedding v.npy --labels "$file" --repeats 1 --train 0.5
        reads explain "$graph" v.npy --communities "$file" --labels "$file"
        reads plot "$graph" v.npy --communities "$file" --labels "$file" -o again.html
        reads plot "$graph" v.npy --labels "$file" -o again.svg
        reads convert "$graph" again.graphml --communities "$file"
    done
    reads evaluate cluster "$graph" --communities cluster.tsv --labels again.tsv

    reads embed "$graph" -k 4 --features soft.npz -o again.npy

    # ---- vectors and maps, by every ending
    printf '%b\n' "${changed[i]}" >changes.in
    printf '%b\n' "${placed[i]}" >placed.in
    for ending in npy csv tsv; do
        expect 0 "$CAFE" embed "$graph" -q -k 4 --output-form raw -o "v.$ending" -f
        expect 0 "$CAFE" plot "$graph" "v.$ending" -q -o "map.$ending" -f
        reads explain "$graph" "v.$ending"
        reads place "$graph" "v.$ending" placed.in -o "new.$ending"
        reads update "$graph" changes.in --from "v.$ending" --communities cluster.tsv -o "updated.$ending" --graph-out next.cafe --drift drift.tsv
        reads explain next.cafe "updated.$ending"
        reads plot "$graph" "v.$ending" --map "map.$ending" -o again.svg
        reads plot "$graph" "v.$ending" --dimensions 0,1 -o again.svg
        reads embed "$graph" -k 4 --start "v.$ending" -o again.npy
        reads evaluate link "$graph" --repeats 1
        reads evaluate classify "$graph" --embedding "v.$ending" --labels cluster.tsv --repeats 1 --train 0.5
        reads recommend "$graph" --embedding "v.$ending" --node "$(awk -F '\t' 'NR == 2 { print $1 }' cluster.tsv)"
        reads convert "$graph" again.graphml --vectors "v.$ending"
        reads explain "$graph" "v.$ending" --features "map.$ending"
        reads embed "$graph" -k 2 --sampling twisted --attributes "map.$ending" -o again.npy
    done

    # ---- lists: of the most central nodes, of drift, of recommendations
    expect 0 "$CAFE" rank "$graph" -q -o rank.tsv -f
    expect 0 "$CAFE" recommend "$graph" -q -o recommended.tsv -f
    for list in rank drift cluster predicted trials recommended; do
        reads rank "$graph" --set $list.tsv
        reads cluster "$graph" --start cluster.tsv --keep $list.tsv -o again.tsv
        reads embed "$graph" -k 2 --sampling walk --seeds $list.tsv -o again.npy
        reads recommend "$graph" --nodes-file $list.tsv
        [[ $list != recommended ]] || continue # several lines a node
        reads plot "$graph" v.npy --attributes $list.tsv -o again.html
        reads convert "$graph" again.gml --attributes $list.tsv
        reads info again.gml --nodes-from $list.tsv
    done

    # ---- graphs: every format that is written, by every command that takes a graph
    for ending in txt csv tsv mtx graph graphml gml gexf json cafe; do
        expect 0 "$CAFE" convert "$graph" "g.$ending" -q -f
        reads info "g.$ending"
        reads convert "g.$ending" back.cafe
        reads cluster "g.$ending" --start cluster.tsv -o again.tsv
        reads explain "g.$ending" v.tsv --communities cluster.tsv
        reads update "g.$ending" changes.in --from v.tsv -o again.npy
        reads evaluate cluster "g.$ending" --communities cluster.tsv
    done

    # ---- a graph in pieces, in the place of its file
    split -l 30 --additional-suffix=.tsv "$graph" part-
    reads convert part-a?.tsv pieces.cafe
    expect 0 "$CAFE" convert "$graph" whole.cafe -q -f
    same pieces.cafe whole.cafe
    reads info part-a?.tsv
    reads embed part-a?.tsv -k 4 --output-form raw -o v.npy
    reads embed whole.cafe -k 4 --output-form raw -o again.npy
    same again.npy v.npy
    reads cluster part-a?.tsv -o again.tsv
    same again.tsv cluster.tsv
    reads predict part-a?.tsv --labels known.tsv -o again.tsv
    same again.tsv predicted.tsv
    reads explain part-a?.tsv v.npy --json pieces.json
    reads explain --config pieces.json
    reads plot part-a?.tsv v.npy -o again.tsv
    reads plot part-a?.tsv v.npy -o again.svg
    reads place part-a?.tsv v.npy placed.in -o again.npy
    reads rank part-a?.tsv -o again.tsv
    same again.tsv rank.tsv
    reads recommend part-a?.tsv --nodes-file rank.tsv
    reads evaluate cluster part-a?.tsv --communities cluster.tsv
    reads evaluate classify part-a?.tsv --embedding v.npy --labels cluster.tsv --repeats 1 --train 0.5
    reads evaluate link part-a?.tsv --repeats 1
    expect 2 "$CAFE" update part-aa.tsv part-ab.tsv changes.in --from v.npy -o again.npy
    says "unexpected argument 'changes.in': the old graph is one file or a folder"
    expect 2 "$CAFE" convert part-a?.tsv ./part-ab.tsv -f
    says 'the output would replace a file that is read'
    rm -f part-*.tsv
    i=$((i + 1))
done
((pairs >= 130 * ${#graphs[@]})) || fail "only $pairs pairs"
