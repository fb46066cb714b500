"""scripts/docs [--write] [--data] [FILE ...]: runs the commands of the documents and compares what they print.

A block of ```console has commands behind "$ " (a line behind "> " goes on) and below each what it prints, on
standard output or error. A line "..." stands for any lines. Times and sizes of memory may differ, every other
character counts. A command with nothing below it must only succeed. The blocks of one document run one after the other in one
folder, which holds copies of examples/ and of the files in it, and the folders build and include.

Outside of these blocks every option behind "cafe COMMAND" must be one that its --help has.

```console fresh     begins in a folder of its own
```console data      needs the sets of $CAFE_DATA: run with --data, else left out
```console by-hand   is not run: it builds, installs or opens a browser

--write puts what was printed in place of what stands there, in outputs with "..." the lines that begin alike;
where they are not all there, both are shown.
CAFE is the folder of the tool; without it, build.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MASKS = [
    (re.compile(r"\b\d+(\.\d+)?(?= ?(s|seconds|min|[KMGT]i?B|bytes)\b)"), "#"),
    (re.compile(r"^(seconds +).*"), r"\1#"),
    (re.compile(r'("time":)"[^"]*"'), r"\1#"),
    (re.compile(r"^(memory +).*"), r"\1#"),
    (re.compile(r'^( *"(version|threads|peak_bytes|allocated_bytes|seconds|read|solve|total)": ).*'), r"\1#"),
]


def masked(line):
    for pattern, text in MASKS:
        line = pattern.sub(text, line)
    return line.rstrip()


def matches(want, got):
    """Does the text got follow the lines want, in which ... stands for any lines?"""
    if not want:
        return not got
    if want[0] == "...":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and masked(want[0]) == masked(got[0]) and matches(want[1:], got[1:])


def label(line):
    """What a line begins with, without its figures: lines of one label say the same of another run."""
    return re.sub(r"[-+.\de]+", "#", line)[:14]


def renewed(want, got, choose=-1):
    """The lines of want as they came out now, with "..." where it has them; None when they are not all there.
    Of several places that fit behind a "...", the one with most lines as they were, and of equal ones the last
    (choose -1) or the first (0)."""
    fresh, at, gap, i = [], 0, False, 0
    while i < len(want):
        if want[i] == "...":
            fresh.append("...")
            gap, i = True, i + 1
            continue
        end = want.index("...", i) if "..." in want[i:] else len(want)
        labels = [label(line) for line in want[i:end]]
        places = range(at, len(got) - len(labels) + 1) if gap else [at]
        found = [k for k in places if [label(line) for line in got[k:k + len(labels)]] == labels]
        if not found:
            return None
        same = [sum(a == b for a, b in zip(got[k:], want[i:end])) for k in found]
        found = [k for k, s in zip(found, same) if s == max(same)]
        at = found[choose] + len(labels)
        fresh += got[found[choose]:at]
        gap, i = False, end
    return fresh if gap or at == len(got) else None


def commands(lines):
    """(first line, words, first and last line of the output) of a block, by line numbers within it."""
    i = 0
    while i < len(lines):
        if not lines[i].startswith("$ "):
            raise SystemExit(f"a block of console begins with '$ ', not: {lines[i]}")
        first, text = i, lines[i][2:]
        i += 1
        while i < len(lines) and lines[i].startswith("> "):
            text += "\n" + lines[i][2:]
            i += 1
        start = i
        while i < len(lines) and not lines[i].startswith("$ "):
            i += 1
        yield first, text, start, i


def blocks(lines):
    """(kind, first line, line behind the last) of the blocks of console; the numbers are those of the text inside."""
    at = 0
    while at < len(lines):
        if lines[at].startswith("```console"):
            end = lines.index("```", at)
            yield lines[at][len("```console"):].strip(), at + 1, end
            at = end
        at += 1


class Session:
    """One shell for a document, so that cd and variables last."""

    def __init__(self, folder):
        tool = pathlib.Path(os.environ.get("CAFE", ROOT / "build")).resolve()
        shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / "build").symlink_to(tool)
        (folder / "include").symlink_to(ROOT / "include")
        self.environment = dict(os.environ, PATH=f"{tool}:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="80")
        self.folder = folder

    def run(self, text):
        done = subprocess.run(["bash", "-c", text], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600)
        return done.returncode, done.stdout.splitlines()


def check_block(session, where, lines, write):
    """The lines of the block as they should be, and how many commands did not come out."""
    fresh, wrong = [], 0
    for first, text, start, end in commands(lines):
        want = lines[start:end]
        while want and not want[-1]:
            want = want[:-1]
        code, got = session.run(text)
        fine = matches(want, got) if want else code == 0
        anew = got if "..." not in want else renewed(want, got) or renewed(want, got, 0)
        keep = fine or not want or anew is None
        fresh += lines[first:start] + (lines[start:end] if keep else anew)
        if fine:
            continue
        wrong += 1
        if not write or keep:
            print(f"{where}: $ {text}\n  exit code {code}; the document has")
            print("\n".join("    " + line for line in want))
            print("  and it printed")
            print("\n".join("    " + line for line in got))
    return fresh, wrong


def check(path, write, data):
    lines = path.read_text().split("\n")
    wrong = left_out = run = 0
    with tempfile.TemporaryDirectory() as folder:
        session = Session(pathlib.Path(folder))
        shift = 0
        for kind, first, end in list(blocks(lines)):
            first, end = first + shift, end + shift
            if kind == "by-hand" or (kind == "data" and not data):
                left_out += kind == "data"
                continue
            if kind == "fresh":
                session = Session(pathlib.Path(folder) / f"block{first}")
            fresh, bad = check_block(session, f"{path.relative_to(ROOT)}:{first}", lines[first:end], write)
            lines[first:end] = fresh
            shift += len(fresh) - (end - first)
            wrong += bad
            run += 1
    if write:
        path.write_text("\n".join(lines))
    note = f", {left_out} left out (they need --data)" if left_out else ""
    if run or left_out:
        print(f"{path.relative_to(ROOT)}: {run} blocks run, {wrong} commands came out otherwise{note}")
    return wrong


def options_of(command, known={}):
    """The options of a command by its help, or None when there is no such command."""
    if command not in known:
        tool = pathlib.Path(os.environ.get("CAFE", ROOT / "build")).resolve() / "cafe"
        done = subprocess.run([tool, "help", "--man", *command.split()], capture_output=True, text=True)
        known[command] = set(re.findall(r"^(?:\*-.\*, )?\*(--[a-z-]+|[a-z-]+=)\*", done.stdout.replace("*=", "=*"), re.M)) \
            if done.returncode == 0 else None
    return known[command]


def check_options(path):
    """Commands in text and in indented blocks have options that there are."""
    wrong = 0
    text = re.sub(r"\\\n *", " ", path.read_text())
    for line in text.split("\n"):
        for command, rest in re.findall(r"\bcafe ((?:evaluate )?[a-z]+) ([^`|#]*)", line):
            options = options_of(command)
            for option in re.findall(r"(?<!\S)(?:(?<=--tune )[a-z-]+=|--[a-z][a-z-]*)", rest) if options else []:
                if option not in options | options_of("tune") | {"--help"}:
                    print(f"{path.relative_to(ROOT)}: cafe {command} has no {option}: {line.strip()}")
                    wrong += 1
    return wrong


def main(words):
    write, data = "--write" in words, "--data" in words
    if data and not os.environ.get("CAFE_DATA"):
        raise SystemExit("scripts/docs --data: CAFE_DATA names no folder of data sets")
    names = [pathlib.Path(word).resolve() for word in words if not word.startswith("--")]
    names = names or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    wrong = sum(check(path, write, data) + check_options(path) for path in names)
    return 1 if wrong and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
