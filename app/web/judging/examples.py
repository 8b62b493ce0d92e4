"""Built-in examples for both scales: one answer per grade, and a question to practise on.

They stand in until an owner has written better ones for the project.
"""

from __future__ import annotations

from flask_babel import gettext as _

from app.services.practice import Practice, PracticeAnswer


def example_question() -> str:
    """Return the question that the built-in examples answer."""
    return str(_("How do I get a stuck ring off my finger?"))


def examples(grades: range) -> list[str]:
    """Return one answer to it for each grade, lowest first."""
    nothing = _("Gold rings keep their value better than silver ones.")
    little = _("Fingers swell in the heat and in the evening; most people know that from summer days.")
    mostly = _("Use soap or oil and turn the ring while you pull.")
    best = _(
        "Hold your hand up for some minutes, cool it under water, put soap or oil on the finger, then turn "
        "the ring off slowly. If the finger turns blue or numb, go to a doctor: they cut the ring."
    )
    if len(grades) == 4:
        return [nothing, little, mostly, best]
    fair = _("Cold water helps the swelling to go down.")
    return [nothing, little, fair, mostly, best]


def practice(grades: range) -> Practice:
    """Return a question and three answers: the lowest grade, the second best, and the highest."""
    low, *_others, second, high = grades
    return Practice(
        _("How do I remove candle wax from a tablecloth?"),
        (
            PracticeAnswer(
                _("Let the wax harden and scrape it off with a blunt knife."),
                second,
                _("A right first step, but the stain in the cloth stays: something is missing."),
            ),
            PracticeAnswer(
                _("Tablecloths of linen look best when they are ironed while damp."),
                low,
                _("It is about tablecloths, but not about wax: it does not help with this question."),
            ),
            PracticeAnswer(
                _(
                    "Let the wax harden and scrape it off. Put kitchen paper under and over the spot and "
                    "iron it warm, with fresh paper, until no more wax comes out. Then wash it as usual."
                ),
                high,
                _("Complete and in the right order: nobody has to look any further."),
            ),
        ),
    )
