"""What version 1.1.0 adds to 1.0.0: one migration per version, edited until that version is released.

Revision ID: 0002
Revises: 0001
"""

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and columns of 1.1.0."""


def downgrade() -> None:
    """Take them away again."""
