"""Every English word list and phrase that the claims room knows, in one place.

Nothing here decides anything; a translation of this module is all another language needs.
"""

from __future__ import annotations


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

GREETINGS = _words(
    "hi hello hey greetings sure certainly absolutely thanks thank welcome okay ok alright "
    "great gladly goodbye bye cheers regards sincerely congratulations sorry"
)
GREETING_PHRASES = _phrases("""
of course
good morning
good afternoon
good evening
you're welcome
you are welcome
no problem
great question
good question
that's a great question
thank you
i hope this helps
i hope that helps
hope this helps
happy to help
i'm happy to help
i'd be happy to help
glad to help
best regards
kind regards
have a great day
have a nice day
i apologize
my apologies
""")
OFFERS = _phrases("""
let me know
please let me know
feel free
please feel free
don't hesitate
please don't hesitate
do not hesitate
please do not hesitate
if you have any other questions
if you have any further questions
if you have any more questions
if you have any questions
if you need any further
if you need further
if you need more
if you'd like me to
if you would like me to
please provide
please refer
please consult
please contact
please see
please check
please visit
please ask
please share
please clarify
please specify
please try
would you like me to
""")

REFUSALS = _phrases("""
unable to answer
unable to provide
unable to determine
unable to find
cannot answer
can't answer
can not answer
could not answer
cannot be answered
can't be answered
cannot provide
can't provide
cannot determine
can't determine
cannot find
can't find
could not find
couldn't find
not able to answer
not able to provide
not able to find
not able to determine
don't have enough information
do not have enough information
don't have access
do not have access
don't have sufficient
do not have sufficient
don't have any information
do not have any information
don't know
do not know
not possible to answer
not possible to determine
no answer can be given
not enough information to
insufficient information to
as an ai
as a language model
""")
REFUSAL_SUBJECTS = _words(
    "i i'm we it there unfortunately sorry as unable cannot can't not no insufficient"
)
"""A refusal speaks of the one who answers, so it opens with one of these."""

REFUSAL_TAILS = _words("because since as but however")

EVIDENCE_NOUNS = (
    r"(?:passages?|contexts?|texts?|documents?|articles?|information|data|sources?|evidence|"
    r"excerpts?|snippets?|record|records|search results|materials?|details|content|transcript)"
)
LEAD_IN_OPENERS = _phrases("""
here is
here are
here's
here
below is
below are
the following
these are the
this is a summary
this is the summary
in summary
to summarize
in conclusion
summary
answer
overview
response
output
sure
certainly
note
conclusion
""")
LEAD_IN_ENDS = _phrases("""
the following
as follows
these steps
these instructions
follow these guidelines
following steps
following points
here is how
here's how
here are the steps
steps below
""")

STANCE = _phrases("""
in my opinion
in my view
in my experience
i think
i believe
i feel
i would say
i'd say
i find
personally
""")
TASTES = _phrases("""
i hope
i like
i love
i prefer
i enjoy
i recommend
i would recommend
i'd recommend
i highly recommend
i wish
i look forward
""")
EVALUATIVE = _words(
    "good great best better nice beautiful delicious amazing awesome wonderful lovely "
    "interesting important worth bad worse worst terrible awful boring fun excellent "
    "fantastic fascinating useful helpful impressive sad exciting perfect ideal pretty ugly "
    "fair unfair wise unwise"
)

COMMON_SUBJECTS = _words(
    "customers users people patients reviewers reviewer fans patrons visitors guests diners "
    "students researchers scientists experts officials police authorities critics children "
    "parents women men restaurant company business increasing using making taking adding live "
    "swollen prices hours location reviews parking service food staff symptoms treatment "
    "factors types examples"
)
"""Words that often open a sentence with a capital and name nobody."""

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
