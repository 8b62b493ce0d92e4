"""Text to rows and rows to text, for every file that comes in or goes out; no database and no Flask.

Readers are generators: they take a binary stream or a path, a display name and a `ProblemLog`, yield the
good rows, note what is wrong with the others and go on, so that every problem of a file is counted.
"""
