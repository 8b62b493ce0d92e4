"""All tables of the first loop, and the triggers that keep the ledger append-only.

Revision ID: 0001
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op

from migrations.ledger_triggers import install_triggers, refuse_if_ledger_holds_rows, remove_triggers

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade():
    _create_people_and_projects()
    op.create_table(
        "document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("external_id", sa.String(length=512), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("edited_revision", sa.BigInteger(), nullable=True),
        sa.Column("retired_revision", sa.BigInteger(), nullable=True),
        sa.Column("merged_into", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_document_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
        sa.UniqueConstraint("project_id", "external_id", name=op.f("uq_document_project_id_external_id")),
    )
    op.create_index(
        "ix_document_project_id_content_hash", "document", ["project_id", "content_hash"], unique=False
    )
    op.create_index(
        "ix_document_merged",
        "document",
        ["project_id", "merged_into"],
        unique=False,
        sqlite_where=sa.text("merged_into IS NOT NULL"),
        postgresql_where=sa.text("merged_into IS NOT NULL"),
    )
    op.create_table(
        "event",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["person.id"], name=op.f("fk_event_actor_id_person")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_event_project_id_project")),
        sa.PrimaryKeyConstraint("project_id", "revision", name=op.f("pk_event")),
    )
    op.create_table(
        "guideline",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["author_id"], ["person.id"], name=op.f("fk_guideline_author_id_person")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_guideline_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guideline")),
        sa.UniqueConstraint("project_id", "version", name=op.f("uq_guideline_project_id_version")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("role", sa.String(length=10), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("email", sa.String(length=320), nullable=True),
        sa.Column("note", sa.String(length=120), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_by", sa.Integer(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('invite', 'reset', 'set_up')", name=op.f("ck_invitation_kind_is_known")),
        sa.CheckConstraint(
            "role IN ('owner', 'annotator', 'viewer')", name=op.f("ck_invitation_role_is_known")
        ),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_invitation_created_by_person")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_invitation_person_id_person")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_invitation_project_id_project")
        ),
        sa.ForeignKeyConstraint(["used_by"], ["person.id"], name=op.f("fk_invitation_used_by_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
    )
    op.create_table(
        "shared_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("note", sa.String(length=120), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_shared_link_created_by_person")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_shared_link_project_id_project")
        ),
        sa.ForeignKeyConstraint(["revoked_by"], ["person.id"], name=op.f("fk_shared_link_revoked_by_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shared_link")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_shared_link_token_hash")),
    )
    op.create_index("ix_shared_link_project_id", "shared_link", ["project_id"], unique=False)
    op.create_table(
        "near_duplicate",
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("other_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("share", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name=op.f("fk_near_duplicate_document_id_document")
        ),
        sa.ForeignKeyConstraint(
            ["other_id"], ["document.id"], name=op.f("fk_near_duplicate_other_id_document")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_near_duplicate_project_id_project")
        ),
        sa.PrimaryKeyConstraint("document_id", "other_id", name=op.f("pk_near_duplicate")),
    )
    op.create_index("ix_near_duplicate_project_id", "near_duplicate", ["project_id"], unique=False)
    op.create_table(
        "near_duplicate_search",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'running', 'done', 'failed')",
            name=op.f("ck_near_duplicate_search_state_is_known"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_near_duplicate_search_project_id_project")
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_near_duplicate_search")),
    )
    op.create_table(
        "ledger_head",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_ledger_head_project_id_project")
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_ledger_head")),
    )
    op.create_table(
        "membership",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=True),
        sa.Column("saw_rankers", sa.Boolean(), nullable=False),
        sa.Column("adjudicates", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "role IN ('owner', 'annotator', 'viewer')", name=op.f("ck_membership_role_is_known")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_membership_person_id_person")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_membership_project_id_project")
        ),
        sa.PrimaryKeyConstraint("person_id", "project_id", name=op.f("pk_membership")),
    )
    op.create_index("ix_membership_project_id", "membership", ["project_id"], unique=False)
    op.create_table(
        "query",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.String(length=512), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("added_revision", sa.BigInteger(), nullable=False),
        sa.Column("retired_revision", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "retired_revision IS NULL OR retired_revision >= added_revision",
            name=op.f("ck_query_retired_later"),
        ),
        sa.CheckConstraint("weight > 0", name=op.f("ck_query_weight_positive")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_query_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_query")),
        sa.UniqueConstraint("project_id", "external_id", name=op.f("uq_query_project_id_external_id")),
    )
    op.create_table(
        "ranker",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("mark", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('system', 'manual')", name=op.f("ck_ranker_kind_is_known")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_ranker_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ranker")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_ranker_project_id_name")),
    )
    op.create_table(
        "ruler",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("scale_low", sa.SmallInteger(), nullable=False),
        sa.Column("scale_high", sa.SmallInteger(), nullable=False),
        sa.Column("gain", sa.String(length=12), nullable=False),
        sa.Column("discount", sa.String(length=14), nullable=False),
        sa.Column("k", sa.SmallInteger(), nullable=False),
        sa.Column("unjudged", sa.String(length=10), nullable=False),
        sa.Column("consensus", sa.String(length=10), nullable=False),
        sa.Column("ideal", sa.String(length=10), nullable=False),
        sa.Column("ties", sa.String(length=24), nullable=False),
        sa.Column("threshold", sa.SmallInteger(), nullable=False),
        sa.Column("only_blind", sa.Boolean(), nullable=False),
        sa.Column("machines", sa.Boolean(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "consensus IN ('median', 'mean', 'majority')", name=op.f("ck_ruler_consensus_is_known")
        ),
        sa.CheckConstraint(
            "discount IN ('log2', 'original-2002', 'reciprocal')", name=op.f("ck_ruler_discount_is_known")
        ),
        sa.CheckConstraint("gain IN ('linear', 'exponential', 'raw')", name=op.f("ck_ruler_gain_is_known")),
        sa.CheckConstraint("ideal IN ('judged', 'pool', 'returned')", name=op.f("ck_ruler_ideal_is_known")),
        sa.CheckConstraint("ties IN ('document_descending')", name=op.f("ck_ruler_ties_is_known")),
        sa.CheckConstraint("unjudged IN ('open', 'complete')", name=op.f("ck_ruler_unjudged_is_known")),
        sa.CheckConstraint("k >= 1", name=op.f("ck_ruler_k_is_positive")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_ruler_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ruler")),
    )
    op.create_index("ix_ruler_project_id", "ruler", ["project_id"], unique=False)
    op.create_table(
        "upload",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("file_name", sa.String(length=300), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("progress_done", sa.BigInteger(), nullable=False),
        sa.Column("progress_total", sa.BigInteger(), nullable=False),
        sa.Column("checked_revision", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('queries', 'documents', 'run', 'judgments')", name=op.f("ck_upload_kind_is_known")
        ),
        sa.CheckConstraint(
            "state IN ('waiting', 'checking', 'checked', 'importing', 'done', 'failed', 'cancelled')",
            name=op.f("ck_upload_state_is_known"),
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_upload_person_id_person")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_upload_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_upload")),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("assigned_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_end", sa.DateTime(timezone=True), nullable=False),
        sa.Column("declined", sa.String(length=12), nullable=True),
        sa.CheckConstraint(
            "state IN ('open', 'done', 'parked', 'released')", name=op.f("ck_assignment_state_is_known")
        ),
        sa.CheckConstraint(
            "kind IN ('requested', 'finish', 'front', 'waiting', 'random', 'check', 'chosen')",
            name=op.f("ck_assignment_kind_is_known"),
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_assignment_person_id_person")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_assignment_project_id_project")
        ),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_assignment_query_id_query")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("project_id", "batch", name=op.f("uq_assignment_project_id_batch")),
    )
    op.create_index(
        "ix_assignment_person_id_project_id", "assignment", ["person_id", "project_id"], unique=False
    )
    op.create_index(
        "ix_assignment_project_id_state_lease_end",
        "assignment",
        ["project_id", "state", "lease_end"],
        unique=False,
    )
    op.create_table(
        "candidate",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(length=16), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("in_pool", sa.Boolean(), nullable=False),
        sa.Column("best_rank", sa.SmallInteger(), nullable=False),
        sa.Column("pooled_revision", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name=op.f("fk_candidate_document_id_document")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_candidate_project_id_project")),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_candidate_query_id_query")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidate")),
        sa.UniqueConstraint(
            "project_id", "query_id", "document_id", name=op.f("uq_candidate_project_id_query_id_document_id")
        ),
        sa.UniqueConstraint("public_id", name=op.f("uq_candidate_public_id")),
    )
    op.create_index(
        "ix_candidate_assignment",
        "candidate",
        ["project_id", "in_pool", "best_rank", "query_id"],
        unique=False,
    )
    op.create_index("ix_candidate_document_id", "candidate", ["document_id"], unique=False)
    op.create_index("ix_candidate_query_id", "candidate", ["query_id"], unique=False)
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("ranker_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(length=100), nullable=False),
        sa.Column("tag", sa.String(length=512), nullable=False),
        sa.Column("note", sa.String(length=300), nullable=False),
        sa.Column("file_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=True),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stats", sa.JSON(), nullable=False),
        sa.CheckConstraint(
            "state = 'unpublished' OR revision IS NOT NULL", name=op.f("ck_run_published_has_a_revision")
        ),
        sa.CheckConstraint(
            "state IN ('unpublished', 'published', 'withdrawn')", name=op.f("ck_run_state_is_known")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_run_project_id_project")),
        sa.ForeignKeyConstraint(["ranker_id"], ["ranker.id"], name=op.f("fk_run_ranker_id_ranker")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("ranker_id", "version", name=op.f("uq_run_ranker_id_version")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_run_project_id", "run", ["project_id"], unique=False)
    op.create_table(
        "assignment_candidate",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("arm", sa.String(length=10), nullable=False),
        sa.CheckConstraint(
            "arm IN ('answer', 'second', 'repeat', 'gold')",
            name=op.f("ck_assignment_candidate_arm_is_known"),
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignment.id"],
            name=op.f("fk_assignment_candidate_assignment_id_assignment"),
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_assignment_candidate_candidate_id_candidate")
        ),
        sa.PrimaryKeyConstraint("assignment_id", "candidate_id", name=op.f("pk_assignment_candidate")),
    )
    op.create_index(
        "ix_assignment_candidate_candidate_id", "assignment_candidate", ["candidate_id"], unique=False
    )
    op.create_table(
        "request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=True),
        sa.Column("candidate_id", sa.Integer(), nullable=True),
        sa.Column("first_run_id", sa.Integer(), nullable=True),
        sa.Column("second_run_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.Column("withdrawn_revision", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "CASE WHEN query_id IS NULL THEN 0 ELSE 1 END"
            " + CASE WHEN candidate_id IS NULL THEN 0 ELSE 1 END"
            " + CASE WHEN first_run_id IS NULL THEN 0 ELSE 1 END = 1",
            name=op.f("ck_request_target_is_one"),
        ),
        sa.CheckConstraint(
            "(first_run_id IS NULL) = (second_run_id IS NULL)", name=op.f("ck_request_runs_are_two")
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_request_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(["first_run_id"], ["run.id"], name=op.f("fk_request_first_run_id_run")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_request_person_id_person")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_request_project_id_project")),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_request_query_id_query")),
        sa.ForeignKeyConstraint(["second_run_id"], ["run.id"], name=op.f("fk_request_second_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_request")),
    )
    op.create_index("ix_request_project_id", "request", ["project_id"], unique=False)
    op.create_table(
        "flag",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('open', 'withdrawn', 'resolved')", name=op.f("ck_flag_state_is_known")),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_flag_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_flag_person_id_person")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_flag_project_id_project")),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_flag_query_id_query")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flag")),
    )
    op.create_index("ix_flag_project_id_state", "flag", ["project_id", "state"], unique=False)
    op.create_table(
        "gold",
        sa.Column("candidate_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("grade", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_gold_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_gold_person_id_person")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_gold_project_id_project")),
        sa.PrimaryKeyConstraint("candidate_id", "person_id", name=op.f("pk_gold")),
    )
    op.create_index("ix_gold_project_id", "gold", ["project_id"], unique=False)
    _create_remarks()
    op.create_table(
        "judgment",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("grade", sa.SmallInteger(), nullable=True),
        sa.Column("reason", sa.SmallInteger(), nullable=True),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("length", sa.SmallInteger(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("client_uuid", sa.LargeBinary(length=16), nullable=False),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=False),
        sa.Column("input", sa.SmallInteger(), nullable=False),
        sa.Column("guideline_version", sa.SmallInteger(), nullable=False),
        sa.Column("role", sa.SmallInteger(), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.CheckConstraint("(grade IS NULL) <> (reason IS NULL)", name=op.f("ck_judgment_grade_or_reason")),
        sa.CheckConstraint("grade IS NULL OR grade BETWEEN 0 AND 5", name=op.f("ck_judgment_grade_in_range")),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["person.id"], name=op.f("fk_judgment_annotator_id_person")
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_judgment_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_judgment_project_id_project")),
        sa.PrimaryKeyConstraint("project_id", "revision", name=op.f("pk_judgment")),
        sa.UniqueConstraint("annotator_id", "client_uuid", name=op.f("uq_judgment_annotator_id_client_uuid")),
    )
    op.create_index(
        "ix_judgment_candidate_id_annotator_id", "judgment", ["candidate_id", "annotator_id"], unique=False
    )
    op.create_index(
        "ix_judgment_project_id_annotator_id", "judgment", ["project_id", "annotator_id"], unique=False
    )
    _create_current_judgment()
    op.create_table(
        "judgment_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["person.id"], name=op.f("fk_judgment_note_annotator_id_person")
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_judgment_note_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_judgment_note_project_id_project")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment_note")),
        sa.UniqueConstraint(
            "candidate_id", "annotator_id", name=op.f("uq_judgment_note_candidate_id_annotator_id")
        ),
    )
    op.create_table(
        "disclosure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_disclosure_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_disclosure_person_id_person")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_disclosure_project_id_project")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_disclosure")),
        sa.UniqueConstraint(
            "candidate_id",
            "person_id",
            "revision",
            name=op.f("uq_disclosure_candidate_id_person_id_revision"),
        ),
    )
    op.create_table(
        "ranking",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("document_ids", sa.LargeBinary(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_ranking_query_id_query")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_ranking_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ranking")),
        sa.UniqueConstraint("run_id", "query_id", name=op.f("uq_ranking_run_id_query_id")),
    )
    install_triggers(op)


def _create_people_and_projects():
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=True),
        sa.Column("password_hash", sa.String(length=255), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("session_epoch", sa.Integer(), nullable=False),
        sa.Column("preferences", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind = 'person' OR password_hash IS NULL", name=op.f("ck_person_only_people_sign_in")
        ),
        sa.CheckConstraint(
            "kind IN ('person', 'imported', 'simulated', 'machine')", name=op.f("ck_person_kind_is_known")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("email", name=op.f("uq_person_email")),
        sa.UniqueConstraint("public_id", name=op.f("uq_person_public_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("headline", sa.String(length=300), nullable=False),
        sa.Column("scale_low", sa.SmallInteger(), nullable=False),
        sa.Column("scale_high", sa.SmallInteger(), nullable=False),
        sa.Column("grade_words", sa.JSON(), nullable=False),
        sa.Column("wording", sa.JSON(), nullable=False),
        sa.Column("pool_depth", sa.SmallInteger(), nullable=False),
        sa.Column("overlap", sa.SmallInteger(), nullable=False),
        sa.Column("share_twice", sa.Double(), nullable=False),
        sa.Column("shuffle_secret", sa.LargeBinary(length=32), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("is_demo", sa.Boolean(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('open', 'paused', 'closed', 'archived')", name=op.f("ck_project_state_is_known")
        ),
        sa.CheckConstraint(
            "pool_depth >= 1 AND overlap >= 1", name=op.f("ck_project_depth_and_overlap_are_positive")
        ),
        sa.CheckConstraint("scale_low < scale_high", name=op.f("ck_project_scale_has_two_grades")),
        sa.CheckConstraint(
            "share_twice >= 0 AND share_twice <= 1", name=op.f("ck_project_share_twice_is_a_share")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("slug", name=op.f("uq_project_slug")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "ended_session",
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key_hash", name=op.f("pk_ended_session")),
    )
    op.create_index("ix_ended_session_at", "ended_session", ["at"], unique=False)
    op.create_table(
        "purge",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_purge")),
    )
    op.create_table(
        "sign_in_failure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_failure")),
    )
    op.create_index("ix_sign_in_failure_account_at", "sign_in_failure", ["account", "at"], unique=False)
    op.create_index("ix_sign_in_failure_source_at", "sign_in_failure", ["source", "at"], unique=False)
    op.create_index("ix_sign_in_failure_at", "sign_in_failure", ["at"], unique=False)
    op.create_table(
        "batch_head",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("odd", sa.Integer(), nullable=False),
        sa.Column("even", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_batch_head_project_id_project")
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_batch_head")),
    )
    op.create_table(
        "bookmark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_note", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_bookmark_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bookmark")),
    )
    op.create_index("ix_bookmark_project_id", "bookmark", ["project_id"])


def downgrade():
    refuse_if_ledger_holds_rows(op)
    remove_triggers(op)
    op.drop_table("ranking")
    op.drop_table("disclosure")
    op.drop_table("judgment_note")
    op.drop_table("current_judgment")
    op.drop_index("ix_judgment_project_id_annotator_id", table_name="judgment")
    op.drop_index("ix_judgment_candidate_id_annotator_id", table_name="judgment")
    op.drop_table("judgment")
    _drop_remarks()
    op.drop_index("ix_gold_project_id", table_name="gold")
    op.drop_table("gold")
    op.drop_index("ix_request_project_id", table_name="request")
    op.drop_table("request")
    op.drop_index("ix_flag_project_id_state", table_name="flag")
    op.drop_table("flag")
    op.drop_index("ix_assignment_candidate_candidate_id", table_name="assignment_candidate")
    op.drop_table("assignment_candidate")
    op.drop_index("ix_run_project_id", table_name="run")
    op.drop_table("run")
    op.drop_index("ix_candidate_query_id", table_name="candidate")
    op.drop_index("ix_candidate_document_id", table_name="candidate")
    op.drop_table("candidate")
    op.drop_index("ix_assignment_project_id_state_lease_end", table_name="assignment")
    op.drop_index("ix_assignment_person_id_project_id", table_name="assignment")
    op.drop_table("assignment")
    op.drop_table("upload")
    op.drop_index("ix_ruler_project_id", table_name="ruler")
    op.drop_table("ruler")
    op.drop_table("ranker")
    op.drop_table("query")
    op.drop_index("ix_membership_project_id", table_name="membership")
    op.drop_table("membership")
    op.drop_table("near_duplicate_search")
    op.drop_index("ix_near_duplicate_project_id", table_name="near_duplicate")
    op.drop_table("near_duplicate")
    op.drop_table("ledger_head")
    op.drop_index("ix_shared_link_project_id", table_name="shared_link")
    op.drop_table("shared_link")
    op.drop_table("invitation")
    op.drop_table("guideline")
    op.drop_table("event")
    op.drop_index("ix_document_merged", table_name="document")
    op.drop_index("ix_document_project_id_content_hash", table_name="document")
    op.drop_table("document")
    _drop_people_and_projects()


def _drop_people_and_projects():
    op.drop_index("ix_bookmark_project_id", table_name="bookmark")
    op.drop_table("bookmark")
    op.drop_table("batch_head")
    op.drop_index("ix_sign_in_failure_at", table_name="sign_in_failure")
    op.drop_index("ix_sign_in_failure_source_at", table_name="sign_in_failure")
    op.drop_index("ix_sign_in_failure_account_at", table_name="sign_in_failure")
    op.drop_table("sign_in_failure")
    op.drop_table("purge")
    op.drop_index("ix_ended_session_at", table_name="ended_session")
    op.drop_table("ended_session")
    op.drop_table("project")
    op.drop_table("person")


# What counts now, worked out from the ledger.


def _create_current_judgment():
    op.create_table(
        "current_judgment",
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("grade", sa.SmallInteger(), nullable=True),
        sa.Column("reason", sa.SmallInteger(), nullable=True),
        sa.Column("role", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["person.id"], name=op.f("fk_current_judgment_annotator_id_person")
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_current_judgment_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_current_judgment_project_id_project")
        ),
        sa.PrimaryKeyConstraint("candidate_id", "annotator_id", "kind", name=op.f("pk_current_judgment")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_current_judgment_annotator_id_project_id",
        "current_judgment",
        ["annotator_id", "project_id", "revision"],
        unique=False,
    )
    op.create_index(
        "ix_current_judgment_project_id_reason",
        "current_judgment",
        ["project_id", "reason"],
        unique=False,
        sqlite_where=sa.text("reason IS NOT NULL"),
        postgresql_where=sa.text("reason IS NOT NULL"),
    )


# Beside the ledger: what owners and adjudicators do about what annotators say.


def _create_remarks():
    op.create_table(
        "remark_resolution",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=4), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=True),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("replied_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("actor_id", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('flag', 'note', 'pass')", name=op.f("ck_remark_resolution_kind_is_known")
        ),
        sa.CheckConstraint("state IN ('open', 'resolved')", name=op.f("ck_remark_resolution_state_is_known")),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["person.id"], name=op.f("fk_remark_resolution_actor_id_person")
        ),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_remark_resolution_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_remark_resolution_person_id_person")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_remark_resolution_project_id_project")
        ),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_remark_resolution_query_id_query")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_remark_resolution")),
    )
    op.create_index(
        "ix_remark_resolution_project_id_person_id",
        "remark_resolution",
        ["project_id", "person_id"],
        unique=False,
    )
    op.create_table(
        "adjudication_view",
        sa.Column("candidate_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("shown_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_adjudication_view_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_adjudication_view_person_id_person")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_adjudication_view_project_id_project")
        ),
        sa.PrimaryKeyConstraint("candidate_id", "person_id", name=op.f("pk_adjudication_view")),
    )
    op.create_index("ix_adjudication_view_project_id", "adjudication_view", ["project_id"], unique=False)
    op.create_table(
        "adjudication_request",
        sa.Column("candidate_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_adjudication_request_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_adjudication_request_person_id_person")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_adjudication_request_project_id_project")
        ),
        sa.PrimaryKeyConstraint("candidate_id", name=op.f("pk_adjudication_request")),
    )
    op.create_index(
        "ix_adjudication_request_project_id", "adjudication_request", ["project_id"], unique=False
    )


def _drop_remarks():
    op.drop_index("ix_adjudication_request_project_id", table_name="adjudication_request")
    op.drop_table("adjudication_request")
    op.drop_index("ix_adjudication_view_project_id", table_name="adjudication_view")
    op.drop_table("adjudication_view")
    op.drop_index("ix_remark_resolution_project_id_person_id", table_name="remark_resolution")
    op.drop_table("remark_resolution")
