"""JSON that other tools write, as their documentation shows it."""

import json

import pytest

from tests.formats.reading import found, guessed, read, rows_of

HITS = [
    {"_index": "shop", "_id": "d1", "_score": 2.5, "_source": {"title": "Red", "brand": "x"}},
    {"_id": "d2"},
]
BOOK = {
    "name": "Shoes",
    "scale": [0, 1, 2, 3],
    "query_doc_pairs": [
        {
            "query_text": "red shoes",
            "doc_id": "d1",
            "document_fields": {"title": "Red"},
            "information_need": "to buy",
            "judgements": [
                {"rating": 3.0, "unrateable": False, "judge_later": False, "user_email": "a@x.org"},
                {"rating": None, "unrateable": True, "judge_later": False, "user_email": "b@x.org"},
                {"rating": None, "unrateable": False, "judge_later": True, "user_email": "c@x.org"},
            ],
        },
        {"query_text": "blue hat", "doc_id": "d2", "document_fields": {"title": "Blue"}, "judgements": []},
    ],
}
CASE = {
    "case_name": "Shoes",
    "scorer": {"scale": [0, 3], "code": "setScore([1, 2])", "scale_with_labels": {"0": "Poor"}},
    "queries": [
        {
            "query_text": "red shoes",
            "information_need": None,
            "ratings": [{"doc_id": "d1", "rating": 3.0, "user_email": "a@x.org"}],
        }
    ],
    "try": {"query_params": "q=#$query##"},
}
GROUP = {"placeholders": {"$query": "red shoes"}, "template": "q.json"}
RATINGS = {
    "quepid book": (BOOK, [("red shoes", "d1", "a@x.org", 3), ("red shoes", "d1", "b@x.org", None)]),
    "quepid case": (CASE, [("red shoes", "d1", "a@x.org", 3)]),
    "quepid ratings": (
        {"queries": [{"query": "red shoes", "ratings": {"d1": 3.0, "d2": None}}]},
        [("red shoes", "d1", None, 3)],
    ),
    "workbench": (
        {
            "name": "v1",
            "judgmentRatings": [{"query": "red shoes", "ratings": [{"docId": "d1", "rating": "3.0"}]}],
        },
        [("red shoes", "d1", None, 3)],
    ),
    "workbench answer": (
        {"hits": {"hits": [{"_id": "7", "_source": {"judgmentRatings": [{"query": "q", "ratings": []}]}}]}},
        [],
    ),
    "rank-eval request": (
        {"requests": [{"id": "q1", "request": {}, "ratings": [{"_index": "s", "_id": "d1", "rating": 3}]}]},
        [("q1", "d1", None, 3)],
    ),
    "rank-eval response": (
        {
            "metric_score": 0.5,
            "details": {"q1": {"unrated_docs": [], "hits": [{"hit": HITS[0], "rating": 3}]}},
        },
        [("q1", "d1", None, 3)],
    ),
    "rre by gain": (
        {
            "topics": [
                {"query_groups": [{"queries": [GROUP], "relevant_documents": {"3": ["d1"], "1": ["d2"]}}]}
            ]
        },
        [("red shoes", "d1", None, 3), ("red shoes", "d2", None, 1)],
    ),
    "rre by document": (
        {"queries": [{**GROUP, "relevant_documents": {"d1": {"gain": 3}, "d2": {"rating": 1}}}]},
        [("red shoes", "d1", None, 3), ("red shoes", "d2", None, 1)],
    ),
    "rre in a list": (
        {"query_groups": [{"queries": [GROUP], "relevant_documents": [{"document_id": "d1", "gain": 3}]}]},
        [("red shoes", "d1", None, 3)],
    ),
    "label-studio": (
        [
            {
                "id": 1,
                "data": {"query": "red shoes", "doc_id": "d1", "text": "Red."},
                "annotations": [
                    {"completed_by": 7, "result": [{"type": "rating", "value": {"rating": 3}}]},
                    {"completed_by": {"email": "b@x.org"}, "result": [{"value": {"choices": ["2"]}}]},
                    {"completed_by": 9, "was_cancelled": True, "result": []},
                    {
                        "completed_by": 11,
                        "result": [
                            {"type": "choices", "from_name": "topic", "value": {"choices": ["3"]}},
                            {"type": "rating", "value": {"rating": 1}},
                        ],
                    },
                ],
            },
            {
                "id": 2,
                "data": {"query": "red shoes", "doc_id": "d2"},
                "annotations": [{"completed_by": 9, "was_cancelled": True, "result": []}],
            },
        ],
        [("red shoes", "d1", "7", 3), ("red shoes", "d1", "b@x.org", 2), ("red shoes", "d1", "11", 1)],
    ),
    "watson discovery": (
        {
            "queries": [
                {"natural_language_query": "red shoes", "examples": [{"document_id": "d1", "relevance": 10}]}
            ]
        },
        [("red shoes", "d1", None, 10)],
    ),
    "watson questions": (
        [{"text": "red shoes", "cluster": {"answers": {"a@x.org": [{"id": "d1", "ranking": 4}]}}}],
        [("red shoes", "d1", "a@x.org", 4)],
    ),
}
MATCH = {"match": {"title": {"query": "red shoes"}}}
# What a rated search may look like -> the text of its question, None where that is not known.
SEARCHES = {
    "match": ({"request": {"query": {"match": {"title": "red shoes"}}}}, "red shoes"),
    "match in full": ({"request": {"query": MATCH}}, "red shoes"),
    "multi match": (
        {"request": {"query": {"multi_match": {"query": "red shoes", "fields": ["t"]}}}},
        "red shoes",
    ),
    "bool": (
        {"request": {"query": {"bool": {"should": [MATCH, MATCH], "filter": {"term": {"brand": "x"}}}}}},
        "red shoes",
    ),
    "template": ({"template_id": "t", "params": {"query_string": "red shoes", "brand": "x"}}, "red shoes"),
    "own name": ({"template_id": "t", "params": {"words": "red shoes", "size": 10}}, "red shoes"),
    "two texts": (
        {"request": {"query": {"bool": {"must": [MATCH, {"match": {"brand": "x"}}]}}}},
        None,
    ),
    "no text": ({"request": {"query": {"match_all": {}}}}, None),
    "nothing": ({}, None),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_rated_search_is_read_as_a_question_where_it_looks_for_one_text(name):
    search, text = SEARCHES[name]
    rows, log = read("queries", json.dumps({"requests": [{"id": "q1", **search, "ratings": []}]}))

    if text is None:
        assert not rows
        assert log.problems[0].reason == "the request 'q1' does not search for exactly one text"
    else:
        assert not log.problems
        assert [(row.query_id, row.text) for row in rows] == [("q1", text)]


def test_a_response_to_rated_searches_holds_no_questions():
    _, log = read("queries", json.dumps(RUNS["rank-eval"]))

    assert "does not hold queries" in log.problems[0].reason


RUNS = {
    "rank-eval": {"details": {"red shoes": {"hits": [{"hit": hit, "rating": None} for hit in HITS]}}},
    "search": {
        "took": 1,
        "hits": {"total": 2, "hits": [{**hit, "matched_queries": ["red shoes"]} for hit in HITS]},
    },
    "msearch": {
        "responses": [{"hits": {"hits": [{**hit, "matched_queries": ["red shoes"]} for hit in HITS]}}]
    },
    "solr": {
        "responseHeader": {"status": 0, "params": {"q": "red shoes"}},
        "response": {"numFound": 2, "docs": [{"id": "d1", "title": ["Red"], "score": 2.5}, {"id": "d2"}]},
    },
}
# label -> (kind, the file, what its first problem says)
BAD = {
    "a book with a text for pairs": ("judgments", {"query_doc_pairs": "none"}, "there is no object"),
    "a pair that is a list": ("judgments", {"query_doc_pairs": [[1]]}, "there is no object"),
    "judgements that are an object": (
        "judgments",
        {"query_doc_pairs": [{"judgements": {}}]},
        "there is no list",
    ),
    "no document": (
        "judgments",
        {"queries": [{"query_text": "a", "ratings": [{"rating": 1}]}]},
        "document id is empty",
    ),
    "no query": ("judgments", {"queries": [{"ratings": {"d": 1}}]}, "the text of the query is empty"),
    "half a grade": ("judgments", {"queries": [{"query": "a", "ratings": {"d": 1.5}}]}, "not a whole number"),
    "a grade in a list": ("judgments", {"queries": [{"query": "a", "ratings": {"d": [1]}}]}, "not a number"),
    "a workbench rating of words": (
        "judgments",
        {"judgmentRatings": [{"query": "a", "ratings": [{"docId": "d", "rating": "good"}]}]},
        "the grade is not a number, in 'a d': 'good'",
    ),
    "two ratings of one document": (
        "judgments",
        {"requests": [{"id": "a", "ratings": [{"_id": "d", "rating": 1}, {"_id": "d", "rating": 2}]}]},
        "gives this answer another rating",
    ),
    "a rated search as queries": ("queries", {"requests": [{"ratings": []}]}, "search for exactly one text"),
    "a case as a run": ("run", CASE, "which does not hold results of a ranker"),
    "a search as ratings": ("judgments", RUNS["search"], "which does not hold ratings"),
    "an msearch without names": (
        "run",
        {"responses": [{"hits": {"hits": HITS}}]},
        "does not say which query",
    ),
    "hits that are numbers": ("run", {"hits": {"hits": [1, 2]}}, "there is no object"),
    "a hit without an id": ("run", {"hits": {"hits": [{"_score": 1}]}}, "document id is empty"),
    "a document twice in a list": ("run", {"hits": {"hits": [{"_id": "d"}, {"_id": "d"}]}}, "already"),
    "solr without documents": ("run", {"response": {"docs": []}}, "no lines to read"),
    "rre with numbers for documents": (
        "judgments",
        {"query_groups": [{"queries": [GROUP], "relevant_documents": [1]}]},
        "there is no object",
    ),
    "a query set as ratings": (
        "judgments",
        {"querySetQueries": [{"queryText": "a"}]},
        "Import it as queries.",
    ),
    "rre without placeholders": (
        "judgments",
        {"query_groups": [{"queries": [{}], "relevant_documents": {"3": ["d1"]}}]},
        "the text of the query is empty",
    ),
    "a task without an answer": (
        "judgments",
        [{"data": {"query": "a", "text": "b"}, "annotations": [{"result": []}]}],
        "does not name its question and its answer: 'query, text'",
    ),
    "relevance in words": (
        "judgments",
        {"queries": [{"natural_language_query": "a", "examples": [{"document_id": "d", "relevance": "x"}]}]},
        "not a number",
    ),
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", RATINGS)
def test_ratings_of_a_tool_are_read(name, indent):
    value, expected = RATINGS[name]
    text = json.dumps(value, indent=indent)

    guess, (rows, log) = guessed(text.encode(), "judgments"), read("judgments", text)

    assert guess.format in name.replace(" ", "-")
    assert guess.reason.startswith("Looks like ")
    assert [(row.query_id, row.document_id, row.annotator, row.grade) for row in rows] == expected
    assert not log.total or not expected


@pytest.mark.parametrize("name", RUNS)
def test_results_of_a_tool_are_read_in_their_order(name):
    rows = rows_of("run", json.dumps(RUNS[name]))

    assert [(row.query_id, row.document_id, row.rank) for row in rows] == [
        ("red shoes", "d1", 1),
        ("red shoes", "d2", 2),
    ]


def test_a_search_without_a_name_answers_the_query_that_names_its_file():
    assert [row.query_id for row in rows_of("run", json.dumps({"hits": {"hits": HITS}}))] == ["file", "file"]


def test_queries_and_documents_of_a_tool_are_read():
    queries, documents = rows_of("queries", json.dumps(BOOK)), rows_of("documents", json.dumps(BOOK))

    assert [(row.query_id, row.intent) for row in queries] == [("red shoes", "to buy"), ("blue hat", None)]
    assert [(row.document_id, row.title) for row in documents] == [("d1", "Red"), ("d2", "Blue")]
    (query,) = rows_of("queries", json.dumps({"name": "s", "querySetQueries": [{"queryText": "red shoes"}]}))
    assert query.text == "red shoes"
    hits = rows_of("documents", json.dumps({"hits": {"hits": HITS[:1]}}))
    assert [(row.document_id, row.title, row.extra) for row in hits] == [("d1", "Red", {"brand": "x"})]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_of_a_tool_is_refused_with_place_value_and_remedy(name):
    kind, value, told = BAD[name]
    text = json.dumps(value)

    assert found(kind, text)
    assert told in str(read(kind, text)[1].problems[0])
    assert found(kind, text[: len(text) // 2])


def test_people_of_a_book_without_an_address_are_different_ones():
    def said(email, rating, **more):
        return {"rating": rating, "user_email": email, **more}

    pairs = [
        [said("a@x.org", 3.0), said(None, 1.0), said(None, None, judge_later=True), said(None, 2.0)],
        [said(None, None, unrateable=True), said("", 2.0), said(None, 2.0)],
        [said(None, 0.0)],
        [{"rating": 3.0}],
    ]
    book = {
        "query_doc_pairs": [
            {"query_text": "red", "doc_id": f"d{number}", "judgements": judgements}
            for number, judgements in enumerate(pairs, 1)
        ]
    }

    rows, log = read("judgments", json.dumps(book))

    assert not log.problems
    assert not log.left_out
    assert [(row.document_id, row.annotator, row.grade) for row in rows] == [
        ("d1", "a@x.org", 3),
        ("d1", "Anonymous", 1),
        ("d1", "Anonymous 2", 2),
        ("d2", "Anonymous", None),
        ("d2", "Anonymous 2", 2),
        ("d2", "Anonymous 3", 2),
        ("d3", "Anonymous", 0),
        # Nothing says that it is somebody without a name.
        ("d4", None, 3),
    ]
