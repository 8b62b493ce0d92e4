"""The house plan holds: arrows only go down, functions fit a screen, and the tree says nothing about one machine."""

import ast
import functools
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_FUNCTION_LINES = 60
MOST_WITH_ONE_IMPORTER = 0.36
MOST_FOR_TYPES_ALONE = 0.02
LONGEST_TEMPLATE_LINE = 140
TOP_LEVEL = {
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "app",
    "config.py",
    "migrations",
    "pyproject.toml",
    "requirements.txt",
    "static",
    "templates",
    "tests",
}
# Spelled in two halves, or this file would find itself.
OF_ONE_MACHINE = [
    "/wo" + "rk/",
    "/ro" + "ot/",
    "/ho" + "me/",
    "files.python" + "hosted",
    "pypi" + ".org/simple",
]
UNFINISHED = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "NotImplemented" + "Error", "pragma: no " + "cover"]
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc"}


def tracked(*patterns):
    """Return the files that git knows or would take, so that what is ignored is not looked at."""
    # In a container the folder often belongs to somebody else, which git alone would refuse.
    git = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(
        [*git, "--", *patterns], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [path for name in names.splitlines() if (path := ROOT / name).is_file()]


def text_of(path):
    """Return a file's text, empty for files that hold none."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def lines_with(paths, words):
    """Return where any of the words stands, as file:line."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in paths
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if any(word in line for word in words)
    ]


def test_arrows_only_go_down():
    # In a process of its own: the linter changes how this one logs.
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


@functools.cache
def tree_of(path):
    """Return the syntax tree of a module: parsed once for all that look at it."""
    return ast.parse(text_of(path))


@functools.cache
def nodes_of(path):
    """Return every node of a module's tree."""
    return list(ast.walk(tree_of(path)))


@functools.cache
def modules():
    """Return the file of every module of the app, by its name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in tracked("app/*.py")
    }


@functools.cache
def imports():
    """Return the modules of the app that each of them imports, also inside functions."""
    known = modules()
    found = {name: set() for name in known}
    for name, path in known.items():
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom):
                each = [f"{node.module}.{alias.name}" for alias in node.names]
                found[name] |= {one if one in known else node.module for one in each}
            elif isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names}
    return {name: (targets & known.keys()) - {name} for name, targets in found.items()}


@pytest.mark.thorough
def test_no_modules_import_each_other_in_a_circle():
    # A room of the web has one on purpose: its views hang on the blueprint of its package, which loads them.
    below = {name: targets for name, targets in imports().items() if not name.startswith("app.web.")}

    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.thorough
def test_most_modules_serve_more_than_one_other():
    importers = Counter(target for targets in imports().values() for target in targets)
    with_one = [name for name in modules() if importers[name] == 1]

    assert len(with_one) <= MOST_WITH_ONE_IMPORTER * len(modules()), with_one


@pytest.mark.thorough
def test_few_imports_are_for_types_alone():
    blocks = [
        node.end_lineno - node.lineno + 1
        for path in modules().values()
        for node in tree_of(path).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    lines = sum(len(text_of(path).splitlines()) for path in tracked("app/*.py"))

    assert sum(blocks) <= MOST_FOR_TYPES_ALONE * lines


@pytest.mark.thorough
def test_rooms_of_the_web_do_not_import_each_other():
    rooms = {path.parent.name for path in tracked("app/web/*/__init__.py")} - {"charts"}
    crossings = [
        f"{path.relative_to(ROOT)} imports {node.module}"
        for path in tracked("app/web/*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("app.web.")
        if path.parent.name in rooms and node.module.split(".")[2] in rooms - {path.parent.name}
    ]

    assert crossings == []


def length_of(function):
    """Return the lines of a function without its docstring: a formula may take the room it needs."""
    first = function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return (
        function.end_lineno
        - function.lineno
        + 1
        - (first.end_lineno - first.lineno + 1 if is_docstring else 0)
    )


@pytest.mark.thorough
def test_no_function_is_longer_than_a_screen():
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length_of(node)} lines"
        for path in tracked("app/*.py", "config.py")
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and length_of(node) > MOST_FUNCTION_LINES
    ]

    assert long == []


def test_no_line_of_a_template_is_too_long_to_read():
    long = [
        f"{path.relative_to(ROOT)}:{number}: {len(line)} characters"
        for path in tracked("templates/*.html")
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if len(line) > LONGEST_TEMPLATE_LINE
    ]

    assert long == []


@pytest.mark.thorough
def test_every_module_says_what_it_is_for():
    silent = [
        str(path.relative_to(ROOT))
        for path in tracked("app/*.py", "config.py")
        if text_of(path) and ast.get_docstring(tree_of(path)) is None
    ]

    assert silent == []


def test_no_module_is_named_after_nothing():
    assert [path for path in tracked("app/*.py", "static/js/*.js") if path.stem in VAGUE] == []


def test_the_top_level_holds_what_the_plan_names():
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}

    assert {name for name in top if not name.startswith(".")} <= TOP_LEVEL


def test_nothing_names_a_folder_or_a_registry_of_one_machine():
    assert lines_with(tracked(), OF_ONE_MACHINE) == []


def test_nothing_is_marked_as_unfinished():
    assert lines_with(tracked("app", "migrations", "static/js", "templates", "config.py"), UNFINISHED) == []


def test_tests_are_no_packages():
    assert tracked("tests/**/__init__.py", "tests/__init__.py") == []
