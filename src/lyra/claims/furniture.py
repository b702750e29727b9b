"""How page furniture, notices and author boxes speak, in English and Japanese.

Each entry is a turn of phrase and not a topic: "agree to our terms of use" is furniture, while the fees for an
app, the law of copyright and the spending on advertising are what people research.
"""

import re

_DOCTOR = r"(?:doctor|physician|pharmacist|lawyer|attorney|dentist|specialist|qualified|professional|health\s?care)"

BOILERPLATE_EN = re.compile(
    rf"""\b(?:
    (?:this|our|your)\b.*\bcookies?|cookies?\b.*\b(?:this\s+(?:web)?site|our|your?|browser|preferences|experience)|
    (?:accept|reject|manage|allow|enable|necessary|essential|functional|analytics?|marketing|performance)\s+cookies|
    technical\s+storage\s+or\s+access|our\s+(?:\d+\s+)?(?:partners|vendors)|
    (?:our|your|this|see\s+the|agree\s+to\s+the)\s+privacy\s+(?:policy|notice)|privacy\s+policy\s+and\s+terms|
    (?:our|these|to\s+the|accept\s+the)\s+terms\s+(?:of\s+(?:use|service|sale)|and\s+conditions)|
    terms\s+(?:of\s+\w+\s+|and\s+conditions\s+)?apply|all\s+rights\s+reserved|copyright\s+(?:©|\(c\)|\d|holder|notice)|
    (?:our|the|this|weekly|daily|free)\s+(?:[\w-]+\s+)?newsletter|newsletter\s+(?:about|on|for)|subscribers\s+only|available\s+to\s+subscribers|
    subscri(?:be|bing)\s+(?:to|now|today|for)|subscription\s+(?:to\s+(?:our|this|the)|required|costs|includes|starts)|
    unsubscribe|(?:please|must|to|can|you|be)\s+(?:sign(?:ed)?|log(?:ged)?)[\s-]?in\b|
    sign(?:ing)?\s+up\s+(?:for|to)\s+(?:our|the|a|free|this|your)\b|
    read\s+(?:more\s+(?:in|about|at|here|on|from|of)|next|the\s+full|also)|click\s+(?:here|on|the)|
    (?:to|and)\s+(?:learn|find\s+out)\s+more\b|(?:learn|find\s+out)\s+more\s+(?:about|at|here|on|by)|
    see\s+(?:also|more\s+(?:at|on|here|of))|share\s+(?:this|on\s+(?:facebook|twitter|x|linkedin)|via)\b|
    follow\s+us|like\s+us\s+on|story\s+continues|advertise\s+with|sponsored\s+(?:content|post|link)|
    affiliate\s+(?:links?|commissions?|partners?)|earn\s+(?:a|an)\s+(?:\w+\s+)?commission|selected\s+independently|
    (?:enable|require|requires|needs?|turn\s+on)\s+javascript|javascript\s+(?:must|to)\s+be|your\s+browser|
    this\s+(?:web)?(?:site|page)|our\s+(?:web)?site|our\s+(?:readers|newsletter|team|editors)|
    skip\s+to|back\s+to\s+top|table\s+of\s+contents|related\s+(?:articles|stories|posts|topics)|
    contact\s+us|phone:|tel:|fax:|e-?mail(?:\s+address|\s+us|:)|opening\s+hours\s*(?:are|:)|customer\s+service\s+team|
    open\s+(?:daily\s+|weekdays\s+)?from\s+\d{{1,2}}(?::\d\d)?\s*(?:am|pm|a\.m|p\.m)|
    (?:last|originally)\s+(?:updated|modified|published|reviewed|edited)\s+(?:on|at|by)|
    updated\s+(?:on|at)\s+\d|posted\s+by\b|photo(?:graph)?\s*(?::|by|credit|courtesy)|image\s*(?::|by|credit)|
    getty\s+images|shutterstock|picture:|illustration\s+by|reporting\s+by|editing\s+by|
    this\s+(?:article|story|post|report|content|material|information)\s+(?:was|is|has|may|appeared|first|originally)|
    for\s+(?:more|further)\s+(?:information|details)|not\s+(?:a\s+substitute|intended\s+as|medical\s+advice)|
    not\s+intended\s+to\s+(?:be|replace|diagnose|treat|provide)|(?:educational|informational)\s+purposes|
    (?:does|do)\s+not\s+(?:replace|constitute)\s+(?:\w+\s+)?(?:professional|medical|legal|advice)|
    (?:seek|provide|constitute)\s+medical\s+advice|consult(?:ing)?\s+(?:with\s+)?(?:your|(?:their|an?)\s+{_DOCTOR})|
    (?:talk|speak)\s+(?:to|with)\s+(?:your|(?:their|an?)\s+{_DOCTOR})|ask\s+your|
    free\s+(?:trial|shipping|delivery|returns|download|articles)|(?:delivery|shipping)\s+is\s+free|unlimited\s+access|
    found\s+this\s+(?:helpful|useful)|customers\s+would\s+(?:buy|recommend)|
    add\s+to\s+cart|download\s+(?:our|a|pdf|now|here)|supplementary\s+(?:material|data|information)|
    (?:declare|report|have|has|no)s?d?\s+(?:no\s+)?(?:\w+\s+)?(?:conflicts?\s+of\s+interest|competing\s+interests)|
    authors?\s+(?:declared?|received|report(?:s|ed)?\s+no|have\s+no)|corresponding\s+author|author\s+contributions|
    disclosures?:|funders?\s+had\s+no\s+role|supported\s+by\s+(?:an?\s+|the\s+)?(?:research\s+)?grants?\b|
    granted\s+by\s+the\s+(?:institutional|ethics|local\s+ethics)|written\s+informed\s+consent\s+was|
    creative\s+commons\s+(?:attribution|licen[cs]e)|open[\s-]access\s+article|
    (?:views|opinions)\s+expressed|all\s+comments|comments\s+(?:are\s+(?:closed|moderated|open)|section)|
    by\s+a\s+moderator|lorem\s+ipsum|could\s+not\s+be\s+found\s+on\s+this\s+server|
    one\s+of\s+the\s+(?:very\s+)?(?:best|greatest|coolest|top)\b|(?-i:^[a-z]\w{{2,20}}:\s(?=[A-Z]))|
    this\s+(?:column|guide|section|chapter|lesson|blog)\b|press\s+release\s+(?:is|was|from)|media\s+contact|
    organi[sz]ed\s+as\s+follows|from\s+wikipedia|wikipedia,?\s+the\s+free|(?:is|article)\s+a\s+stub
    )|
    ©|^(?:advertisement|(?:first\s+)?published|updated|posted|subscriptions?\s+(?:are|is)|sponsored)\b(?!\s+\w+\s+(?:in|by)\s+\d)|
    ^(?:next|previous|related|trending|tags?|topics?|watch|video|step\s+\d+)(?:\s+(?:article|story|post))?:|
    ^(?:conflicts?\s+of\s+interest|competing\s+interests|funding)\s*[:.]|^received\b.*\baccepted\b|^error\s+\d{{3}}:|
    ^(?:figure|fig\.|table|box|section|chapter|appendix)\s+[\w.]+\s+(?:shows|summari[sz]es|lists|presents|depicts|
    illustrates|gives|displays|describes|provides|reports|compares|contains)\s(?!that\b)""",
    re.I | re.X,
)
BIOGRAPHY_EN = re.compile(
    r"""\b(?:is|was|has\s+been|works\s+as)\s+(?:an?|the|our)\s+(?:[\w-]+\s+){0,4}
    (?:writer|reporter|journalist|editor|correspondent|columnist|blogger|contributor|freelancer|author|
    (?:executive|news|video|senior)\s+producer|photographer|professor|lecturer|fellow|dietitian|physician|nurse|
    consultant)\b|
    \bwho\s+covers\b|\bcovers\s+[\w ,]+\s+for\s+(?:the\s+)?[A-Z]|\bwrites\s+(?:about|for)\b|
    ^[A-Z]\w+(?:\s+[A-Z]\w+)\s+(?:lives\s+(?:in|with)|graduated\s+from)\b|\b(?:and|[Ss]?[Hh]e)\s+(?:lives|graduated)\b|
    \b(?:holds|received|earned)\s+(?:an?|his|her|their)\s+(?:\w+['’]s\s+)?(?:degree|PhD|Ph\.D|MD|doctorate|master|bachelor)|
    ^(?:by|written\s+by|reviewed\s+by|medically\s+reviewed)\s+[A-Z]""",
    re.X,
)
BOILERPLATE_JA = re.compile(
    r"Copyright|©|All rights|無断(?:転載|複製|使用を禁|引用)|転載(?:を禁|禁止|不可|元)|"
    r"利用規約(?:に同意|はこちら|をご|および|・)|プライバシー(?:ポリシー|マーク)|個人情報(?:保護方針|の取り?扱いについて)|お問い?合わ?せ|問い合わせ(?:先|は|フォーム)|"
    r"メルマガ|メールマガジン|ニュースレター|会員登録|無料会員|有料会員|会員限定|ログイン(?:し|する|が必要|はこちら)|"
    r"購読(?:する|して|はこちら|のお)|続きを読む|もっと見る|詳しくはこちら|こちらから|関連記事|関連リンク|おすすめ記事|"
    r"人気記事|シェアする|ツイートする|フォロー(?:する|して|はこちら|お願い)|クリック(?:し|する|で)|タップ(?:し|する|で)|"
    r"広告(?:が表示|を含|掲載|を非表示|の後に|です)|スポンサー(?:リンク|ド)|アフィリエイト(?:広告|リンク|プログラム)|"
    r"写真[:：＝=]|画像[:：＝=]|出典[:：]|引用元|編集部|この記事|本記事|当記事|この投稿|本サイト|当サイト|このサイト|"
    r"本ページ|当ページ|このページ|(?:当|本|公式)ホームページ|公式サイト(?:へ|で|を)|サイトマップ|トップページ|プロフィール|"
    r"お電話|電話(?:番号|[:：])|(?:FAX|ＦＡＸ)[:：]|所在地[:：]|営業時間(?:[:：]|は[^。]*(?:です|ます|おります))|診療時間|"
    r"受付時間|休診|休館日|定休日|入場料|参加費|曜日?(?:から|[~～〜])[^。]{0,12}時(?:から|[~～〜])|ご予約|ご来院|ご相談|ご覧|"
    r"ご利用|ご了承|ご確認|お使いの|お知らせ|(?:クッキー|Cookie)\s?(?:を(?:使|利用|受け|有効)|の(?:使用|利用|設定))|"
    r"必須の\s?(?:クッキー|Cookie)|JavaScript(?:を有効|が無効|の設定)|ブラウザの設定|ダウンロード(?:はこちら|して|する|でき)|"
    r"(?:公式|無料|専用)アプリ|アプリ(?:版|を(?:ダウンロード|インストール|開))|キャンペーン(?:中|実施中|開催中|はこちら)|"
    r"送料|利益相反(?:は(?:な|あり)|に関|について|[:：]|の開示)|責任著者|免責事項|商標(?:です|または|および)|会員ランク|"
    r"コメント欄|記事一覧|カテゴリー?(?:[:：]|一覧)|タグ[:：]|投稿日|更新日|公開日|最終更新|執筆(?:者|[:：]|を担当)|"
    r"監修(?:者|医|[:：]|しています|済)|取材(?:・文|協力|[:：]|を続け)|科研費|助成を受け(?:た|て)|倫理(?:審査)?委員会の承認|"
    r"規約に違反|フリー百科事典|スタブ(?:項目|です)|数量限定|現在のもの(?:です|となり)|(?:診断|診療|治療)に代わるもの|"
    r"見解(?:であり|を示すもの)|(?:医師|薬剤師|専門医|主治医|専門家)に相談|サーバー上で見つかりません|"
    r"^(?:次の記事|前の記事|関連|手順\s?\d+|エラー\s?\d+|PR)\s?[:：]|^(?:図|表)\s?[\d.\-]+(?:は|に)[^。]*(?:示す|示した|まとめ|"
    r"要約|一覧)|(?:次章|次節|本章|本節|第\d+[章節])(?:では|で|において)",
    re.I,
)
BIOGRAPHY_JA = re.compile(
    r"(?:大学|大学院|学部)を?(?:卒業|修了)(?:[。、後]|し(?:た|ました|、)?[。、]?$|し、|後)|専門医(?:。|・|、)|"
    r"(?:\d{4}年|[都道府県市区町村])(?:に)?(?:生まれ|出身)[。、]|記者(?:。$|で、)|ライター[。、・]|代表取締役"
)
