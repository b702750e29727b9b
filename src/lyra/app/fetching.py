"""Builds what fetches pages: the rules by which sources are asked, and the rungs of the ladder."""

import functools

from lyra.app.private_data import redactor_for
from lyra.archive.captures import Captures
from lyra.archive.warc import WarcArchive
from lyra.clock import Clock, system_chance
from lyra.fetch.admission import Admission
from lyra.fetch.fetcher import Fetcher
from lyra.fetch.http import HttpClient
from lyra.fetch.rung_browser import VisitStores, browser_rungs
from lyra.fetch.rung_http import HttpRung
from lyra.fetch.sessions import SessionStore
from lyra.fetch.tor import TorRung, TorService
from lyra.fetch.wayback import WaybackRung
from lyra.jobs.slots import Slots
from lyra.model.job import Priority, Slot
from lyra.policy.cooldown import Cooldown
from lyra.policy.domain_policy import DomainPolicy, RungShares
from lyra.policy.gate import Gate
from lyra.policy.robots import Robots
from lyra.settings import Settings
from lyra.storage.database import Database
from lyra.trust.levels import TrustList


def domain_policy(settings: Settings, db: Database, clock: Clock, listed: TrustList) -> DomainPolicy:
    wayback = settings.wayback.share if settings.wayback.enabled else 0
    shares = RungShares(tor=settings.tor.share, wayback=wayback)
    return DomainPolicy(db, clock, settings.politeness, shares, settings.tor.sticky_s, listed.qps_of)


def request_gate(settings: Settings, db: Database, clock: Clock, owner: str, listed: TrustList) -> Gate:
    concurrency, lease_s = settings.network.concurrency, settings.jobs.lease_s
    return Gate(db, clock, system_chance(), settings.politeness, owner, concurrency, lease_s, listed.qps_of)


def page_fetcher(
    settings: Settings, db: Database, clock: Clock, gate: Gate, archive: WarcArchive, slots: Slots, policy: DomainPolicy
) -> Fetcher:
    http = HttpClient(settings.network, clock)
    robots, cooldown = Robots(db, clock, settings.politeness), Cooldown(db, clock, settings.politeness)
    admission = Admission(http.check, gate, robots, cooldown, policy)
    sessions = SessionStore(settings.sessions_dir, clock)
    stores = VisitStores(archive, Captures(settings.archive_dir, clock, redactor=redactor_for(settings)), sessions)
    hold = functools.partial(slots.hold, Slot.BROWSER_HEADFUL, Priority.PREFETCH)
    past = HttpRung(http, admission, archive, clock, settings.network, "wayback")
    return Fetcher(
        http=http,
        gate=gate,
        robots=robots,
        cooldown=cooldown,
        archive=archive,
        db=db,
        clock=clock,
        settings=settings,
        rungs=(
            TorRung(TorService(settings.tor, settings.tor_dir, clock), admission, archive, clock, settings.network),
            *browser_rungs(settings, admission, stores, clock, system_chance(), hold),
            WaybackRung(past, clock),
        ),
        policy=policy,
        cookies=sessions.cookies_for,
    )
