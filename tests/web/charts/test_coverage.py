from app.web.charts import Progress, coverage_grid


def question(number, done, wanted=8):
    return Progress(f"Question {number}", done, wanted, f"/q/{number}")


def test_each_question_has_a_square_with_words_and_a_link():
    grid = coverage_grid([question(1, 8), question(2, 4), question(3, 0)])

    assert [square.label for square in grid.squares] == [
        "Question 1: fully rated",
        "Question 2: 50 % rated",
        "Question 3: not started",
    ]
    assert [square.url for square in grid.squares] == ["/q/1", "/q/2", "/q/3"]
    assert grid.label == "3 questions: 1 fully rated, 1 partly, 1 not started"


def test_squares_fill_from_below():
    square = coverage_grid([question(1, 4)]).squares[0]

    assert square.fill_y + square.fill == square.y + 23
    assert not square.full


def test_nearly_nothing_and_nearly_all_are_not_rounded_away():
    labels = [
        square.label for square in coverage_grid([question(1, 1, 1000), question(2, 999, 1000)]).squares
    ]

    assert labels == ["Question 1: 1 % rated", "Question 2: 99 % rated"]


def test_thousands_of_questions_share_squares():
    questions = [question(number, 8) for number in range(1, 3001)]

    grid = coverage_grid(questions, list_url="/queries")

    assert grid.each == 25
    assert len(grid.squares) == 120
    assert grid.squares[-1].label == "Questions 2976 to 3000: fully rated"
    assert {square.url for square in grid.squares} == {"/queries"}


def test_a_question_without_answers_is_not_started():
    grid = coverage_grid([question(1, 0, 0)])

    assert grid.squares[0].label == "Question 1: not started"
    assert grid.label == "1 question: 0 fully rated, 0 partly, 1 not started"


def test_no_question_is_no_square():
    grid = coverage_grid([])

    assert grid.squares == []
    assert grid.height > 0
