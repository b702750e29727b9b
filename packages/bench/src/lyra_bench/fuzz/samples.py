"""Good inputs that are then damaged: small, and with every part that the parsers know."""

import asyncio
import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from lyra.backup import make_backup
from lyra.settings import Settings
from lyra.storage.database import Database

_PROSE = "Trials of 120 patients showed no difference in admissions for heart failure. " * 6
_ARTICLE = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A trial</title>
<meta name="citation_doi" content="10.1000/182"><meta property="og:type" content="article">
<script type="application/ld+json">{{"@type": "Article", "datePublished": "2024-05-01", "author": "A"}}</script>
</head><body><nav><a href="/">Home</a></nav><article><h1>A trial</h1><time datetime="2024-05-01">1 May</time>
<p>{_PROSE}<a href="/next?a=1&amp;b=2#c">more</a></p><h2>Results</h2><ul><li>One<li>Two</ul>
<table><caption>Table 1. Doses in both groups</caption><tr><th>a<td>b</table><pre><code>x = 1</code></pre>
<blockquote>{_PROSE}</blockquote><p style="display:none">hidden</p><math><mi>x</mi></math></article>
<div class="references"><a href="https://doi.org/10.1000/183">1</a></div><footer>End</footer></body></html>"""
_JAPANESE = "<html><meta charset=shift_jis><title>試験</title><body><p>患者120人の試験で差はなかった。" * 8
PAGES = (_ARTICLE.encode(), _JAPANESE.encode("cp932"), b"<p>" * 300 + b"<a href=x>y</a>" * 50)
MARKDOWN = (
    f"---\ntitle: A\ndate: 2024-05-01\n---\n# A\n\n{_PROSE}\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".encode()
)
RESULTS = (
    "<html><body><ol id='b_results'>"
    + "".join(
        f"<li class='b_algo result'><h2><a class='result__a' href='https://r{n}.example/p?q={n}'>Result {n}</a></h2>"
        f"<div class='b_caption'><p class='result__snippet'>2 days ago · Words about heart failure {n}</p></div></li>"
        for n in range(8)
    )
    + "</ol></body></html>"
).encode()
WORKS = json.dumps(
    [
        {
            "paperId": "a1", "title": "A trial", "abstract": "Words.", "year": 2024, "publicationDate": "2024-05-01",
            "authors": [{"name": "A"}], "externalIds": {"DOI": "10.1000/182", "PubMed": "123"}, "citationCount": 3,
            "id": "https://openalex.org/W1", "doi": "https://doi.org/10.1000/182", "display_name": "A trial",
            "abstract_inverted_index": {"Words": [0, 2], "of": [1]}, "publication_year": 2024,
            "authorships": [{"author": {"display_name": "A"}}], "primary_location": {"source": {"display_name": "J"}},
            "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/123"}, "is_retracted": False,
        }
    ]
).encode()  # fmt: skip
ROBOTS = b"User-agent: *\nCrawl-delay: 2\nDisallow: /a*b$\nAllow: /a\nSitemap: http://a.example/s.xml\n"
SETTINGS = b'[network]\nproxy = "http://127.0.0.1:8080"\ntimeout_s = 2.0\n[models]\nthreads = 2\n[log]\nlevel="info"\n'
_STREAM = b"BT /F1 12 Tf 72 700 Td (Admission for heart failure was equally frequent in both groups.) Tj ET"
PDF = (
    b"%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    b"trailer<</Root 1 0 R>>\n%%%%EOF\n" % (len(_STREAM), _STREAM)
)


def backup() -> bytes:
    """A backup of an empty data directory."""
    with tempfile.TemporaryDirectory(prefix="lyra-fuzz-") as folder:
        settings = Settings(data_dir=Path(folder) / "data")
        asyncio.run(_make(settings))
        file = Path(folder) / "a.lyra-backup"
        make_backup(settings, file, datetime(2026, 1, 1, tzinfo=UTC))
        return file.read_bytes()


async def _make(settings: Settings) -> None:
    await (await Database.open(settings.database_path)).close()
