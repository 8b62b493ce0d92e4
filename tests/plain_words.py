"""What people read, with its place: text of pages, sentences in Python and scripts, help of commands, README."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
Line = tuple[Path, int, str]

# What hides the words of a template from its readers. Newlines are kept, so that lines keep their numbers.
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>", re.DOTALL)
_SPOKEN_ATTRIBUTE = re.compile(r"\b(?:aria-label|title|placeholder|alt)=\"([^\"]*)\"")
_QUOTED = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`")


def _is_sentence(text: str) -> bool:
    """Tell whether a string may be read by people: several words, or one that begins like a label."""
    return bool(re.search(r"\w\s+\w", text) or re.fullmatch(r"\s*[A-Z][a-z]+\W*", text))


def _quoted(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of every quoted sentence in a piece of code."""
    for match in _QUOTED.finditer(text):
        words = next(group for group in (*match.groups(), "") if group is not None)
        if _is_sentence(words):
            yield start + text.count("\n", 0, match.start()), words


def _blank(match: re.Match[str]) -> str:
    return " " + "\n" * match[0].count("\n")


def template_lines(path: Path) -> Iterator[Line]:
    """Yield what a template shows: its text, labels in attributes, and sentences in its expressions."""
    text = _COMMENT.sub(_blank, path.read_text())
    for code in _CODE.finditer(text):
        for line, words in _quoted(code[0], 1 + text.count("\n", 0, code.start())):
            yield path, line, words
    text = _CODE.sub(_blank, text)
    for tag in _TAG.finditer(text):
        for spoken in _SPOKEN_ATTRIBUTE.finditer(tag[0]):
            yield path, 1 + text.count("\n", 0, tag.start()), spoken[1]
    for number, words in enumerate(_TAG.sub(_blank, text).split("\n"), 1):
        if words.strip():
            yield path, number, words


def python_lines(path: Path) -> Iterator[Line]:
    """Yield the sentences of a module: its strings, and docstrings only where a command shows them as help."""
    tree = ast.parse(path.read_text())
    hidden = set()
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            hidden.update(part for part in node.values if isinstance(part, ast.Constant))
            words = "".join(part.value if isinstance(part, ast.Constant) else "7" for part in node.values)
            yield path, node.lineno, words
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(node.value)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            hidden.update(ast.walk(node.value))
        if isinstance(node, ast.FunctionDef) and "cli" in path.parts and node.decorator_list:
            yield path, node.lineno, ast.get_docstring(node) or ""
    for node in nodes:
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in hidden
        if is_text and _is_sentence(node.value):
            yield path, node.lineno, node.value


def script_lines(path: Path) -> Iterator[Line]:
    """Yield the quoted sentences of a script, not its comments."""
    text = re.sub(r"/\*.*?\*/|(?m:^|(?<=\s))//[^\n]*", _blank, path.read_text(), flags=re.DOTALL)
    for line, words in _quoted(text, 1):
        yield path, line, words


def page_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a Markdown page outside its blocks of code."""
    is_code = False
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield path, number, re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line)


def all_lines() -> Iterator[Line]:
    """Yield everything people read in English."""
    for path in sorted((ROOT / "templates").rglob("*.html")):
        yield from template_lines(path)
    for path in sorted((ROOT / "app").rglob("*.py")):
        yield from python_lines(path)
    for path in sorted((ROOT / "static/js").rglob("*.js")):
        yield from script_lines(path)
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "app").glob("*.md"), *(ROOT / "tests").rglob("*.md")]):
        yield from page_lines(path)
