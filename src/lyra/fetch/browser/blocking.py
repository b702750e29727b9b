"""Whom pages may not call: advertisers and trackers, and the browser's own habits. Data, and one pure rule."""

# Registrable domains; a person who reads an article wants none of them.
ADS = frozenset(
    """
    2mdn.net 33across.com adcolony.com addthis.com adform.net adjust.com adnxs.com adroll.com adsafeprotected.com
    adsrvr.org adtdp.com amazon-adsystem.com amplitude.com appsflyer.com appnexus.com bidswitch.net bluekai.com
    branch.io braze.com casalemedia.com chartbeat.com chartbeat.net clarity.ms contextweb.com crazyegg.com criteo.com
    criteo.net demdex.net doubleclick.net doubleverify.com everesttech.net exelator.com fout.jp freewheel.tv
    fullstory.com googleadservices.com google-analytics.com googlesyndication.com googletagmanager.com
    googletagservices.com hotjar.com i-mobile.co.jp im-apps.net imrworldwide.com indexww.com inmobi.com
    krxd.net ladsp.com lijit.com logly.co.jp mathtag.com media.net microad.jp mixpanel.com moatads.com
    mookie1.com newrelic.com nr-data.net onetag-sys.com openx.net optimizely.com outbrain.com outbrainimg.com
    permutive.com popin.cc pubmatic.com quantcast.com quantserve.com quora-ads.com rlcdn.com rubiconproject.com
    scorecardresearch.com segment.com segment.io sharethis.com sharethrough.com smartadserver.com socdm.com
    sentry-cdn.com spotxchange.com taboola.com tapad.com teads.tv tremorhub.com turn.com uncn.jp yieldmo.com
    zedo.com zemanta.com
    """.split()
)
# Where Chrome calls home by itself, whatever its flags say; no page needs these hosts.
HOME = frozenset(
    """
    clients1.google.com clients2.google.com clients4.google.com update.googleapis.com safebrowsing.googleapis.com
    optimizationguide-pa.googleapis.com content-autofill.googleapis.com redirector.gvt1.com edgedl.me.gvt1.com
    accounts.invalid apis.invalid android.clients.google.com mtalk.google.com
    chromesyncpasswords-pa.googleapis.com clientservices.googleapis.com
    """.split()
)
# How the debugging protocol names the kinds of things that may be refused.
TYPES = {"images": ("Image",), "media": ("Media",), "fonts": ("Font",), "ads": ()}


def is_unwanted(host: str, domain: str, *, blocks_ads: bool) -> bool:
    """Whether a connection to the host is refused."""
    return host in HOME or (blocks_ads and domain in ADS)
