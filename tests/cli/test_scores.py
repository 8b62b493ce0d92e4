"""`flask score`: what was asked for and nothing else, as a table or as one JSON object."""

from __future__ import annotations

import json

import pytest

from app.services.collection.rankers import set_production
from app.services.evidence.store import evidence_of
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.verdict_text import verdict_word
from tests.furniture.databases import built_in
from tests.furniture.rankers import rankers_in

QUERIES = "q1\tflat tyre\nq2\twobbly wheel\n"
DOCUMENTS = "doc_id,title,text\nd1,Tyres,Mend it.\nd2,Wheels,True it.\n"
RUN = "q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 8.5 bm25\nq2 Q0 d1 1 8.5 bm25\nq2 Q0 d2 2 7.5 bm25\n"
QRELS = "q1 0 d1 3\nq1 0 d2 0\nq2 0 d1 0\nq2 0 d2 3\n"


@pytest.fixture
def score(run_command, tmp_path):
    """Return what scores a project of two queries and gives the output."""
    run_command("project", "create", "p", "--name", "P", "--scale", "0-3", "--k", 2)
    for kind, text in (("queries", QUERIES), ("documents", DOCUMENTS), ("run", RUN), ("qrels", QRELS)):
        path = tmp_path / f"{kind}.txt"
        path.write_text(text)
        ranker = ("--ranker", "BM25") if kind == "run" else ()
        assert run_command("import", kind, "p", path, *ranker).exit_code == 0

    def score(*options):
        result = run_command("score", "p", *options)
        assert result.exit_code == 0, result.output
        return result.output

    return score


@pytest.mark.thorough
def test_weighted_means_stand_beside_the_plain_ones_once_a_weight_differs(score, run_command, tmp_path):
    plain = json.loads(score("--json"))["rankers"][0]
    (tmp_path / "weights.csv").write_text("query_id,text,weight\nq1,flat tyre,3\n")
    done = run_command("import", "queries", "p", tmp_path / "weights.csv", "--replace")
    assert done.exit_code == 0, done.output

    weighted = json.loads(score("--json", "--per-query"))["rankers"][0]

    first, second = (weighted["per_query"][query]["nDCG@2"] for query in ("q1", "q2"))
    assert "weighted_means" not in plain
    assert weighted["measures"] == plain["measures"]
    assert weighted["weighted_means"]["nDCG@2"] == pytest.approx((3 * first + second) / 4)


@pytest.mark.thorough
def test_a_query_without_results_in_a_run_counts_as_0_and_it_is_said(score, run_command, tmp_path):
    (tmp_path / "short.txt").write_text("q1 Q0 d1 1 9.5 short\n")
    done = run_command("import", "run", "p", tmp_path / "short.txt", "--ranker", "Short")
    assert done.exit_code == 0, done.output

    told = score()

    row = next(line.split() for line in told.splitlines() if line.startswith("Short"))
    assert (row[2], row[-1]) == ("0.5000", "2")
    assert "2 queries scored.\n" in told
    assert "mean is over the 2 queries scored for all of these runs." in told


@pytest.fixture
def rankers(stored):
    """Return a project of two rankers, the newest version of the better one being worse than its first."""
    return built_in(stored, build_rankers)


def build_rankers(database):
    rankers = rankers_in(database, slug="two")
    rankers.add_run("Ahead", good_first=False)
    rankers.rate(rankers.queries)
    return rankers


def test_the_newest_version_of_each_ranker_is_shown_or_all(rankers, run_command):
    newest, everything = (
        json.loads(run_command("score", "two", "--json", *more).output)["rankers"]
        for more in ((), ("--all-versions",))
    )

    assert [(one["ranker"], one["version"]) for one in newest] == [("Ahead", "v2"), ("Behind", "v1")]
    assert sorted((one["ranker"], one["version"]) for one in everything) == [
        ("Ahead", "v1"),
        ("Ahead", "v2"),
        ("Behind", "v1"),
    ]


def test_what_no_member_can_rate_waits_for_a_decision_as_on_the_pages(stored, run_command):
    rankers = rankers_in(stored, 24, behind_wins=12, slug="two")
    ordered = rankers.ordered()
    rankers.rate(ordered[1:])
    rankers.let_nobody_here_judge(ordered[0])

    told = json.loads(run_command("score", "two", "--json").output)["answer"]["lines"]

    assert told[-1] == "2 of their top answers could not be rated: decide them in Review."


@pytest.mark.thorough
@pytest.mark.parametrize("more", [(), ("--all-versions", "--measures", "P@1")])
@pytest.mark.parametrize("marked", [None, 0, 1])
def test_the_object_says_what_the_overview_says(rankers, run_command, marked, more):
    if marked is not None:
        with rankers.database.write() as session:
            set_production(session, session.merge(rankers.project), session.merge(rankers.runs[marked]))

    told = json.loads(run_command("score", "two", "--json", *more).output)
    board = leaderboard_of(evidence_of(rankers.database, rankers.project.id))

    assert told["answer"] == {"sentence": board.sentence, "lines": board.answer.lines}
    assert told["reference"] == {
        "ranker": board.reference.run.ranker,
        "version": board.reference.run.version,
    }
    for one, entry in zip(told["compared"], board.rankers, strict=True):
        assert (one["ranker"], one["version"], one["score"]) == (
            entry.run.ranker,
            entry.run.version,
            entry.score,
        )
        assert one["in_production"] == entry.in_production
        for name, pair in (("against_reference", entry.gap), ("against_version_before", entry.since)):
            if pair is None:
                assert one[name] is None
            else:
                interval = one[name]["interval"]
                assert one[name]["gap"] == pair.mean
                assert one[name]["verdict"] == verdict_word(pair)
                assert (interval["low"], interval["high"]) == (
                    pair.verdict.interval.low,
                    pair.verdict.interval.high,
                )
    before = {one["ranker"]: one["against_version_before"] for one in told["compared"]}
    if marked is None:
        assert (before["Ahead"]["verdict"], before["Ahead"]["version"]) == ("Surely worse", "v1")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("asked", "labels"), [("", ["nDCG@2"]), ("P@1 RR", ["P@1", "RR"]), ("P@1 judged@2", ["P@1", "judged@2"])]
)
def test_the_object_holds_the_measures_that_were_asked_for(score, asked, labels):
    (ranker,) = json.loads(score("--json", "--per-query", "--measures", asked))["rankers"]

    assert list(ranker["measures"]) == [label for label in labels if not label.startswith("judged")]
    assert {query: list(values) for query, values in ranker["per_query"].items()} == {
        "q1": labels,
        "q2": labels,
    }
    assert ranker["judged"]["judged@2"] == 1


@pytest.mark.thorough
def test_the_values_of_every_query_are_a_table_too(score):
    told = score("--per-query", "--measures", "P@1 RR").splitlines()

    assert [line.split() for line in told[-3:]] == [
        ["ranker", "version", "query", "P@1", "RR"],
        ["BM25", "v1", "q1", "1.0000", "1.0000"],
        ["BM25", "v1", "q2", "0.0000", "0.5000"],
    ]
    assert "q1" not in score("--measures", "P@1 RR")


@pytest.mark.thorough
def test_queries_without_a_score_are_counted_with_the_reason(score, run_command, tmp_path):
    assert "2 queries scored.\n" in score()
    (tmp_path / "worse.txt").write_text("q1 0 d1 0\n")
    (tmp_path / "none.txt").write_text("q2 0 d2 0\n")
    more = ("--replace", "--annotator", "Imported from qrels")

    for file, told in (
        ("worse.txt", "1 query scored. Left out: 1 with the lowest grade only.\n"),
        ("none.txt", "0 queries scored. Left out: 2 with the lowest grade only.\n"),
    ):
        done = run_command("import", "qrels", "p", tmp_path / file, *more)
        assert done.exit_code == 0, done.output
        assert told in score()
