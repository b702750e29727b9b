"""Part of L2: finds text that gives orders to an AI, in what a page shows and in what it hides.

Each sentence is scored by a small fitted model (`order_model`); a few rules of form stand beside it, those of each
language in `english_orders` and `japanese_orders`. A page that only talks about such orders is flagged as a mention.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lyra.model.injection import InjectionFinding, InjectionKind, Severity
from lyra.security import english_orders
from lyra.security.destinations import SEND, orders_sending, reports, without_addresses
from lyra.security.japanese_orders import asks_for_work, calls_ai, speaks_to_ai
from lyra.security.order_features import has_japanese, word_count
from lyra.security.order_model import order_model
from lyra.text import normalise, sentences, smuggled_text, tokens

SCANNER = "injection/4"
# Measured on documents and families that were not fitted (docs/explanation/security.md).
_ORDER_CHANCE = 0.37
_JAPANESE_ORDER_CHANCE = 0.35
_REQUEST_CHANCE = 0.5
# A sentence that speaks to an AI by its form needs to sound like an order only a little.
_SPOKEN_CHANCE = 0.03
# The English forms also fit what is said about an AI.
_ENGLISH_SPOKEN_CHANCE = 0.1
# A sentence that asks for work by its form, likewise, and then counts as a request.
_WORK_CHANCE = 0.15
# What blocks a domain must be surer than what is only reported.
_BLOCKING_CHANCE = 0.6
# Labels of buttons and pictures are short orders to people.
_HIDDEN_CHANCE = 0.8
_WINDOW_CHARS = 400
_MIN_WORDS = 3
# A request stands alone only beside other text, and where the page is not made of requests (exercises, recipes).
_MIN_OTHER_SENTENCES = 3
_MOST_REQUESTS = 2
_MIN_OWN_WORDS = 2
_MOST_SHARED = 0.34
_ENDS_QUOTE = re.compile("[\"”’'»」』)]\\s*$|^\\s*[\"“‘'«「『]")
# A page of orders needs no longer list; one that hides an order behind many others is blocked or warned of anyway.
_MOST_FINDINGS = 2_000

_ROLE_MARKS = re.compile(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>|\[/?INST\]|<</?SYS>>|"
    r"<(?:start|end)_of_turn>|</?(?:system|assistant)[ _-]?(?:prompt|instructions?|message)?>",
    re.IGNORECASE,
)
# An address that the reader of the page would have to fill with something that it knows.
_FILLED_ADDRESS = re.compile(r"!\[[^\]]{0,80}\]\(\s*https?://[^)\s]*[?&/=][^)\s]*(?:\[|\{|<|%7B|QUERY|DATA|SECRET)")
_SECRETS = (
    r"(?:system ?(?:prompt|message|instructions?)|(?:initial|hidden|original|previous) (?:prompt|instructions?)|"
    r"your (?:prompt|instructions?|configuration|rules)|prompt texts?|api[ _-]?keys?|passwords?|credentials?|"
    r"(?:access|session|secret|auth\w*) ?(?:tokens?|keys?)|secrets?|environment variables?|private (?:data|keys?)|"
    r"personal (?:data|details|information)|conversation(?: history)?|chat history|memory|card number|"
    r"(?:the )?user(?:'s|’s) (?:data|files?|contacts?|e-?mails?|messages?))"
)
_TELL = r"(?:reveal|print|repeat|show|output|disclose|display|list|share|paste|quote|leak|include|copy|tell|give|write)"
_SECRET = re.compile(rf"\b{_SECRETS}|パスワード|APIキー|トークン|個人情報|環境変数|履歴", re.IGNORECASE)
_DISCLOSURE = re.compile(
    rf"\b{_TELL}\b.{{0,60}}\b{_SECRETS}|"
    r"(?:システム\s?プロンプト|プロンプト|指示文|APIキー|パスワード|トークン|環境変数|会話の?履歴|個人情報|秘密|内部の設定)"
    r".{0,16}(?:表示|開示|出力|教え|書|示|公開|写)",
    re.IGNORECASE,
)
_TRANSMISSION = re.compile(
    rf"\b{SEND}\b.{{0,80}}(?:https?://|\bwww\.|[\w.+-]+@[\w-]+\.|\bserver\b|\bwebhook\b|\burl\b|\baddress below\b)|"
    rf"\b{SEND}\b.{{0,60}}\b{_SECRETS}|{_FILLED_ADDRESS.pattern}|"
    r"(?:https?://\S+|URL|サーバー|アドレス|外部|宛).{0,14}(?:送|投稿|転送|アップロード|開)|"
    r"(?:送信|転送|投稿|アップロード)(?:して|せよ|しろ|しなさい)",
    re.IGNORECASE,
)
# Words by which a text addresses a model, its instructions or its answer.
_ADDRESSED = re.compile(
    r"\b(?:ai|assistants?|(?:language )?models?|llms?|chat ?bots?|(?:chat)?gpt|agents?|system prompt|"
    r"(?:previous|prior|above|earlier|preceding|system|your|all|new|hidden|these|following) "
    r"(?:instructions?|prompts?|rules|guidelines|directions|orders)|"
    r"your (?:response|answer|reply|summary|output|report))\b|"
    r"言語モデル|AI|アシスタント|チャットボット|エージェント|指示|命令|プロンプト|あなた|ユーザー",
    re.IGNORECASE,
)
# Words of people who write about such attacks.
_ABOUT = re.compile(
    r"prompt[- ]injection|jail ?break|attack|attacker|malicious|researchers?\b|vulnerab|exploit|phishing|lecture|"
    r"for example|for instance|such as|e\.g\.|so-called|known as|プロンプトインジェクション|攻撃|悪意|脱獄|脆弱|研究|"
    r"例えば|たとえば|といった|という(?:命令|指示|文|隠し)",
    re.IGNORECASE,
)
_QUOTES = re.compile(
    "\"[^\"]{6,300}\"|“[^”]{6,300}”|‘[^’]{6,300}’|'[^']{12,300}'|「[^」]{4,200}」|『[^』]{4,200}』|«[^»]{6,300}»"
)
# A paragraph that ends with a colon goes on in the next one.
_PARAGRAPH_END = re.compile(r"(?<![:：\n])\n+")
_SPLIT = re.compile(r"\n+|(?<!<)\|(?!>)")


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    text: str


def scan(
    text: str, hidden: Sequence[str] = (), *, title: str = "", outside: Sequence[str] = ()
) -> tuple[InjectionFinding, ...]:
    """What a page shows (`text`, `title`, and `outside` of its text) and hides; the gravest first.

    All of it is read, however long: what is not scanned could be evidence. A finding in the title or outside has no
    length. CPU-bound, 70 microseconds a sentence: call it off the event loop.
    """
    found = [*_scan_shown(text), *_smuggled(text)]
    found += [replace(one, start=0, end=0) for one in _scan_shown(title) if one.kind is not InjectionKind.STRAY_REQUEST]
    aside = [one for piece in outside for one in _scan_hidden(piece)]
    found += [replace(one, start=0, end=0, is_hidden=False, severity=Severity.MEDIUM) for one in aside[:1]]
    offset = 0
    for piece in hidden:
        found += [replace(one, start=one.start + offset, end=one.end + offset) for one in _scan_hidden(piece)]
        offset += len(piece) + 1
    rank = {Severity.HIGH: 0, Severity.MEDIUM: 1, Severity.LOW: 2}
    found.sort(key=lambda one: (rank[one.severity], one.is_hidden, one.start))
    return tuple(found[:_MOST_FINDINGS])


def _scan_shown(text: str) -> Iterator[InjectionFinding]:
    pieces = _pieces(text)
    if not pieces:
        return
    chances = order_model().chances([piece.text for piece in pieces])
    requests: list[tuple[_Sentence, float]] = []
    is_called = False
    for piece, (_, request, order) in zip(pieces, chances.tolist(), strict=True):
        marks = _ROLE_MARKS.search(piece.text) or _FILLED_ADDRESS.search(piece.text)
        is_spoken = order >= _SPOKEN_CHANCE and (
            speaks_to_ai(piece.text, is_called=is_called)
            or (order >= _ENGLISH_SPOKEN_CHANCE and english_orders.speaks_to_ai(piece.text))
        )
        is_called = calls_ai(piece.text)
        if order >= _least_chance(piece.text) or marks or is_spoken:
            yield _shown_finding(text, piece, max(order, 1.0 if marks else 0.0), has_marks=bool(marks))
        elif request + order >= _REQUEST_CHANCE or (request + order >= _WORK_CHANCE and asks_for_work(piece.text)):
            requests.append((piece, request + order))
    yield from _stray(pieces, requests)


def _least_chance(text: str) -> float:
    return _JAPANESE_ORDER_CHANCE if has_japanese(text) else _ORDER_CHANCE


def _shown_finding(text: str, piece: _Sentence, score: float, *, has_marks: bool) -> InjectionFinding:
    if _is_mention(text, piece):
        return InjectionFinding(InjectionKind.MENTION, Severity.LOW, False, piece.start, piece.end, round(score, 3))
    kind = _kind(piece.text, has_marks=has_marks)
    is_grave = kind is InjectionKind.DISCLOSURE or (kind is InjectionKind.TRANSMISSION and _is_addressed(piece.text))
    severity = Severity.HIGH if is_grave and score >= _BLOCKING_CHANCE else Severity.MEDIUM
    return InjectionFinding(kind, severity, False, piece.start, piece.end, round(score, 3))


def _kind(text: str, *, has_marks: bool = False) -> InjectionKind:
    plain = normalise(text)
    if _TRANSMISSION.search(plain):
        return InjectionKind.TRANSMISSION
    if _DISCLOSURE.search(plain):
        return InjectionKind.DISCLOSURE
    return InjectionKind.ROLE_MARKS if has_marks else InjectionKind.ORDER


def _is_addressed(text: str) -> bool:
    return _is_to_ai(text) or bool(_SECRET.search(normalise(text)))


def _is_to_ai(text: str) -> bool:
    return bool(_ADDRESSED.search(normalise(text)))


def _is_mention(text: str, piece: _Sentence) -> bool:
    """The order stands in quotation marks, or words beside it speak about such orders.

    One that names where to send something stays an order unless it is quoted, and words outside report it.
    """
    first = max(0, piece.start - 160)
    around = text[first : piece.end + 80]
    said = without_addresses(around)
    if not _ABOUT.search(said):
        return False
    if orders_sending(piece.text, is_to_ai=_is_to_ai(piece.text)):
        return _is_reported(around, piece.start - first, piece.end - first)
    if _ABOUT.search(said, piece.start - first, piece.end - first):
        return True
    return any(match.start() + first <= piece.start + 2 for match in _QUOTES.finditer(around))


def _is_reported(around: str, start: int, end: int) -> bool:
    """Whether a quotation holds all of the order, and its paragraph, which is about attacks, reports it."""
    for quote in _QUOTES.finditer(around):
        first, last = max(start, quote.start()), min(end, quote.end())
        if first >= last or not orders_sending(around[first:last], is_to_ai=True):
            continue
        rests = (around[start:first], around[last:end])
        before, after = _PARAGRAPH_END.split(around[: quote.start()])[-1], around[quote.end() :].partition("\n")[0]
        outside = without_addresses(f"{before} {after}")
        if not any(orders_sending(rest, is_to_ai=True) for rest in rests):
            return bool(_ABOUT.search(outside)) and reports(outside)
    return False


def _stray(pieces: Sequence[_Sentence], requests: Sequence[tuple[_Sentence, float]]) -> Iterator[InjectionFinding]:
    """Requests of whose words hardly any occurs elsewhere on a page that otherwise asks for nothing."""
    if not requests or len(requests) > _MOST_REQUESTS or len(pieces) - len(requests) < _MIN_OTHER_SENTENCES:
        return
    words = Counter(word for piece in pieces for word in set(_content_words(piece.text)))
    for piece, score in requests:
        own = set(_content_words(piece.text))
        shared = sum(words[word] > 1 for word in own)
        if len(own) >= _MIN_OWN_WORDS and shared <= _MOST_SHARED * len(own) and not _ENDS_QUOTE.search(piece.text):
            yield InjectionFinding(
                InjectionKind.STRAY_REQUEST, Severity.LOW, False, piece.start, piece.end, round(score, 3)
            )


_EMPTY = frozenset(
    """what which who whom whose when where why how the and for with from into your you that this these those are was
    were can could would should will does did has have had not but about please give provide explain describe write
    tell help between there their they them his her its our out than then some any all more most other one two three
    first use using make made get show see new may also like just know need want only over such being been してください
    ください です ます する こと もの""".split()
)


def _content_words(text: str) -> list[str]:
    return [
        word for word in tokens(text) if len(word) > 1 and word not in _EMPTY and (len(word) > 2 or not word.isascii())
    ]


def _scan_hidden(text: str) -> Iterator[InjectionFinding]:
    """Orders in what no reader sees."""
    pieces = _pieces(text)
    if not pieces:
        return
    for piece, (_, _, order) in zip(
        pieces, order_model().chances([piece.text for piece in pieces]).tolist(), strict=True
    ):
        is_addressed = _is_addressed(piece.text)
        if order >= (_least_chance(piece.text) if is_addressed else _HIDDEN_CHANCE):
            severity = Severity.HIGH if is_addressed and order >= _BLOCKING_CHANCE else Severity.MEDIUM
            yield InjectionFinding(_kind(piece.text), severity, True, piece.start, piece.end, round(order, 3))


def _smuggled(text: str) -> Iterator[InjectionFinding]:
    """Text written in characters that show nothing, such as Unicode's tags."""
    for start, end, said in smuggled_text(text):
        is_order = any(True for _ in _scan_hidden(said))
        severity = Severity.HIGH if is_order else Severity.MEDIUM
        yield InjectionFinding(InjectionKind.INVISIBLE_CHARACTERS, severity, True, start, end, 1.0)


def _pieces(text: str) -> list[_Sentence]:
    """Sentences, and lines and cells where there are none; long ones in windows."""
    found: list[_Sentence] = []
    for start, end in _lines(text):
        for first, last in sentences(text[start:end]):
            for at in range(start + first, start + last, _WINDOW_CHARS):
                stop = min(at + _WINDOW_CHARS, start + last)
                piece = text[at:stop]
                if word_count(piece) >= _MIN_WORDS:
                    found.append(_Sentence(at, stop, piece))
    return found


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SPLIT.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)
