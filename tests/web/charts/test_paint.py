import re
from xml.etree import ElementTree as ET

import pytest

from app.web.charts.axes import LOOKS, painted
from config import ROOT


def attributes(names):
    return ET.fromstring(f"<a {painted(names)}/>").attrib


def test_a_later_look_holds_whatever_the_order_of_the_names():
    assert attributes("c5 pt") == attributes("pt c5")
    assert attributes("c5 pt") == {"fill": "#ffffff", "stroke": "#1f63ab", "stroke-width": "1.75"}
    assert attributes("ln l2 ln--hi")["stroke-width"] == "3.25"
    assert attributes("l0 ln")["stroke-width"] == "1.25"


@pytest.mark.parametrize("tone", range(9))
def test_every_tone_has_its_look(tone):
    for kind in "lbct":
        assert attributes(f"{kind}{tone}")


def test_a_name_without_a_look_is_an_error():
    with pytest.raises(KeyError):
        painted("shadow")


def test_the_colours_are_the_light_ones_of_the_pages():
    tokens = (ROOT / "static/css/tokens.css").read_text()
    light = dict(re.findall(r"--([\w-]+):\s+light-dark\((#\w{6})", tokens))

    assert [LOOKS[f"l{tone}"]["stroke"] for tone in (1, 2, 3, 4)] == [
        light[f"r{hue}"] for hue in (1, 2, 3, 4)
    ]
    assert LOOKS["all"]["fill"] == LOOKS["l0"]["stroke"] == light["ink-3"]
    assert (LOOKS["gridl"]["stroke"], LOOKS["axis"]["stroke"]) == (light["line"], light["line-strong"])
