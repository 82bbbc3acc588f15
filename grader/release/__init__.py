"""What an instructor hands out, and what the places where courses live want.

Nothing is imported here: an autograder runs `gradescope` with less than making a bundle needs.
"""
