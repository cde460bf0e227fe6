"""What mkdocs.yml needs beside docs/: pages of the root, files that pages link to, and a list of decisions.

Pages are written to be read in the sources, so their links name files there. A link to a page of the root leads to that
page of the site; a link to any other file leads to a copy of it below "source"; a link to a directory leads to its page
where it has one, and else becomes plain text. A link whose text is the name of a page's file gets the page's title.
"""
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent
ICON = ROOT / "api-server/src/main/resources/io/godwit/api/dashboard/icon.svg"
ROOT_PAGES = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s:]+)\)")
FILE_NAME = re.compile(r"(docs/)?[\w-]+\.md")
FENCED = re.compile(r"(?ms)^(```).*?^\1 *$")

# By their place in the site, what was linked to and has to be copied there; filled while pages are read.
_wanted = {}


def on_files(files, config):
    """Adds the pages that are not below docs/."""
    for name in ROOT_PAGES:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    files.append(File.generated(config, "adr/index.md", content=_decisions()))
    files.append(File.generated(config, "images/icon.svg", abs_src_path=str(ICON)))
    _wanted.clear()
    for page in files.documentation_pages():
        text = page.content_string
        for _, target in LINK.findall(FENCED.sub("", text)):
            path = _in_sources(page.src_uri, target)
            if path is not None and _kind(path) == "copied":
                _wanted[f"source/{path}"] = path
    for place, path in sorted(_wanted.items()):
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Has links lead to where things are on the site."""
    here = page.file.src_uri

    def moved(link):
        text, target = link.groups()
        path = _in_sources(here, target)
        if path is None:
            return link.group(0)
        anchor = target[target.index("#"):] if "#" in target else ""
        kind = _kind(path)
        if kind == "missing":
            return link.group(0)  # the build fails, and names it
        if kind == "directory":
            place = _page_of(path)
            if place is None:
                return text
        elif kind == "copied":
            place = f"source/{path}"
        else:
            place = path[len("docs/"):] if path.startswith("docs/") else path
            if path == "README.md":
                place = "index.md"
            if FILE_NAME.fullmatch(text):
                text = _title(path)
        return f"[{text}]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{anchor})"

    return LINK.sub(moved, markdown)


def _in_sources(page, target):
    """Where in the sources a relative link leads; None for one within its own page."""
    path = target.split("#")[0]
    if not path or path.startswith("/"):
        return None
    directory = "" if page in ROOT_PAGES else posixpath.join("docs", posixpath.dirname(page))
    return posixpath.normpath(posixpath.join(directory, path))


def _kind(path):
    if path.startswith("..") or not (ROOT / path).exists():
        return "missing"
    if (ROOT / path).is_dir():
        return "directory"
    if path.startswith("docs/") or path in ROOT_PAGES or path == "README.md":
        return "page"
    return "copied"


def _title(path):
    """What a page calls itself: on the site the name of its file says nothing."""
    first = re.search(r"(?m)^# +(.+)$", (ROOT / path).read_text(encoding="utf-8"))
    return first.group(1) if first else path


def _page_of(directory):
    if directory == "docs/adr":
        return "adr/index.md"
    if directory.startswith("docs/") and (ROOT / directory / "README.md").exists():
        return f"{directory[len('docs/'):]}/README.md"
    return None


def _decisions():
    lines = ["# Decisions", "", "Choices that look odd at first, and why they were made.", ""]
    for record in sorted((ROOT / "docs" / "adr").glob("0*.md")):
        title = record.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ").strip()
        number = record.name[:4]
        title = re.sub(r"^(ADR )?0*\d+[.:]? *", "", title)
        lines.append(f"- [{number}: {title}]({record.name})")
    return "\n".join(lines) + "\n"
