"""Settings of how the processes run, what they keep and what they say: queue, archive, library, server, log."""

from typing import Literal

from pydantic import Field

from lyra.settings.section import Section


class Jobs(Section):
    """The durable queue."""

    lease_s: float = Field(
        15.0, gt=0, le=900, description="How long a job belongs to a process that does not renew it, in seconds."
    )
    poll_s: float = Field(0.5, gt=0, description="How often the queue is looked at, in seconds.")
    concurrency: int = Field(2, ge=1, le=16, description="Searches one process runs at once.")
    niceness: int = Field(
        10,
        ge=0,
        le=19,
        description="How far the searches of an HTTP server give way to its readers: the nice value of their process.",
    )
    max_attempts: int = Field(5, ge=1, description="Times a job is started before it counts as failed.")
    max_queued: int = Field(200, ge=1, description="Searches that may wait at once, over all tasks; more are refused.")
    cpu_nlp: int = Field(0, ge=0, le=256, description="Batches judged at once on this machine; 0 is one a core.")


class Archive(Section):
    """How much of what was fetched is kept. Nothing goes by itself: `lyra archive prune` acts on these."""

    budget_mb: int = Field(20_000, ge=1, description="Size to which `lyra archive prune` brings the archive, in MB.")
    retention_days: int = Field(
        0, ge=0, description="Age after which records that no evidence needs may go, in days; 0 keeps them."
    )
    page_assets_mb: float = Field(
        10.0,
        ge=0,
        le=100,
        description="Most that is kept of what a page in a browser loaded (scripts, styles, images, texts), in MB.",
    )


class LibrarySettings(Section):
    """The user's own documents, which `lyra library` adds."""

    scan_every_s: float = Field(
        60.0, ge=0, description="How often a server looks for changed files, in seconds; 0 turns it off."
    )
    max_file_mb: float = Field(100.0, gt=0, le=200, description="Largest file that is read, in MB.")
    max_files: int = Field(200_000, gt=0, description="Most files of one library.")
    archive_max_mb: float = Field(
        50.0, ge=0, description="Largest document whose bytes are archived when a task reads it, in MB."
    )


class Server(Section):
    """The MCP server."""

    wait_seconds: float = Field(
        3.5,
        ge=0,
        le=25,
        description="How long a search call waits for its end unless the client says, in seconds; some clients hang up "
        "after 5.",
    )
    max_wait_seconds: float = Field(600.0, gt=0, description="Longest wait a client may ask for, in seconds.")
    max_answer_bytes: int = Field(24_000, ge=2_000, description="Largest answer of a tool, in bytes.")
    max_query_chars: int = Field(2_000, ge=1, description="Longest question, query or hypothesis, in characters.")
    max_requests_per_second: float = Field(
        50.0, gt=0, description="Requests a second that a person may send to the HTTP server, on average over 3 s."
    )
    max_connections_per_address: int = Field(
        125,
        ge=1,
        le=500,
        description="Open connections that the HTTP server takes from one address, of 500 in all; an IPv6 network "
        "(/64) counts as one. Behind a proxy all come from one.",
    )


class Log(Section):
    """What Lyra writes about itself, on stderr and below the data directory."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least severity shown on stderr."
    )
    traces_endpoint: str | None = Field(
        None,
        description="OTLP address (HTTP) for traces of calls and searches: https, or http on this machine; needs the "
        "extra `tracing`. None: no traces.",
    )
