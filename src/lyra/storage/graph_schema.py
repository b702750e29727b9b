"""Which tables a client may read in SQL, and what each is for. Whatever is not named here cannot be read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from apsw import Connection

from lyra.storage import graph_views

TABLES: Mapping[str, str] = MappingProxyType(
    {
        "tasks": "Research tasks: the question, budget and status.",
        "queries": "Searches of a task (task_id) with their metrics.",
        "serp_items": "Addresses a search (query_id) found, and what became of each.",
        "derived_queries": "Queries sent for a search (query_id): the client's and those fixed rules made of it.",
        "works": "Scholarly works; pages.work_id refers to them.",
        "pages": "Pages, global to all tasks; year is that of publication.",
        "page_versions": "Earlier text of changed pages into which superseded fragments point.",
        "mementos": "Dated copies of pages in the web archive: what came and went since (differences, JSON).",
        "fragments": "Passages of pages (page_id) with their headings and offsets into the page's text.",
        "resource_index": "Which page or work an address, DOI, PMID or arXiv id leads to.",
        "claims": "Claims and hypotheses of a task (task_id) with confidence, verdict and verification.",
        "claim_mentions": "Where a claim is stated: fragment, exact quote, position in the fragment.",
        "edges": "fragment supports/refutes/neutral claim (task_id, page_id, year repeat the ends; "
        "no_vote: why it does not count, retracted superseded notice retells_retracted retells_corrected "
        "reviewed_neutral, or empty); "
        "page cites page.",
        "claim_sources": "Independent sources of each claim, and how it would stand without one.",
        "reviews": "What readers said of edges (edge_id), who and why; state in_force, replaced or undone.",
        "review_queue": "What is still to be reviewed; read it as v_review_queue.",
        "claim_sides": "Claims with evidence on both sides, and each side's strongest edge; see v_contradictions.",
        "claim_years": "Voting stances on each claim by year of the version read: counts and sums of confidence.",
        "claim_spans": "The years of each claim's evidence in one row: first, last, newest on each side, trend.",
        "task_years": "What each year of the versions read holds in a task: fragments, claims, stances.",
        "task_decades": "The same by decade, with the claims contested within it.",
        "task_pages": "Pages that a task reached.",
        "page_groups": "Pages of a task that count as one source (narrative, loop), or cite only their publisher.",
        "citation_flows": "Who cites whom among what a task reached, in one step or two, as its last search left it.",
        "page_links": "What the main text of a page links to: an address (url) or a paper (doi, pmid, arxiv).",
        "task_references": "What a task's pages link to, and how many of them do.",
        "embeddings": "Which claims and fragments have a vector; the vector itself is not readable.",
        "calibration_evaluations": "Measured calibration of the models: Brier, calibration error, bins.",
        "domains": "What is known about domains: trust level (blocked, or low while claims lift it) with its reason.",
        "promotions": "Domains that a claim lifts to low, with the independent sources behind the claim.",
        "injection_findings": "Text on pages (page_id, fragment_id) that gives orders to an AI: kind, severity, place.",
        "rechecks": "Tasks that are watched: how often (every_s) their searches are repeated, and since when.",
        "recheck_runs": "Each repetition with its report (JSON: new, changed, gone, retracted, verdicts); v_rechecks.",
        "page_files": "Of pages from the user's library (page_id): the file, and since when it is gone (gone_at).",
        "entities": "Organisations, people, domains, … that registry records name; read them as v_entities.",
        "entity_keys": "Names, numbers, addresses and domains by which an entity is recognised, page by page.",
        "entity_facts": "What registry records state of entities, with quote and fragment; read it as v_entity_facts.",
        "same_entities": "Entities that may be one: estimate and reasons; read it as v_same_entities.",
        "fragments_fts": "Full text: fragments_fts MATCH '…', rowid = fragments.seq.",
        "claims_fts": "Full text: claims_fts MATCH '…', rowid = claims.seq.",
    }
)
# What the view `domains` is made of.
VIEWED_TABLES = frozenset({"domain_trust", "service_health"})
FTS_TABLES = ("fragments_fts", "claims_fts")
# Vectors are no text; nothing has ever filled `tasks.warnings`: they are told from how a task stands (get_status).
HIDDEN_COLUMNS = frozenset({("embeddings", "embedding_blob"), ("tasks", "warnings"), ("rechecks", "snapshot")})


def describe(connection: Connection) -> tuple[dict[str, Any], ...]:
    """Name, purpose and columns of every readable table and view; the views first."""
    purposes = {**graph_views.purposes(), **TABLES}
    return tuple(
        {"name": name, "purpose": purpose, "columns": _columns(connection, name)} for name, purpose in purposes.items()
    )


def _columns(connection: Connection, table: str) -> list[str]:
    rows = connection.execute("select name from pragma_table_info(?)", (table,))
    return [str(name) for (name,) in rows if (table, name) not in HIDDEN_COLUMNS]
