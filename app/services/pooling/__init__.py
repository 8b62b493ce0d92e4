"""The pool of a project: the union of the active runs' top documents, a projection of them and the depth."""

from app.services.pooling.depth import change_depth, prepare_depth
from app.services.pooling.places import Places, places_of_run, pool_places
from app.services.pooling.price import PoolPrice, price_of_pool
from app.services.pooling.projection import (
    PoolChange,
    apply_change,
    change_of_pool,
    extension_of_pool,
)

__all__ = [
    "Places",
    "PoolChange",
    "PoolPrice",
    "apply_change",
    "change_depth",
    "change_of_pool",
    "extension_of_pool",
    "places_of_run",
    "pool_places",
    "prepare_depth",
    "price_of_pool",
]
