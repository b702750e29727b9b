"""The Evidence Graph of a task as GraphML: claims and pages are nodes, stances and citations are edges."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lyra.clock import stamp
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim
from lyra.report.export.records import TaskRecords, assessed_fields
from lyra.report.links import passage_link

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The attributes by type. `kind` is claim, hypothesis or page; what else they are the JSON export says.
_KEYS = {
    "graph": {"string": "query"},
    "node": {
        "string": "kind label language verdict verification_status refutation_status url domain authors published_date "
        "venue doi pmid content_hash fetched_at",
        "double": "confidence uncertainty controversy",
        "long": "independent_sources year",
        "boolean": "is_retracted",
    },
    "edge": {
        "string": "relation quote text_hash content_hash no_vote reviewer reviewed_at review_reason judged_relation "
        "trust_level link fragment_id",
        "double": "weight",
        "long": "char_start char_end",
        "boolean": "votes is_retracted",
    },
}


def graphml_text(records: TaskRecords) -> str:
    """A directed graph from pages to claims and to pages they cite; two quotes of one page are two edges."""
    return "".join(_lines(records))


def _lines(records: TaskRecords) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for owner, types in _KEYS.items():
        for kind, names in types.items():
            for name in names.split():
                yield f'<key id="{owner}.{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield f'<graph id={_attribute(records.task.id)} edgedefault="directed">\n'
    yield from _data("graph", {"query": records.task.query})
    for claim in records.claims:
        yield from _element("node", f"id={_attribute(claim.claim.id)}", _claim(claim))
    for source in records.sources:
        yield from _element("node", f"id={_attribute(source.page_id)}", _source(source))
    for claim, quoted in records.quotes():
        ends = f"source={_attribute(quoted.page_id)} target={_attribute(claim.claim.id)}"
        yield from _element("edge", f"id={_attribute(quoted.edge_id)} {ends}", _quote(quoted))
    for citing, cited in records.citations:
        names = f"id={_attribute(f'cites {citing} {cited}')} source={_attribute(citing)} target={_attribute(cited)}"
        yield from _element("edge", names, {"relation": "cites"})
    yield "</graph>\n</graphml>\n"


def _element(name: str, attributes: str, values: Mapping[str, Any]) -> Iterator[str]:
    yield f"<{name} {attributes}>\n"
    yield from _data(name, values)
    yield f"</{name}>\n"


def _data(owner: str, values: Mapping[str, Any]) -> Iterator[str]:
    """What is known of an element; nothing where it is empty."""
    for name, value in values.items():
        if value is not None and value != "":
            text = str(value).lower() if isinstance(value, bool) else escape(_xml(str(value)))
            yield f'<data key="{owner}.{name}">{text}</data>\n'


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _xml(text: str) -> str:
    """Without characters that no XML file may hold."""
    return _NOT_XML.sub("", text)


def _claim(one: ReportClaim) -> dict[str, Any]:
    return {
        "kind": "hypothesis" if one.claim.is_hypothesis else "claim",
        "label": one.claim.claim_text,
        **assessed_fields(one),
    }


def _source(one: CitedSource) -> dict[str, Any]:
    return {
        "kind": "page",
        "label": one.title or one.url,
        "url": one.url,
        "domain": one.domain,
        "authors": "; ".join(one.authors),
        "year": one.year,
        "published_date": one.published_date,
        "venue": one.venue,
        "doi": one.doi,
        "pmid": one.pmid,
        "content_hash": one.content_hash,
        "fetched_at": stamp(one.fetched_at),
        "is_retracted": one.is_retracted,
    }


def _quote(one: QuotedEvidence) -> dict[str, Any]:
    review = one.review
    return {
        "relation": one.relation.value,
        "quote": one.quote,
        "char_start": one.char_start,
        "char_end": one.char_end,
        "text_hash": one.text_hash,
        "content_hash": one.content_hash,
        "weight": round(one.nli_confidence, 3),
        "votes": not one.no_vote,
        "no_vote": one.no_vote,
        "is_retracted": one.is_retracted,
        "reviewer": review and review.reviewer,
        "reviewed_at": review and stamp(review.reviewed_at),
        "review_reason": review and review.reason,
        "judged_relation": review and review.judged_relation.value,
        "trust_level": one.trust_level,
        "link": passage_link(one),
        "fragment_id": one.fragment_id,
    }
