"""Webhooks: signed, tried again, sent nowhere that the operator does not allow, and silent about who rated what."""

import base64
import hmac
import json
import socket
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from sqlalchemy import select, update

from app.database import Database
from app.jobs import webhooks as jobs
from app.jobs.fetching import RefusedError, is_local
from app.jobs.turns import work_items_of
from app.jobs.webhooks import look_at_scores, post, send_webhooks
from app.models import AuditEntry, Candidate, Person, Project, WebhookDelivery, WebhookWatch, now_utc
from app.services.collection.rankers import set_production
from app.services.deliveries import PAUSES, forget_old_deliveries
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.judging.rating import Annotator
from app.services.judging.remarks import flag_answer, write_note
from app.services.webhooks import (
    EVENTS,
    MOST,
    PLACEHOLDERS,
    QUESTION_FINISHED,
    REMARK,
    RUN_IMPORTED,
    SCORE_DROPPED,
    VERDICT_CHANGED,
    Outgoing,
    WebhookValues,
    announce,
    change_webhook,
    claim_delivery,
    create_webhook,
    delete_webhook,
    deliveries_of,
    get_webhook,
    projects_to_look_at,
    secret_text,
    send_again,
    send_test,
    target_of,
)
from config import WebhookHost, read_webhook_hosts
from tests.furniture.databases import made_in
from tests.furniture.factories import making_in
from tests.jobs.test_fetching import PRIVATE

HOST = "hooks.example.org"
HOSTS = frozenset({WebhookHost(HOST)})
VALUES = WebhookValues(address=f"https://{HOST}/services/1", events=EVENTS)


class Receiver:
    """A program on this machine that is told things; `answers` says what it answers, the last one for ever."""

    def __init__(self):
        self.requests, self.answers = [], [(200, b"thanks", {})]
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((self.path, dict(self.headers), body))
                status, content, headers = (
                    receiver.answers.pop(0) if len(receiver.answers) > 1 else receiver.answers[0]
                )
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_values):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.hosts = frozenset({WebhookHost("127.0.0.1", self.port, is_private=True)})
        self.address = f"http://127.0.0.1:{self.port}/told"

    @property
    def told(self):
        return [json.loads(body) for _, _, body in self.requests]


@pytest.fixture
def receiver(monkeypatch):
    found = Receiver()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    monkeypatch.setenv("WEBHOOK_HOSTS", f"private:127.0.0.1:{found.port}")
    monkeypatch.setenv("PUBLIC_URL", "https://rate.example.org")
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


@pytest.fixture
def no_network(monkeypatch):
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("a connection"))


@pytest.fixture
def project(making):
    with making() as make:
        return make.project(slug="kettles", name="Kettles")


def make_webhook(stored, project, hosts, **values):
    with stored.write() as session:
        chosen = WebhookValues(**{"address": VALUES.address, "events": EVENTS, **values})
        return create_webhook(session, session.get_one(Project, project.id), chosen, hosts)


def rows_of(stored, webhook):
    with stored.read() as session:
        return deliveries_of(session, webhook)


def tell(stored, project, event=RUN_IMPORTED, **data):
    with stored.write() as session:
        return announce(
            session, session.get_one(Project, project.id), event, **{"message": "It is so.", **data}
        )


def let_it_be_due(stored):
    with stored.write() as session:
        session.execute(update(WebhookDelivery).values(next_at=now_utc() - timedelta(seconds=1)))


def test_a_message_is_signed_so_that_its_receiver_can_check_it(stored, project, receiver):
    webhook = make_webhook(stored, project, receiver.hosts, address=receiver.address)
    tell(stored, project, ranker="BM25", version="v2", path="/p/kettles/")

    send_webhooks(stored, project.id)

    ((path, headers, body),) = receiver.requests
    (row,) = rows_of(stored, webhook)
    # What a receiver does with the secret that it was given.
    key = base64.b64decode(secret_text(webhook).removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers["webhook-id"] == row.message_id
    assert abs(int(headers["webhook-timestamp"]) - now_utc().timestamp()) < 60
    assert headers["Content-Type"] == "application/json"
    assert path == "/told"
    told = json.loads(body)
    assert told.pop("timestamp").endswith("Z")
    assert told == {
        "type": "run.imported",
        "message": "It is so.",
        "project": {"slug": "kettles", "name": "Kettles"},
        "link": "https://rate.example.org/p/kettles/",
        "data": {"ranker": "BM25", "version": "v2"},
    }
    assert (row.state, row.status, row.answer, row.attempts) == ("delivered", 200, "thanks", 1)


def test_a_template_is_what_is_sent_and_no_value_breaks_out_of_it(stored, project, receiver):
    make_webhook(
        stored,
        project,
        receiver.hosts,
        address=receiver.address,
        template='{"text": "{message} {link} {ranker}"}',
    )
    tell(
        stored, project, message='A "quoted"\r\nX-Other: 1 {secret}', ranker='", "admin": true, "x": "\ud83d'
    )

    send_webhooks(stored, project.id)

    ((_, headers, _),) = receiver.requests
    assert "X-Other" not in headers
    (told,) = receiver.told
    assert list(told) == ["text"]
    assert told["text"].startswith(
        'A "quoted"\r\nX-Other: 1 {secret} https://rate.example.org/p/kettles/ ", "admin"'
    )


@pytest.mark.parametrize(
    "template",
    [
        '{"text": "{secret}"}',
        '{"text": "{message.__class__}"}x',
        '{"text": {message}}',
        "text={message}",
        "x" * 4001,
    ],
)
def test_templates_that_are_no_json_or_name_something_else_are_refused(stored, project, template):
    with pytest.raises(InvalidError):
        make_webhook(stored, project, HOSTS, template=template)


def test_only_webhooks_of_the_project_that_want_an_event_are_told(stored, making, project):
    with making() as make:
        other = make.project(slug="other")
    wants = make_webhook(stored, project, HOSTS, events=[RUN_IMPORTED])
    does_not, elsewhere = (
        make_webhook(stored, project, HOSTS, events=[REMARK]),
        make_webhook(stored, other, HOSTS),
    )

    assert tell(stored, project) == 1

    assert [len(rows_of(stored, each)) for each in (wants, does_not, elsewhere)] == [1, 0, 0]


def test_nothing_is_told_of_what_was_not_saved(stored, project):
    webhook = make_webhook(stored, project, HOSTS)
    with pytest.raises(ZeroDivisionError), stored.write() as session:
        announce(session, session.get_one(Project, project.id), RUN_IMPORTED, message="It is so.")
        _ = 1 / 0

    assert rows_of(stored, webhook) == []


def test_what_failed_is_tried_again_later_with_the_same_id_and_then_given_up(stored, project, receiver):
    webhook = make_webhook(stored, project, receiver.hosts, address=receiver.address)
    receiver.answers = [(500, b"x" * 3000, {}), (503, b"later", {}), (200, b"thanks", {})]
    tell(stored, project)

    send_webhooks(stored, project.id)
    send_webhooks(stored, project.id)  # too early for the next try
    (row,) = rows_of(stored, webhook)
    assert (row.state, row.status, len(row.answer), row.attempts) == ("waiting", 500, 500, 1)
    assert 0 < (row.next_at - now_utc()).total_seconds() <= 60 * PAUSES[0]
    for _ in range(2):
        let_it_be_due(stored)
        send_webhooks(stored, project.id)

    (row,) = rows_of(stored, webhook)
    assert (row.state, row.status, row.attempts) == ("delivered", 200, 3)
    assert len(receiver.requests) == 3
    assert len({headers["webhook-id"] for _, headers, _ in receiver.requests}) == 1

    receiver.answers = [(500, b"", {})]
    tell(stored, project)
    for _ in range(len(PAUSES) + 2):
        let_it_be_due(stored)
        send_webhooks(stored, project.id)
    assert (rows_of(stored, webhook)[0].state, len(receiver.requests)) == ("failed", 3 + len(PAUSES) + 1)


def test_a_message_can_be_sent_again_by_hand_under_its_id(stored, project, receiver):
    webhook = make_webhook(stored, project, receiver.hosts, address=receiver.address)
    with stored.write() as session:
        send_test(session, webhook)
    send_webhooks(stored, project.id)
    (row,) = rows_of(stored, webhook)

    with stored.write() as session:
        send_again(session, webhook, row.id)
    send_webhooks(stored, project.id)

    assert [told["type"] for told in receiver.told] == ["test", "test"]
    assert {headers["webhook-id"] for _, headers, _ in receiver.requests} == {row.message_id}
    with pytest.raises(NotFoundError), stored.write() as session:
        send_again(session, webhook, row.id + 1)


def test_a_message_whose_sending_was_cut_short_is_sent_once_more(stored, project, receiver):
    make_webhook(stored, project, receiver.hosts, address=receiver.address)
    tell(stored, project)
    with stored.write() as session:  # a process takes it, and is killed
        assert claim_delivery(session, project.id) is not None
        assert claim_delivery(session, project.id) is None

    let_it_be_due(stored)
    send_webhooks(stored, project.id)

    assert len(receiver.requests) == 1


def test_a_redirect_is_not_followed(stored, project, receiver):
    webhook = make_webhook(stored, project, receiver.hosts, address=receiver.address)
    receiver.answers = [(302, b"", {"Location": f"{receiver.address}/inside"})]
    tell(stored, project)

    send_webhooks(stored, project.id)

    assert [path for path, _, _ in receiver.requests] == ["/told"]
    assert rows_of(stored, webhook)[0].status == 302


def test_an_answer_is_cut_and_holds_only_what_can_be_shown(stored, project, receiver):
    webhook = make_webhook(stored, project, receiver.hosts, address=receiver.address)
    receiver.answers = [(200, b"\x00\xff\x1b[31m<script>" + b"y" * 100_000, {})]
    tell(stored, project)

    send_webhooks(stored, project.id)

    (row,) = rows_of(stored, webhook)
    assert len(row.answer) == 500
    assert all(sign.isprintable() for sign in row.answer)


def test_a_host_that_never_answers_is_given_up(stored, project, receiver, monkeypatch):
    monkeypatch.setattr(jobs, "SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("WEBHOOK_HOSTS", f"private:127.0.0.1:{port}")
        hosts = {WebhookHost("127.0.0.1", port, is_private=True)}
        webhook = make_webhook(stored, project, hosts, address=f"http://127.0.0.1:{port}/")
        tell(stored, project)
        send_webhooks(stored, project.id)

    (row,) = rows_of(stored, webhook)
    assert (row.state, row.status) == ("waiting", 0)
    assert "No proper answer" in row.answer


def test_an_answer_that_breaks_off_counts_by_its_status(stored, project, receiver):
    webhook = make_webhook(stored, project, receiver.hosts, address=receiver.address)
    receiver.answers = [(200, b"half", {"Content-Length": "900"})]
    tell(stored, project)

    send_webhooks(stored, project.id)

    assert [(row.state, row.status) for row in rows_of(stored, webhook)] == [("delivered", 200)]


@pytest.mark.parametrize(
    "address",
    [
        "https://other.example.org/x",
        f"https://{HOST}.evil.example/x",
        f"https://evil.example/{HOST}",
        f"https://evil.example#{HOST}/x",
        f"https://{HOST}@evil.example/x",
        f"https://user:password@{HOST}/x",
        f"https://{HOST}\\@evil.example/x",
        f"https://{HOST}/x\r\nX-Other: 1",
        f"https://{HOST}/x y",
        f"https://{HOST}/é",
        f"https://{HOST}?x",
        f"https://{HOST}./x",
        f"https://{HOST}:8443/x",
        f"https://{HOST}:99999/x",
        f"http://{HOST}/x",
        f"http://{HOST}:443/x",
        f"ftp://{HOST}/x",
        f"//{HOST}/x",
        "https://2130706433/x",
        "https://0x7f.1/x",
        "https://0177.0.0.1/x",
        "https://127.1/x",
        "https://[::1]/x",
        "https://[::ffff:127.0.0.1]/x",
        "https://[64:ff9b::7f00:1]/x",
        "https://localhost/x",
        "https://ⓛocalhost/x",
        "file:///etc/passwd",
        "",
        "https://" + HOST + "/" + "x" * 1000,
    ],
)
def test_no_address_but_of_allowed_hosts_is_taken_or_connected_to(stored, project, no_network, address):
    with pytest.raises(InvalidError):
        make_webhook(stored, project, HOSTS, address=address)
    with pytest.raises(InvalidError):
        post(outgoing(address), HOSTS)


def outgoing(address):
    return Outgoing(
        1, "msg_1", address, b"k" * 32, "", "test", now_utc(), {"project": {"slug": "x", "name": "X"}}, 1
    )


@pytest.mark.parametrize("address", PRIVATE)
def test_an_allowed_name_that_leads_to_a_private_address_is_not_connected_to(
    monkeypatch, no_network, address
):
    answers = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 443)) for each in ("93.184.215.14", address)
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_values, **_more: answers)

    with pytest.raises(RefusedError, match="not public"):
        post(outgoing(f"https://{HOST}/x"), HOSTS)


def test_a_private_host_is_told_only_where_the_operator_says_private(monkeypatch, no_network):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_v, **_m: [(2, 1, 6, "", ("169.254.169.254", 443))])
    named = frozenset({WebhookHost("chat.internal", is_private=True)})

    with pytest.raises(RefusedError, match="not allowed"):
        post(outgoing("https://chat.internal/x"), named)
    assert is_local("10.1.2.3")
    assert is_local("::1")
    assert not any(map(is_local, ("169.254.169.254", "0.0.0.0", "::", "224.0.0.1", "::ffff:10.0.0.1")))


def test_plain_http_leads_to_this_machine_only(monkeypatch, no_network):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_v, **_m: [(2, 1, 6, "", ("10.0.0.1", 80))])
    local = frozenset({WebhookHost("localhost", is_private=True)})

    assert target_of("http://localhost/x", local).port == 80
    with pytest.raises(RefusedError):
        post(outgoing("http://localhost/x"), local)
    with pytest.raises(InvalidError, match="https"):
        target_of("http://chat.internal/x", frozenset({WebhookHost("chat.internal", is_private=True)}))


def test_nothing_is_sent_to_a_host_that_is_no_longer_allowed(stored, project, no_network, monkeypatch):
    monkeypatch.delenv("WEBHOOK_HOSTS", raising=False)
    webhook = make_webhook(stored, project, HOSTS)
    tell(stored, project)

    send_webhooks(stored, project.id)

    (row,) = rows_of(stored, webhook)
    assert (row.state, row.status) == ("waiting", 0)
    assert "does not allow" in row.answer


def test_hosts_are_read_from_the_setting():
    given = f"{HOST}, Private:127.0.0.1:9000 private:[::1]:9000"

    assert read_webhook_hosts({"WEBHOOK_HOSTS": given}) == {
        WebhookHost(HOST),
        WebhookHost("127.0.0.1", 9000, is_private=True),
        WebhookHost("::1", 9000, is_private=True),
    }


def test_values_that_cannot_be_right_and_too_many_webhooks_are_refused(stored, project):
    for wrong in (
        {"events": []},
        {"events": ["other"]},
        {"points": 0},
        {"points": 101},
        {"points": float("nan")},
    ):
        with pytest.raises(InvalidError):
            make_webhook(stored, project, HOSTS, **wrong)
    for _ in range(MOST):
        make_webhook(stored, project, HOSTS)
    with pytest.raises(ConflictError):
        make_webhook(stored, project, HOSTS)


def test_the_audit_trail_tells_of_webhooks_without_addresses_and_secrets(stored, project):
    webhook = make_webhook(stored, project, HOSTS)
    with stored.write() as session:
        found = get_webhook(session, project.id, webhook.id)
        change_webhook(
            session, found, WebhookValues(address=f"https://{HOST}/2", events=[REMARK], points=2), HOSTS
        )
        change_webhook(
            session, found, WebhookValues(address=f"https://{HOST}/2", events=[REMARK], points=2), HOSTS
        )
        delete_webhook(session, project.id, webhook.id)
        delete_webhook(session, project.id, webhook.id)

    with stored.read() as session:
        rows = session.scalars(select(AuditEntry).where(AuditEntry.kind.startswith("webhook"))).all()
        assert [(row.kind, row.details) for row in rows] == [
            ("webhook_made", {"webhook": webhook.id, "host": HOST, "events": [*EVENTS]}),
            ("webhook_changed", {"webhook": webhook.id, "host": HOST, "what": ["address", "events"]}),
            ("webhook_deleted", {"webhook": webhook.id, "host": HOST}),
        ]
        assert session.scalars(select(WebhookDelivery)).all() == []


def test_old_messages_are_forgotten_but_not_those_that_wait(stored, project):
    webhook = make_webhook(stored, project, HOSTS)
    tell(stored, project)
    tell(stored, project)
    newest = rows_of(stored, webhook)[0].id
    with stored.write() as session:
        session.execute(update(WebhookDelivery).values(created_at=now_utc() - timedelta(days=31)))
        session.execute(update(WebhookDelivery).where(WebhookDelivery.id == newest).values(state="delivered"))
        forget_old_deliveries(session)

    assert [row.state for row in rows_of(stored, webhook)] == ["waiting"]


@pytest.fixture
def rated(stored):
    return made_in(stored, make_rated)


def make_rated(make):
    """Return a project of twelve questions, all rated but those of the last; Forward is in production."""
    project = make.project(k=3, slug="kettles")
    annotator = make.member(project, "annotator", name="Anna Annotator")
    queries = [make.query(project, f"q{number:02}") for number in range(12)]
    lists = {query: [make.document(project) for _ in range(3)] for query in queries}
    run = make.run(make.ranker(project, "Forward"), lists)
    make.run(make.ranker(project, "Backward"), {query: found[::-1] for query, found in lists.items()})
    candidates = [find(make, query, document) for query in queries for document in lists[query]]
    for place, candidate in enumerate(candidates[:33]):
        make.judgment(candidate, annotator, (3, 1, 0)[place % 3])
    set_production(make.session, project, run)
    return project, annotator, candidates


def facts_in(stored):
    with stored.read() as session:
        return [watch.facts for watch in session.scalars(select(WebhookWatch)) if watch.facts]


def find(make, query, document):
    wanted = select(Candidate).where(Candidate.query_id == query.id, Candidate.document_id == document.id)
    return make.session.scalars(wanted).one()


def rate_more(making, annotator, candidates, grades):
    with making() as make:
        for candidate, grade in zip(candidates, grades, strict=True):
            make.judgment(candidate, make.session.get_one(Person, annotator.id), grade)


def test_scores_are_looked_at_only_for_those_who_want_to_know_and_not_at_every_rating(stored, making, rated):
    project, annotator, candidates = rated
    make_webhook(stored, project, HOSTS, events=[RUN_IMPORTED, REMARK])
    with stored.read() as session:
        assert projects_to_look_at(session) == []
    make_webhook(stored, project, HOSTS, events=[VERDICT_CHANGED])
    with stored.read() as session:
        assert projects_to_look_at(session) == [project.id]

    look_at_scores(stored, project.id)
    rate_more(making, annotator, candidates[33:34], [3])

    with stored.read() as session:
        assert projects_to_look_at(session) == []
    with stored.write() as session:
        session.execute(update(WebhookWatch).values(looked_at=now_utc() - timedelta(minutes=6)))
    with stored.read() as session:
        assert projects_to_look_at(session) == [project.id]
    assert ("looking", str(project.id)) in {(item.work, item.number) for item in work_items_of(stored, None)}


def test_the_first_look_tells_nothing_and_the_next_what_has_changed(stored, making, rated):
    project, annotator, candidates = rated
    webhook = make_webhook(stored, project, HOSTS, points=10)
    look_at_scores(stored, project.id)
    assert rows_of(stored, webhook) == []

    # The last question is finished, and everything that Forward puts first turns out to be bad.
    rate_more(making, annotator, candidates[33:], [3, 1, 0])
    rate_more(making, annotator, candidates[:33], [(0, 1, 3)[place % 3] for place in range(33)])
    look_at_scores(stored, project.id)
    look_at_scores(stored, project.id)

    told = {row.event: row.data for row in rows_of(stored, webhook)}
    assert len(rows_of(stored, webhook)) == len(told) == 3
    assert told[QUESTION_FINISHED]["message"] == "All answers to question q11 are rated."
    assert told[QUESTION_FINISHED]["question"] == "q11"
    (change,) = told[VERDICT_CHANGED]["verdicts"]
    assert change["before"] != change["after"]
    assert change["pair"] == "Forward v1 against Backward v1"
    assert told[SCORE_DROPPED]["ranker"] == "Forward"
    assert told[SCORE_DROPPED]["before"] - told[SCORE_DROPPED]["score"] > 10
    assert "Anna" not in json.dumps(told)


def test_a_project_that_holds_nothing_has_nothing_to_tell(stored, project):
    webhook = make_webhook(stored, project, HOSTS)

    look_at_scores(stored, project.id)
    look_at_scores(stored, project.id)

    assert rows_of(stored, webhook) == []
    assert facts_in(stored)[0]["highest"] == {}


def test_a_drop_of_fewer_points_is_not_told(stored, making, rated):
    project, annotator, candidates = rated
    webhook = make_webhook(stored, project, HOSTS, events=[SCORE_DROPPED], points=99)
    look_at_scores(stored, project.id)

    rate_more(making, annotator, candidates[:33], [(0, 1, 3)[place % 3] for place in range(33)])
    look_at_scores(stored, project.id)

    assert rows_of(stored, webhook) == []


def test_what_was_known_is_forgotten_with_the_last_webhook_that_wants_it(stored, rated):
    project, _, _ = rated
    webhook = make_webhook(stored, project, HOSTS)
    look_at_scores(stored, project.id)

    with stored.write() as session:
        delete_webhook(session, project.id, webhook.id)

    with stored.read() as session:
        assert session.scalars(select(WebhookWatch)).all() == []


def test_a_remark_is_told_without_its_author_and_its_words(stored, rated):
    project, annotator, candidates = rated
    webhook = make_webhook(stored, project, HOSTS, events=[REMARK])
    with stored.write() as session:
        who = Annotator(session.get_one(Project, project.id), annotator.id, blind=True)
        write_note(session, who, candidates[0].public_id, "Private words")
        write_note(session, who, candidates[0].public_id, "Other private words")  # no new remark
        flag_answer(session, who, candidates[0].public_id, flagged=True)
        flag_answer(session, who, candidates[0].public_id, flagged=True)

    found = rows_of(stored, webhook)
    assert [row.data["kind"] for row in found] == ["flag", "note"]
    assert found[1].data["message"] == "There is a new note on an answer to question q00."
    said = json.dumps([row.data for row in found])
    assert "Anna" not in said
    assert "rivate words" not in said


def test_every_placeholder_is_known_to_the_template(stored, project, receiver):
    template = json.dumps({name: f"{{{name}}}" for name in PLACEHOLDERS})
    make_webhook(stored, project, receiver.hosts, address=receiver.address, template=template)
    tell(stored, project, question="q1")

    send_webhooks(stored, project.id)

    (told,) = receiver.told
    assert told["event"] == "run.imported"
    assert told["question"] == "q1"
    assert told["score"] == ""


@pytest.mark.thorough
def test_the_worker_sends_what_waits_and_looks_at_scores(
    stored, rated, receiver, folder, new_worker, wait_until
):
    project, _, _ = rated
    webhook = make_webhook(stored, project, receiver.hosts, address=receiver.address)
    tell(stored, project)

    new_worker().start()

    wait_until(lambda: facts_in(stored))
    wait_until(lambda: rows_of(stored, webhook)[0].state == "delivered")
    assert len(receiver.requests) == 1


@pytest.mark.postgresql
def test_on_postgresql_a_message_is_taken_by_one_and_scores_are_looked_at(postgresql_url, receiver):
    stored = Database(postgresql_url)
    with making_in(stored)() as make:
        project, annotator, candidates = make_rated(make)
    webhook = make_webhook(
        stored, project, receiver.hosts, address=receiver.address, events=[QUESTION_FINISHED]
    )
    look_at_scores(stored, project.id)
    rate_more(making_in(stored), annotator, candidates[33:], [3, 1, 0])
    look_at_scores(stored, project.id)

    with stored.write() as first, stored.write() as second:
        assert claim_delivery(first, project.id) is not None
        assert claim_delivery(second, project.id) is None  # not even while the other one has not committed
    let_it_be_due(stored)
    send_webhooks(stored, project.id)

    assert [told["type"] for told in receiver.told] == [QUESTION_FINISHED]
    assert rows_of(stored, webhook)[0].attempts == 2
    with stored.write() as session:
        forget_old_deliveries(session)
        delete_webhook(session, project.id, webhook.id)
    assert work_items_of(stored, None) == []
    stored.dispose()
