#!/usr/bin/env bash
# The R package: installed on the libraries of this build, its tests, and the same bits as the tool.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}"

skip() {
    echo "skipped: $* (scripts/install-deps --r gets what is missing)"
    exit 77
}

if sanitized; then skip "R without sanitizers cannot load a library that has them"; fi
command -v Rscript >/dev/null || skip "no R"
for package in Matrix testthat igraph; do
    Rscript -e "quit(status = !requireNamespace('$package', quietly = TRUE))" || skip "R has no package $package"
done
[[ -e $BUILD/libcafe.so && -e $BUILD/libcafe-lab.so ]] || skip "no libcafe.so in this build"

cp -r "$SOURCE/r" package.in
rm -f package.in/src/*.o package.in/src/*.so package.in/src/Makevars
mkdir library
export R_LIBS=$PWD/library
CAFE_BUILD=$BUILD R CMD INSTALL --no-docs --library=library package.in >install.in 2>&1 || { cat install.in; fail "the package cannot be installed"; }
(cd package.in/tests && Rscript testthat.R) >tests.in 2>&1 || { cat tests.in; fail "tests of the package"; }
grep -q 'FAIL 0 .* PASS [1-9][0-9]' tests.in || { cat tests.in; fail "too few tests ran"; }

# The same floats and the same communities as the tool, for texts and numbers as names.
cat >bits.in.R <<'R'
library(cafe)
words <- commandArgs(TRUE)
graph <- cafe_graph(words[1])
vectors <- cafe_embed(graph, columns = 8, output_form = words[2], seed = 3)$vectors
writeBin(as.vector(t(vectors)), "r.floats", size = 4L)
part <- cafe_cluster(graph, seed = 3)$membership
write.table(data.frame(names(part), part - 1L), "r.tsv", sep = "\t", quote = FALSE, row.names = FALSE, col.names = FALSE)
R
expect 0 "$CAFE" generate planted --nodes 400 --edges 2400 --blocks 5 -q -o numbers.in.txt
sed 's/\([0-9][0-9]*\)/n\1/g; /^#/d' numbers.in.txt >texts.in.txt
for graph in "$SOURCE/examples/karate.txt" numbers.in.txt texts.in.txt; do
    for form in scaled walk; do
        expect 0 "$CAFE" embed "$graph" -q -f -k 8 --seed 3 --output-form $form -o tool.npy
        expect 0 "$CAFE" cluster "$graph" -q -f --seed 3 --no-heading -o tool.tsv
        expect 0 Rscript bits.in.R "$graph" $form
        tail -c "$(stat -c %s r.floats)" tool.npy | cmp - r.floats || fail "$graph, $form: other vectors"
        cmp tool.tsv r.tsv || fail "$graph: other communities"
    done
done
