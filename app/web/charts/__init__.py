"""Geometry of every chart: plain numbers in, positions out; `templates/macros/charts.html` draws them."""
