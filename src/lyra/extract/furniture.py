"""Lines that belong to the page, not to its text: invitations, credits, links to other pages. Vocabulary as data."""

import re

_SHORT_CHARS = 220

# What begins a line that invites the reader elsewhere, credits a picture or names the site's own offers.
_OPENINGS = {
    "en": r"""
        you\ (?:may|might)\ (?:also\ )?(?:like|enjoy)|more\ (?:on|from|about|stories|must-reads)\b|
        read\ (?:more|also|next|the\ full)|see\ also|also\ (?:read|see|on)\b|
        related(?:\ (?:articles?|stories|posts?|content|topics?|links?|coverage))?(?::|\W*$)|
        recommended(?:\ (?:for\ you|articles?|stories|reading))?(?::|\W*$)|don['’]t\ miss|click\ here|sign\ up|
        subscribe|follow\ us|follow\ .{2,40}\ on\ (?:twitter|facebook|instagram|x)\b|share\ (?:this|on)\b|
        download\ (?:the|our)\ app|watch\ (?:now|also|more)|listen\ to\ this|support\ us|
        become\ a\ (?:member|subscriber)|get\ (?:the|our)\ .{0,40}newsletter|advertisements?\W*$|
        sponsored(?:\ (?:content|by|post).*)?\W*$|photo(?:\ credit)?:|image(?:\ credit)?:|photograph:|filed\ under|
        posted\ in|tags?:|topics?:|categor(?:y|ies):|copyright\W+(?:\d{4}|.{0,40}all\ rights)|all\ rights\ reserved|
        ©|\(c\)\ |leave\ a\ (?:reply|comment)|back\ to\ top|skip\ to|print\ this|loading\W*$|
        (?:last\ )?(?:published|updated|posted|written)(?:\ (?:on|by))?\W*$
    """,
    "ja": r"""
        関連(?:記事|リンク|ページ|キーワード|ニュース|サイト|情報\W*$)|あわせて読みたい|おすすめ(?:記事|情報)|
        こちらも(?:おすすめ|読まれて)|続きを読む|もっと見る|この記事を(?:シェア|共有|保存)|シェアする|ツイートする|
        フォローする|会員登録|無料登録|メルマガ|メールマガジン|ニュースレター|広告\W*$|スポンサー(?:リンク|ード)?\W*$|
        前の(?:記事|ページ)|次の(?:記事|ページ)|トップ(?:へ|ページ)|ページの?(?:先頭|トップ)|人気記事|記事一覧|タグ[:：]|
        カテゴリー?[:：]|写真[:：]|画像[:：]|印刷する|無断(?:転載|複製)|コメント(?:する|を(?:書く|投稿))|(?:公開|更新|掲載|投稿|発表)日?時?\W*$
    """,
    "de": r"""
        lesen\ sie\ (?:auch|hier|mehr)|auch\ (?:lesen|interessant|auf)\b|mehr\ (?:zum\ thema|themen|dazu|lesen)|
        weitere\ (?:infos|informationen|artikel|themen)|zum\ weiterlesen|siehe\ auch|anzeige\W*$|newsletter|foto:|
        bild:|quelle:|jetzt\ (?:abonnieren|anmelden|kaufen)|artikel\ teilen|themen:
    """,
    "fr": r"""
        à\ lire(?:\ aussi)?|lire\ (?:aussi|la\ suite)|voir\ aussi|sur\ le\ même\ (?:sujet|thème)|abonnez|inscrivez|
        partager\b|crédit\ photo|publicité\W*$
    """,
    "es, pt, it, pl, nl": r"""
        le[ae]r?\ (?:también|más)|le\ puede\ interesar|vea\ también|te\ puede\ interesar|notas?\ relacionadas?|
        suscríb|compart(?:e|ir)\b|publicidad\W*$|síguenos|leia\ (?:também|mais)|leggi\ anche|
        czytaj\ (?:też|także|więcej)|zobacz\ (?:też|także)|dowiedz\ się\ więcej|lees\ (?:ook|meer)
    """,
}
_OPENING = re.compile(rf"^\W*(?:{'|'.join(_OPENINGS.values())})", re.IGNORECASE | re.VERBOSE)
_CONSENT = re.compile(
    r"\b(?:we use cookies|uses cookies|cookie (?:policy|settings|preferences)|accept (?:all )?cookies)\b|"
    r"(?:クッキー|Cookie)を(?:使用|利用)|wir verwenden cookies|utilisons des cookies",
    re.IGNORECASE,
)
_ONLY_NUMBERS = re.compile(
    r"^[\W\d_]*+(?:am|pm|ago|min(?:ute)?s? read|views?|comments?|shares?|件|分前)?[\W\d_]*$", re.IGNORECASE
)


def is_furniture(text: str) -> bool:
    """Whether a short passage is an invitation, a credit or a consent line."""
    if _ONLY_NUMBERS.match(text):
        return True
    if len(text) > 2 * _SHORT_CHARS:
        return False
    if _CONSENT.search(text):
        return True
    return len(text) <= _SHORT_CHARS and bool(_OPENING.match(text))
