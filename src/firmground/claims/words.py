"""Every English word list and phrase that the claims room knows, in one place.

Nothing here decides anything; a translation of this module is all another language needs.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.strip().splitlines())


AUXILIARIES = _words(
    "is are was were be been isn't aren't wasn't weren't has have had hasn't haven't "
    "hadn't does do did doesn't don't didn't will would can could may might must should shall "
    "won't wouldn't can't cannot couldn't shouldn't it's he's she's they're there's that's "
    "we're i'm you're"
)
"""Finite forms that make a clause whatever else stands in it."""

VERBS = _words(
    "accepts accepted accompanied achieved acknowledged acquired added adds admits admitted "
    "adopted affects affected agreed agrees aims allows allowed announced appears appeared "
    "applies applied appointed approved argues argued arrested arrived asks asked attended "
    "attracted awarded bans banned became becomes began begins believes believed belongs "
    "boasts bought brings brought built called calls came cancelled captured carries carried "
    "cast caters caused causes celebrated changed charges charged chose cited claims claimed "
    "closed closes collapsed comes commented compared complained completed concerns concluded "
    "confirmed confirms considered consists contains contained continued continues "
    "contributed convicted costs covered covers created creates criticized crossed decided "
    "declared declined decreased defeated defended delivered denied denies depends described "
    "describes deserves designed destroyed determined developed died differs discovered "
    "discussed dropped drove earned emerged emphasized enabled encouraged ended ends enjoyed "
    "enjoys ensures entered escaped established estimated exceeded exists expanded expected "
    "expects experienced explained explains expressed faced faces failed fails features "
    "featured fell felt filed finds finished fired fled followed follows forced formed found "
    "founded gained gave gets gives goes got grew grows guarantees happened happens heard "
    "held helped helps hides highlighted highlights hired hit holds hosted hosts identified "
    "imposed improved includes included increased increases indicated indicates influenced "
    "informed injured inspired introduced invested investigated invited involves joined keeps "
    "kept killed knew knows lacks launched leads learned leaves led left lets lies likes "
    "linked listed lives lived looks loses lost made maintains makes managed marked married "
    "means meant measured meets mentioned mentions met moved moves named needs noted notes "
    "noticed notices observed occurred occurs offered offers opened opens operates operated "
    "opposed ordered organized originated owns owned paid passed pays performed plans planned "
    "played plays pleaded pointed positioned posted praised praises predicted prefers "
    "prepared presented prevents prevented produced produces prohibits promised promoted "
    "prompted proposed protected proved proves provided provides published purchased pushed "
    "put qualified questioned raised raises ran ranges reached reaches read reads realized "
    "recalled received receives recommended recommends recorded reduced reduces refers "
    "reflects refused refuses regards rejected related released relies remained remains "
    "remembers removed replaced replied reported reports represents requested requires "
    "required rescued resigned responded resulted results returned returns revealed reveals "
    "rose ruled runs said sang saw says scored secured seeks seems seen seized sells sent "
    "serves served set shared shares shot showed shows signed sits slammed sold sparked "
    "speaks specializes spent spoke stands started starts stated states stayed stays stems "
    "stopped stops stressed stretches struck struggled studied submitted succeeded suffered "
    "suffers suggested suggests supported supports surged surrendered suspended takes talked "
    "teaches tells tends testified thinks thought threatened threw told took tracks traveled "
    "treated treats tried tries turned turns understood underwent urged used uses varies "
    "varied viewed violated visited vowed waited walked wanted wants warned warns watched "
    "wears went weighs won worked works worried wrote yields appreciate appreciated "
    "appreciates enjoy praise mention describe note find feel say believe report recommend "
    "offer provide include require contain suggest show indicate need want express feature "
    "complain love loved loves consider prefer think vary depend differ occur remain come go "
    "give take make use help allow serve live work play become appear seem tend cause affect "
    "increase decrease grow travels travel accuses accuse marks beat eat drink sleep sell buy "
    "receive expect hope know see look argue claim state"
)
"""Common verbs in forms that can be finite."""

PARTICIPLES = _words(
    "set put read cast named called left made built used based related linked held known seen "
    "paid sold sent led found brought bought kept lost met told hit shot won worn written "
    "given taken understood taught caught spent"
)
"""Past forms that also describe the noun before them."""

BARE_FORMS = _words(
    "appreciate enjoy praise mention describe note find feel say believe report recommend "
    "offer provide include require contain suggest show indicate need want express feature "
    "complain love consider prefer think vary depend differ occur remain come go give take "
    "make use help allow serve live work play become appear seem tend cause affect increase "
    "decrease grow travel accuse beat eat drink sleep sell buy receive expect hope know see "
    "look argue claim state plans plays results works states reports claims notes looks "
    "changes costs uses covers needs features hosts tracks turns returns"
)
"""Verb forms that are as often nouns."""

BASE_VERBS = _words(
    "be have do get go make take run begin rise fall open close start stop pay carry lend boil "
    "enroll enrol build restart freeze land perform translate resign charge store produce keep "
    "contain delete submit smoke borrow move bring cost last ship expire renew cancel return "
    "refund upgrade process approve reject sign offer cover include require support accept allow "
    "apply sell buy eat drink sleep lead win lose grow break speak write read drive fly swim "
    "teach catch send spend stand stay leave live die work play use need want know see hear come "
    "give find feel say tell think become show hold meet set put cut let shut mean happen change "
    "help travel arrive depart visit enter exit park wear share access install update download "
    "upload export import contact call claim receive request earn save add remove replace repair "
    "fix test check launch end extend reach exceed increase decrease reduce raise drop affect "
    "cause prevent protect treat cure contract employ hire fire own rent lease belong depend "
    "consist serve host publish record measure weigh hang hide draw throw sing ring lie lay sit "
    "wait walk choose vote"
)
"""Base forms of verbs that stand behind an auxiliary in a question."""

PRONOUNS = _words(
    "it they he she we i you this these those that there others some many most one both all "
    "none another its their his her"
)
DETERMINERS = _words(
    "the a an its their his her our my some many most each every all no another other several "
    "few both these those this that one two three customers users people researchers "
    "scientists experts"
)
ANAPHORS = _words("it they he she this these those its their his her them him that such both")
"""Words that refer to something said before."""

CONDITIONALS = _words("if unless when whenever once should until either neither whether")
"""A sentence that opens with one of these says nothing of its parts taken alone."""

REPORTING = _phrases("""
said that
says that
say that
states that
stated that
claims that
claimed that
claim that
reported that
reports that
believes that
believe that
believed that
argues that
argued that
suggests that
suggested that
alleged that
alleges that
denied that
denies that
thinks that
think that
hopes that
fears that
promised that
according to
not only
""")
"""What follows depends on these, so it is not cut loose from them."""

SPLIT_BEFORE = _words("and but while whereas although though yet plus")
"""After a comma these may open an assertion of its own; `or`, `so` and `because` never do."""

RELATIVES = _words("which who where whose")
SUBORDINATORS = RELATIVES | _words("that when whom while if because")
"""Between a noun and a verb these make the verb part of the noun's description."""

EVIDENCE_NOUNS = (
    r"(?:passages?|contexts?|texts?|documents?|articles?|information|data|sources?|evidence|"
    r"excerpts?|snippets?|record|records|search results|materials?|details|content|transcript)"
)
ANNOUNCING_NOUNS = _words(
    "summary summaries overview answer answers response list steps step points point details "
    "information breakdown explanation facts note notes result results conclusion conclusions "
    "introduction background output reply question sources references source reference footnotes "
    "example examples reason reasons recap outline follows following here below tldr findings tl "
    "dr takeaways takeaway instructions guidelines analysis description section report update "
    "fact reminder disclaimer ps fyi context bottom short brief sum summarize summarise topic "
    "topics subject key"
)
"""Nouns that name a part of the answer itself."""
ANNOUNCING = ANNOUNCING_NOUNS | _words(
    "json csv yaml xml html code table output snippet query "
    "a an the of is are my your this that these those quick main important what i found find you "
    "need to know how in on from based provided given passages passage contexts texts text "
    "documents document articles article data evidence excerpts excerpt records record search "
    "materials content transcript words word bullet bulleted numbered as requested asked for it "
    "some more concise detailed simple and example please see sentence sentences paragraph follow "
    "using can be let me explain tell share give sure certainly okay ok great so first finally "
    "next also few other another additional further quickly briefly line its general final full "
    "complete direct there we have"
)
"""Words of which a lead-in without content is made ("Here is a short summary of the text")."""

FACTIVE = _words(
    "know knew realise realize realised realized hear heard notice noticed aware remember see seen "
    "think believe understand agree learn learned read told forget"
)
"""Verbs behind which a statement may stand without "that"."""

PRESUPPOSING = _words(
    "which who whose that since because as although why after before while when where given "
    "considering knowing despite still anymore stop stopped"
)
"""Words in a question that take something for granted."""

_TALK_VERBS = (
    "am are is was were be been being do does did have has had can could may might will would "
    "shall should let let's lets know knew known realise realize realised realized hear heard see "
    "seen saw notice noticed aware remember recall recalled mind keep note noted bear point "
    "pointed out mention mentioned mentioning say said saying tell told telling add adding "
    "confirm confirmed assure assured inform informed share stress stressed emphasise emphasize "
    "highlight considered advised allow remind reminded understand understood learn learned "
    "learnt read think thought believe believed feel guess reckon find found agree consider "
    "imagine wonder wondering help hope helps answers answer explain explaining show like love "
    "want wanted need wish happy glad pleased delighted proud sorry sad surprised excited "
    "thrilled grateful appreciate worth go goes happens seems look looking make sure ask asked "
    "asking provide give offer draw repeat clarify verify conclude summarize summarise admit "
    "observe report announce state reiterate underline warn suspect suppose assume gather trust "
    "take comes come don't didn't haven't aren't isn't wasn't wouldn't doesn't hasn't weren't "
    "it's i'm i'd i'll i've you're you'll you'd you've that's we're we'd here's there's what's "
    "forget interested curious"
)
_TALK_WORDS = (
    "i you we it me us my your our this that these those there here a an the as ai model language "
    "assistant llm bot expert professional human of course to for in on at by with from about up "
    "so very really quite just also well now then too again once first last please kindly thanks "
    "thank hi hello hey greetings sure certainly absolutely definitely okay ok alright right "
    "great good nice fine excellent interesting important useful helpful remarkable amazing "
    "wonderful fantastic lovely beautiful cool fun funny exciting fascinating surprising bad odd "
    "strange curious true correct clear fair obvious evident certain fact facts news point thing "
    "things something everything way word words sentence summary short brief answer reply "
    "response question request opinion view experience mind conclusion sum nutshell record "
    "knowledge context information details detail note notes reminder tip hint update disclaimer "
    "caveat remark comment side other hand hands anyone everyone everybody nobody someone who "
    "what how why when all any some more most much many bit little lot quick quickly briefly "
    "simply clearly honestly frankly personally actually basically essentially indeed surely "
    "obviously naturally luckily fortunately unfortunately sadly interestingly importantly "
    "notably finally lastly additionally furthermore moreover and or but because since if will "
    "time moment day today only questions queries concerns case far ever own self myself yourself "
    "perhaps maybe like requested mentioned expected above below earlier before following follows "
    "ps fyi btw tl dr tldr nb imo imho afaik honest frank precise exact further reading than "
    "pleasure privilege honour honor deal chance opportunity delight colleague friend friends "
    "customer user dear team what's such worth sense reason both relief thankfully joy pity shame "
    "scratch mistake certainty knows agrees confirms agreed namely spoiler"
)
TALK = _words(_TALK_VERBS + " " + _TALK_WORDS)
"""Words of which talk around a statement is made; none of them denies, doubts or adds a fact."""
MORE_TALK = _words(
    "beyond otherwise anything disclose discuss reveal comment speculate go less else"
)
"""Words of talk that ends with a colon ("I cannot provide anything beyond this:")."""
UNSTARTED = _words("is are was were has have had does do did will would of and or to than in on")
"""Words that do not open a statement."""

COMMON_SUBJECTS = _words(
    "customers users people patients reviewers reviewer fans patrons visitors guests diners "
    "students researchers scientists experts officials police authorities critics children "
    "parents women men restaurant company business increasing using making taking adding live "
    "swollen prices hours location reviews parking service food staff symptoms treatment "
    "factors types examples"
)
"""Words that often open a sentence with a capital and are not names."""

FUNCTION_OPENERS = _words(
    "a about above according additionally after all also although among an and another any "
    "are as at based because before besides both but by can consequently could despite did do "
    "does during each either even every finally first firstly following for from furthermore "
    "generally given has have hence here how however if in including indeed initially instead "
    "into is it its just last lastly later like likewise many may meanwhile more moreover "
    "most much must neither never nevertheless next no none nonetheless nor not note now of "
    "often on once one only or other our out over overall per perhaps please regarding second "
    "secondly several she should similarly since so some sometimes soon still such than that "
    "the their them then there therefore these they third this those though three through "
    "throughout thus to today two typically under unfortunately unless unlike until up upon "
    "usually very was we were what when where whereas whether which while who whose why will "
    "with within without would yes yet you your he his her i my me him us additional "
    "specifically ultimately interestingly notably importantly currently recently previously"
)
"""Words that open sentences and name nothing."""

STOPWORDS = _words(
    "a about above after again against all also am an and any are as at be because been "
    "before being below between both but by can could did do does doing down during each few "
    "for from further had has have having he her here hers him his how i if in into is it its "
    "itself just me more most my no nor not now of off on once only or other our out over own "
    "same she should so some such than that the their them then there these they this those "
    "through to too under until up very was we were what when where which while who whom why "
    "will with would you your"
)
"""Words too common to show that two texts speak of the same thing."""

_MONTHS = "january february march april may june july august september october november december"
MONTHS = tuple(_MONTHS.split())
MONTH_FORMS: dict[str, str] = {
    **{month: month for month in MONTHS},
    **{month[:3]: month for month in MONTHS if month != "may"},
    "sept": "september",
}

CALENDAR = frozenset(MONTHS) | _words("monday tuesday wednesday thursday friday saturday sunday")

_UNITS = _list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = _list("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = _list(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
NUMBER_WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 10 * (place + 2) for place, word in enumerate(_TENS)},
    **{word: value for value, word in enumerate(_ORDINALS)},
    **{f"{word[:-1]}ieth": 10 * (place + 2) for place, word in enumerate(_TENS)},
    "once": 1,
    "twice": 2,
    "dozen": 12,
    "hundred": 100,
    "hundredth": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}

COUNT_QUESTIONS = _phrases("""
how many
how much
what number of
what is the number of
count the
""")
CAUSE_QUESTIONS = _phrases("""
why
what caused
what causes
what is the reason
what was the reason
for what reason
how come
what led to
""")
RELATION_QUESTIONS = _phrases("""
who
whose
whom
which
what is the name
what was the name
where
what company
what country
what city
what person
""")
LIST_QUESTIONS = _phrases("""
list
name the
name all
what are
which are
who are
who were
what were
enumerate
give me a list
""")
UNDEFLECTABLE_QUESTIONS = _phrases("""
when
what year
what date
how many
how much
how long
how old
why
""")
"""Answers to these need not repeat the last word of the question."""

PLAIN_OPENINGS = _words("yes no")

SOURCE_TAILS = _phrases("""
source:
sources:
source
citing
see
ref
ref.
ref:
reference
reference:
references:
from
""")
"""Openings of a closing parenthesis that names a source rather than a fact."""

PLAIN_EVIDENCE = frozenset(re.findall("[a-z]+", EVIDENCE_NOUNS.replace("s?", ""))) | _words(
    "passages contexts texts documents articles sources excerpts snippets materials the this these"
)
"""The nouns of ``EVIDENCE_NOUNS``, each in both numbers."""

LATTICE_HEADERS = _phrases("""
claims
claims:
answer
answer:
evidence
evidence:
sources
sources:
""")

CODE_LANGUAGES = _words(
    "python py js javascript json bash sh shell sql text txt yaml yml html xml css java c cpp go "
    "rust ts typescript console markdown md diff csv toml ini http plaintext r php ruby kotlin "
    "swift scala powershell dockerfile makefile graphql mermaid latex tex jsonc jsx tsx"
)
"""What may stand behind a code fence and says nothing but the language."""
QUESTION_OPENERS = _words(
    "what which how when where who why whose would do did does can could shall should may will is "
    "are was were have has don't didn't isn't aren't won't wouldn't"
)
PLURALS = _words("people police children men women staff data criteria media")
"""Nouns in the plural that do not end in s."""
ADVERBIAL = _words(
    "in on at by for from with under over during after before since until while although though "
    "because as to according based despite without however additionally also moreover furthermore "
    "overall finally first second third then there here not only if"
)
"""Words that open a sentence before its subject."""
