"""A task as a folder of Markdown notes for Obsidian: one for each claim, hypothesis and page, linked to one another.

The properties of a note, and the fields below a quote (`key:: value`, as Dataview reads them), are named as in the JSON
export. A name ends with the record's id: it is unique on file systems that fold case or accents.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lyra.clock import stamp
from lyra.model.edge import Relation
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim
from lyra.report.export.bibliography import one_line
from lyra.report.export.records import TaskRecords, assessed_fields
from lyra.report.links import link_target, passage_link
from lyra.text import preview
from lyra.translate import say

# What Windows, macOS or a wiki link gives a meaning of its own in a name. A full stop may part a reserved name.
_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*#^\[\]%`.\s\x00-\x1f\x7f]+')
_NAME_BYTES = 100
_LABEL_CHARS = 100
_NOT_IN_LABELS = re.compile(r"[\[\]|<>#^`*\\%$]+")
_LIST_NUMBER = re.compile(r"^(\d+)([.)])(?=\s|$)")
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|#$%&=~^!]|^[-+](?=\s|$)")


@dataclass(frozen=True, slots=True)
class _Names:
    """The note of every record, without its ending."""

    task: str
    claims: dict[str, str]
    pages: dict[str, str]


def notes(records: TaskRecords) -> dict[str, bytes]:
    """Every note by its path in the folder."""
    names = _Names(
        _name(records.task.query, records.task.id),
        {one.claim.id: _name(one.claim.claim_text, one.claim.id) for one in records.claims},
        {one.page_id: _name(one.title or one.url, one.page_id) for one in records.sources},
    )
    titles = {one.page_id: one.title or one.url for one in records.sources}
    found = {f"{names.task}.md": _task_note(records, names)}
    for claim in records.claims:
        folder = "hypotheses" if claim.claim.is_hypothesis else "claims"
        found[f"{folder}/{names.claims[claim.claim.id]}.md"] = _claim_note(claim, names, titles)
    for source in records.sources:
        quotes = records.quotes_by_page.get(source.page_id, [])
        found[f"pages/{names.pages[source.page_id]}.md"] = _page_note(source, quotes, names)
    return {path: text.encode() for path, text in found.items()}


def _task_note(records: TaskRecords, names: _Names) -> str:
    task = records.task
    properties = {
        "id": task.id,
        "kind": "task",
        "query": task.query,
        "created_at": stamp(task.created_at),
        "settings_digest": task.settings_digest,
        "claims": sum(not one.claim.is_hypothesis for one in records.claims),
        "hypotheses": sum(one.claim.is_hypothesis for one in records.claims),
        "pages": len(records.sources),
    }
    lists = {
        say("Hypotheses"): [one for one in records.claims if one.claim.is_hypothesis],
        say("Claims"): [one for one in records.claims if not one.claim.is_hypothesis],
    }
    lines = [f"# {_plain(task.query)}"]
    for heading, claims in lists.items():
        lines += ["", f"## {heading}", ""]
        lines += [
            f"- {one.assessment.verdict.value}: {_link(names.claims[one.claim.id], one.claim.claim_text)}"
            for one in claims
        ]
    lines += ["", f"## {say('Sources')}", ""]
    lines += [f"- {_link(names.pages[one.page_id], one.title or one.url)}" for one in records.sources]
    return _note(properties, lines)


def _claim_note(one: ReportClaim, names: _Names, titles: dict[str, str]) -> str:
    properties = {
        "id": one.claim.id,
        "kind": "hypothesis" if one.claim.is_hypothesis else "claim",
        "claim": one.claim.claim_text,
        **assessed_fields(one),
        "task": f"[[{names.task}]]",
    }
    lines = [f"# {_plain(one.claim.claim_text)}"]
    for heading, quotes in ((say("For"), one.supports), (say("Against"), one.refutes)):
        if quotes:
            lines += ["", f"## {heading}"]
        for quoted in quotes:
            lines += ["", f"> {_plain(quoted.quote)}", ""]
            lines += _fields(quoted, _link(names.pages[quoted.page_id], titles[quoted.page_id]))
    return _note(properties, lines)


def _fields(quoted: QuotedEvidence, page: str) -> Iterator[str]:
    review = quoted.review
    values = {
        "page": page,
        "stance": quoted.relation.value,
        "char_start": quoted.char_start,
        "char_end": quoted.char_end,
        "text_hash": quoted.text_hash,
        "content_hash": quoted.content_hash,
        "nli_confidence": round(quoted.nli_confidence, 3),
        "votes": "false" if quoted.no_vote else "true",
        "no_vote": _plain(quoted.no_vote),
        "is_retracted": str(quoted.is_retracted).lower(),
        "reviewer": _plain(review.reviewer) if review else "",
        "reviewed_at": stamp(review.reviewed_at) if review else "",
        "review_reason": _plain(review.reason) if review else "",
        "link": _web_link(passage_link(quoted)),
        "edge_id": quoted.edge_id,
    }
    return (f"- {name}:: {value}" for name, value in values.items() if value != "")


def _page_note(source: CitedSource, quotes: list[tuple[ReportClaim, QuotedEvidence]], names: _Names) -> str:
    properties = {
        "id": source.page_id,
        "kind": "page",
        "title": source.title,
        "url": source.url,
        "domain": source.domain,
        "authors": list(source.authors),
        "year": source.year,
        "published_date": source.published_date,
        "venue": source.venue,
        "doi": source.doi,
        "pmid": source.pmid,
        "is_retracted": source.is_retracted,
        "fetched_at": stamp(source.fetched_at),
        "content_hash": source.content_hash,
        "task": f"[[{names.task}]]",
    }
    lines = [f"# {_plain(source.title or source.url)}", "", _web_link(source.url)]
    stances = {(claim.claim.id, quoted.relation): claim for claim, quoted in quotes}
    for heading, relation in ((say("For"), Relation.SUPPORTS), (say("Against"), Relation.REFUTES)):
        claims = [claim for (_, stance), claim in stances.items() if stance is relation]
        if claims:
            lines += ["", f"## {heading}", ""]
            lines += [f"- {_link(names.claims[one.claim.id], one.claim.claim_text)}" for one in claims]
    return _note(properties, lines)


def _note(properties: dict[str, Any], lines: list[str]) -> str:
    import yaml  # lazy: nothing else that is exported needs it

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    known = {name: value for name, value in properties.items() if value is not None}
    head = yaml.dump(known, Dumper=dumper, allow_unicode=True, sort_keys=False, width=10**9)
    return f"---\n{head}---\n\n" + "\n".join(lines) + "\n"


def _name(text: str, record_id: str) -> str:
    """The beginning of a text as a name that every system takes, and the id."""
    plain = _NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", text)).strip()
    kept = plain.encode()[:_NAME_BYTES].decode(errors="ignore").strip()
    return f"{kept} {record_id}".strip()


def _link(name: str, text: str) -> str:
    label = preview(one_line(_NOT_IN_LABELS.sub(" ", text)), _LABEL_CHARS)
    return f"[[{name}|{label}]]" if label else f"[[{name}]]"


def _web_link(url: str) -> str:
    """A link, shown without its fragment, where it is a web address; of anything else the text."""
    shown = _plain(url.partition("#")[0])
    return f"[{shown}]({link_target(url)})" if url.startswith(("http://", "https://")) else _plain(url)


def _plain(text: str) -> str:
    """Text of others on one line that is no markup: no Markdown, HTML, comment, mark, formula or list."""
    line = _MARKDOWN.sub(r"\\\g<0>", one_line(text))
    return _LIST_NUMBER.sub(r"\1\\\2", line)
