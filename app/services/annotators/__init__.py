"""The people, files and machines behind the ratings: what they gave, how far they agree, what each moves.

Everything here is for owners. Nothing is deleted for what it shows.
"""
