"""What `make translations` finds in readers of files: their sentences stand in calls beside codes and values."""

import ast

from babel.messages.extract import extract_python

# Function -> which of its arguments are said.
SAID = {
    "BadValueError": (2, 3),
    "Problem": (4, 5),
    "Guess": (1,),
    "Shape": (1,),
    "add": (2, 3),
    "id_of": (1,),
    "missing_reader": (0, 2),
    "name_of": (1,),
    "number_of": (2,),
    "taken": (2,),
    "text_of": (1,),
    "_bad_zip": (0,),
    "_damaged": (0,),
    "_unfit": (0, 1),
}


def extract(file, keywords, tags, options):
    """Yield (line, function, sentence, comments) as Babel does."""
    yield from extract_python(file, keywords, tags, options)
    file.seek(0)
    for said in sentences_in(file.read()):
        if isinstance(said, ast.Constant) and said.value:
            yield said.lineno, "gettext", said.value, []


def sentences_in(source):
    """Yield each argument of a module that is a sentence."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            yield from (node.args[at] for at in SAID.get(name, ()) if at < len(node.args))
