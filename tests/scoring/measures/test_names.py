import pytest

from app.scoring.measures import MEASURES, UnknownMeasureError, parse_measure, parse_measures
from app.scoring.ruler import ScoringRuler


@pytest.mark.parametrize(
    ("written", "name", "parameter"),
    [
        ("nDCG@10", "nDCG", 10),
        ("NDCG@5", "nDCG", 5),
        ("ndcg", "nDCG", None),
        ("dcg@3", "DCG", 3),
        ("MNDCG@10", "MNDCG", 10),
        ("P@1", "P", 1),
        ("R@100", "Recall", 100),
        ("recall@100", "Recall", 100),
        ("Accuracy@5", "Success", 5),
        ("top@1", "Success", 1),
        ("HitRate@3", "Success", 3),
        ("MRR", "RR", None),
        ("mrr@10", "RR", 10),
        ("MAP", "AP", None),
        ("AP@10", "AP", 10),
        ("rprec", "Rprec", None),
        ("ERR@20", "ERR", 20),
        ("RBP(.8)", "RBP", 0.8),
        ("rbp", "RBP", 0.8),
        ("BPREF", "bpref", None),
        ("infap", "infAP", None),
        ("Judged@10", "judged", 10),
    ],
)
def test_names_and_aliases_are_known_whatever_their_case_and_echoed_as_asked(written, name, parameter):
    asked = parse_measure(written)

    assert (asked.label, asked.measure.name, asked.parameter) == (written, name, parameter)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("nDCF@10", "nDCG@10"),
        ("ndgc@5", "nDCG@5"),
        ("accurracy@3", "Success@3"),
        ("recal@7", "Recall@7"),
        ("bpreff", "bpref"),
        ("judgd@10", "judged@10"),
        ("RPB(0.8)", "RBP(p)"),
        ("recip_rank", "RR or RR@k"),
        ("recip_rank@5", "RR@5"),
        ("ndcg10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.5", "nDCG@5"),
        ("P_10", "P@10"),
        ("map_cut_100", "AP@100"),
        ("bpref10", "bpref"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_known_one(written, nearest):
    with pytest.raises(UnknownMeasureError) as refused:
        parse_measure(written)

    assert repr(written) in str(refused.value)
    assert str(refused.value).endswith(nearest)


@pytest.mark.parametrize(
    ("written", "remedy"),
    [
        ("P", "P@10"),
        ("judged", "judged@10"),
        ("P@0", "not a whole number above 0"),
        ("P@-1", "not a whole number above 0"),
        ("P@ten", "not a whole number above 0"),
        ("P@²", "not a whole number above 0"),
        ("P@1000001", "at most 1000000"),
        ("nDCG@999999999999", "at most 1000000"),
        ("bpref@10", "write bpref"),
        ("nDCG(10)", "nDCG or nDCG@k"),
        ("RBP@10", "RBP"),
        ("RBP(1)", "between 0 and 1"),
        ("RBP(nan)", "between 0 and 1"),
        ("RBP(x)", "between 0 and 1"),
        ("nDCG@10@5", "nDCG"),
        ("nDCF@²", "nDCG or nDCG@k"),
        ("@10", "nearest"),
        ("", "nearest"),
    ],
)
def test_a_missing_or_impossible_parameter_is_refused_with_a_remedy(written, remedy):
    with pytest.raises(UnknownMeasureError) as refused:
        parse_measure(written)

    assert remedy in str(refused.value)


def test_a_text_names_several_measures_each_once_in_the_order_asked():
    asked = parse_measures("nDCG@10, P@5  nDCG@10 ndcg@10")

    assert [one.label for one in asked] == ["nDCG@10", "P@5", "ndcg@10"]


def test_every_measure_that_is_not_known_is_told_and_a_comma_in_brackets_parts_nothing():
    with pytest.raises(UnknownMeasureError) as refused:
        parse_measures("foo@3 P@5,bar  nDGC@5, RBP(0,8),P@x")

    told = str(refused.value).split("; ")
    assert [one.partition(":")[0] for one in told] == [
        "unknown measure 'foo@3'",
        "unknown measure 'bar'",
        "unknown measure 'nDGC@5'",
        "'RBP(0,8)'",
        "'P@x'",
    ]
    assert "the nearest known one is nDCG@5" in told[2]
    assert "the patience '0,8' is not a number between 0 and 1, as in 0.8" in told[3]
    assert [one.label for one in parse_measures("RBP(.5),RBP(.8) AP")] == ["RBP(.5)", "RBP(.8)", "AP"]


def test_a_text_that_names_no_measure_is_refused():
    with pytest.raises(UnknownMeasureError, match="nDCG@10"):
        parse_measures("  ")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_every_measure_of_the_registry_is_found_by_each_of_its_names(measure):
    suffix = "@7" if measure.takes == "cutoff" else ""

    assert all(parse_measure(name + suffix).measure is measure for name in (measure.name, *measure.aliases))


def test_no_name_stands_for_two_measures():
    names = [name.lower() for measure in MEASURES for name in {measure.name.lower(), *measure.aliases}]

    assert len(names) == len(set(names))


def test_a_measure_says_how_deep_it_looks():
    depths = {
        name: parse_measure(name).depth for name in ("P@5", "AP", "AP@5", "RBP(.8)", "cnDCG@5", "Rprec")
    }

    assert depths == {"P@5": 5, "AP": None, "AP@5": 5, "RBP(.8)": None, "cnDCG@5": None, "Rprec": None}


@pytest.mark.parametrize(
    ("written", "choices", "title"),
    [
        ("NDCG@10", {}, "NDCG@10 (linear, log2)"),
        (
            "nDCG@5",
            {"gain": "exponential", "discount": "original-2002"},
            "nDCG@5 (exponential, original 2002)",
        ),
        (
            "nDCG@5",
            {"discount": "original-2002", "base": 10.0},
            "nDCG@5 (linear, original 2002, base 10)",
        ),
        ("nDCG@5", {"discount": "log2", "base": 10.0}, "nDCG@5 (linear, log2)"),
        ("nDCG@5", {"ideal": "returned"}, "nDCG@5 (linear, log2, ideal: returned)"),
        ("DCG@5", {"ideal": "returned"}, "DCG@5 (linear, log2)"),
        ("RBP(.8)", {}, "RBP(.8) (linear)"),
        ("RBP", {}, "RBP (p = 0.8, linear)"),
        ("ERR@10", {}, "ERR@10"),
        ("ERR@10", {"unjudged": "condensed"}, "ERR@10 (condensed)"),
        ("nDCG@5", {"unjudged": "condensed"}, "nDCG@5 (linear, log2, condensed)"),
        ("judged@5", {"unjudged": "condensed"}, "judged@5"),
        (
            "weight-judged@5",
            {"discount": "reciprocal", "unjudged": "condensed"},
            "weight-judged@5 (reciprocal)",
        ),
        ("P@5", {"lowest": 1, "highest": 5}, "P@5 (relevant from 3)"),
        ("judged@10", {}, "judged@10"),
    ],
)
def test_a_title_says_what_the_number_depends_on(written, choices, title):
    assert parse_measure(written).title(ScoringRuler(**choices)) == title
