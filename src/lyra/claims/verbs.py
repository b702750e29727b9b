"""Finite English verb forms, enough to tell a sentence from a heading."""

_AUXILIARIES = (
    "is are was were am has have had does do did can could may might will would shall should must cannot isn't "
    "aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't "
    "isn’t aren’t wasn’t weren’t hasn’t haven’t hadn’t doesn’t don’t didn’t can’t couldn’t won’t wouldn’t "
    "shouldn’t"
)
_REGULAR = (
    "accept accompany accelerate accumulate account achieve acquire act adapt add address administer admit adopt "
    "advance affect agree aim allow alter amount amplify analyse analyze announce appear apply appoint approach "
    "approve argue arise assess assign associate assume attach attack attain attempt attract attribute average "
    "avoid award ban base belong benefit block boost breach call carry cause cease challenge change characterise "
    "characterize charge cite claim classify close collapse collect combine comment commit compare complete "
    "compose comprise concern conclude conduct confirm connect consider consist constitute construct consume "
    "contain continue contradict contrast contribute control convert convey correlate correspond cost cover "
    "create criticise criticize cross cure damage date deal decide declare decline decrease dedicate define delay "
    "deliver demand demonstrate deny depend derive describe design destroy detect determine develop die differ "
    "diminish direct disappear discover discuss display distribute divide dominate double drop earn eliminate "
    "emerge emit emphasise emphasize employ enable encounter encourage end endorse enhance enjoy ensure enter "
    "establish estimate evaluate evolve exceed exclude exhibit exist expand expect experience explain exploit "
    "explore export express extend face facilitate fail favour favor feature fill finance finish follow force "
    "form function fund gain generate govern guarantee handle happen harm help highlight host identify ignore "
    "illustrate impact implement imply import impose improve include incorporate increase indicate induce infect "
    "influence inform inhibit initiate injure insert inspire install intend interact interfere introduce invade "
    "invent invest investigate involve issue join judge justify kill lack last launch level lie limit link list "
    "live locate lower maintain manage manufacture mark match measure mediate mention migrate minimise minimize "
    "mix modify monitor motivate move name need note notice number observe obtain occupy occur offer open operate "
    "oppose order originate outnumber outperform outweigh overcome own participate pass peak perform permit "
    "persist place plan play point pose possess predict prefer prepare present preserve prevent proceed process "
    "produce prohibit project prolong promise promote propose prosecute protect prove provide publish purchase "
    "pursue qualify question raise range rank rate reach react realise realize recall receive recognise recognize "
    "recommend record recover reduce refer reflect refuse refute regard register regulate reject relate release "
    "rely remain remove render repeat replace report represent reproduce require resemble resist resolve respond "
    "restore restrict result retain return reveal reverse rise risk rule sample satisfy save secure seem select "
    "separate serve settle share shift show signal slow solve specify stabilise stabilize start state stay stem "
    "stimulate stop store strengthen stress struggle study submit succeed suffer suggest supply support suppress "
    "surge surpass surround survive suspect suspend sustain target tend test threaten tolerate total trace track "
    "sue owe hire seize download soar thrive "
    "trade trail transfer transform translate transmit travel treat trigger triple turn undergo undermine update "
    "urge use utilise utilize vaccinate vary visit vote wait want warn weaken weigh widen work worsen yield"
)
_IRREGULAR = (
    "arose became becomes become began begins begin bore bears broke breaks brought brings built builds bought "
    "buys caught catches chose chooses came comes come cost costs cut cuts dealt deals drew draws drove drives "
    "ate eats fell falls fall felt feels fought fights found finds find flew flies forbade forbids forgot gave "
    "gives give went goes go got gets grew grows grow held holds hold hit hits hurt hurts kept keeps keep knew "
    "knows know laid lays led leads lead left leaves lent let lets lost loses lose made makes make meant means "
    "mean met meets meet overcame outgrew paid pays pay put puts ran runs run rose rises read reads saw sees see "
    "said says say sold sells sell sent sends set sets shook shot showed shown shrank shrinks spent spends spoke "
    "speaks split splits spread spreads sprang stood stands stand stole struck strikes swept swam swings took "
    "takes take taught teaches tells told thinks thought threw throws underlies underlay understood understands "
    "underwent undergoes undertook upheld wears wins won withdrew withdraws withstood wrote writes write slept sleeps "
    "drank drinks smokes smoked froze bound sought seeks seek spend hid hides bit bites fed feeds bred rode rides wore "
    "shut sank sinks slid slides stuck sticks dug hung hangs heard hears lit fled sped sat sits opted spans filed "
    "files fined tied eased slipped slips jumped jumps climbed climbs slumped plunged plunges halted halts lagged lags "
    "melted melts burned burns lifted lifts binds"
)
_VOWELS = "aeiou"


def _forms(verb: str) -> tuple[str, str]:
    """Third person and past of a regular verb."""
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ies", verb[:-1] + "ied"
    third = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    return third, verb + ("d" if verb.endswith("e") else "ed")


# Doubled consonants that no simple rule foresees.
_DOUBLED = (
    "banned dropped stopped planned admitted committed permitted submitted occurred referred transferred controlled "
)
_DOUBLED += "prohibited preferred stemmed compelled propelled rebutted omitted emitted transmitted"

_FINITE: frozenset[str] = frozenset(
    [
        *_AUXILIARIES.split(),
        *_IRREGULAR.split(),
        *_DOUBLED.split(),
        *(form for verb in _REGULAR.split() for form in (verb, *_forms(verb))),
    ]
)
_BASES: frozenset[str] = frozenset(
    [*_REGULAR.split(), "cut", "take", "give", "keep", "put", "set", "make", "get", "hold"]
)
_VERBAL_ENDINGS = ("ify", "ifies", "ified", "ise", "ises", "ised", "ize", "izes", "ized", "ates", "ated")


def is_finite(word: str) -> bool:
    """Whether a lower-case word may be the verb of a sentence; generous, since only headings must be told apart."""
    return word in _FINITE or (len(word) > 5 and word.endswith((*_VERBAL_ENDINGS, "ed")))


def is_base(word: str) -> bool:
    """Whether a lower-case word is a verb as it stands in an order."""
    return word in _BASES
