"""Labelled pairs by rule: invented facts (Japanese, English and mixed) and edited sentences of JaQuAD's articles.

python make_rules.py --jaquad JAQUAD --facts 60000 --out rules.jsonl.gz
"""

from __future__ import annotations

import argparse
import random
import unicodedata
from collections import Counter
from pathlib import Path

from fact_words import FILLERS, Word
from facts import KINDS, Fact
from japanese_edits import contradicted, shortened
from jaquad import read_paragraphs
from rows import Row, write_rows
from sentences import split_sentences

LANGUAGES = ((0, 0),) * 7 + ((1, 1),) * 2 + ((0, 1), (1, 0))
LABELS = ("E", "E", "C", "C", "N")
SENTENCE_CHARS = (14, 110)
PREMISE_CHARS = 340


def fact_pairs(count: int, asides: list[str], chooser: random.Random) -> list[Row]:
    """One pair a fact; `asides` are Japanese sentences about other things."""
    return [fact_pair(chooser.choice(KINDS)(chooser), asides, chooser) for _ in range(count)]


def fact_pair(fact: Fact, asides: list[str], chooser: random.Random) -> Row:
    said, asked = chooser.choice(LANGUAGES)
    label = chooser.choice(LABELS)
    premise = chooser.choice(fact.same)
    if label == "E":
        hypothesis = chooser.choice(fact.less if chooser.random() < 0.6 else fact.same)
    elif label == "C":
        hypothesis = chooser.choice(fact.contrary)
        if chooser.random() < 0.4:
            premise, hypothesis = hypothesis, premise
    else:
        hypothesis = chooser.choice(fact.beside)
    text = surrounded(premise, said, asides, chooser)
    source = "facts_mixed" if said != asked else ("facts_ja", "facts_en")[said]
    return Row(text, hypothesis[asked], label, source, ("ja", "en")[asked])


def surrounded(sentence: Word, language: int, asides: list[str], chooser: random.Random) -> str:
    """The sentence among up to four about other things."""
    around = [aside(language, asides, chooser) for _ in range(chooser.choice((0, 0, 1, 1, 2, 3, 4)))]
    around.insert(chooser.randint(0, len(around)), sentence[language])
    return (" " if language else "").join(around)


def aside(language: int, asides: list[str], chooser: random.Random) -> str:
    """A filler, a sentence of some article, or what is neither here nor there for the fact: another invented one."""
    draw = chooser.random()
    if draw < 0.3:
        return chooser.choice(FILLERS)[language]
    if draw < 0.6 and not language:
        return chooser.choice(asides)
    other = chooser.choice(KINDS)(chooser)
    return chooser.choice(other.same + other.less)[language]


def article_pairs(articles: dict[str, list[list[str]]], chooser: random.Random) -> list[Row]:
    """For each sentence of an article one pair of each label that the rules allow."""
    found = []
    for paragraphs in articles.values():
        everything = [sentence for paragraph in paragraphs for sentence in paragraph]
        for paragraph in paragraphs:
            for place, sentence in enumerate(paragraph):
                if SENTENCE_CHARS[0] <= len(sentence) <= SENTENCE_CHARS[1]:
                    found += sentence_pairs(paragraph, place, everything, chooser)
    return found


def sentence_pairs(paragraph: list[str], place: int, everything: list[str], chooser: random.Random) -> list[Row]:
    sentence = paragraph[place]
    first, last = max(0, place - chooser.choice((0, 0, 1, 2))), place + chooser.choice((1, 1, 2, 3))
    window = paragraph[first:last]
    while len("".join(window)) > PREMISE_CHARS and len(window) > 1:
        window.pop(-1 if window[-1] != sentence else 0)
    premise, pairs = "".join(window), []
    short = shortened(sentence, chooser)
    if short:
        pairs.append(("E", premise, short))
        if chooser.random() < 0.15 and len(sentence) > len(short) + 8:
            pairs.append(("N", short, sentence))
    elif chooser.random() < 0.3:
        pairs.append(("E", premise, sentence))
    turned = contradicted(short if short and chooser.random() < 0.5 else sentence, chooser)
    if turned:
        after = "".join(window[window.index(sentence) + 1 :])
        pairs.append(("C", premise, turned) if chooser.random() < 0.6 else ("C", turned + after, sentence))
    other = chooser.choice(everything)
    if other not in window and SENTENCE_CHARS[0] <= len(other) <= SENTENCE_CHARS[1]:
        hypothesis = (shortened(other, chooser) if chooser.random() < 0.5 else None) or other
        if chooser.random() < 0.3:
            hypothesis = contradicted(hypothesis, chooser) or hypothesis
        pairs.append(("N", premise, hypothesis))
    return [Row(text, claim, label, "articles_ja", "ja") for label, text, claim in pairs]


def read_articles(folder: Path, held_out: bool) -> dict[str, list[list[str]]]:
    """Sentences of each paragraph of the articles that training may see, or of the others."""
    found: dict[str, list[list[str]]] = {}
    for paragraph in read_paragraphs(folder):
        if paragraph.is_held_out == held_out:
            text = unicodedata.normalize("NFKC", paragraph.text).replace("\n", "")
            found.setdefault(paragraph.title, []).append(split_sentences(text))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("jaquad", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--facts", type=int, default=60_000)
    parser.add_argument("--articles", type=int, default=80_000)
    parser.add_argument("--held-out", action="store_true", help="from the articles that training must not see")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chooser = random.Random(options.seed)
    articles = read_articles(options.jaquad, options.held_out)
    asides = [s for each in articles.values() for paragraph in each for s in paragraph if 12 <= len(s) <= 90]
    pairs = article_pairs(articles, chooser)
    chooser.shuffle(pairs)
    pairs = pairs[: options.articles] + fact_pairs(options.facts, asides, chooser)
    write_rows(options.out, pairs)
    print(Counter((row.source, row.label) for row in pairs))


if __name__ == "__main__":
    main()
