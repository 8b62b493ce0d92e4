import pytest

from app.formats.errors import PROBLEMS_KEPT, BadValueError, FormatError, Problem, ProblemLog


def problem(line=214, value="NaN"):
    return Problem(
        "file.run", line, "score", value, "the score is not a number", "Give a finite decimal number."
    )


def test_a_problem_reads_as_one_sentence_with_file_line_value_and_remedy():
    assert (
        str(problem())
        == "file.run, line 214: the score is not a number: 'NaN'. Give a finite decimal number."
    )


def test_a_problem_of_the_whole_file_names_no_line_and_no_empty_value():
    assert str(problem(line=None, value="")) == (
        "file.run: the score is not a number. Give a finite decimal number."
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\x00b", r"a\x00b"),
        ("a\u2028b", r"a\u2028b"),
        ("a\xa0b", r"a\xa0b"),
        ("\ud800", r"\ud800"),
        ("é\t", r"é\x09"),
    ],
)
def test_invisible_characters_are_spelled_out(value, shown):
    assert problem(value=value).value == shown


def test_a_long_value_is_cut_to_120_characters():
    assert problem(value="x" * 5000).value == "x" * 119 + "…"


def test_a_log_counts_all_problems_and_keeps_the_first_hundred():
    log = ProblemLog()

    for line in range(250):
        log.add(problem(line))

    assert log.total == len(log) == 250
    assert [each.line for each in log.problems] == list(range(100))


def test_a_log_with_problems_raises_them_all_in_one_error():
    log = ProblemLog()
    log.add(problem(1))
    log.add(problem(2))

    with pytest.raises(FormatError) as caught:
        log.raise_if_any()

    assert [each.line for each in caught.value.problems] == [1, 2]
    assert caught.value.total == 2
    assert str(caught.value).endswith("decimal number. (1 more problem)")


def test_a_log_without_problems_raises_nothing():
    ProblemLog().raise_if_any()


def test_sentences_are_only_made_for_the_problems_that_are_kept():
    log, made = ProblemLog(), []

    def reason():
        made.append(None)
        return "the line is too short"

    for line in range(250):
        log.refuse(BadValueError("columns", "q1", reason, "Fill it in."), "file.run", line)

    assert log.total == 250
    assert len(made) == PROBLEMS_KEPT
    assert str(log.problems[0]) == "file.run, line 0: the line is too short: 'q1'. Fill it in."
