"""The look of a drawing that stands alone: attributes instead of classes, in the light colours of tokens.css.

A file has no stylesheet, and where it is opened from a server with a strict policy a style of its own would
be refused; attributes always hold.
"""

from markupsafe import Markup

from app.web.charts.marks import COLOURED, hue_of

GROUND, INK, SOFT, FAINT = "#ffffff", "#1b2125", "#434b52", "#596168"
LINE, STRONG = "#dcddd5", "#82898e"
HUES = ("#596168", "#1f63ab", "#ae4526", "#75489f", "#4a6d24")

Attributes = dict[str, str]

LOOKS: dict[str, Attributes] = {
    # Where two names of one thing set the same attribute, the later one here holds.
    "all": {
        "font-family": "system-ui, sans-serif",
        "font-size": "12.5",
        "font-weight": "500",
        "fill": FAINT,
    },
    "ground": {"fill": GROUND},
    "head": {"font-size": "18", "font-weight": "640", "fill": INK},
    "lab": {"font-weight": "640"},
    "ev": {"fill": SOFT},
    "axis": {"stroke": STRONG},
    "gridl": {"stroke": LINE},
    "evl": {"stroke": STRONG, "stroke-dasharray": "3 4"},
    "evb": {"fill": GROUND, "stroke": STRONG},
    "goal": {"stroke": FAINT, "stroke-dasharray": "8 4"},
    "ring": {"fill": "none", "stroke": INK, "stroke-width": "1.75"},
    "band": {"fill": FAINT, "opacity": ".15"},
    "ln": {"fill": "none", "stroke-width": "2.25", "stroke-linejoin": "round", "stroke-linecap": "round"},
    "ln--hi": {"stroke-width": "3.25"},
    "pt": {"stroke": GROUND, "stroke-width": "2"},
    "l0": {"stroke": FAINT, "stroke-width": "1.25", "opacity": ".55"},
    "c0": {"fill": FAINT, "stroke": "none"},
    "b0": {"fill": FAINT},
    "t0": {"fill": FAINT},
}
for _tone in range(1, COLOURED + 1):
    _hue, _outlined = HUES[hue_of(_tone)], _tone > len(HUES) - 1
    LOOKS[f"l{_tone}"] = {"stroke": _hue} | ({"stroke-dasharray": "6 5"} if _outlined else {})
    LOOKS[f"b{_tone}"] = {"fill": _hue}
    LOOKS[f"t{_tone}"] = {"fill": _hue}
    LOOKS[f"c{_tone}"] = (
        {"fill": GROUND, "stroke": _hue, "stroke-width": "1.75"} if _outlined else {"fill": _hue}
    )
ORDER = {name: number for number, name in enumerate(LOOKS)}


def painted(names: str) -> Markup:
    """Return the attributes of what has these names, as they stand in a tag.

    Raises
    ------
    KeyError
        A name has no look.
    """
    attributes: Attributes = {}
    for name in sorted(names.split(), key=ORDER.__getitem__):
        attributes |= LOOKS[name]
    return Markup(" ").join(Markup('{}="{}"').format(*one) for one in attributes.items())
