"""What a check says to people, in English; `translations/` has the same in Japanese."""

from lyra.model.check import CheckStatus

NOT_UNDERSTOOD = "This style of citation is not understood, or the list of references does not have it."
MISSING = "The task has not read this source: {named}"
UNLISTED = "The list of references has no entry {number}."
FOUND = "The task has read this source."
RETRACTED = "This source was retracted: {title}"
RETRACTED_AND_SAID = "This source was retracted, and the text says so."
QUOTE_FOUND = "The source has these words."
QUOTE_ELSEWHERE = "The cited source does not have these words; they stand in {url}"
QUOTE_INVENTED = "No page that the task has read has these words."
QUOTE_UNREAD = "Not compared: the task has not read the source of this quotation."
QUOTE_DIFFERS = "The source has other words."
SAID_ELSEWHERE = "The cited source does not say this; another source does: {url}"
NUMBER_FOUND = "The source has this figure."
NUMBER_OTHER = "The source has another figure: {figures}"
NUMBER_MISSING = "The cited source does not give this figure."
NUMBER_FOLLOWS = "This figure follows from those of the source."
NUMBER_OPEN = "Not decided: the passage gives no such share, and it may have been worked out."
TABLE_UNREAD = "Not compared: the rows of a table on the cited page were not read."
OTHER_WORDS = "Not decided: the cited source speaks of this in other words."
NO_TEXT = "Not compared: no text of the cited source was read."
SHORT = "Not compared: the sentence has too few words."
CLAIM_AGREES = "The evidence of the task agrees: {claim}"
CLAIM_REFUTED = "The evidence of the task speaks against this claim: {claim}"
CLAIM_DENIED = "The evidence of the task supports what this sentence denies: {claim}"
STATEMENTS = {
    CheckStatus.RESOLVED: "The cited source says this.",
    CheckStatus.UNSUPPORTED: "The cited source does not say this.",
    CheckStatus.CONTRADICTED: "The cited source says the opposite.",
    CheckStatus.NOT_CHECKED: "Not compared: the cited source is in another language than this sentence.",
}
