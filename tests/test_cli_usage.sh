#!/usr/bin/env bash
# Help, usage errors, exit codes, and the manual's agreement with --help.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# help goes to standard output and succeeds
for words in --help -h help; do expect 0 "$CAFE" $words; quiet; prints '^commands:'; done
expect 0 "$CAFE" --version
prints '^cafe [0-9]+\.[0-9]+\.[0-9]+$'
cp .last/out version.in
for words in version -V; do
    expect 0 "$CAFE" $words
    same .last/out version.in
done

# topics: each has a page of its own, which fits a terminal
topics=$("$CAFE" help | sed -nE '/^topics/,/^$/s/^  ([a-z-]+) .*/\1/p')
[[ $(wc -w <<<"$topics") -ge 5 ]] || fail "too few topics: $topics"
for topic in $topics; do
    expect 0 "$CAFE" help "$topic"
    quiet
    cp .last/out "topic-$topic.in"
done
expect 2 "$CAFE" help nosuch
says "unknown command or topic 'nosuch'"
says "try 'cafe --help'" # which lists the topics
printf '\x93NUMPY\x01\x00' >array.in
expect 3 "$CAFE" info array.in
says 'found a NumPy array'
rm array.in

commands=$("$CAFE" help | sed -nE '/^commands:/,/^$/s/^  ([a-z]+) .*/\1/p')
[[ $(wc -w <<<"$commands") -ge 6 ]] || fail "too few commands: $commands"
for command in $commands; do
    expect 0 "$CAFE" "$command" --help
    quiet
    prints "^usage: cafe $command"
    cp .last/out "$command.in"
    expect 0 "$CAFE" help "$command"
    same .last/out "$command.in"
    sed -nE 's/^  (-[a-zA-Z], |    )--([a-z-]+).*/\2/p' "$command.in" >>options.in
    # --help wins wherever it stands, but errors before it are still errors
    expect 0 "$CAFE" "$command" --help --nonsense
    expect 2 "$CAFE" "$command" --nonsense --help
done

[[ $(wc -w <<<"$commands") -le 19 ]] || fail "more than 19 commands: $commands"

# tasks of a command, as commands of their own
tasks=$("$CAFE" evaluate --help | sed -nE '/^tasks:/,/^$/s/^  ([a-z]+) .*/\1/p')
for task in $tasks; do
    expect 0 "$CAFE" evaluate "$task" --help
    cp .last/out "evaluate $task.in"
    sed -nE 's/^  (-[a-zA-Z], |    )--([a-z-]+).*/\2/p' "evaluate $task.in" >>options.in
done

# -h: at most 40 lines, an example, a dozen options at most, all of them options of the command
for page in $commands 'evaluate classify' 'evaluate link' 'evaluate cluster'; do
    # shellcheck disable=SC2086
    expect 0 "$CAFE" $page -h
    quiet
    cp .last/out "$page-h.in"
    [[ $(wc -l <.last/out) -le 40 ]] || fail "cafe $page -h has $(wc -l <.last/out) lines"
    [[ $page != evaluate ]] || continue
    prints "^example: cafe $page"
    sed -nE 's/^  (-[a-zA-Z], |    )(--[a-z-]+).*/\2/p' .last/out >usual.in
    [[ $(wc -l <usual.in) -ge 1 && $(wc -l <usual.in) -le 12 ]] || fail "cafe $page -h has $(wc -l <usual.in) options"
    while IFS= read -r option; do
        grep -qE -- "^  (-[a-z], |    )$option( |\$)" "$page.in" || fail "cafe $page --help lacks $option"
    done <usual.in
done

# every method and every sampling has a page, and its options
methods=$("$CAFE" help methods | sed -nE "s/^  ([a-z0-9-]+) .*/\1/p")
samplings=$("$CAFE" help samplings | sed -nE "s/^  ([a-z0-9-]+) .*/\1/p")
[[ $(wc -w <<<"$methods") -ge 15 && $(wc -w <<<"$samplings") -eq 4 ]] || fail "methods: $methods; samplings: $samplings"
for name in $methods $samplings; do
    expect 0 "$CAFE" help "$name"
    quiet
    cp .last/out "help-$name.in"
    sed -nE 's/^  (-[a-zA-Z], |    )--([a-z-]+).*/\2/p' .last/out >>options.in
done
grep -q -- ' walks=N' help-node2vec.in || fail 'help node2vec lacks --tune walks'
grep -q -- ' kind=KIND' help-label-propagation.in || fail 'help label-propagation lacks --tune kind'
grep -q -- '--window T' help-walk.in || fail 'help walk lacks --window'
! grep -q -- ' kind=KIND' embed.in || fail 'embed --help has options of a method that is not the default'

# options: at most 130 that differ; what --tune takes is in its own table and nowhere else
[[ $(sort -u options.in | wc -l) -le 130 ]] || fail "$(sort -u options.in | wc -l) options"
expect 0 "$CAFE" help tune
sed -nE 's/^  ([a-z0-9-]+)=.*/\1/p' .last/out | sort -u >tuned.in
[[ $(wc -l <tuned.in) -ge 60 ]] || fail 'too few options for --tune'
both=$(sort -u options.in | comm -12 - tuned.in | xargs)
[[ -z $both ]] || fail "with and without --tune: $both"

# the lines fit a terminal
for page in *.in; do
    [[ $(awk '{ if (length($0) > w) w = length($0) } END { print w + 0 }' "$page") -le 80 ]] ||
        fail "$page is wider than 80 columns"
done

# wrong usage: exit code 2, a message with the command's name, nothing on standard output
usage() {
    local text=$1
    shift
    expect 2 "$CAFE" "$@"
    silent
    says "$text"
    says "try 'cafe"
}
usage 'no command given' # no words at all
usage "unknown command 'embd'; did you mean 'embed'" embd
usage "unknown command 'qqqqqqq'$" qqqqqqq
usage 'unknown option --nonsense' --nonsense
usage "^cafe embed: unknown option --colums; did you mean --columns\?" embed g.txt --colums 3
usage 'did you mean --columns' embed g.txt --col 3
usage 'unknown option -z' embed g.txt -z
usage '--columns needs a value' embed g.txt --columns
usage 'unknown option --chunks; did you mean --tune chunks=N\?' embed g.txt --chunks 4
usage 'unknown option --chunk; did you mean --tune chunks' embed g.txt --tune chunk=4
usage '--tune chunks needs a value: --tune chunks=N' embed g.txt --tune chunks
usage '--tune chunks takes a whole number .*, not .x' embed g.txt --tune chunks=x
usage '--columns is no option for --tune: give --columns K' embed g.txt --tune columns=4
usage '--tune chunks does not go with --method hope, but with --method sphere' embed g.txt --method hope --tune chunks=2
usage '--columns does not go with --method layers, but with --method softmax' cluster g.txt -k 4 -o c.tsv
usage '--columns does not go with --method layers, but with --method softmax' cluster g.txt --clusters 4 -o c.tsv
usage 'unknown option --k; did you mean --columns' embed g.txt --k 4 -o v.npy
usage '--labels does not go with --method layers, but with --method softmax' cluster g.txt --labels l -o c.tsv
usage '--checkpoint does not go with --method layers, but with --method sphere\|cafe' \
    embed g.txt --method layers --checkpoint c -o v.npy
# an option that would do nothing is refused
usage '--tune residual-steps goes with --residual' embed g.txt --tune residual-steps=3 -o v.npy
usage '--tune scale-exponent goes with --output-form scaled' embed g.txt --output-form walk --tune scale-exponent=0.1 -o v.npy
usage '--damping goes with --by pagerank' rank g.txt --by degree --damping 0.5
usage '--mixing goes with the models sbm and planted' generate ba --mixing 0.3 -o g2.txt
usage '--tune exponent goes with the model planted' generate sbm --tune exponent=3 -o g2.txt
usage '--tune decode goes with --score product' recommend g.txt --node 0 --score common --tune decode=q
usage '--resolution goes with communities that are found here' \
    evaluate cluster g.txt --communities c.tsv --resolution 2
usage '--unknown-nodes goes with a file of labels' embed g.txt --unknown-nodes skip -o v.npy
usage '--labels goes with --colour label' plot g.txt v.npy --labels l --colour none -o p.png
usage '--communities goes with --colour community' plot g.txt v.npy --communities c.tsv --colour none -o p.png
usage '--column goes with --colour column' plot g.txt v.npy --column 1 --colour none -o p.png
usage '--tune radius goes with -o FILE' plot g.txt v.npy --terminal --tune radius=3
usage '--tune decode goes with an embedding that is made here' recommend g.txt --node 0 --embedding v.npy --tune decode=q
usage '--attributes goes with a page' plot g.txt v.npy --attributes a.csv -o p.png
usage '--dimensions goes with a picture' plot g.txt v.npy --dimensions 0,1 -o p.html
usage '--node goes with an EMBEDDING' explain g.txt --eigenvector --node 1
usage '--theta goes with --eigenvector' explain g.txt v.npy --theta 2
usage '--eigenvector goes without an EMBEDDING' explain g.txt v.npy --eigenvector
usage '--top goes with one set' rank g.txt --set s --other s --top 3
usage '--scratch needs --memory-limit SIZE' embed g.txt --scratch . -o v.npy
usage 'argument 1 is empty' embed '' -o v.npy
usage 'page.doc: the ending tells the format; here it can be .svg' plot g.txt v.npy -o page.doc
usage "--output is given twice, for 'a.npy' and 'b.npy'" embed g.txt -o a.npy -o b.npy
usage "--labels is given twice, for 'a' and 'a'" embed g.txt --method cafe --labels a --labels a -o a.npy
usage "--columns takes .*, not 'x'" embed g.txt --columns x
usage "--columns takes .*, not '0'" embed g.txt --columns=0
usage "--columns takes .*, not '1.5'" embed g.txt -k1.5
usage "--output-form takes one of .*, not 'best'" embed g.txt --output-form best
usage "not 'ritzz'; did you mean 'ritz'\?" embed g.txt --output-form ritzz
usage "--delimiter takes one character or one of tab.*, not 'tabb'; did you mean 'tab'\?" embed g.txt --delimiter tabb
usage "--delimiter takes .*, not 'x'" info g.txt --delimiter x
usage "--tune tolerance takes .*, not 'nan'" embed g.txt --tune tolerance=nan
usage "--threads takes .*, not '-1'" embed g.txt --threads -1
usage "--threads takes .*, not 'two'" embed g.txt -t two
usage "--seed takes .*, not '-1'" embed g.txt --seed -1
usage "--seed takes .*, not '18446744073709551616'" embed g.txt --seed 18446744073709551616
usage "--memory-limit takes .*, not '8Q'" embed g.txt --memory-limit 8Q
usage "--method takes one of .*, not 'magic'" embed g.txt --method magic
usage "not 'spherre'; did you mean 'sphere'\?" embed g.txt --method spherre
usage "not 'wal'; did you mean 'walk'\?" embed g.txt --sampling wal
usage 'did you mean --columns' embed g.txt --dimensions 64
usage 'did you mean --threads' embed g.txt --n-jobs 2
usage '--tune walks does not go with --method sphere, but with --method deepwalk\|node2vec$' embed g.txt --tune walks=3
usage '--tune kind does not go with --method sphere, but with --method label-propagation$' embed g.txt --tune kind=spread
usage '--output and --json cannot both go to standard output' embed g.txt -o - --json -
usage '--force takes no value' embed g.txt --force=yes
usage 'missing argument' embed
usage 'missing argument' convert a.txt
usage "unexpected argument 'three'" reduce table.csv three -o out.csv
usage 'three: the ending tells the format' convert one.txt two.txt three
usage 'no output: give' embed g.txt
usage 'no output: give' generate sbm
usage "no model 'lfr'" generate lfr -o g.txt
usage "unknown command or topic 'nothing'" help nothing

# endings are judged before anything is read: these inputs do not even exist
for name in out out.bin out.npy.gz; do usage 'the ending tells the format' embed g.txt -o $name; done
for name in out out.npy out.cafe.gz; do usage 'the ending tells the format' convert g.txt $name; done
usage 'the ending tells the format' generate ba -o g.bin
usage 'cannot both go to' embed g.txt -o r.txt --json r.txt
usage 'cannot both go to' generate sbm -o r.txt --labels r.txt
only_inputs

# counts have a range of their own, not that of the threads
"$CAFE" generate ba --nodes 1200 --edges 3000 -q -o many.in.txt
expect 0 "$CAFE" rank many.in.txt --top 1100 -q
[[ $(wc -l <.last/out) -eq 1101 ]] || fail "rank --top 1100"
expect 0 "$CAFE" embed many.in.txt --method layers --columns 1100 -q --json -
expect 1 "$CAFE" reproduce classification --data nowhere --repeats 1100
says 'nothing could be run'
usage "--threads takes a whole number from 0 to 1024, not '1025'" rank many.in.txt -t 1025
usage "--top takes a whole number from 1 to 1000000, not '0'" recommend many.in.txt -k 0
only_inputs

# options anywhere; -- ends them; a file may be called like an option
expect 1 "$CAFE" embed -o v.npy -- --absent.txt
says '--absent.txt'
expect 1 "$CAFE" embed absent.txt -fqo v.npy -k8 -t2
says '^cafe embed: .*absent.txt'
only_inputs

# closed standard output is a failure, and a quiet one
set +o pipefail
{ "$CAFE" help embed 2>.last/err; echo $? >.last/code; } | true
set -o pipefail
quiet

# each option of --help is in the manual page
manual=$BUILD/man
if [[ -e $manual/cafe.1 ]]; then
    for command in embed convert info generate; do
        [[ -s $manual/cafe-$command.1 ]] || fail "no manual page for $command"
        sed 's/\\//g' "$manual/cafe-$command.1" >page.in
        while IFS= read -r option; do
            grep -qF -- "--$option" page.in || fail "cafe-$command.1 lacks --$option"
        done < <(sed -nE 's/^ +(-[a-z], )?--([a-z-]+).*/\2/p' $command.in)
        grep -qF "cafe $command" "$manual/cafe.1" || fail "cafe.1 lacks $command"
    done
    [[ $(grep -c . "$manual/cafe-embed.1") -gt 100 ]] || fail "cafe-embed.1 is too short"
else
    echo "skipped: no manual pages were built (scdoc is missing)"
fi

# an option that nothing depends on is refused by the library: by it the same in Python
idle() {
    local text=$1
    shift
    expect "$code" "$CAFE" "$@" -q
    silent
    says "$text"
}
karate=$SOURCE/examples/karate.txt
"$CAFE" embed "$karate" -k 4 -o idle.in.npy -q
"$CAFE" convert "$karate" idle.in.cafe -q
printf '1 2\n3 5\n4 1\n' >idle.in.txt
code=1
idle '--tune support goes with sparse rows: give --tune rows=sparse' cluster "$karate" --method softmax -k 4 --tune support=3 -o x.tsv
idle '--tune threshold goes with sparse rows' cluster "$karate" --method softmax --tune rows=dense --tune threshold=0.01 -o x.tsv
idle '--tune alpha goes with --tune kind=spreading' embed "$karate" --method label-propagation \
    --labels "$SOURCE/examples/karate.labels.txt" --tune alpha=0.4 -o x.npy
idle '--tune negative goes with --tune loss=negative' embed "$karate" --method deepwalk --tune negative=3 -o x.npy
idle '--neighbours goes with --tune forces=vectors' plot "$karate" idle.in.npy --tune forces=graph --neighbours 5 -o x.npy
for option in 'source 0' 'weight 2' 'header yes' 'delimiter ,' 'decimal ,'; do
    # shellcheck disable=SC2086
    idle "--${option% *} goes with edge lists" info idle.in.cafe --$option
done
idle '--effort goes with --tune refine=yes' cluster "$karate" --tune refine=no --effort high -o x.tsv
idle '--tune trust goes with .cafe files' info "$karate" --tune trust=yes
code=3
idle '--tune width goes with --tune kernel=gaussian' points idle.in.txt --tune kernel=cosine --tune width=2 -o x.cafe
code=2
idle '--theta goes with --method softmax' reduce idle.in.txt -k 2 --method sphere --theta 3 -o x.npy
idle '--tune beta goes with --method sphere' reduce idle.in.txt -k 2 --tune beta=0.5 -o x.npy

# ---- numbers: digits, with -, a point and an exponent where they make sense, and nothing else
for option in '-k ' '--sweeps ' '--threads ' '--seed ' '--memory-limit ' '--tune degree-exponent='; do
    for number in '1 ' ' 1' '	1' +1 0x1 0X1p0 1_0 inf nan 1e999 --1 '1,0' '' 1e; do
        expect 2 "$CAFE" embed "$karate" "${option% *}" "${option##* }$number" -o numbers.npy
        says " takes .*, not '"
    done
done
no() { expect 2 "$CAFE" "$@"; }
"$CAFE" embed "$karate" -k 4 -q -o numbers.in.npy
for number in ' 1' +1 0x1 '1 '; do
    no plot "$karate" numbers.in.npy --dimensions "0,$number" -o numbers.svg
    no plot "$karate" numbers.in.npy --tune pixels-wide="$number" -o numbers.svg
    no explain "$karate" numbers.in.npy --dimensions "$number"
    no explain "$karate" numbers.in.npy --dimensions "0-$number"
    no recommend "$karate" --evaluate "0.2$number"
    no recommend "$karate" --evaluate " 0.2"
    no evaluate link "$karate" --train "$number"
    no embed --dry-run --graph-size "10,$number"
done

# ---- what the tool is made of
expect 0 "$CAFE" version
prints '^cafe [0-9]+\.[0-9]+\.[0-9]+$'
[[ $(wc -l <.last/out) -eq 1 ]] || fail 'more than the version'
CAFE_ENGINE_PATH=$BUILD expect 0 "$CAFE" version --verbose
for part in library build compiler kernels 'C library' gzip expat zstd xz XGBoost; do
    prints "^$part +[^ ]"
done
prints '^engine +processor'
for part in zstd:libzstd xz:liblzma; do
    installed=$(pkg-config --modversion "${part#*:}" 2>/dev/null) || continue
    prints "^${part%:*} +$installed$|^${part%:*} +not built in$"
done
