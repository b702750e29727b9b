"""What can leave this machine by the settings in force: to whom, what, why, and how to switch it off. Pure."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from lyra.registries.directory import ALL_FACTS
from lyra.search.engines import known_engines
from lyra.settings import Settings
from lyra.urls import host_of


@dataclass(frozen=True, slots=True)
class OutgoingData:
    """One part of Lyra that may reach beyond this machine; with `is_on` false it does not, by the settings."""

    part: str
    is_on: bool
    receiver: str
    sends: str
    why: str
    switch_off: str


def outgoing_data(settings: Settings) -> tuple[OutgoingData, ...]:
    """Every part that can reach beyond this machine, in the order in which a search uses them."""
    return (
        *_way_out(settings),
        _engines(settings),
        _academic(settings),
        _registries(settings),
        _pages(),
        _browser(settings),
        _tor(settings),
        _archive(settings),
        _llm(settings),
        *_model_servers(settings),
        _hub(settings),
        _traces(settings),
        _reachability(),
        _updates(),
    )


def _way_out(settings: Settings) -> tuple[OutgoingData, ...]:
    """Who sees every connection: the name server, or the proxy."""
    if settings.network.proxy is None:
        return (
            OutgoingData(
                "names",
                True,
                "this machine's name server",
                "the names of the hosts below, not what is asked of them",
                "an address is looked up and checked before it is asked",
                "Set network.proxy; the proxy then looks names up.",
            ),
        )
    proxy = urlsplit(settings.network.proxy)
    port = proxy.port or 8080
    where = f"the proxy {proxy.hostname}:{port}"
    return (
        OutgoingData(
            "proxy",
            True,
            where,
            "every connection below; what is asked over https stays closed to it",
            "it is set as network.proxy",
            "Unset network.proxy.",
        ),
    )


def _engines(settings: Settings) -> OutgoingData:
    known = known_engines()
    hosts = [host_of(known[name].url_for("x").url) for name in settings.engines.enabled if name in known]
    return OutgoingData(
        "search",
        bool(hosts),
        ", ".join(dict.fromkeys(hosts)) or "nobody",
        "the words of your queries and hypotheses, and queries derived from them; for a named host its own search form",
        "to find pages",
        "Name fewer engines in engines.enabled; a search that names an address asks none.",
    )


def _academic(settings: Settings) -> OutgoingData:
    told = settings.academic.contact_email
    sends = "the words of your queries, identifiers of papers"
    return OutgoingData(
        "academic",
        settings.academic.enabled,
        "api.semanticscholar.org, api.openalex.org",
        f"{sends}, your address {told}" if told else sends,
        "to find papers and what cites them",
        "Set academic.enabled = false.",
    )


def _registries(settings: Settings) -> OutgoingData:
    enabled = [facts for facts in ALL_FACTS if facts.name in settings.registries.enabled]
    return OutgoingData(
        "registries",
        bool(enabled),
        ", ".join(host for facts in enabled for host in facts.hosts) or "nobody",
        "the words, domains and numbers of your queries; a key of yours to the registry that gave it",
        "to read official records, only where a search names the source registries",
        "Set registries.enabled = [], or name fewer.",
    )


def _pages() -> OutgoingData:
    return OutgoingData(
        "pages",
        True,
        "the sites of the results",
        "the address of the page, the engine as referrer, headers of a browser, the site's own cookies from sessions/",
        "to read them",
        "Refuse domains in user_overrides of domains.yaml; `lyra auth` and resolve_auth alone add sessions of yours.",
    )


def _browser(settings: Settings) -> OutgoingData:
    browser = settings.browser
    guard = "and what the pages load; advertisers are not asked" if "ads" in browser.blocked else "and what they load"
    if browser.debugging_port is not None:
        guard = f"{guard}; your Chrome at port {browser.debugging_port} also asks what Chrome asks by itself"
    return OutgoingData(
        "browser",
        browser.enabled,
        f"the same sites, {guard}",
        "what any browser sends, with cookies of the research profile and never of yours",
        "to read pages that plain HTTP does not open",
        "Set browser.enabled = false.",
    )


def _tor(settings: Settings) -> OutgoingData:
    return OutgoingData(
        "tor",
        settings.tor.mode != "off",
        f"the Tor network, by {settings.tor.socks_address}, where one runs",
        "the same as pages, from another address; never queries",
        "to read pages that refuse this machine's address",
        'Set tor.mode = "off".',
    )


def _archive(settings: Settings) -> OutgoingData:
    return OutgoingData(
        "archive",
        settings.wayback.enabled,
        "web.archive.org",
        "addresses of pages",
        "to read pages that are gone, and their earlier versions",
        "Set wayback.enabled = false.",
    )


def _llm(settings: Settings) -> OutgoingData:
    servers = settings.llm.servers.values()
    where = ", ".join(dict.fromkeys(one.address for one in servers))
    own = "too" if any(one.allow_remote and one.library_text for one in servers) else "only to a server on this machine"
    return OutgoingData(
        "llm",
        bool(where),
        f"the language models at {where}" if where else "nobody",
        f"passages of pages, queries and hypotheses, text of your own documents {own}; "
        "what that server does with them is its own affair",
        "for what llm.uses switches on",
        "Unset llm.endpoint and llm.endpoints.",
    )


def _model_servers(settings: Settings) -> list[OutgoingData]:
    """Shared servers of models; texts of the user's own documents need a permission of their own."""
    named = {"embedding": settings.models.embedding, "stance": settings.models.stance}
    sends = "passages of pages, claims and hypotheses"
    return [
        OutgoingData(
            f"{name} server",
            True,
            f"the server at {host_of(one.url)}",
            f"{sends}, texts of your own documents too" if one.library_text else sends,
            "a server of models that a group shares",
            f"Unset models.{name}.url.",
        )
        for name, one in named.items()
        if one.url is not None
    ]


def _hub(settings: Settings) -> OutgoingData:
    return OutgoingData(
        "hub",
        False,
        host_of(settings.models.hub),
        "the names of a model's files",
        "only where you type `lyra models pull` without --from",
        "Copy models from a disk with --from.",
    )


def _traces(settings: Settings) -> OutgoingData:
    where = settings.log.traces_endpoint
    return OutgoingData(
        "traces",
        where is not None,
        f"the collector at {where}" if where else "nobody",
        "names, times and outcomes of calls and searches",
        "to see where time goes",
        "Unset log.traces_endpoint.",
    )


def _reachability() -> OutgoingData:
    return OutgoingData(
        "test",
        False,
        "the engines",
        "one request without a query to each",
        "only where you type `lyra doctor --network`",
        "Leave --network out.",
    )


def _updates() -> OutgoingData:
    why = "there is no telemetry, no update check and no account"
    return OutgoingData("updates", False, "nobody", "nothing", why, "There is nothing to switch off.")
