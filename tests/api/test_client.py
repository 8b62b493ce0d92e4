"""The client against a real server, with the libraries whose objects it takes and gives."""

import subprocess
import sys
import time
import warnings
from email.message import Message
from email.utils import formatdate
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError, URLError

import ir_measures
import pandas as pd
import pytest

from app.api import client as module
from app.api.client import Touchstone, TouchstoneError

RUN = {f"q{query}": {"d1": 3.0, "d2": 2.0, "d3": 1.0} for query in (1, 2, 3)}
LINES = "".join(
    f"{query} Q0 {doc} 1 {score} new\n" for query, found in RUN.items() for doc, score in found.items()
)
ROWS = [
    {"query_id": query, "doc_id": doc, "score": score}
    for query, found in RUN.items()
    for doc, score in found.items()
]


@pytest.fixture
def site(demo, address, token):
    return Touchstone(address, "demo", token()["Authorization"].removeprefix("Bearer "))


def test_a_run_of_any_kind_is_pushed(site, tmp_path):
    path = tmp_path / "new.run"
    path.write_text(LINES)
    kinds = {
        "a path": path,
        "a text": str(path),
        "scores": RUN,
        "a data frame": pd.DataFrame(ROWS),
        "rows": ROWS,
        "ir_measures": [ir_measures.ScoredDoc(row["query_id"], row["doc_id"], row["score"]) for row in ROWS],
        "lists": {query: list(found) for query, found in RUN.items()},
    }

    for name, run in kinds.items():
        done = site.push_run(run, ranker=name)

        assert (done["ranker"], done["version"], done["counts"]["lines"]) == (name, "v1", 9)
    means = {ranker["ranker"]: ranker["measures"]["nDCG@10"] for ranker in site.scores()["rankers"]}
    assert {means[name] for name in kinds} == {1.0}


@pytest.mark.thorough
def test_scores_become_a_data_frame(site):
    site.push_run(RUN, ranker="New")

    frame = pd.DataFrame(site.scores("nDCG@10 P@2", per_query=True).rows())

    assert set(frame.columns) == {"ranker", "version", "query_id", "measure", "value"}
    found = frame[(frame.ranker == "New") & (frame.query_id == "all")].set_index("measure")["value"]
    assert found.to_dict() == {"nDCG@10": 1.0, "P@2": 1.0}
    assert len(frame) == 3 * (2 + 3 * 2)


@pytest.mark.thorough  # loading ranx takes seconds
def test_qrels_are_what_ranx_and_ir_measures_take(site, ranx):
    qrels = site.qrels()
    reverse = {query: {doc: -score for doc, score in found.items()} for query, found in RUN.items()}
    ours = site.gate(ranx.Run(reverse), ranker="Reverse", against="BM25")["judged"]["score"]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its compiler
        by_ranx = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(reverse), "ndcg@10")
    by_ir_measures = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, reverse)

    assert qrels["q1"] == {"d1": 3, "d2": 2, "d3": 1}
    assert by_ranx == pytest.approx(ours)
    assert by_ir_measures[ir_measures.nDCG @ 10] == pytest.approx(ours)
    assert len(pd.DataFrame(qrels.rows())) == 9


def test_the_gate_judges_a_run_that_is_not_kept(site):
    before = list(site.pages("runs"))

    found = site.gate(RUN, ranker="BM25", against="Dense")

    assert found["answer"] == "cannot tell"
    assert site.gate(ranker="BM25", against="Dense")["answer"] == "cannot tell"
    with pytest.raises(TouchstoneError, match="has no other version"):
        site.gate(RUN, ranker="New")
    assert list(site.pages("runs")) == before


@pytest.mark.thorough
def test_judgments_are_pushed_and_lists_are_read_to_their_end(site):
    rows = [{"query_id": "q1", "doc_id": "d1", "grade": 0}, {"query_id": "q2", "doc_id": "d1", "grade": 1}]

    assert site.push_judgments(rows, annotator="Judge", kind="machine")["added"] == 2
    assert len(list(site.pages("pool", limit=2))) == 9
    assert [query["query_id"] for query in site.pages("queries")] == ["q1", "q2", "q3"]


@pytest.mark.thorough
def test_what_is_refused_is_an_error_with_the_sentence(site, address):
    with pytest.raises(TouchstoneError, match="the project has no query with this id") as refused:
        site.push_run({"nowhere": ["d1"]}, ranker="New")
    assert (refused.value.status, refused.value.problem["code"]) == (422, "file")
    with pytest.raises(TouchstoneError, match="unknown, expired or revoked"):
        Touchstone(address, "demo", "tsk_x").scores()
    with pytest.raises(ValueError, match=r"1\.7 is not a whole number"):
        site.push_judgments([{"query_id": "q1", "doc_id": "d1", "grade": 1.7}], annotator="Judge")
    with pytest.raises(ValueError, match="no column query_id"):
        site.push_run([{"q": "q1", "doc_id": "d1"}], ranker="New")


@pytest.mark.thorough
def test_a_request_beyond_the_limit_is_sent_again_after_a_pause(site, app, monkeypatch):
    from app.http.tokens import LIMIT, RequestLimit

    app.extensions[LIMIT] = RequestLimit(1, 2.0)
    pauses = []
    sleep = module.time.sleep
    monkeypatch.setattr(module.time, "sleep", lambda seconds: (pauses.append(seconds), sleep(seconds))[1])

    site.scores()
    site.scores()

    assert pauses == [1.0]


def test_what_passes_is_asked_again_and_nothing_is_done_twice(site, monkeypatch):
    """A proxy without its server, a connection that is refused, and an answer that was lost on its way."""
    real, pauses, keys = module.urlopen, [], []

    def refused(status, retry_after=None):
        headers = Message()
        if retry_after is not None:
            headers["Retry-After"] = retry_after
        return HTTPError("", status, "", headers, BytesIO(b"<h1>Bad gateway</h1>"))

    answers = [
        refused(502),
        refused(504, "3"),
        HTTPError("", 409, "", Message(), BytesIO(b'{"code": "at_work"}')),
        refused(503, formatdate(time.time() + 900, usegmt=True)),
    ]

    def flaky(asked, timeout):
        keys.append(asked.get_header("Idempotency-key"))
        if answers:
            raise answers.pop(0)
        return real(asked, timeout=timeout)

    monkeypatch.setattr(module, "urlopen", flaky)
    clock = SimpleNamespace(sleep=pauses.append, time=time.time, monotonic=time.monotonic)
    monkeypatch.setattr(module, "time", clock)

    site.push_run(RUN, ranker="New")

    assert pauses[:3] == [1.0, 3.0, 4.0]
    assert 800 < pauses[3] <= 900
    assert len(keys) == 5
    assert len({*keys}) == 1
    answers[:] = [URLError(ConnectionRefusedError(111, "Connection refused")) for _ in range(module.TRIES)]
    with pytest.raises(URLError, match="refused"):
        site.scores()


def test_every_site_offers_the_file_and_it_needs_nothing_else(client, tmp_path):
    reply = client.get("/api/client.py")
    path = tmp_path / "client.py"
    path.write_bytes(reply.data)

    assert reply.data == Path(module.__file__).read_bytes()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(path), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "gate" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["push-run", "--version", "w1"], 0, "New w1 is registered."),
        (["gate", "--against", "BM25"], 3, "Cannot tell: "),
        (["gate", "--against", "BM25", "--format", "markdown"], 3, "| BM25 v1 |"),
        (["gate", "--against", "Nobody"], 2, "There is no version 'Nobody'"),
        (["gate", "--address", "nowhere"], 2, "unknown url type"),
    ],
)
def test_the_file_is_a_command_for_pipelines(
    site, address, tmp_path, monkeypatch, capsys, words, status, told
):
    path = tmp_path / "new.run"
    path.write_text(LINES)
    command, *options = words
    monkeypatch.setenv("TOUCHSTONE_TOKEN", site._token)
    asked = [
        "client.py",
        command,
        str(path),
        "--address",
        address,
        "--project",
        "demo",
        "--ranker",
        "New",
        *options,
    ]
    monkeypatch.setattr(sys, "argv", asked)

    assert module.main() == status
    printed = capsys.readouterr()
    assert told in printed.out + printed.err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["push-run"], 0, "New v1 is registered."),
        (["gate", "--against", "BM25"], 3, "Cannot tell: "),
    ],
)
def test_the_command_takes_a_repeated_document_at_its_best_place_if_so_asked(
    site, address, tmp_path, monkeypatch, capsys, words, status, told
):
    path = tmp_path / "twice.run"
    path.write_text(f"{LINES}q1 Q0 d1 9 0.1 new\n")
    monkeypatch.setenv("TOUCHSTONE_TOKEN", site._token)
    command, *options = words
    asked = ["client.py", command, str(path), "--address", address, "--project", "demo", "--ranker", "New"]

    monkeypatch.setattr(sys, "argv", [*asked, *options])
    assert module.main() == 2
    assert "the query has this document already, on line 1" in capsys.readouterr().err

    monkeypatch.setattr(sys, "argv", [*asked, *options, "--best"])
    assert module.main() == status
    assert told in capsys.readouterr().out
