#!/usr/bin/env python3
"""One HTML file with the tool inside, from web/, viewer/style.css and a build of scripts/web.

    scripts/web_page.py BUILD OUTPUT

The modules become one script: lines of import go, `export` goes from its lines. So all names of the modules differ. The
policy of the page names the hashes of its script and style. A frame has the policy of the page around it, so the hashes of the
page that the tool writes are named too.
"""
import base64
import gzip
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
MODULES = ["viewer/bus.js", "web/job.js", "web/tool.js", "web/files.js", "web/steps.js", "web/page.js"]


def plain(path):
    """A module without imports and exports."""
    text = (ROOT / path).read_text()
    text = re.sub(r"^import .*;\n", "", text, flags=re.M)
    return re.sub(r"^export (?=async function|function|const|class)", "", text, flags=re.M)


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy_of(page, name):
    """The hashes that the policy of a page has for scripts or styles."""
    return re.search(name + r"-src ('sha256-[^']*')", page).group(1)


def as_text(text):
    """Text inside a script element that does not run. Nothing in it may end the element."""
    if "</script" in text or "<!--" in text:
        sys.exit("web_page.py: text that cannot stand in a script element")
    return text


def main():
    build, output = map(pathlib.Path, sys.argv[1:])
    inner = (build / "viewer/page_template.c.html").read_text()
    script = "\n".join(plain(module) for module in MODULES)
    style = (ROOT / "viewer/style.css").read_text() + (ROOT / "web/page.css").read_text()
    worker = (build / "cafe.js").read_text() + plain("web/run.mjs") + plain("web/worker.js")
    packed = gzip.compress((build / "cafe.wasm").read_bytes(), 9, mtime=0)
    parts = {
        "SCRIPT_HASHES": hash_of(script) + " " + policy_of(inner, "script"),
        "STYLE_HASHES": hash_of(style) + " " + policy_of(inner, "style"),
        "STYLE": style,
        "SCRIPT": as_text(script),
        "WORKER": as_text(worker),
        "KARATE": as_text((ROOT / "examples/karate.txt").read_text()),
        "LABELS": as_text((ROOT / "examples/karate.labels.txt").read_text()),
        "WASM": base64.b64encode(packed).decode(),
    }
    page = re.sub(r"@([A-Z_]+)@", lambda match: parts[match.group(1)], (ROOT / "web/page.html").read_text())
    output.write_text(page)


main()
