"""The words that people read for values of the graph: verdicts, relations, levels, states."""

from lyra.model.claim import Verdict
from lyra.report.wording import verdict_words
from lyra.translate import say


def plural(count: int, one: str, many: str) -> str:
    """A number of things, in a sentence for one and a sentence with `{count}` for any other number."""
    return say(one) if count == 1 else say(many, count=f"{count:,}")


def verdict(value: str) -> str:
    return verdict_words(Verdict(value))


def verdict_meaning(value: str) -> str:
    """One sentence on what a verdict says."""
    return {
        "well_supported": say("Several independent sources say so, and none of weight says otherwise."),
        "supported": say("The evidence is for it, from few independent sources."),
        "contested": say("Independent sources say the opposite of each other."),
        "likely_false": say("The evidence is against it."),
        "unverified": say("There is too little evidence to decide."),
    }[value]


def relation(value: str) -> str:
    return {
        "supports": say("supports"),
        "refutes": say("refutes"),
        "neutral": say("neutral"),
        "cites": say("cites"),
    }[value]


def trust_level(value: str) -> str:
    return {
        "primary": say("primary source"),
        "government": say("government"),
        "academic": say("academic"),
        "trusted": say("trusted"),
        "low": say("low trust"),
        "unverified": say("unknown source"),
        "blocked": say("blocked"),
    }[value]


def retracted_sources(retracted: int, standing: int) -> str:
    """How many sources of a claim are retracted, and whether any is left."""
    if standing:
        return plural(retracted, "1 source retracted", "{count} sources retracted")
    return plural(retracted, "its only source is retracted", "all {count} sources are retracted")


def trust_origin(value: str) -> str:
    """Who gave a domain its level."""
    return {
        "override": say("set by you"),
        "list": say("from Lyra's list"),
        "learned": say("learned from evidence"),
        "none": say("on no list"),
    }[value]


def task_status(value: str) -> str:
    return {
        "created": say("not searched yet"),
        "exploring": say("searching"),
        "waiting": say("waiting"),
        "ready": say("ready for the next search"),
        "paused": say("paused"),
        "completed": say("ended"),
        "failed": say("failed"),
    }[value]


def search_status(value: str) -> str:
    return {
        "running": say("running"),
        "waiting": say("waiting"),
        "satisfied": say("enough found"),
        "partial": say("partly answered"),
        "exhausted": say("nothing more found"),
        "failed": say("failed"),
        "cancelled": say("stopped"),
    }[value]


def phase(value: str) -> str:
    """What a running search does now; a phase without a word of its own is shown as it is named."""
    known = {
        "queued": say("waiting to start"),
        "discover": say("asking search engines"),
        "identify": say("identifying papers"),
        "read papers": say("reading papers"),
        "read papers named in pages": say("reading papers"),
        "read records of registries": say("reading records"),
        "rank": say("ranking results"),
        "fetch": say("reading pages"),
        "compare with the past": say("comparing with earlier copies"),
        "assess": say("weighing the evidence"),
        "paused": say("paused"),
        "done": say("done"),
    }
    return known.get(value, value)


def refutation(value: str) -> str:
    return {
        "not_searched": say("Nobody has searched for evidence against it yet."),
        "none_found": say("A search for evidence against it found none."),
        "found": say("A search for evidence against it found some."),
    }[value]


def verification(value: str) -> str:
    return {"pending": say("not verified yet"), "verified": say("verified"), "rejected": say("rejected")}[value]


def event_kind(value: str) -> str:
    """What happened to a piece of evidence."""
    return {
        "published": say("published"),
        "updated": say("updated"),
        "not_yet": say("not yet on the page"),
        "archived": say("in a public archive"),
        "copied": say("read from an archived copy"),
        "first_seen": say("first seen by Lyra"),
        "corrected": say("corrected"),
        "superseded": say("removed from the page"),
        "retracted": say("retracted"),
    }[value]


def challenge(value: str) -> str:
    """Why a page waits for a person; a kind without a word of its own is shown as it is named."""
    known = {
        "block": say("access refused"),
        "captcha": say("puzzle (CAPTCHA)"),
        "login": say("sign-in"),
        "cloudflare": say("browser check"),
        "turnstile": say("browser check"),
        "paywall": say("subscription"),
    }
    return known.get(value, value)


def proof(value: str) -> str:
    return {
        "verified": say("The archived copy has these words at this place."),
        "differs": say("The archived copy differs from what was stored."),
        "unreadable": say("The archived copy cannot be read."),
        "not_archived": say("No archived copy is kept."),
    }[value]


def calibration_source(value: str) -> str:
    return {"nli_judge": say("Reader of stances"), "llm_extract": say("Language model")}[value]
