"""scripts/site: the documents as a static site with search, in build/site; --links only checks the links.

README.md and docs/README.md are where a reader begins. From there this script follows every link inside the
repository: a page that is missing, or a heading that no page has, is an error. Pages and the files they show
are copied to build/site-source, and mkdocs makes the site of them. The menu has the tables of docs/README.md.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE, SITE = ROOT / "build/site-source", ROOT / "build/site"
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^(```|~~~).*?^\1\s*$|^    .*?$", re.M | re.S)


def slug(heading):
    """The anchor of a heading: lower case, words of letters and digits, blanks as hyphens."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")


def text(page):
    return CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    return {slug(h) for h in re.findall(r"^#+ +(.*)$", text(page), re.M)}


def target(page, link):
    """The file that a link of a page leads to: of a folder its README."""
    path = (page.parent / link.partition("#")[0]).resolve() if not link.startswith("#") else page
    return path / "README.md" if path.is_dir() and (path / "README.md").exists() else path


def crawl():
    """All files that links reach, pages first, and a list of links that lead nowhere."""
    reached, dead = [ROOT / "README.md", ROOT / "docs/README.md"], []
    for page in reached:
        if page.suffix != ".md":
            continue
        for link in LINK.findall(text(page)):
            if re.match(r"[a-z]+:", link):
                continue
            path, anchor = target(page, link), link.partition("#")[2]
            if not path.exists() or ROOT not in path.parents:
                dead.append(f"{page.relative_to(ROOT)}: no {link}")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                dead.append(f"{page.relative_to(ROOT)}: no heading for {link}")
            if path.is_file() and path not in reached:
                reached.append(path)
    return reached, dead


def linked(page, place):
    """The text of a page with links to folders made links to pages."""
    def replace(found):
        path = (page.parent / found[1].partition("#")[0]).resolve()
        if re.match(r"[a-z]+:|#", found[1]) or not path.is_dir():
            return found[0]
        end = "/README.md" if (path / "README.md").exists() else "/index.txt"
        if end == "/index.txt":
            listing = place / path.relative_to(ROOT) / "index.txt"
            listing.parent.mkdir(parents=True, exist_ok=True)
            listing.write_text("".join(f"{name.name}\n" for name in sorted(path.iterdir())), encoding="utf-8")
        return f"]({found[1].rstrip('/')}{end})"
    return LINK.sub(replace, page.read_text(encoding="utf-8"))


def menu():
    """The menu: sections and first cells of docs/README.md, in its order."""
    found, index = [{"Cafe": "README.md"}, {"Documents": "docs/README.md"}], ROOT / "docs/README.md"
    for line in index.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found.append({line[3:].partition(":")[0]: []})
        pages = LINK.findall(line.split("|")[1]) if line.startswith("|") and len(found) > 2 else []
        for page in pages:
            path = target(index, page).relative_to(ROOT)
            title = re.search(r"^# +(.*)$", (ROOT / path).read_text(encoding="utf-8"), re.M)
            next(iter(found[-1].values())).append({title[1].replace("`", ""): str(path)})
    return [part for part in found if next(iter(part.values()))]


def copy(files):
    shutil.rmtree(SOURCE, ignore_errors=True)
    for file in files:
        place = SOURCE / "pages" / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            place.write_text(linked(file, SOURCE / "pages"), encoding="utf-8")
        else:
            shutil.copyfile(file, place)
    # JSON is YAML
    (SOURCE / "mkdocs.yml").write_text(json.dumps({
        "site_name": "Cafe", "docs_dir": "pages", "site_dir": str(SITE), "theme": "readthedocs",
        "plugins": ["search"], "use_directory_urls": False, "nav": menu()}), encoding="utf-8")


def main():
    files, dead = crawl()
    print("\n".join(dead) if dead else f"{len(files)} files, every link leads somewhere")
    if dead:
        sys.exit(1)
    if sys.argv[1:] != ["--links"]:
        copy(files)
        subprocess.run(["mkdocs", "build", "--quiet", "--clean", "--strict", "-f", SOURCE / "mkdocs.yml"], check=True)
        print(f"{(SITE / 'index.html').relative_to(ROOT)}: open it in a browser. The search needs a server:\n"
              f"    python3 -m http.server --bind 127.0.0.1 --directory {SITE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
