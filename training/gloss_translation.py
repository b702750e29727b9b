"""Word-by-word English for Japanese text: a weak translation that covers subjects the parallel sentences do not."""

from __future__ import annotations

import re

from sudachipy import Dictionary, SplitMode

CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞", "連体詞", "接尾辞", "接頭辞"})
SENTENCE_END = re.compile(r"(?<=[。！？!?])|\n+")


class GlossTranslator:
    """Replaces content words by their first gloss; numbers and Latin words stay as they are."""

    def __init__(self, words: dict[str, list[str]], names: dict[str, str]) -> None:
        self._words, self._names = words, names
        self._tokenizer = Dictionary(dict="core").create(mode=SplitMode.C)

    def translate(self, text: str) -> str:
        return " ".join(filter(None, map(self._gloss, self._tokenizer.tokenize(text))))

    def _gloss(self, morpheme) -> str:
        kind = morpheme.part_of_speech()
        surface, lemma = morpheme.surface(), morpheme.dictionary_form()
        if surface.isascii():
            return surface.strip()
        if kind[0] not in CONTENT:
            return ""
        if kind[1] == "固有名詞" and surface in self._names:
            return self._names[surface]
        found = self._words.get(lemma) or self._words.get(morpheme.normalized_form())
        return found[0] if found else self._parts(morpheme)

    def _parts(self, morpheme) -> str:
        """Glosses of the parts of a compound that is not in the dictionary itself."""
        parts = morpheme.split(SplitMode.A)
        found = [self._words.get(part.dictionary_form()) for part in parts]
        if len(parts) > 1 and all(found):
            return " ".join(each[0] for each in found)
        return self._names.get(morpheme.surface(), "")


def sentences(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(text) if len(part.strip()) > 8]
