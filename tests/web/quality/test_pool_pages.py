"""The pages about the pool and its ratings: healthy, unwell, empty, and what owners do about it."""

import re

import pytest
from sqlalchemy import select

from app.models import Candidate, Event, EventKind, Query, Ranker, Reason, Run
from app.models.ranker import PROBES
from app.services.ledger import record_event
from tests.furniture.routes import plain
from tests.furniture.words import text_of

URL = "/p/help-centre/quality"


@pytest.fixture
def unwell(making, rated):
    """Add a question without an answer, one with a single grade, an edited, a silent and a repeated text."""
    with making() as make:
        first = make.session.get_one(Query, rated.queries[0].id)
        edited = rated.candidates[0].document_id
        record_event(make.session, rated.project.id, EventKind.DOCUMENTS_EDITED, {"document_ids": [edited]})
        silent = make.document(rated.project, "silent", title="", text="")
        twins = [make.document(rated.project, f"twin{n}", title="Same", text="text") for n in (1, 2)]
        lost, level = (
            make.query(rated.project, name, text=text)
            for name, text in (("lost", "Where is nothing?"), ("level", "What is all the same?"))
        )
        lists = {first: [*twins, silent]}
        for query in (lost, level):
            lists[query] = [make.document(rated.project, f"{query.external_id}-{n}") for n in range(5)]
        make.run(make.ranker(rated.project, "Sideways"), lists)
        for document in lists[level][rated.project.pool_depth :]:
            make.candidate(level, document, in_pool=False)
        grades = {first.id: 2, lost.id: 0, level.id: 3}
        for candidate in make.session.scalars(
            select(Candidate).where(
                Candidate.document_id.in_([one.id for found in lists.values() for one in found]),
                Candidate.document_id != silent.id,
            )
        ):
            make.judgment(candidate, rated.annotator, grades[candidate.query_id])
    return {"lost": lost.id, "level": level.id, "twins": [twin.id for twin in twins]}


def test_a_project_without_questions_says_what_will_be_here(client_of, making):
    with making() as make:
        project = make.project(slug="bare")
        owner = make.member(project, "owner")
    for path in ("", "/pool", "/probes", "/duplicates", "/list/no-text"):
        assert client_of(owner).get(f"/p/bare/quality{path}").status_code == 200, path
    assert "No questions yet" in client_of(owner).get("/p/bare/quality").text


def test_questions_without_answers_are_not_called_rated(client_of, making):
    with making() as make:
        project = make.project(slug="early")
        make.query(project)
        owner = make.member(project, "owner")
    text = text_of(client_of(owner).get("/p/early/quality").text)

    assert "There is nothing to rate yet." in text
    assert "Everything rated" not in text


def test_a_question_without_answers_has_a_state_of_its_own(client_of, making, rated):
    with making() as make:
        make.query(rated.project, "bare", text="What has no answer?")
    client = client_of(rated.owner)
    page, bare, unknown, overview = (
        text_of(client.get(f"/p/help-centre/{path}").text)
        for path in ("quality", "questions?state=empty", "questions?state=unknown", "")
    )

    assert "1 of 13 questions still has unrated answers." in page, "the twelfth, and not the bare one"
    assert "No answers yet : no ranker has returned any" in page
    assert "What has no answer?" in bare
    assert "How do I mend q11?" not in bare
    assert "What has no answer?" not in unknown
    assert "1 question with too few ratings yet , and 1 question without answers ." in overview


@pytest.mark.thorough
def test_what_is_healthy_is_said_plainly(client_of, rated):
    text = text_of(client_of(rated.owner).get(URL).text)

    assert "1 question" in text  # the twelfth is not rated
    assert "No good answer so far, or not rated yet" in text
    assert "one grade" not in text  # no scored question has five rated answers yet
    assert "Checked, nothing to do" in text
    assert "No answer’s text was edited after its import." in text
    assert "Every answer in the pool has a text." in text
    assert (
        "No two answers have the same title and text. Nearly equal ones have not been searched for." in text
    )


def test_coverage_and_who_rated_how_much_are_on_one_page(client_of, rated):
    text = text_of(client_of(rated.owner).get(URL).text)

    assert re.search(
        r"\d+ of \d+ answers in the pool are rated\. 1 of 12 questions still has unrated answers", text
    ), text
    assert "count as" not in text  # which scores they lower, only the overview can say
    assert re.search(r"Anna Annotator \d+ of \d+", text)
    assert "Influence of each annotator" in text


def test_what_is_unwell_is_counted_with_a_way_to_it(client_of, rated, unwell):
    client = client_of(rated.owner)
    page = client.get(URL).text
    text = text_of(page)

    assert "No good answer : left out of all scores" in text
    assert f"/p/help-centre/questions/{unwell['lost']}" in page
    assert "On 1 scored question of 1 with five rated answers or more" in text
    assert f"/p/help-centre/questions/{unwell['level']}" in page
    assert "1 text was edited. Ratings of the old text no longer count (1 answer)." in text
    assert "1 text is missing, so 1 answer cannot be rated yet. Until then it counts as 0" in text
    assert "1 group of answers with the same title and text" in text
    for what, found in (
        ("one-level", "What is all the same?"),
        ("edited", rated.queries[0].text),
        ("no-text", "silent"),
    ):
        assert found in client.get(f"{URL}/list/{what}").text, what
    assert client.get(f"{URL}/list/anything").status_code == 404


def test_a_viewer_sees_the_counts_and_is_offered_nothing_to_do(client_of, making, rated, unwell):
    with making() as make:
        viewer = client_of(make.member(rated.project, "viewer"))
    page = viewer.get(URL).text

    assert "Questions without a relevant answer" in page
    assert "Influence of each annotator" not in page
    for path in ("duplicates", "probes", "import", "rate"):
        assert f'href="/p/help-centre/{path}' not in page.replace(f"{URL}/", "/p/help-centre/"), path
    assert viewer.get(f"{URL}/pool").status_code == 200
    assert viewer.get(f"{URL}/duplicates").status_code == 404


@pytest.mark.thorough
def test_an_owner_merges_what_is_the_same_and_parts_it_again(client_of, rated, unwell, stored):
    client = client_of(rated.owner)
    board = plain(client.get("/p/help-centre/questions"))
    page = client.get(f"{URL}/duplicates").text
    assert "2 with the same title and text" in page
    assert "together in 1 question" in page
    assert re.findall(r'name="document" value="(\d+)" checked', page) == [
        str(number) for number in unwell["twins"]
    ]

    done = client.post(
        f"{URL}/duplicates/merge", data={"document": unwell["twins"]}, follow_redirects=True
    ).text

    assert "2 documents merged into one answer." in done
    assert "No duplicates" in done
    assert "1 merge<" in done
    with stored.read() as session:
        event = session.scalars(select(Event).where(Event.kind == "documents_merged")).one()
        assert event.actor_id == rated.owner.id
        pooled = select(Candidate.id).where(Candidate.document_id.in_(unwell["twins"]), Candidate.in_pool)
        assert len(session.scalars(pooled).all()) == 1
    assert "merged into one" in client.get("/p/help-centre/").text
    (address,) = re.findall(rf'action="({URL}/merges/\d+/undo)"', done)

    undone = client.post(address, follow_redirects=True).text

    assert "The merge is undone" in undone
    assert "1 group to look at" in undone
    assert plain(client.get("/p/help-centre/questions")) == board
    assert "undone already" in client.post(address, follow_redirects=True).text
    assert client.post(f"{URL}/merges/999999/undo").status_code == 404


@pytest.mark.thorough
def test_an_owner_says_that_two_are_not_the_same_and_takes_it_back(client_of, rated, unwell):
    client = client_of(rated.owner)

    done = client.post(f"{URL}/duplicates/apart", data={"shown": unwell["twins"]}, follow_redirects=True).text

    assert "2 documents marked as not the same." in done
    assert "No duplicates" in done
    assert "1 group marked as not the same" in done
    assert "2 similar answers marked as different" in client.get("/").text
    assert "1 group of answers" not in text_of(client.get(URL).text)
    (address,) = re.findall(rf'action="({URL}/apart/\d+/undo)"', done)

    assert "1 group to look at" in client.post(address, follow_redirects=True).text
    assert "taken back already" in client.post(address, follow_redirects=True).text
    ticked = {"document": unwell["twins"][:1], "shown": unwell["twins"]}
    one = client.post(f"{URL}/duplicates/apart", data=ticked, follow_redirects=True).text
    assert "Choose 2 to 50 documents to keep apart." in one, "what is ticked is meant"
    assert client.post(f"{URL}/apart/999999/undo").status_code == 404


@pytest.mark.thorough
def test_nonsense_is_refused_with_a_sentence(client_of, rated, unwell):
    client = client_of(rated.owner)
    for sent, said in (
        ([], "Choose 2 to 50"),
        (["1"], "Choose 2 to 50"),
        (["x", "9" * 30, "-1"], "Choose 2 to 50"),
        (["999998", "999999"], "no such document"),
    ):
        reply = client.post(f"{URL}/duplicates/merge", data={"document": sent}, follow_redirects=True)
        assert said in reply.text, sent
    for data, said in (
        ({"size": "3"}, "Draw 5 to 100"),
        ({"size": "many"}, "Draw 5 to 100"),
        ({"size": "30"}, None),
    ):
        reply = client.post(f"{URL}/probes", data=data, follow_redirects=True)
        assert reply.status_code == 200
        assert said is None or said in reply.text
    assert client.post(f"{URL}/probes", data={"query": "999999", "size": "30"}).status_code == 404
    assert client.post(f"{URL}/probes", data={"query": "x", "size": "30"}).status_code == 404


def test_nearly_equal_texts_are_looked_for_in_the_background(client_of, making, rated):
    words = [f"word{number}" for number in range(60)]
    with making() as make:
        for name, last in (("n1", "one"), ("n2", "two")):
            make.document(rated.project, name, title="", text=" ".join([*words, last]))
    client = client_of(rated.owner)

    page = client.post(f"{URL}/duplicates/search", follow_redirects=True).text

    assert "All texts were compared." in page
    assert "% alike" in page
    assert "checked" not in page, "whether these are one answer is not said beforehand"
    first = client.get(f"{URL}/duplicates/part")
    assert "% alike" in first.text
    for tag in (first.headers["ETag"], f"W/{first.headers['ETag']}"):
        assert client.get(f"{URL}/duplicates/part", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.thorough
def test_a_probe_is_drawn_and_waits_to_be_rated(client_of, rated, stored):
    client = client_of(rated.owner)
    query = rated.queries[0]
    page = client.get(f"{URL}/probes?query={query.id}").text
    assert query.text in page
    assert "at most 9.5 %" in page
    assert "All 33, about 11 minutes" in text_of(page)
    assert '<option value="60"' not in page, "only 33 are left"

    done = client.post(
        f"{URL}/probes", data={"query": str(query.id), "size": "10"}, follow_redirects=True
    ).text

    assert "10 answers drawn." in done
    assert "None of 10 rated yet" in done
    assert "10 drawn from 33" in text_of(done)
    with stored.read() as session:
        runs = session.scalars(select(Run).where(Run.project_id == rated.project.id)).all()
        assert len(runs) == 2 + 4, "no list is longer than what is pooled and scored"
    assert "1 probe drawn." in text_of(client.get(URL).text)


@pytest.mark.parametrize(
    ("wanted", "told"), [({"overlap": 3}, "3 minutes"), ({"share_twice": 0.5}, "2 minutes")]
)
def test_the_time_of_a_probe_is_that_of_all_its_ratings(client_of, making, wanted, told):
    with making() as make:
        project = make.project(slug="often", pool_depth=2, k=2, **wanted)
        owner, query = make.member(project, "owner"), make.query(project, "q1")
        documents = [make.document(project, f"d{number}") for number in range(5)]
        make.run(make.ranker(project), {query: documents[:2]})

    assert f"All 3, about {told}" in text_of(client_of(owner).get("/p/often/quality/probes").text)


def test_only_answers_that_a_ranker_returned_are_counted_for_it(client_of, making, rated):
    with making() as make:
        other = make.query(rated.project, "unlisted")
        make.run(make.ranker(rated.project, "Silent"), {other: [make.document(rated.project, "alone")]})

    page = text_of(client_of(rated.owner).get("/p/help-centre/quality").text)

    assert re.search(r"Silent v1 0 of 1 ", page)


def test_of_a_small_project_all_the_rest_is_drawn_and_no_bound_is_told(client_of, making):
    with making() as make:
        project = make.project(slug="small", pool_depth=2, k=2)
        owner, query = make.member(project, "owner"), make.query(project, "q1")
        documents = [make.document(project, f"d{number}") for number in range(4)]
        make.run(make.ranker(project), {query: documents[:2]})
    client, url = client_of(owner), "/p/small/quality/probes"
    page = client.get(url).text
    assert "All 2, about 1 minute" in text_of(page)
    assert page.count('<option value="') == 1

    drawn = client.post(url, data={"size": "5"}, follow_redirects=True).text
    with making() as make:
        wanted = select(Candidate).where(Candidate.document_id == documents[3].id)
        make.judgment(make.session.scalars(wanted).one(), make.member(project, "annotator"), 2)

    assert "2 answers drawn." in drawn
    assert "none is left to draw" in text_of(drawn)
    told = text_of(client.get(url).text)
    assert "1 of 1 rated so far are relevant. All 2 answers outside the pool were drawn" in told
    assert "of the others" not in told
    assert "a probe cannot prove" not in told
    quality = text_of(client.get("/p/small/quality").text)
    assert "The newest: 1 of 1 are relevant." in quality


def test_where_every_answer_of_a_probe_is_relevant_no_bound_is_told(client_of, making):
    with making() as make:
        project = make.project(slug="good", pool_depth=2, k=2)
        owner, query = make.member(project, "owner"), make.query(project, "q1")
        documents = [make.document(project, f"d{number}") for number in range(12)]
        make.run(make.ranker(project), {query: documents[:2]})
    client, url = client_of(owner), "/p/good/quality"
    client.post(f"{url}/probes", data={"size": "5"})
    with making() as make:
        annotator = make.member(project, "annotator")
        wanted = select(Candidate).where(Candidate.document_id.in_([one.id for one in documents[2:]]))
        for candidate in make.session.scalars(wanted):
            make.judgment(candidate, annotator, 3)

    assert "5 of 5 rated answers are relevant" in text_of(client.get(f"{url}/probes").text)
    assert "The newest: 5 of 5 are relevant. " in text_of(client.get(url).text)


@pytest.mark.thorough
def test_a_probe_is_withdrawn_and_restored_as_a_whole_and_is_no_ranker(client_of, rated, stored):
    client = client_of(rated.owner)
    query = {"query": str(rated.queries[0].id), "size": "10"}
    client.post(f"{URL}/probes", data=query)

    def states():
        with stored.read() as session:
            found = select(Run.state).join(Ranker).where(Ranker.project_id == rated.project.id)
            return list(session.scalars(found.where(Ranker.name == PROBES)))

    assert "Random probe" not in text_of(client.get(f"/p/{rated.project.slug}/rankers").text)
    withdrawn = client.post(f"{URL}/probes/1", data={"turn": "withdraw"}, follow_redirects=True).text
    assert "The probe is withdrawn." in withdrawn
    assert set(states()) == {"withdrawn"}
    assert len(states()) == 4
    # Its four lists are one event.
    happened = text_of(client.get(f"/p/{rated.project.slug}/").text)
    assert happened.count("A random probe withdrawn") == 1
    assert re.findall(r"A random probe: \d+ answers new in the pool", happened) == [
        "A random probe: 10 answers new in the pool"
    ]
    # A second press changes nothing.
    assert client.post(f"{URL}/probes/1", data={"turn": "withdraw"}).status_code == 302

    restored = client.post(f"{URL}/probes/1", data={"turn": "back"}, follow_redirects=True).text

    assert "The probe is back" in restored
    assert set(states()) == {"published"}
    refused = client.post(f"{URL}/probes/7", data={"turn": "back"}, follow_redirects=True)
    assert "There is no such probe." in text_of(refused.text)


def test_pool_bias_scores_each_ranker_without_its_own_answers(client_of, rated, making):
    client = client_of(rated.owner)
    text = text_of(client.get(f"{URL}/pool").text)
    assert text.count("the same") == 2
    assert "change places" not in text

    with making() as make:
        lone = {query: [make.document(rated.project, f"lone-{query.id}")] for query in rated.queries[:11]}
        make.run(make.ranker(rated.project, "Lone wolf"), lone)
        for query, (document,) in lone.items():
            candidate = make.session.scalars(
                select(Candidate).where(Candidate.query_id == query.id, Candidate.document_id == document.id)
            ).one()
            make.judgment(candidate, rated.annotator, 3)
    page = text_of(client.get(f"{URL}/pool").text)
    assert re.search(r"Lone wolf v1 11 11 −\d+\.\d Backward and Lone wolf change places", page)


def test_a_retired_question_is_counted_nowhere(client_of, rated):
    client = client_of(rated.owner)
    client.post(f"/p/help-centre/questions/{rated.queries[0].id}/state", data={"turn": "retire"})

    page, annotators = text_of(client.get(URL).text), text_of(client.get(f"{URL}/annotators").text)
    person = text_of(client.get(f"{URL}/annotators/{rated.annotator.public_id}").text)

    assert "30 of 33 answers in the pool are rated." in page
    assert "Anna Annotator 30 of 33" in page
    assert "Rated: answers of the pool, 33 in all." in annotators
    assert "30 answers of the pool, 3 outside" in person


def test_rankers_with_missing_ratings_are_not_called_enough_rated(client_of, rated):
    client = client_of(rated.owner)
    page = text_of(client.get(URL).text)
    versions = text_of(client.get("/p/help-centre/rankers").text)

    assert versions.count("33 of 36 top-3 answers rated") == 2
    assert page.count("33 of 36 3 unrated") == 2
    assert "Enough rated" not in page
    assert "top answers is rated Fine" not in page


def test_answers_that_wait_for_a_decision_are_told_beside_those_to_rate(client_of, rated, making):
    with making() as make:
        second = make.member(make.session.merge(rated.project), "annotator")
        for candidate in rated.candidates[-2:]:
            for person in (rated.annotator, second):
                make.judgment(make.session.merge(candidate), person, None, reason=Reason.UNCLEAR)
    page = client_of(rated.owner).get(URL).text

    assert "3 answers unrated" in text_of(page)
    assert "2 unrated answers wait for a decision." in text_of(page)
    assert 'href="/p/help-centre/review?kind=decide"' in page
    assert "Rate now" in page
