"""Reports: each is a function of the record, and of the course for its titles.

A report that a student may see goes through `redacted.for_student` by itself: no caller can forget.
"""
