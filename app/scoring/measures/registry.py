"""All measures, once. The help page, the command line and the engine read this list and no other."""

from app.scoring.marked import N_
from app.scoring.measures import binary, coverage, graded
from app.scoring.measures.measure import Measure

INTRODUCED = "Järvelin & Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"

GRADED = (
    Measure(
        name="CG",
        takes="cutoff or nothing",
        reads="gain",
        meaning=N_("The gains of the answers shown, added up, whatever their order."),
        formula="sum over ranks i <= k of gain(i)",
        source=INTRODUCED,
        values=graded.cumulated_gain,
    ),
    Measure(
        name="DCG",
        takes="cutoff or nothing",
        reads="discounted gain",
        meaning=N_("Like CG, but a gain counts less the further down it is; it can be larger than 1."),
        formula="sum over ranks i <= k of gain(i) · c(i), with c(i) = 1 / log2(i + 1) unless said otherwise",
        source=INTRODUCED,
        values=graded.dcg,
    ),
    Measure(
        name="IDCG",
        takes="cutoff or nothing",
        reads="discounted gain",
        meaning=N_(
            "The largest DCG that any list could have on this question, so it is the same for every ranker."
        ),
        formula="DCG@k of all judged documents of the query, best first",
        source=INTRODUCED,
        values=graded.ideal_dcg,
        has_ideal=True,
    ),
    Measure(
        name="nDCG",
        takes="cutoff or nothing",
        reads="discounted gain",
        meaning=N_(
            "How close the order comes to the best possible one, which has 1; good answers near the top "
            "count most."
        ),
        formula="DCG@k / IDCG@k",
        source=INTRODUCED,
        values=graded.normalised_dcg,
        has_ideal=True,
    ),
    Measure(
        name="MNDCG",
        takes="cutoff",
        reads="discounted gain",
        meaning=N_(
            "Like NDCG, but compared with a list of perfect answers only, so a question with few good "
            "answers can never reach 1."
        ),
        formula="DCG@k / (largest gain · sum over ranks i <= k of c(i))",
        source=N_("Defined here: NDCG compared with a list of the highest grade only"),
        values=graded.maximum_ndcg,
    ),
    Measure(
        name="MNG",
        aliases=("nmap",),
        takes="cutoff",
        reads="gain",
        meaning=N_("How good the first k answers are on average, whatever their order; 1 means all perfect."),
        formula="(sum over ranks i <= k of gain(i)) / (k · largest gain)",
        source=N_("Defined here: the mean gain as a share of the largest"),
        values=graded.mean_gain,
    ),
    Measure(
        name="F1",
        aliases=("F1-MNG-nDCG",),
        takes="cutoff",
        reads="discounted gain",
        meaning=N_("How good the answers are on average and how well they are ordered, in one number."),
        formula="2 · MNG@k · NDCG@k / (MNG@k + NDCG@k)",
        source=N_("Defined here: the harmonic mean of MNG and NDCG"),
        values=graded.f1_of_gain_and_ndcg,
        has_ideal=True,
    ),
    Measure(
        name="condensed-nDCG",
        aliases=("cnDCG", "nDCG'"),
        takes="cutoff or nothing",
        reads="discounted gain",
        meaning=N_(
            "NDCG after unrated answers are dropped from the list; it flatters rankers that return many "
            "of them."
        ),
        formula="NDCG@k of the list without its unjudged documents",
        source="Sakai 2007, Alternatives to bpref",
        values=graded.condensed_ndcg,
        skips_unjudged=True,
        has_ideal=True,
        whole=True,
    ),
    Measure(
        name="ERR",
        takes="cutoff",
        reads="grade",
        meaning=N_(
            "How soon a reader finds a satisfying answer and stops; it is near 1 if the first answer "
            "nearly always satisfies."
        ),
        formula="sum over ranks i <= k of (1/i) · R(i) · product over j < i of (1 - R(j)), "
        "with R = (2^g - 1) / 2^gmax and grades counted from 0",
        source="Chapelle, Metzler, Zhang & Grinspan 2009, Expected reciprocal rank for graded relevance",
        values=graded.expected_reciprocal_rank,
    ),
    Measure(
        name="RBP",
        takes="patience",
        reads="gain",
        meaning=N_("What a reader gains if, after each answer, they read the next one with probability p."),
        formula="(1 - p) · sum over ranks i of gain(i) / largest gain · p^(i-1)",
        source="Moffat & Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness",
        values=graded.rank_biased_precision,
        usual=0.8,
    ),
    Measure(
        name="RBP-residual",
        takes="patience",
        reads="gain",
        meaning=N_(
            "How much RBP could still rise if all unrated answers, and all answers below the list, were "
            "perfect."
        ),
        formula="(1 - p) · sum over unjudged ranks i <= n of p^(i-1) + p^n, n answers returned",
        source="Moffat & Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness",
        values=graded.rbp_residual,
        usual=0.8,
    ),
)

BINARY = (
    Measure(
        name="P",
        aliases=("Precision",),
        takes="cutoff",
        reads="relevance",
        meaning=N_(
            "The share of the first k answers that are relevant; missing answers count as not relevant."
        ),
        formula="relevant in the top k / k",
        source="trec_eval, P",
        values=binary.precision,
    ),
    Measure(
        name="Recall",
        aliases=("R",),
        takes="cutoff",
        reads="relevance",
        meaning=N_("The share of all known relevant answers that are among the first k."),
        formula="relevant in the top k / relevant among all judged",
        source="trec_eval, recall",
        values=binary.recall,
    ),
    Measure(
        name="Success",
        aliases=("Accuracy", "Top", "HitRate"),
        takes="cutoff",
        reads="relevance",
        meaning=N_("Whether at least one of the first k answers is relevant; its mean is Top-k accuracy."),
        formula="1 if anything relevant is in the top k, else 0",
        source="trec_eval, success",
        values=binary.success,
    ),
    Measure(
        name="RR",
        aliases=("MRR",),
        takes="cutoff or nothing",
        reads="relevance",
        meaning=N_(
            "How high the first relevant answer is; 1 at the first place, 1/2 at the second, 0 without one."
        ),
        formula="1 / rank of the first relevant document, 0 beyond k",
        source="trec_eval, recip_rank",
        values=binary.reciprocal_rank,
    ),
    Measure(
        name="AP",
        aliases=("MAP",),
        takes="cutoff or nothing",
        reads="relevance",
        meaning=N_("Rewards finding all relevant answers, and finding them early."),
        formula="(sum of P@i over relevant ranks i <= k) / R, R = relevant among all judged",
        source="trec_eval, map and map_cut",
        values=binary.average_precision,
    ),
    Measure(
        name="Rprec",
        takes="nothing",
        reads="relevance",
        meaning=N_("The precision of the first R answers, if R relevant answers are known."),
        formula="relevant in the top R / R, R = relevant among all judged",
        source="trec_eval, Rprec",
        values=binary.r_precision,
    ),
    Measure(
        name="bpref",
        takes="nothing",
        reads="relevance",
        meaning=N_("High if few irrelevant answers are above relevant ones; unrated answers are skipped."),
        formula="(1/R) · sum over relevant r in the list of (1 - min(judged non-relevant above r, R) / "
        "min(R, N)), the term being 1 where none is above; R = relevant, N = non-relevant among all judged",
        source="Buckley & Voorhees 2004, Retrieval evaluation with incomplete information",
        values=binary.bpref,
        skips_unjudged=True,
    ),
    Measure(
        name="infAP",
        takes="nothing",
        reads="relevance",
        meaning=N_(
            "An estimate of AP that is fair only if the rated answers are a random sample of the pool."
        ),
        formula="(1/R) · sum over relevant ranks i of (1/i + (i-1)/i · (pooled above / (i-1)) · "
        "(relevant above + e) / (judged above + 2e)), the term being 1 at i = 1; e = 0.00001, pooled counts "
        "judged and unjudged, R = relevant among all judged",
        source="Yilmaz & Aslam 2006, Estimating average precision with incomplete and imperfect judgments",
        values=binary.inferred_ap,
        skips_unjudged=True,
        counts_pool=True,
    ),
)

COVERAGE = (
    Measure(
        name="judged",
        takes="cutoff",
        reads="coverage",
        meaning=N_("The share of the first k answers that are rated, so how far to trust the score."),
        formula="judged in the top k / min(k, returned); an empty list has 1",
        source="Judged@k of ir_measures",
        values=coverage.judged_share,
    ),
    Measure(
        name="weight-judged",
        takes="cutoff",
        reads="coverage",
        meaning=N_("Like judged@k, but higher places count more, as in DCG."),
        formula="(sum of c(i) over judged ranks i <= k) / (sum of c(i) over returned ranks i <= k)",
        source=N_("Defined here: the share of the discounts that lies on judged answers"),
        values=coverage.judged_weight,
        discounted=True,
    ),
)

MEASURES: tuple[Measure, ...] = GRADED + BINARY + COVERAGE
