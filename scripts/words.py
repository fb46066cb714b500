#!/usr/bin/env python3
"""The rules for words, in documents, comments and messages (strings of C).

    scripts/words.py [FILE ...]                 phrases that have a common word; each is a breach of scripts/check
    scripts/words.py --sentences [N] [FILE ...] sentences of more than N (30) words, longest first
    scripts/words.py --sizes [FILE ...]         lines, words, sentences, long sentences and longest sentence per document

Without FILE: every file of the repository. The words of code, tables, headings and links' addresses are not counted;
a code span counts as one word.
"""
import pathlib
import re
import sys

FOLDERS = ["src", "lab", "include", "cli", "engines", "classify", "python", "docs", "man", "tests", "examples", "bench",
           "fuzz", "viewer", "scripts"]
KINDS = {".md", ".c", ".h", ".py", ".sh", ".scd"}
LEFT_OUT = {"scripts/words.py", "tests/test_check.sh"}  # they have the phrases themselves

# phrase (a regular expression) and what to write
INSTEAD = [
    (r"foretells?|foretold|foretelling", "estimate, forecast"),
    (r"as far as it goes|at most so many", "up to N"),
    (r"those there are", "the existing ..."),
    (r"where there is one|where there are any", "if available"),
    (r"rows that were swept|what the sweeps leave", "rows after the sweeps"),
    (r"nobody calls", "are never names of"),
    (r"has seen to (it|this|that)", "has already checked"),
    (r"is said of", "describes"),
    (r"since in what else", "because"),
    (r"numbers of nodes(?! and of)", "node ids, node counts"),
    (r"of its own accord", "without an option"),
    (r"since then|tried without gain", "no history: it belongs into the commit message"),
    (r"(is|are) not to be had", "is not available"),
    (r"for ever", "without end"),
    (r"(is|are) told|told by", "gets; reports; depends on"),
    (r"told apart", "distinguished"),
    (r"says? so", "reports it, or the message"),
    (r"(is|are) said", "prints, the output has"),
    (r"what there is|what becomes of", "name the thing"),
    (r"goes by|go by", "depends on, is matched by"),
    (r"lies? beside|in one go|and the like|has a say|next to nothing", "is next to; in one call; and similar; decides; nearly nothing"),
    (r"node numbers", "node ids"),
    (r"(hidden|test|expected|repeated|directed|of the|of all|share of|their|its|many|few|no) links", "edges"),
]


def files(names):
    if names:
        return [pathlib.Path(name) for name in names]
    found = [path for folder in FOLDERS for path in pathlib.Path(folder).rglob("*")
             if path.suffix in KINDS and "node_modules" not in path.parts and "abi" not in path.parts]
    return sorted(path for path in [*found, *pathlib.Path().glob("*.md")] if str(path) not in LEFT_OUT)


def unmarked(text):
    """A document's running text, a paragraph or list item each: no code, table, heading, picture or address."""
    text = re.sub(r"^( *)```.*?^ *```", "", text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    paragraph, after_blank, in_list = [], True, False
    for line in text.split("\n"):
        item = re.match(r" *([-*]|\d+\.) ", line)
        code = line.startswith("    ") and after_blank and not in_list
        if not line.strip() or item or code or re.match(r" *[|#]", line):
            if paragraph:
                yield " ".join(paragraph)
            paragraph = []
        if item:
            in_list = True
            line = line[item.end():]
        elif line.strip() and not line.startswith(" "):
            in_list = False
        if line.strip() and not code and not re.match(r" *[|#]", line):
            paragraph.append(line.strip())
            after_blank = False
        elif not code:
            after_blank = not line.strip()
    if paragraph:
        yield " ".join(paragraph)


def comments(text):
    """The comments of C, lines of // together, and its strings. Rows of indented tables and formulas stand alone."""
    text = re.sub(r"(?<=\n)([ \t]*)//([^\n]*(?:\n[ \t]*//[^\n]*)*)",
                  lambda m: "/*" + re.sub(r"\n[ \t]*//", "\n", m.group(2)) + "*/", "\n" + text)
    for found in re.finditer(r'/\*(.*?)\*/|//([^\n]*)|((?:"(?:\\.|[^"\\\n])*"\s*)+)', text, re.S):
        if found.group(3):
            plain = re.sub(r'"\s*"', "", found.group(3)).strip().strip('"')
            if re.fullmatch(r" [a-z0-9 ]+ ", plain):  # a list of words between blanks
                continue
            for part in re.split(r"\\n(?=  |[^a-z])", plain):
                yield part.replace("\\n", " ")
        else:
            for part in re.split(r"\n[ *]*\n|\n[ *]*(?=- )|\n *\*?(?=   )", found.group(1) or found.group(2)):
                yield " ".join(line.strip(" *<!") for line in part.split("\n"))


def hashed(text):
    """Comments behind # and the docstrings of a script; of these every entry of a list, but no examples."""
    for found in re.finditer(r'(?:^[ \t]*#[^\n]*\n?)+|^[ \t]*[rf]?"""(.*?)"""|"""(.*?)"""', text, re.S | re.M):
        if found.group(2):
            continue
        plain = re.sub(r"^[ \t]*>>> .*?(?=\n[ \t]*\n|\Z)", "", found.group(1) or found.group(0), flags=re.S | re.M)
        # an entry: `name : type` or names, then indented lines
        plain = re.sub(r"^( *)\*{0,2}\w+(?:, \w+)*(?: : [^\n]*)?(?=\n\1 +\S)", "", plain, flags=re.M)
        plain = re.sub(r"^#(!|.*shellcheck)[^\n]*\n", "\n", plain, flags=re.M)
        for part in re.split(r"\n[ #]*\n|\n *-{4,}\n|\n(?= *- )|\n(?= *\w+ : )|\n#(?=    )", plain):
            yield " ".join(line.strip(" #") for line in part.split("\n"))


def manual(text):
    """A manual page's running text: terms of lists and lines that end by ++ stand alone."""
    text = re.sub(r"\+\+\n|\n(?=\*[^\n]*\n\t)|\n(?=\. )", "\n\n", text)
    return unmarked(re.sub(r"^(\*[^\n]*)\n\t", r"\1\n\n", text, flags=re.M))


def paragraphs(path):
    text = path.read_text(errors="replace")
    return {".md": unmarked, ".scd": manual, ".py": hashed, ".sh": hashed}.get(path.suffix, comments)(text)


def sentences(path):
    for paragraph in paragraphs(path):
        plain = re.sub(r"`[^`]*`", "`code`", paragraph)
        for sentence in re.split(r"(?<=[.!?])[)\"*]* +(?=[^\sa-z0-9]|\d+: |[a-z]\w*(?:[\[_(]|->)|[a-z] )", plain):
            if sentence.strip():
                yield sentence.strip()


def words(sentence):
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def phrases(path):
    """Breaches of a file, by line; a phrase may go over the end of a line."""
    text = path.read_text(errors="replace")
    for phrase, write in INSTEAD:
        for found in re.finditer(rf"\b({phrase})\b".replace(" ", r"\s+(?:[*/#]+\s+)?"), text, re.I):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path}:{line}: '{' '.join(found.group(0).split())}': write {write}"


def main(arguments):
    what = arguments.pop(0) if arguments and arguments[0].startswith("--") else ""
    limit = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 30
    listed = files(arguments)
    if what == "":
        for path in listed:
            for line in phrases(path):
                print(line)
    elif what == "--sentences":
        long = [(words(s), str(p), s) for p in listed for s in sentences(p) if words(s) > limit]
        for count, path, sentence in sorted(long, reverse=True):
            print(f"{path}: {count} words: {sentence}")
        print(f"{len(long)} sentences of more than {limit} words")
    elif what == "--sizes":
        print(f"{'document':<44}{'lines':>7}{'words':>8}{'sentences':>11}{'over ' + str(limit):>9}{'longest':>9}")
        for path in [path for path in listed if path.suffix == ".md"]:
            text = path.read_text()
            counts = [words(s) for s in sentences(path)] or [0]
            print(f"{str(path):<44}{text.count(chr(10)):>7}{len(text.split()):>8}{len(counts):>11}"
                  f"{sum(c > limit for c in counts):>9}{max(counts):>9}")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
