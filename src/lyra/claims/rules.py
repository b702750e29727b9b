"""The rules that decide a stance instead of a reader, in the words that the edge keeps."""

SAME_WORDS = "it repeats the claim's words"
OTHER_SUBJECT = "it speaks of another subject"
QUESTION = "it asks and does not say"
SATIRE = "its page calls itself satire"
