"""Measures the bundled models on labelled data and writes the results into docs/explanation/models.md.

python scripts/measure_models.py --nli FOLDER --ranking FOLDER --parallel FOLDER --write docs/explanation/models.md

FOLDERs hold the data as published: `{train,dev}_{en,ja}.jsonl` (or `.jsonl.zst`) with premise, hypothesis, label,
source, lang and lic; `cranfield cacm npl jaquad`; `test.en test.ja`. `--stance FILE` and `--beir NAME=FOLDER` add
other pairs and collections. `--judge` adds the test set of `lyra bench judge`. Everything goes through the
product's own judge and ranking; baselines are the model's
bare probabilities and BM25. `--limit N` takes N rows a source and N queries a collection, for a quick look.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lyra.app import Lyra
from lyra.claims.stance import LABELS
from lyra.model.edge import Stance
from lyra.settings import Settings
from lyra_bench.evaluate.ranking import evaluate_ranking
from lyra_bench.evaluate.stance import GoldPair, judge_pairs, read_pairs, score_stances
from lyra_bench.measure.judge import ORIGINS, default_file, measure_judge, shown

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- measured:begin -->", "<!-- measured:end -->"
JUDGE = ("<!-- judge:begin -->", "<!-- judge:end -->")
# Sources that no weights were trained on, by file; of the others only the part that training held out is measured.
UNSEEN = {
    "healthver": "dev_en",
    "covidfact": "dev_en",
    "citation_integrity": "dev_en",
    "anli_r1": "dev_en",
    "scifact": "train_en",
    "jsnli": "dev_ja",
}
FILES = ("train_en", "train_ja", "dev_en", "dev_ja")
SHORT_CHARS = 200
SPEED_PAIRS = 512
JAQUAD_QUESTIONS = 1


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="lyra-measure-") as name:
        measured = asyncio.run(measure(options, Path(name)))
    text = json.dumps(measured, ensure_ascii=False, indent=2) if options.json else tables(measured)
    if options.write:
        page = inserted(options.write.read_text("utf-8"), tables(measured))
        page = inserted(page, judge_table(measured["judge"]), *JUDGE) if measured["judge"] else page
        options.write.write_text(page, "utf-8")
    else:
        print(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("nli", "ranking", "parallel", "write"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--stance", type=Path, nargs="*", default=[])
    parser.add_argument("--beir", nargs="*", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--judge", action="store_true", help="also the test set of `lyra bench judge`")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.nli or options.ranking or options.parallel or options.stance or options.beir):
        parser.error("name some data to measure on")
    return options


async def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Everything that the given data can tell."""
    async with Lyra.open(Settings(data_dir=folder / "data")) as lyra:
        unseen, held = _pairs(options)
        return {
            "readers": ", ".join(lyra.models.cascade.model_ids.values()),
            "embedder": lyra.models.embedder.model_id,
            "unseen": await stance_scores(lyra, unseen, "unseen"),
            "held_out": await stance_scores(lyra, held, "held out"),
            "judge": await measure_judge(lyra.judge, default_file(), _progress("judge")) if options.judge else None,
            "pairs_per_second": await _speed(lyra, [*unseen, *held]),
            "ranking": {
                name: await evaluate_ranking(path, lyra.ranker, progress=_progress(name))
                for name, path in _collections(options, folder)
            },
            "ja_en_recall@10": await _recall(lyra, options.parallel) if options.parallel else None,
        }


# Pairs


def _pairs(options: argparse.Namespace) -> tuple[list[GoldPair], list[GoldPair]]:
    """Pairs of unseen sources, and pairs held out of trained ones."""
    unseen = [pair for path in options.stance for pair in read_pairs(path)]
    held: list[GoldPair] = []
    if options.nli:
        rows, kept = released(options.nli)
        unseen += [_gold(row) for row in rows if row["label"] in "ECN"]
        held = [_gold(row) for row in kept if row["label"] in "ECN"]
    return _limited(unseen, options.limit), _limited(held, options.limit)


def released(folder: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Rows of unseen sources, and those that the split of training/ holds out."""
    split_held_out, to_row, never_trained = _training_split()
    unseen, open_rows = [], []
    for name in FILES:
        for row in _rows(folder, name):
            if UNSEEN.get(row["source"]) == name:
                unseen.append(row)
            if row["lic"] == "open" and row["source"] not in never_trained:
                open_rows.append(to_row(row))
    _, held = split_held_out(open_rows)
    fields = ("premise", "hypothesis", "label", "source")
    return unseen, [{name: getattr(row, name) for name in fields} for row in held if row.label]


def _training_split() -> tuple[Any, Any, frozenset[str]]:
    """The split is training's, so that nothing is measured that was trained on."""
    sys.path.insert(0, str(ROOT / "training"))
    from release import NEVER_TRAINED, to_row
    from rows import split_held_out

    return split_held_out, to_row, NEVER_TRAINED


def _rows(folder: Path, name: str) -> Iterator[dict[str, str]]:
    plain = folder / f"{name}.jsonl"
    lines: Iterable[bytes]
    if plain.exists():
        lines = plain.read_bytes().splitlines()
    else:
        packed = folder / f"{name}.jsonl.zst"
        lines = subprocess.run(["zstd", "-dcq", str(packed)], check=True, capture_output=True).stdout.splitlines()
    return (json.loads(line) for line in lines if line.strip())


def _gold(row: dict[str, str]) -> GoldPair:
    return GoldPair(row["premise"], row["hypothesis"], "ECN".index(row["label"]), row["source"])


def _limited(pairs: Sequence[GoldPair], limit: int | None) -> list[GoldPair]:
    taken: dict[str, int] = {}
    kept = []
    for pair in pairs:
        taken[pair.source] = taken.get(pair.source, 0) + 1
        if limit is None or taken[pair.source] <= limit:
            kept.append(pair)
    return kept


async def stance_scores(lyra: Lyra, gold: Sequence[GoldPair], name: str) -> dict[str, dict[str, Any]]:
    """For each source, and over all of them, the shipped judge beside the model's bare argmax."""
    if not gold:
        return {}
    stances = await judge_pairs(gold, lyra.judge, _progress(name))
    sources = list(dict.fromkeys(pair.source for pair in gold))
    chosen = {source: [at for at, pair in enumerate(gold) if pair.source == source] for source in sources}
    if len(sources) > 1:
        chosen["all"] = list(range(len(gold)))
    return {source: _scores([gold[at] for at in places], [stances[at] for at in places])
            for source, places in chosen.items()}  # fmt: skip


def _scores(gold: Sequence[GoldPair], stances: Sequence[Stance]) -> dict[str, Any]:
    truth = [pair.label for pair in gold]
    shipped = score_stances(truth, stances)
    raw = score_stances(truth, [_bare(stance) for stance in stances])
    return {
        "n": shipped["n"],
        "macro_f1_raw": raw["macro_f1"],
        "macro_f1": shipped["macro_f1"],
        "macro_f1_shipped": shipped["macro_f1_shipped"],
        "false_refute_raw": raw["false_refute_rate"],
        "false_refute_shipped": shipped["false_refute_rate"],
        "brier_raw": raw["brier"],
        "brier": shipped["brier"],
        "ece_raw": raw["ece"],
        "ece": shipped["ece"],
    }


def _bare(stance: Stance) -> Stance:
    """The stance as the model alone would have it: uncalibrated, at the likeliest class."""
    raw = stance.raw_probabilities or stance.probabilities
    return replace(stance, probabilities=raw, label=LABELS[max(range(len(raw)), key=raw.__getitem__)])


async def _speed(lyra: Lyra, gold: Sequence[GoldPair]) -> float | None:
    """Short pairs a second through the inference process, by the cascade of readers."""
    short = [(pair.premise, pair.hypothesis) for pair in gold if len(pair.premise + pair.hypothesis) <= SHORT_CHARS]
    if not short:
        return None
    started = time.monotonic()
    await lyra.models.cascade.read(short[:SPEED_PAIRS])
    return round(len(short[:SPEED_PAIRS]) / (time.monotonic() - started), 1)


# Ranking


def _collections(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Path]]:
    """Names and folders in BEIR layout; collections as published are converted first."""
    for each in options.beir:
        name, _, path = each.partition("=")
        yield name, Path(path or name)
    if options.ranking:
        for collection in _published(options.ranking, folder):
            yield collection.name, _write_beir(collection, folder / "ranking" / collection.name, options.limit)


def _published(source: Path, folder: Path) -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "training"))
    import collections_read as read

    yield read.cranfield(source / "cranfield" / "data" / "cran")
    yield read.cacm(source / "cacm" / "cacm")
    yield read.npl(source / "npl" / "share" / "vaswani_npl")
    unpacked = folder / "jaquad"
    unpacked.mkdir(parents=True)
    subprocess.run(["tar", "--zstd", "-xf", str(source / "jaquad" / "train.tar.zst"), "-C", str(unpacked)], check=True)
    yield read.jaquad(unpacked, JAQUAD_QUESTIONS)


def _write_beir(collection: Any, folder: Path, limit: int | None) -> Path:
    folder.mkdir(parents=True)
    judged = [name for name in collection.queries if collection.relevant.get(name)][:limit]
    _write_lines(folder / "corpus.jsonl", ({"_id": k, "text": text} for k, text in collection.documents.items()))
    _write_lines(folder / "queries.jsonl", ({"_id": name, "text": collection.queries[name]} for name in judged))
    grades = (
        f"{name}\t{document}\t{grade}\n" for name in judged for document, grade in collection.relevant[name].items()
    )
    (folder / "qrels.tsv").write_text("".join(grades), "utf-8")
    return folder


def _write_lines(path: Path, rows: Iterable[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


async def _recall(lyra: Lyra, folder: Path) -> float:
    """The share of Japanese sentences whose English counterpart is among the ten nearest by embedding."""
    japanese = (folder / "test.ja").read_text("utf-8").splitlines()
    english = (folder / "test.en").read_text("utf-8").splitlines()
    similarities = await lyra.models.embedder.embed(japanese) @ (await lyra.models.embedder.embed(english)).T
    ranks = (similarities > similarities.diagonal()[:, None]).sum(axis=1)
    return round(float((ranks < 10).mean()), 4)


# Tables


def tables(measured: dict[str, Any]) -> str:
    """The results in Markdown."""
    parts = [f"Readers `{measured['readers']}`, embedder `{measured['embedder']}`."]
    if measured["pairs_per_second"]:
        parts.append(f"Short pairs a second on the measuring machine: {measured['pairs_per_second']:.0f}.")
    for title, key in (("Sources never trained on", "unseen"), ("Held out of trained sources", "held_out")):
        if measured[key]:
            parts.append(f"**{title}.** Bare is the model's uncalibrated argmax.\n\n{_stance_table(measured[key])}")
    if measured["ranking"]:
        parts.append(f"**Ranking**, before the cut.\n\n{_ranking_table(measured['ranking'])}")
    if measured["ja_en_recall@10"] is not None:
        parts.append(f"Japanese sentence → its English counterpart, recall@10: {measured['ja_en_recall@10']:.3f}.")
    return "\n\n".join(parts) + "\n"


def _stance_table(scores: dict[str, dict[str, Any]]) -> str:
    lines = [
        "| source | n | macro-F1 bare | calibrated | at thresholds | neutral read as refutes, bare | shipped "
        "| Brier bare | calibrated | ECE bare | calibrated |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {row['n']} | " + " | ".join(_places(list(row.values())[1:])) + " |" for name, row in scores.items()
    ]
    return "\n".join(lines)


def _ranking_table(scores: dict[str, dict[str, float]]) -> str:
    lines = ["| collection | BM25 nDCG@10 | Lyra nDCG@10 | recall@10 |", "|---|--:|--:|--:|"]
    for name, row in scores.items():
        lines.append(
            f"| {name} | " + " | ".join(_places([row["bm25_ndcg@10"], row["ndcg@10"], row["recall@10"]])) + " |"
        )
    return "\n".join(lines)


def _places(values: Sequence[float | None]) -> list[str]:
    return ["–" if value is None else f"{value:.3f}" for value in values]


def judge_table(figures: dict[str, Any]) -> str:
    """What `lyra bench judge` counts, without the kinds, in Markdown."""
    columns = ("right", "opposite", "missed", "false_support", "false_refutation")
    lines = [
        "| pairs of | n | " + " | ".join(name.replace("_", " ") for name in columns) + " |",
        "|---|--:" + "|--:" * 5 + "|",
    ]
    for origin in ORIGINS.values():
        for language, found in figures[origin].items():
            cells = [shown(found[name]) for name in columns]
            lines.append(f"| {origin}, {language} | {found['pairs']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def inserted(page: str, text: str, first: str = BEGIN, last: str = END) -> str:
    """The page with the text between its markers."""
    begin, end = page.find(first), page.find(last)
    if begin < 0 or end < begin:
        raise SystemExit(f"The page needs a line {first} and below it a line {last}.")
    return f"{page[: begin + len(first)]}\n{text}{page[end:]}"


def _progress(name: str) -> Any:
    def tell(done: int, total: int) -> None:
        print(f"\r{name}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    main()
