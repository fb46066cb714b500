#!/usr/bin/env bash
# The scripts for shells: every command, task and option of the help is offered, values are those of the
# tables, and each shell reads its script.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

for shell in bash zsh fish; do
    expect 0 "$CAFE" help --completion "$shell"
    quiet
    cp .last/out "$shell.in"
    if command -v "$shell" >/dev/null; then "$shell" -n "$shell.in" || fail "$shell does not read its script"; fi
done
expect 2 "$CAFE" help --completion ksh
says 'bash\|zsh\|fish'

# offers WORDS...: what bash offers for the last of the words
# shellcheck disable=SC1091,SC2034,SC2317
offers() (
    source ./bash.in
    compopt() { :; }
    COMP_WORDS=(cafe "$@")
    COMP_CWORD=$#
    _cafe
    echo "${COMPREPLY[*]-}"
)
is() {
    local want=$1
    shift
    [[ $(offers "$@") == "$want" ]] || fail "cafe $*: offered '$(offers "$@")' instead of '$want'"
}
is embed em
is 'classify link cluster' evaluate ''
is --labels embed g.txt --labels
is 'edge walk pagerank twisted' embed g.txt --sampling ''
is '' embed g.txt --columns '' # a number: nothing to offer
is '' embed g.txt -o ''        # a file: bash offers them
is 'bash zsh fish' help --completion ''

# nothing of the help is missing in any of the three
for command in $("$CAFE" help | sed -nE '/^commands:/,/^$/s/^  ([a-z]+) .*/\1/p'); do
    is "$command" "$command"
    expect 0 "$CAFE" "$command" --help
    offered=" $(offers "$command" --) "
    while read -r option; do
        [[ $offered == *" $option "* ]] || fail "bash lacks $command $option"
        grep -qE "'(--${option#--}\[|\(-. $option\))" zsh.in || fail "zsh lacks $command $option"
        grep -qE "from $command.* -l ${option#--} " fish.in || fail "fish lacks $command $option"
    done < <(sed -nE 's/^(  -., |      )(--[a-z-]+).*/\2/p' .last/out)
done
