"""Settings of one search's work: ranking, budgets and stop conditions, claims and evidence."""

from pydantic import Field

from lyra.settings.section import Section


class Ranking(Section):
    """BM25, embedding and where to cut (SPEC §1 decision 2)."""

    bm25_weight: float = Field(0.3, ge=0, le=1, description="Weight of BM25 in the fused score.")
    embedding_weight: float = Field(0.7, ge=0, le=1, description="Weight of the embedding in the fused score.")
    bm25_pool: int = Field(150, ge=1, description="Candidates that BM25 passes on to the embedding.")
    min_results: int = Field(3, ge=1, description="Results kept at least.")
    max_results: int = Field(50, ge=1, description="Results kept at most.")
    kneedle_sensitivity: float = Field(1.0, gt=0, description="Kneedle's S.")


class Research(Section):
    """Budgets and stop conditions of tasks and searches."""

    max_pages: int = Field(120, ge=1, le=10_000, description="Pages a task may fetch unless the client says otherwise.")
    max_seconds: float = Field(
        1200.0, gt=0, description="Seconds a task's searches may run unless the client says otherwise."
    )
    pages_per_search: int = Field(30, ge=1, description="Pages one search may fetch unless the client says otherwise.")
    idle_seconds: float = Field(
        300.0, gt=0, description="Seconds without a request from any client after which a task pauses."
    )
    novelty_window: int = Field(20, ge=1, description="Fragments over which novelty is measured.")
    novelty_cycle: int = Field(10, ge=1, description="Fragments in one novelty cycle.")
    novelty_floor: float = Field(0.10, ge=0, le=1, description="Novelty below which a cycle counts as stale.")


class Evidence(Section):
    """Claims, candidate pairs and verification."""

    relevance_floor: float = Field(
        0.35,
        ge=0,
        le=1,
        description="Similarity to the question or a hypothesis that a statement needs to become a claim.",
    )
    merge_similarity: float = Field(
        0.90, ge=0, le=1, description="Similarity above which two statements of a task are one claim."
    )
    pair_similarity: float = Field(
        0.35,
        ge=0,
        le=1,
        description="Least similarity of fragment and found claim, and of a hypothesis and some fragment of a page, "
        "shared words added, for a pair to be judged.",
    )
    pairs_per_fragment: int = Field(
        12, ge=1, description="Hypotheses, and found claims, that one fragment is judged against at most, each."
    )
    pairs_per_page: int = Field(
        30, ge=1, description="Pairs of fragment and found claim judged for one page at most; hypotheses come besides."
    )
    hypothesis_pairs_per_page: int = Field(
        2000,
        ge=1,
        description="Pairs of fragment and hypothesis judged for one page at most, of each hypothesis the best.",
    )
    claims_per_page: int = Field(12, ge=1, description="New claims taken from one page at most.")
    counting_refutation: float = Field(
        0.7, ge=0, le=1, description="Calibrated probability from which a refutation counts."
    )
    adoption_floor: float = Field(0.7, ge=0, le=1, description="Report confidence from which a claim is adopted.")
    near_duplicate: float = Field(0.8, ge=0, le=1, description="MinHash Jaccard from which two texts are one.")
