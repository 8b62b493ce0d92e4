"""No annotator learns which ranker found an answer, how it ranks or scores, or what anybody else rates."""

import re
import shutil
import uuid
from itertools import combinations

import pytest
from sqlalchemy import event, select, update

from app.models import AssignmentCandidate, Candidate, Project, Ranker, Run
from app.services.assignment.wanted import shuffled
from tests.furniture.assigning import assign_best_batch
from tests.furniture.crawler import Answer, Crawler
from tests.furniture.factories import Make
from tests.furniture.routes import NOON, ROUTES
from tests.furniture.site import moved
from tests.furniture.thorough import share
from tests.furniture.two_projects import CANARY

SIGN_OUT = ("/sign-out", "/account/sign-out-everywhere")
# Fields of the corpus and of people that are shown to nobody who rates.
HIDDEN = re.compile(rf"{CANARY}|nDCG|ndcg|\branker_|best_rank|\brank\b|\bscore\b", re.ASCII)


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


def with_canary(answers):
    return [answer.asked for answer in answers if CANARY.lower().encode() in answer.everything.lower()]


@pytest.mark.thorough
def test_the_canary_is_where_it_would_be_seen(app, two_projects, client_of):
    """The crawler finds the canary as an owner, or its silence as an annotator would mean nothing."""
    crawler = Crawler(client_of(two_projects.here.owner), shunned=(*SIGN_OUT, "/purge", "/state", "/role"))
    answers = crawler.crawl("/", most=160)

    found = " ".join(with_canary(answers))
    for place in (
        "/p/here/",
        "/p/here/questions",
        "/p/here/people",
        "/p/here/import",
        "/p/here/quality/pool",
    ):
        assert f"get {place} " in found


@pytest.mark.thorough
def test_nothing_that_an_annotator_can_reach_holds_a_canary(app, two_projects, client_of):
    crawler = Crawler(client_of(two_projects.here.annotator), shunned=SIGN_OUT)

    answers = crawler.crawl("/", "/help", "/p/here/rate", "/p/here/rate/done", "/p/here/", "/account")

    asked = [answer.asked for answer in answers]
    assert len(answers) > 60
    assert any(one.startswith("get /p/here/rate/") for one in asked), "it came to the answers"
    assert any(one.startswith("post /p/here/rate/") and "'grade'" in one for one in asked), "and rated them"
    assert any("no-good-answer" in one for one in asked)
    assert any("It counts as it is." in answer.everything.decode(errors="replace") for answer in answers)
    assert any("/replies/seen" in one for one in asked)
    assert all(answer.status < 500 for answer in answers)
    refused = [answer.asked for answer in answers if answer.status in {403, 404}]
    assert [one for one in refused if one.startswith("get")] == [], "a link to a page they may not open"
    assert with_canary(answers) == []


@pytest.mark.thorough
def test_whoever_adjudicates_without_being_an_owner_reads_no_canary(app, two_projects, client_of):
    """They ask for the ratings of others and decide; names, notes and rankers stay hidden all the while."""
    client = client_of(two_projects.here.adjudicator)
    decided = {"id": str(uuid.uuid4()), "grade": 2, "at": NOON, "input": "key"}
    client.put(
        f"/api/v1/candidates/{two_projects.here.answers[two_projects.here.owner.id][0]}/adjudication",
        json=decided,
    )

    answers = Crawler(client, shunned=(*SIGN_OUT, "/rate", "/account")).crawl("/p/here/review")

    asked = [answer.asked for answer in answers]
    for what in ("/show ", "/note ", "/reopen "):
        assert any(one.startswith("post /p/here/review/answers/") and what in one for one in asked), what
    assert any("'grade'" in one for one in asked)
    assert b"What others rated" in b"".join(answer.everything for answer in answers)
    assert all(answer.status < 400 for answer in answers)
    assert with_canary(answers) == []


@pytest.mark.thorough
def test_no_route_shows_an_annotator_a_canary_whatever_is_asked_of_it(app, two_projects, client_of, stored):
    client = client_of(two_projects.here.annotator)
    people = (
        two_projects.here.annotator,
        two_projects.here.owner,
        two_projects.here.graders[1],
        two_projects.there.annotator,
    )
    # A person without a batch stands for the annotator: many are asked for the same things.
    asked_for = {
        repr(parts): parts
        for full_project in (two_projects.here, two_projects.there)
        for parts in map(full_project.parts, people)
    }.values()
    answers = []
    for place, route in enumerate(ROUTES):
        if any(route.rule.rule == path for path in SIGN_OUT):
            continue
        for parts in share([*asked_for], place, 3):
            for changes in ({}, {"json": {"grade": "x"}, "data": None}, {"data": b"\xff{", "json": None}):
                if changes and not route.is_unsafe:
                    continue
                reply = route.ask(client, parts, **changes)
                answers.append(Answer.of(str(route), reply))
                assert reply.status_code < 500, str(route)

    assert with_canary(answers) == []


def test_refusals_of_a_rating_hold_no_canary(app, two_projects, client_of):
    client = client_of(two_projects.here.annotator)
    first, second = two_projects.here.answers[two_projects.here.annotator.id][:2]
    given = {"id": str(uuid.uuid4()), "grade": 2, "at": NOON, "input": "key"}
    sent = [
        (first, given, 201),
        (first, given, 200),
        (first, {**given, "grade": 1}, 409),
        (second, given, 409),
        (first, {**given, "id": str(uuid.uuid4())}, 409),
        (first, {**given, "id": str(uuid.uuid4()), "grade": 9}, 422),
        (first, {**given, "more": 1}, 400),
        ("A" * 16, given, 404),
    ]

    for candidate, body, status in sent:
        reply = client.put(f"/api/v1/candidates/{candidate}/judgment", json=body)

        assert reply.status_code == status
        assert with_canary([Answer.of("", reply)]) == []


def test_pages_of_an_annotator_speak_of_no_score(app, two_projects, client_of):
    client = client_of(two_projects.here.annotator)

    for path in ("/", "/p/here/rate", "/p/here/rate/done", "/p/here/rate/ratings"):
        page = client.get(path, follow_redirects=True).text
        shown = re.sub(r"<svg.*?</svg>|Which ranker found what stays hidden\.", "", page, flags=re.DOTALL)
        assert HIDDEN.findall(shown) == [], path


# Two worlds that differ only in what must stay hidden answer alike.


class World:
    """One project, built in the same way each time but for what stays hidden."""

    ANSWERS = 8

    def __init__(self, make, *, swapped=False, grades=(), overlap=9, only_mine=False):
        self.project = make.project(slug="mill", overlap=overlap, guidelines="# Rate")
        make.session.execute(update(Project).values(shuffle_secret=b"s" * 32))
        self.me = make.member(self.project, "annotator", name="Ada", email="a@example.org", public_id="ada")
        self.others = [
            make.member(self.project, "annotator", name=f"Other {number}", public_id=f"other{number}")
            for number in range(5)
        ]
        queries = [make.query(self.project, f"q{number}", text=f"Question {number}?") for number in range(2)]
        self.candidates = []
        lists = ({}, {})
        for query in queries:
            documents = [
                make.document(self.project, f"{query.external_id}-{number}", title=f"T{number}", text="Text.")
                for number in range(self.ANSWERS)
            ]
            for number, document in enumerate(documents):
                candidate = make.candidate(query, document, in_pool=False)
                candidate.public_id = f"{query.external_id}-{number:013}"
                self.candidates.append(candidate)
            half = self.ANSWERS // 2
            lists[0][query] = documents[half:] if swapped else documents[:half]
            lists[1][query] = documents[half - 1 :: -1] if swapped else documents[half:]
        for number, found in enumerate(lists):
            make.run(make.ranker(self.project, f"Ranker {number}"), found)
        assigned = assign_best_batch(make.session, self.project.id, self.me.id)
        self.batch = assigned.batch
        self.answers = list(
            make.session.scalars(
                select(Candidate.public_id)
                .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
                .where(AssignmentCandidate.assignment_id == assigned.id)
                .order_by(AssignmentCandidate.place)
            )
        )
        for candidate in self.candidates:
            if only_mine and candidate.public_id not in self.answers:
                continue
            for other, grade in zip(self.others, grades, strict=False):
                make.judgment(candidate, other, grade)

    def walk(self, client, *, declines=True):
        """Return everything that somebody who rates is answered on a long walk, without what is random."""
        ask = client.open
        ids = [str(uuid.UUID(int=number, version=4)) for number in range(40)]
        page, api = f"/p/mill/rate/{self.batch}", f"/api/v1/projects/mill/batches/{self.batch}"
        a, b, c, d = (f"/api/v1/candidates/{public_id}" for public_id in self.answers[:4])
        given = {"at": NOON, "input": "key", "place": 1, "of": 8, "batch": self.batch}

        def put(path, **body):
            return ask(path, method="PUT", json=body)

        def post(path, **data):
            return ask(path, method="POST", data=data)

        asked = [
            lambda: ask("/"),
            lambda: ask("/p/mill/"),
            lambda: ask("/p/mill/rate"),
            lambda: ask(page),
            lambda: ask("/p/mill/rate/done"),
            lambda: put(f"{a}/judgment", id=ids[0], grade=3, **given),
            lambda: put(f"{a}/judgment", id=ids[0], grade=3, **given),
            lambda: put(f"{a}/judgment", id=ids[0], grade=1, **given),
            lambda: put(f"{a}/judgment", id=ids[1], grade=1, **given),
            lambda: put(f"{a}/judgment", id=ids[1], grade=1, base=ids[0], **given),
            lambda: put(f"{a}/judgment", id=ids[2], grade=8, base=ids[1], **given),
            lambda: put(f"{a}/judgment", id=ids[3], grade=None, reason="cleared", base=ids[1], **given),
            lambda: put(f"{b}/judgment", id=ids[4], grade=None, reason="language", **given),
            lambda: put(f"{c}/note", text="It helps."),
            lambda: put(f"{c}/flag", flagged=True),
            lambda: put(f"{api}/flag", flagged=True),
            lambda: ask(page),
            lambda: post(f"{page}/answers/{self.answers[3]}", id=ids[5], grade="2", place="4", of="8"),
            lambda: put(f"{d}/judgment", id=ids[6], grade=0, base=ids[5], **given),
            lambda: put(f"{api}/no-good-answer", id=ids[7], at=NOON, input="key"),
            lambda: put(f"{api}/no-good-answer", id=ids[8], at=NOON, input="key"),
            lambda: put(f"{api}/no-good-answer", id=ids[9], undo=ids[7], at=NOON, input="key"),
            lambda: put(f"{api}/state", state="parked"),
            lambda: put(f"{api}/state", state="done"),
            lambda: post(f"{page}/next"),
            lambda: ask(f"{page}?ask=later"),
            lambda: post(f"{page}/later"),
            lambda: ask("/p/mill/rate/done"),
            lambda: ask("/api/v1/projects/mill/batches", method="POST", json={"after": 0}),
            lambda: ask("/p/mill/rate"),
            lambda: ask("/"),
            lambda: put("/api/v1/candidates/nowhere/judgment", id=ids[10], grade=3, **given),
            lambda: ask("/p/mill/questions"),
            lambda: ask("/p/mill/overview/part"),
            lambda: ask("/p/mill/rate/99"),
            lambda: ask("/p/mill/rate/ratings?q=T&show=2"),
            lambda: ask("/p/mill/rate/ratings?show=pass"),
        ]
        if declines:
            asked += [
                lambda: put(f"{api}/declined", reason="expertise"),
                lambda: ask("/p/mill/rate/done"),
                lambda: put(f"{api}/declined", reason=None),
                lambda: ask(page),
            ]
        return [self.answered(number, one) for number, one in enumerate(asked)]

    def answered(self, number, one):
        self.step = number
        return number, *settled(one())


def listen_to(database, hear):
    for engine in {database.engine, database.writing_engine}:
        event.listen(engine, "before_cursor_execute", lambda *given: hear(given[2]))


MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:\+00:00|Z)")
# The same moment as people read it: two walks may begin in one minute and end in the next.
SHOWN = re.compile(r'(<time datetime="MOMENT"[^>]*>)[^<]*')
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TOKEN = re.compile(r"[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}")


def settled(reply):
    """Return status, headers and body without nonces, moments and the ids that a page draws for new ratings."""
    body = reply.text
    drawn = 'name="id" value="'
    body = re.sub(f"({drawn}){UUID.pattern}", r"\1UUID", body)
    body = SHOWN.sub(r"\1", TOKEN.sub("TOKEN", MOMENT.sub("MOMENT", body)))
    headers = sorted(
        (name, value) for name, value in reply.headers if name not in {"Set-Cookie", "Content-Length"}
    )
    return reply.status_code, headers, body


@pytest.fixture(scope="module")
def walked(shared_app, sqlite_template, tmp_path_factory):
    """Return what builds a world in a new database, walks through it, and gives the answers and the statements."""

    def walked(*, declines=True, **values):
        tmp_path = tmp_path_factory.mktemp("world")
        copy = shutil.copyfile(sqlite_template, tmp_path / "world.sqlite3")
        with moved(shared_app, tmp_path, f"sqlite:///{copy}") as database:
            with database.write() as session:
                world = World(Make(session), **values)
            client = shared_app.test_client()
            with client.session_transaction() as held:
                held["person"], held["epoch"] = world.me.id, world.me.session_epoch
            statements = []
            listen_to(database, lambda statement: statements.append((world.step, statement)))
            return world.walk(client, declines=declines), statements

    return walked


@pytest.fixture(scope="module")
def plain_walk(walked):
    """Return what the walk through a world that nobody else rates gives: walked once, as it is compared often."""
    return walked()


@pytest.mark.thorough
def test_the_walk_says_what_it_should(plain_walk):
    answers, _ = plain_walk

    assert [status for _, status, *_ in answers] == [
        200, 302, 302, 200, 200, 201, 200, 409, 409, 201, 422, 201, 201, 200, 200, 200, 200, 302, 201, 200, 409, 200,
        200, 409, 302, 200, 302, 200, 200, 302, 200, 404, 404, 404, 404, 200, 200, 200, 200, 200, 200,
    ]  # fmt: skip


@pytest.mark.thorough
def test_whichever_ranker_found_an_answer_every_reply_is_the_same(walked, plain_walk):
    by_one, first = plain_walk
    by_the_other, second = walked(swapped=True)

    assert by_one == by_the_other
    # No clock is needed to see that nothing takes longer: the database is asked the same things.
    assert first == second


@pytest.mark.thorough
def test_whatever_others_rate_every_reply_is_the_same(walked, plain_walk):
    unrated = plain_walk

    for grades in ((0, 0, 0, 0, 0), (3, 3, 3, 3, 3), (0, 1, 2, 3, 0)):
        answers, statements = walked(grades=grades)
        assert answers == unrated[0]
        assert statements == unrated[1]


@pytest.mark.thorough
def test_others_who_were_quicker_change_no_reply_while_a_batch_is_mine(walked):
    unrated, _ = walked(overlap=1, declines=False)
    rated, _ = walked(overlap=1, grades=(3,), only_mine=True, declines=False)

    assert unrated == rated


@pytest.mark.thorough
def test_showing_an_answer_and_taking_its_rating_asks_nothing_about_rankers(plain_walk):
    _, statements = plain_walk
    rating = {3, *range(5, 22)}

    asked = [statement for step, statement in statements if step in rating]
    tables = {table for one in asked for table in re.findall(r"(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)", one)}
    assert {"candidate", "document", "judgment"} <= tables
    assert tables & {"run", "ranker", "ranking", "ruler", "bookmark"} == set()


# What an id or a place could tell.


def test_ids_of_answers_say_nothing_about_when_and_by_whom_they_were_found(session, make):
    project = make.project(pool_depth=100)
    query = make.query(project)
    for number in range(3):
        make.run(
            make.ranker(project, f"ranker {number}"), {query: [make.document(project) for _ in range(100)]}
        )
    found = session.execute(select(Candidate.public_id).order_by(Candidate.id)).scalars().all()

    by_id = sorted(range(300), key=lambda number: found[number])
    assert len(set(found)) == 300
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{16}", one) for one in found)
    # One in three is chance; five standard deviations above it would be seen once in a million runs.
    guessed = sum(place // 100 == number // 100 for place, number in enumerate(by_id))
    assert guessed < 300 / 3 + 5 * (300 * 2 / 9) ** 0.5
    assert abs(correlation(by_id)) < 5 / 300**0.5


def correlation(numbers):
    n = len(numbers)
    mean = (n - 1) / 2
    products = sum((place - mean) * (number - mean) for place, number in enumerate(numbers))
    return products / (n * (n * n - 1) / 12)


def test_imported_runs_draw_their_ids_too(session, make):
    """The bulk path of an import has its own INSERT."""
    import inspect

    from app.services.collection import pool as candidates

    assert "random_public_id" in inspect.getsource(candidates)


def drawn(number):
    """Return an id as random as those of answers, the same in every run."""
    import hashlib

    return hashlib.sha256(str(number).encode()).hexdigest()[:16]


def test_the_place_of_an_answer_says_nothing_about_its_ranker():
    """Chi-square over 2,000 batches of 12 answers, four of each ranker; fixed keys, so it never flickers."""
    counts = [[0] * 3 for _ in range(12)]
    for task in range(2000):
        answers = {drawn(task * 12 + number): number % 3 for number in range(12)}
        order = shuffled(b"a project's secret", answers, annotator=task % 7, query=task % 50, batch=task)
        for place, public_id in enumerate(order):
            counts[place][answers[public_id]] += 1

    expected = 2000 * 4 / 12
    statistic = sum((count - expected) ** 2 / expected for row in counts for count in row)
    # 22 degrees of freedom: 40.29 is passed once in a hundred times by chance.
    assert statistic < 40.29


def test_the_order_is_ones_own_and_stays():
    answers = [drawn(number) for number in range(12)]

    def order(**changes):
        return shuffled(b"secret", answers, **{"annotator": 1, "query": 2, "batch": 3, **changes})

    others = [
        order(annotator=2),
        order(query=3),
        order(batch=4),
        shuffled(b"x", answers, annotator=1, query=2, batch=3),
    ]
    assert order() == order() == shuffled(b"secret", answers[::-1], annotator=1, query=2, batch=3)
    assert all(one != other for one, other in combinations([order(), *others], 2))


def test_dealt_places_are_the_keyed_order_and_not_the_order_of_the_ranker(session, make):
    project = make.project(pool_depth=12)
    query = make.query(project)
    run = make.run(make.ranker(project), {query: [make.document(project) for _ in range(12)]})
    me = make.member(project, "annotator")

    assigned = assign_best_batch(session, project.id, me.id)

    rows = session.execute(
        select(Candidate.public_id)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .order_by(AssignmentCandidate.place)
    )
    places = [public_id for (public_id,) in rows]
    secret = session.get_one(Project, project.id).shuffle_secret
    assert places == shuffled(secret, places, annotator=me.id, query=query.id, batch=assigned.batch)
    assert len(places) == 12
    assert run.id


def test_the_type_behind_a_page_has_no_field_for_what_stays_hidden():
    from dataclasses import fields

    from app.services.judging.adjudication_queue import AdjudicatedAnswer, QuestionPage
    from app.services.judging.inbox import Reply
    from app.services.judging.own_ratings import OwnAnswer, RecentRating
    from app.services.judging.pages import BatchPage, RatedAnswer

    hidden = {column.name for table in (Run, Ranker) for column in table.__table__.columns} - {
        "id",
        "state",
        "note",
    }
    hidden |= {"rank", "best_rank", "score", "ranker", "run", "external_id", "extra", "in_pool"}
    for kind in (RatedAnswer, BatchPage, AdjudicatedAnswer, OwnAnswer, QuestionPage, RecentRating, Reply):
        assert hidden & {one.name for one in fields(kind)} == set()
