"""Turns of phrase that say what sort of statement is made; counted, never judged alone."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re

from firmground.core.lazy_pattern import lazy_pattern

COUNTED: dict[str, re.Pattern[str]] = {
    name: lazy_pattern(rf"\b(?:{words})\b", re.IGNORECASE)
    for name, words in {
        "advice": r"should|important|recommend\w*|consult|ensure|advis\w+|essential|must|best to|make sure",
        "summing_up": r"overall|in conclusion|in summary|therefore|thus|altogether|to summarize|hence",
        "source": r"passages?|articles?|texts?|according to|reviews?|reviewers?|mentioned|provided|stated|based on",
        "hedge": r"may|might|could|can|possibly|perhaps|likely|often|typically|generally|usually|some",
        "extent": r"various|several|many|numerous|variety|range|wide|multiple|diverse|array|including|such as",
        "praise": r"popular|great|excellent|delicious|amazing|perfect|ideal|friendly|cozy|welcoming|unique|"
        r"well-known|renowned|known for|highly|quality|comfortable|relaxed|casual|vibrant",
        "example": r"for example|for instance|e\.g|such as|like|including",
        "cause": r"caus\w+|because|due to|led to|result\w*|lead\w*|help\w*|allow\w*|reduc\w+|increas\w+|prevent\w*",
        "contrast": r"however|although|despite|while|but|though|nevertheless|whereas",
        "time": r"currently|now|recently|later|after|before|during|since|until|when|then|ago|year|years",
        "speech": r"said|says|told|claim\w*|stat\w+|report\w*|express\w*|announc\w+|describ\w+|noted",
        "offer": r"offer\w*|provid\w+|featur\w+|serv\w+|available|accept\w*|amenit\w+|parking|seating|reservations?|"
        r"takeout|delivery|wifi|wi-fi|music|outdoor",
        "rating": r"stars?|rating|rated|review\w*|customers?|mixed|positive|negative|complain\w*|prais\w+",
        "hours": r"open\w*|clos\w+|hours|daily|am|pm|weekdays?|weekends?",
        "person": r"he|she|his|her|they|their|him|who",
        "all": r"all|every|always|never|only|none|entire\w*|both|each",
        "quantity": r"more|most|less|least|than|about|approximately|around|over|up to|at least|nearly",
        "atmosphere": r"atmosphere|ambiance|ambience|environment|vibe|setting|decor|service|staff|food|menu",
        "cuisine": r"cuisine|dishes|options|selection|vegetarian|breakfast|lunch|dinner|drinks?|bar|groups?|families|kids",
    }.items()
}
