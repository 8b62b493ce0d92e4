from app.web.charts.bars import coverage_grid


def question(number, done, wanted=8):
    return done, wanted, (f"Question {number}", f"/q/{number}")


def grid_of(questions, **values):
    done, wanted, named = zip(*questions, strict=True) if questions else ((), (), ())
    return coverage_grid(done, wanted, named, **values)


def test_each_question_has_a_square_with_words_and_a_link():
    grid = grid_of([question(1, 8), question(2, 4), question(3, 0)])

    assert [square.label for square in grid.squares] == [
        "Question 1: fully rated",
        "Question 2: 50 % rated",
        "Question 3: not started",
    ]
    assert [square.url for square in grid.squares] == ["/q/1", "/q/2", "/q/3"]
    assert grid.label == "3 questions: 1 fully rated, 1 partly, 1 not started"


def test_squares_fill_from_below():
    square = grid_of([question(1, 4)]).squares[0]

    # 22 units of room within the outline, half of it filled: from 13 down to 24.
    assert square.outline.startswith("M7 1h12a6 6 0 0 1 6 6v12")
    assert square.fill.startswith("M6 13h14a4 4 0 0 1 4 4v3a")


def test_a_full_square_is_filled_to_its_outline_and_an_empty_one_not_at_all():
    full, empty, nearly = grid_of([question(1, 8), question(2, 0), question(3, 1, 100)]).squares

    assert full.fill == full.outline
    assert empty.fill == ""
    assert nearly.fill.startswith("M62.1 23.8h21.8a0.1 0.1 ")  # as round as its height allows


def test_nearly_nothing_and_nearly_all_are_not_rounded_away():
    labels = [square.label for square in grid_of([question(1, 1, 1000), question(2, 999, 1000)]).squares]

    assert labels == ["Question 1: 1 % rated", "Question 2: 99 % rated"]


def test_thousands_of_questions_share_squares():
    questions = [question(number, 8) for number in range(1, 3001)]

    grid = grid_of(questions, list_url="/queries")

    assert grid.each == 25
    assert len(grid.squares) == 120
    assert grid.squares[-1].label == "Questions 2976 to 3000: fully rated"
    assert {square.url for square in grid.squares} == {"/queries"}


def test_a_question_without_answers_is_not_started():
    grid = grid_of([question(1, 0, 0)])

    assert grid.squares[0].label == "Question 1: not started"
    assert grid.label == "1 question: 0 fully rated, 0 partly, 1 not started"


def test_no_question_is_no_square():
    grid = grid_of([])

    assert not grid.squares
    assert grid.height > 0
