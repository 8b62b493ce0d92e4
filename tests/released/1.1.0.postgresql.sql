CREATE FUNCTION public.audit_entry_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.at <= now() - interval '90 days' THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF NEW.network = '' AND EXISTS (
            SELECT 1 FROM erasure WHERE is_open AND person_id IN (OLD.actor_id, OLD.person_id)
        ) AND to_jsonb(NEW) - 'network' = to_jsonb(OLD) - 'network' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING MESSAGE = 'the audit trail is append-only: it refuses ' || TG_OP;
END $$;
CREATE FUNCTION public.event_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id) THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF EXISTS (SELECT 1 FROM erasure WHERE is_open)
            AND to_jsonb(NEW) - 'payload' = to_jsonb(OLD) - 'payload' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING MESSAGE = 'the ledger is append-only: event refuses ' || TG_OP;
END $$;
CREATE FUNCTION public.judgment_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION USING MESSAGE = 'the ledger is append-only: judgment refuses ' || TG_OP;
END $$;
CREATE TABLE public.adjudication_request (
    candidate_id integer NOT NULL,
    project_id integer NOT NULL,
    person_id integer NOT NULL,
    revision bigint NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.adjudication_view (
    candidate_id integer NOT NULL,
    person_id integer NOT NULL,
    project_id integer NOT NULL,
    note text NOT NULL,
    shown_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.api_reply (
    token_id integer NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    status smallint,
    body json,
    location character varying(500) NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.api_token (
    id integer NOT NULL,
    token_hash bytea NOT NULL,
    ending character varying(8) NOT NULL,
    name character varying(120) NOT NULL,
    person_id integer,
    project_id integer,
    scopes character varying(120) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);
CREATE SEQUENCE public.api_token_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.api_token_id_seq OWNED BY public.api_token.id;
CREATE TABLE public.assignment (
    id integer NOT NULL,
    project_id integer NOT NULL,
    person_id integer NOT NULL,
    query_id integer NOT NULL,
    batch integer NOT NULL,
    kind character varying(12) NOT NULL,
    state character varying(10) NOT NULL,
    assigned_at timestamp with time zone NOT NULL,
    lease_end timestamp with time zone NOT NULL,
    declined character varying(12),
    CONSTRAINT ck_assignment_kind_is_known CHECK (((kind)::text = ANY ((ARRAY['requested'::character varying, 'finish'::character varying, 'front'::character varying, 'waiting'::character varying, 'random'::character varying, 'check'::character varying, 'chosen'::character varying])::text[]))),
    CONSTRAINT ck_assignment_state_is_known CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'done'::character varying, 'parked'::character varying, 'released'::character varying])::text[])))
);
CREATE TABLE public.assignment_candidate (
    assignment_id integer NOT NULL,
    candidate_id integer NOT NULL,
    place smallint NOT NULL,
    arm character varying(10) NOT NULL,
    CONSTRAINT ck_assignment_candidate_arm_is_known CHECK (((arm)::text = ANY ((ARRAY['answer'::character varying, 'second'::character varying, 'repeat'::character varying, 'gold'::character varying])::text[])))
);
CREATE SEQUENCE public.assignment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.assignment_id_seq OWNED BY public.assignment.id;
CREATE TABLE public.audit_entry (
    id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    kind character varying(24) NOT NULL,
    actor_id integer,
    person_id integer,
    project_number integer,
    project_slug character varying(80),
    network character varying(64) NOT NULL,
    details json NOT NULL
);
CREATE SEQUENCE public.audit_entry_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_entry_id_seq OWNED BY public.audit_entry.id;
CREATE TABLE public.batch_head (
    project_id integer NOT NULL,
    odd integer NOT NULL,
    even integer NOT NULL
);
CREATE TABLE public.bookmark (
    id integer NOT NULL,
    project_id integer NOT NULL,
    revision bigint NOT NULL,
    label character varying(80) NOT NULL,
    at timestamp with time zone NOT NULL,
    is_note boolean NOT NULL
);
CREATE SEQUENCE public.bookmark_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.bookmark_id_seq OWNED BY public.bookmark.id;
CREATE TABLE public.candidate (
    id integer NOT NULL,
    public_id character varying(16) NOT NULL,
    project_id integer NOT NULL,
    query_id integer NOT NULL,
    document_id integer NOT NULL,
    in_pool boolean NOT NULL,
    best_rank smallint NOT NULL,
    pooled_revision bigint,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.candidate_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.candidate_id_seq OWNED BY public.candidate.id;
CREATE TABLE public.current_judgment (
    candidate_id integer NOT NULL,
    annotator_id integer NOT NULL,
    kind smallint NOT NULL,
    project_id integer NOT NULL,
    revision bigint NOT NULL,
    grade smallint,
    reason smallint,
    role smallint NOT NULL
);
CREATE TABLE public.disclosure (
    id integer NOT NULL,
    project_id integer NOT NULL,
    candidate_id integer NOT NULL,
    person_id integer NOT NULL,
    revision bigint NOT NULL,
    told_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.disclosure_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.disclosure_id_seq OWNED BY public.disclosure.id;
CREATE TABLE public.document (
    id integer NOT NULL,
    project_id integer,
    external_id character varying(512) NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    url text NOT NULL,
    source text NOT NULL,
    extra json NOT NULL,
    content_hash bytea,
    edited_revision bigint,
    retired_revision bigint,
    merged_into integer,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.document_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.document_id_seq OWNED BY public.document.id;
CREATE TABLE public.ended_session (
    key_hash character varying(64) NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.erasure (
    id integer NOT NULL,
    person_id integer NOT NULL,
    actor_id integer,
    at timestamp with time zone NOT NULL,
    events json NOT NULL,
    is_open boolean NOT NULL,
    cleaned_at timestamp with time zone
);
CREATE SEQUENCE public.erasure_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.erasure_id_seq OWNED BY public.erasure.id;
CREATE TABLE public.event (
    project_id integer NOT NULL,
    revision bigint NOT NULL,
    kind character varying(24) NOT NULL,
    actor_id integer,
    payload json NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.flag (
    id integer NOT NULL,
    project_id integer NOT NULL,
    person_id integer NOT NULL,
    query_id integer NOT NULL,
    candidate_id integer,
    text text NOT NULL,
    state character varying(10) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_flag_state_is_known CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'withdrawn'::character varying, 'resolved'::character varying])::text[])))
);
CREATE SEQUENCE public.flag_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.flag_id_seq OWNED BY public.flag.id;
CREATE TABLE public.gold (
    candidate_id integer NOT NULL,
    person_id integer NOT NULL,
    project_id integer NOT NULL,
    grade smallint NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.guideline (
    id integer NOT NULL,
    project_id integer NOT NULL,
    version integer NOT NULL,
    markdown text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    author_id integer
);
CREATE SEQUENCE public.guideline_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.guideline_id_seq OWNED BY public.guideline.id;
CREATE TABLE public.invitation (
    id integer NOT NULL,
    kind character varying(10) NOT NULL,
    token_hash bytea NOT NULL,
    project_id integer,
    role character varying(10),
    person_id integer,
    email character varying(320),
    note character varying(120) NOT NULL,
    created_by integer,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    used_by integer,
    revoked_at timestamp with time zone,
    CONSTRAINT ck_invitation_kind_is_known CHECK (((kind)::text = ANY ((ARRAY['invite'::character varying, 'reset'::character varying, 'set_up'::character varying])::text[]))),
    CONSTRAINT ck_invitation_role_is_known CHECK (((role)::text = ANY ((ARRAY['owner'::character varying, 'annotator'::character varying, 'viewer'::character varying])::text[])))
);
CREATE SEQUENCE public.invitation_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.invitation_id_seq OWNED BY public.invitation.id;
CREATE TABLE public.judgment (
    project_id integer NOT NULL,
    revision bigint NOT NULL,
    candidate_id integer NOT NULL,
    annotator_id integer NOT NULL,
    grade smallint,
    reason smallint,
    place smallint NOT NULL,
    length smallint NOT NULL,
    batch integer NOT NULL,
    client_uuid bytea NOT NULL,
    judged_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL,
    active_ms integer NOT NULL,
    input smallint NOT NULL,
    guideline_version smallint NOT NULL,
    role smallint NOT NULL,
    blind boolean NOT NULL,
    CONSTRAINT ck_judgment_grade_in_range CHECK (((grade IS NULL) OR ((grade >= 0) AND (grade <= 5)))),
    CONSTRAINT ck_judgment_grade_or_reason CHECK (((grade IS NULL) <> (reason IS NULL)))
);
CREATE TABLE public.judgment_note (
    id integer NOT NULL,
    project_id integer NOT NULL,
    candidate_id integer NOT NULL,
    annotator_id integer NOT NULL,
    text text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.judgment_note_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.judgment_note_id_seq OWNED BY public.judgment_note.id;
CREATE TABLE public.ledger_head (
    project_id integer NOT NULL,
    revision bigint NOT NULL
);
CREATE TABLE public.mail_message (
    kind character varying(10) NOT NULL,
    person_id integer,
    invitation_id integer,
    project_id integer,
    id integer NOT NULL,
    message_id character varying(40) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    state character varying(10) NOT NULL,
    attempts smallint NOT NULL,
    next_at timestamp with time zone NOT NULL,
    tried_at timestamp with time zone,
    status smallint NOT NULL,
    answer text NOT NULL,
    CONSTRAINT ck_mail_message_kind_is_known CHECK (((kind)::text = ANY ((ARRAY['invitation'::character varying, 'replies'::character varying, 'work'::character varying, 'weekly'::character varying])::text[]))),
    CONSTRAINT ck_mail_message_state_is_known CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'delivered'::character varying, 'failed'::character varying, 'unneeded'::character varying])::text[])))
);
CREATE SEQUENCE public.mail_message_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.mail_message_id_seq OWNED BY public.mail_message.id;
CREATE TABLE public.membership (
    person_id integer NOT NULL,
    project_id integer NOT NULL,
    role character varying(10),
    saw_rankers boolean NOT NULL,
    adjudicates boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_membership_role_is_known CHECK (((role)::text = ANY ((ARRAY['owner'::character varying, 'annotator'::character varying, 'viewer'::character varying])::text[])))
);
CREATE TABLE public.near_duplicate (
    document_id integer NOT NULL,
    other_id integer NOT NULL,
    project_id integer NOT NULL,
    share double precision NOT NULL
);
CREATE TABLE public.near_duplicate_search (
    project_id integer NOT NULL,
    state character varying(8) NOT NULL,
    revision bigint NOT NULL,
    done integer NOT NULL,
    total integer NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_near_duplicate_search_state_is_known CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'running'::character varying, 'done'::character varying, 'failed'::character varying])::text[])))
);
CREATE TABLE public.open_session (
    id integer NOT NULL,
    key_hash character varying(64) NOT NULL,
    person_id integer NOT NULL,
    device character varying(80) NOT NULL,
    network character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.open_session_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.open_session_id_seq OWNED BY public.open_session.id;
CREATE TABLE public.organisation_identity (
    issuer character varying(500) NOT NULL,
    subject character varying(255) NOT NULL,
    person_id integer NOT NULL,
    linked_at timestamp with time zone NOT NULL
);
CREATE TABLE public.person (
    id integer NOT NULL,
    public_id character varying(32) NOT NULL,
    kind character varying(10) NOT NULL,
    name character varying(200) NOT NULL,
    email character varying(320),
    password_hash character varying(255),
    is_admin boolean NOT NULL,
    session_epoch integer NOT NULL,
    preferences json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    erased_at timestamp with time zone,
    disabled_at timestamp with time zone,
    last_sign_in_at timestamp with time zone,
    CONSTRAINT ck_person_kind_is_known CHECK (((kind)::text = ANY ((ARRAY['person'::character varying, 'imported'::character varying, 'simulated'::character varying, 'machine'::character varying])::text[]))),
    CONSTRAINT ck_person_only_people_sign_in CHECK ((((kind)::text = 'person'::text) OR (password_hash IS NULL)))
);
CREATE SEQUENCE public.person_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.person_id_seq OWNED BY public.person.id;
CREATE TABLE public.picture (
    id integer NOT NULL,
    project_id integer NOT NULL,
    public_id character varying(32) NOT NULL,
    source text NOT NULL,
    source_hash bytea NOT NULL,
    state character varying(8) NOT NULL,
    problem text NOT NULL,
    media_type character varying(20) NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    size integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_picture_state_is_known CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'ready'::character varying, 'failed'::character varying])::text[])))
);
CREATE TABLE public.picture_content (
    picture_id integer NOT NULL,
    content bytea NOT NULL
);
CREATE SEQUENCE public.picture_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.picture_id_seq OWNED BY public.picture.id;
CREATE TABLE public.project (
    id integer NOT NULL,
    slug character varying(80) NOT NULL,
    name character varying(200) NOT NULL,
    headline character varying(300) NOT NULL,
    scale_low smallint NOT NULL,
    scale_high smallint NOT NULL,
    grade_words json NOT NULL,
    wording json NOT NULL,
    pool_depth smallint NOT NULL,
    overlap smallint NOT NULL,
    share_twice double precision NOT NULL,
    shuffle_secret bytea NOT NULL,
    state character varying(10) NOT NULL,
    is_demo boolean NOT NULL,
    options json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    importing json,
    CONSTRAINT ck_project_depth_and_overlap_are_positive CHECK (((pool_depth >= 1) AND (overlap >= 1))),
    CONSTRAINT ck_project_scale_has_two_grades CHECK ((scale_low < scale_high)),
    CONSTRAINT ck_project_share_twice_is_a_share CHECK (((share_twice >= (0)::double precision) AND (share_twice <= (1)::double precision))),
    CONSTRAINT ck_project_state_is_known CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'paused'::character varying, 'closed'::character varying, 'archived'::character varying])::text[])))
);
CREATE TABLE public.project_copy (
    project_id integer NOT NULL,
    slug character varying(80) NOT NULL,
    name character varying(200) NOT NULL,
    with_ratings boolean NOT NULL,
    person_id integer,
    network character varying(64),
    state character varying(8) NOT NULL,
    attempts smallint NOT NULL,
    done integer NOT NULL,
    total integer NOT NULL,
    report json NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_project_copy_state_is_known CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'copying'::character varying, 'done'::character varying, 'failed'::character varying])::text[])))
);
CREATE SEQUENCE public.project_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.project_id_seq OWNED BY public.project.id;
CREATE TABLE public.purge (
    project_id integer NOT NULL
);
CREATE TABLE public.query (
    id integer NOT NULL,
    project_id integer NOT NULL,
    external_id character varying(512) NOT NULL,
    text text NOT NULL,
    intent text NOT NULL,
    tags json NOT NULL,
    weight double precision NOT NULL,
    added_revision bigint NOT NULL,
    retired_revision bigint,
    CONSTRAINT ck_query_retired_later CHECK (((retired_revision IS NULL) OR (retired_revision >= added_revision))),
    CONSTRAINT ck_query_weight_positive CHECK ((weight > (0)::double precision))
);
CREATE SEQUENCE public.query_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.query_id_seq OWNED BY public.query.id;
CREATE TABLE public.ranker (
    id integer NOT NULL,
    project_id integer NOT NULL,
    name character varying(200) NOT NULL,
    kind character varying(10) NOT NULL,
    mark smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_ranker_kind_is_known CHECK (((kind)::text = ANY ((ARRAY['system'::character varying, 'manual'::character varying])::text[])))
);
CREATE SEQUENCE public.ranker_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.ranker_id_seq OWNED BY public.ranker.id;
CREATE TABLE public.ranking (
    id integer NOT NULL,
    run_id integer NOT NULL,
    query_id integer NOT NULL,
    document_ids bytea NOT NULL,
    scores bytea
);
CREATE SEQUENCE public.ranking_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.ranking_id_seq OWNED BY public.ranking.id;
CREATE TABLE public.remark_resolution (
    id integer NOT NULL,
    project_id integer NOT NULL,
    kind character varying(4) NOT NULL,
    person_id integer NOT NULL,
    query_id integer NOT NULL,
    candidate_id integer,
    said_at timestamp with time zone NOT NULL,
    state character varying(8) NOT NULL,
    reply text NOT NULL,
    replied_at timestamp with time zone,
    seen_at timestamp with time zone,
    actor_id integer NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_remark_resolution_kind_is_known CHECK (((kind)::text = ANY ((ARRAY['flag'::character varying, 'note'::character varying, 'pass'::character varying])::text[]))),
    CONSTRAINT ck_remark_resolution_state_is_known CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'resolved'::character varying])::text[])))
);
CREATE SEQUENCE public.remark_resolution_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.remark_resolution_id_seq OWNED BY public.remark_resolution.id;
CREATE TABLE public.request (
    id integer NOT NULL,
    project_id integer NOT NULL,
    query_id integer,
    candidate_id integer,
    first_run_id integer,
    second_run_id integer,
    person_id integer NOT NULL,
    revision bigint NOT NULL,
    answers integer NOT NULL,
    withdrawn_revision bigint,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_request_runs_are_two CHECK (((first_run_id IS NULL) = (second_run_id IS NULL))),
    CONSTRAINT ck_request_target_is_one CHECK ((((
CASE
    WHEN (query_id IS NULL) THEN 0
    ELSE 1
END +
CASE
    WHEN (candidate_id IS NULL) THEN 0
    ELSE 1
END) +
CASE
    WHEN (first_run_id IS NULL) THEN 0
    ELSE 1
END) = 1))
);
CREATE SEQUENCE public.request_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.request_id_seq OWNED BY public.request.id;
CREATE TABLE public.ruler (
    id integer NOT NULL,
    project_id integer NOT NULL,
    scale_low smallint NOT NULL,
    scale_high smallint NOT NULL,
    gain character varying(12) NOT NULL,
    discount character varying(14) NOT NULL,
    k smallint NOT NULL,
    unjudged character varying(10) NOT NULL,
    consensus character varying(10) NOT NULL,
    ideal character varying(10) NOT NULL,
    ties character varying(24) NOT NULL,
    threshold smallint NOT NULL,
    only_blind boolean NOT NULL,
    machines boolean NOT NULL,
    fingerprint character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_ruler_consensus_is_known CHECK (((consensus)::text = ANY ((ARRAY['median'::character varying, 'mean'::character varying, 'majority'::character varying])::text[]))),
    CONSTRAINT ck_ruler_discount_is_known CHECK (((discount)::text = ANY ((ARRAY['log2'::character varying, 'original-2002'::character varying, 'reciprocal'::character varying])::text[]))),
    CONSTRAINT ck_ruler_gain_is_known CHECK (((gain)::text = ANY ((ARRAY['linear'::character varying, 'exponential'::character varying, 'raw'::character varying])::text[]))),
    CONSTRAINT ck_ruler_ideal_is_known CHECK (((ideal)::text = ANY ((ARRAY['judged'::character varying, 'pool'::character varying, 'returned'::character varying])::text[]))),
    CONSTRAINT ck_ruler_k_is_positive CHECK ((k >= 1)),
    CONSTRAINT ck_ruler_ties_is_known CHECK (((ties)::text = 'document_descending'::text)),
    CONSTRAINT ck_ruler_unjudged_is_known CHECK (((unjudged)::text = ANY ((ARRAY['open'::character varying, 'complete'::character varying])::text[])))
);
CREATE SEQUENCE public.ruler_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.ruler_id_seq OWNED BY public.ruler.id;
CREATE TABLE public.run (
    id integer NOT NULL,
    project_id integer NOT NULL,
    ranker_id integer NOT NULL,
    version character varying(100) NOT NULL,
    tag character varying(512) NOT NULL,
    note character varying(300) NOT NULL,
    file_hash bytea NOT NULL,
    state character varying(12) NOT NULL,
    revision bigint,
    registered_at timestamp with time zone NOT NULL,
    stats json NOT NULL,
    CONSTRAINT ck_run_published_has_a_revision CHECK ((((state)::text = 'unpublished'::text) OR (revision IS NOT NULL))),
    CONSTRAINT ck_run_state_is_known CHECK (((state)::text = ANY ((ARRAY['unpublished'::character varying, 'published'::character varying, 'withdrawn'::character varying])::text[])))
);
CREATE SEQUENCE public.run_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.run_id_seq OWNED BY public.run.id;
CREATE TABLE public.shared_link (
    id integer NOT NULL,
    project_id integer NOT NULL,
    token_hash bytea NOT NULL,
    note character varying(120) NOT NULL,
    created_by integer,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    revoked_by integer
);
CREATE SEQUENCE public.shared_link_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.shared_link_id_seq OWNED BY public.shared_link.id;
CREATE TABLE public.sign_in_failure (
    id integer NOT NULL,
    account character varying(64) NOT NULL,
    source character varying(64) NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.sign_in_failure_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.sign_in_failure_id_seq OWNED BY public.sign_in_failure.id;
CREATE TABLE public.unconfirmed_password (
    person_id integer NOT NULL,
    since timestamp with time zone NOT NULL,
    earlier_hash character varying(255)
);
CREATE TABLE public.upload (
    id character varying(32) NOT NULL,
    project_id integer NOT NULL,
    person_id integer,
    kind character varying(12) NOT NULL,
    file_name character varying(300) NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    state character varying(12) NOT NULL,
    options json NOT NULL,
    report json NOT NULL,
    progress_done bigint NOT NULL,
    progress_total bigint NOT NULL,
    checked_revision bigint,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_upload_kind_is_known CHECK (((kind)::text = ANY ((ARRAY['queries'::character varying, 'documents'::character varying, 'run'::character varying, 'judgments'::character varying])::text[]))),
    CONSTRAINT ck_upload_state_is_known CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'checking'::character varying, 'checked'::character varying, 'importing'::character varying, 'done'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[])))
);
CREATE TABLE public.webhook (
    id integer NOT NULL,
    project_id integer NOT NULL,
    address character varying(1000) NOT NULL,
    secret bytea NOT NULL,
    events character varying(200) NOT NULL,
    template text NOT NULL,
    points double precision NOT NULL,
    paused boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);
CREATE TABLE public.webhook_delivery (
    id integer NOT NULL,
    webhook_id integer NOT NULL,
    message_id character varying(40) NOT NULL,
    event character varying(30) NOT NULL,
    data json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    state character varying(10) NOT NULL,
    attempts smallint NOT NULL,
    next_at timestamp with time zone NOT NULL,
    tried_at timestamp with time zone,
    status smallint NOT NULL,
    answer text NOT NULL,
    CONSTRAINT ck_webhook_delivery_state_is_known CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'delivered'::character varying, 'failed'::character varying])::text[])))
);
CREATE SEQUENCE public.webhook_delivery_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.webhook_delivery_id_seq OWNED BY public.webhook_delivery.id;
CREATE SEQUENCE public.webhook_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.webhook_id_seq OWNED BY public.webhook.id;
CREATE TABLE public.webhook_watch (
    project_id integer NOT NULL,
    revision bigint NOT NULL,
    looked_at timestamp with time zone NOT NULL,
    facts json NOT NULL
);
ALTER TABLE ONLY public.api_token ALTER COLUMN id SET DEFAULT nextval('public.api_token_id_seq'::regclass);
ALTER TABLE ONLY public.assignment ALTER COLUMN id SET DEFAULT nextval('public.assignment_id_seq'::regclass);
ALTER TABLE ONLY public.audit_entry ALTER COLUMN id SET DEFAULT nextval('public.audit_entry_id_seq'::regclass);
ALTER TABLE ONLY public.bookmark ALTER COLUMN id SET DEFAULT nextval('public.bookmark_id_seq'::regclass);
ALTER TABLE ONLY public.candidate ALTER COLUMN id SET DEFAULT nextval('public.candidate_id_seq'::regclass);
ALTER TABLE ONLY public.disclosure ALTER COLUMN id SET DEFAULT nextval('public.disclosure_id_seq'::regclass);
ALTER TABLE ONLY public.document ALTER COLUMN id SET DEFAULT nextval('public.document_id_seq'::regclass);
ALTER TABLE ONLY public.erasure ALTER COLUMN id SET DEFAULT nextval('public.erasure_id_seq'::regclass);
ALTER TABLE ONLY public.flag ALTER COLUMN id SET DEFAULT nextval('public.flag_id_seq'::regclass);
ALTER TABLE ONLY public.guideline ALTER COLUMN id SET DEFAULT nextval('public.guideline_id_seq'::regclass);
ALTER TABLE ONLY public.invitation ALTER COLUMN id SET DEFAULT nextval('public.invitation_id_seq'::regclass);
ALTER TABLE ONLY public.judgment_note ALTER COLUMN id SET DEFAULT nextval('public.judgment_note_id_seq'::regclass);
ALTER TABLE ONLY public.mail_message ALTER COLUMN id SET DEFAULT nextval('public.mail_message_id_seq'::regclass);
ALTER TABLE ONLY public.open_session ALTER COLUMN id SET DEFAULT nextval('public.open_session_id_seq'::regclass);
ALTER TABLE ONLY public.person ALTER COLUMN id SET DEFAULT nextval('public.person_id_seq'::regclass);
ALTER TABLE ONLY public.picture ALTER COLUMN id SET DEFAULT nextval('public.picture_id_seq'::regclass);
ALTER TABLE ONLY public.project ALTER COLUMN id SET DEFAULT nextval('public.project_id_seq'::regclass);
ALTER TABLE ONLY public.query ALTER COLUMN id SET DEFAULT nextval('public.query_id_seq'::regclass);
ALTER TABLE ONLY public.ranker ALTER COLUMN id SET DEFAULT nextval('public.ranker_id_seq'::regclass);
ALTER TABLE ONLY public.ranking ALTER COLUMN id SET DEFAULT nextval('public.ranking_id_seq'::regclass);
ALTER TABLE ONLY public.remark_resolution ALTER COLUMN id SET DEFAULT nextval('public.remark_resolution_id_seq'::regclass);
ALTER TABLE ONLY public.request ALTER COLUMN id SET DEFAULT nextval('public.request_id_seq'::regclass);
ALTER TABLE ONLY public.ruler ALTER COLUMN id SET DEFAULT nextval('public.ruler_id_seq'::regclass);
ALTER TABLE ONLY public.run ALTER COLUMN id SET DEFAULT nextval('public.run_id_seq'::regclass);
ALTER TABLE ONLY public.shared_link ALTER COLUMN id SET DEFAULT nextval('public.shared_link_id_seq'::regclass);
ALTER TABLE ONLY public.sign_in_failure ALTER COLUMN id SET DEFAULT nextval('public.sign_in_failure_id_seq'::regclass);
ALTER TABLE ONLY public.webhook ALTER COLUMN id SET DEFAULT nextval('public.webhook_id_seq'::regclass);
ALTER TABLE ONLY public.webhook_delivery ALTER COLUMN id SET DEFAULT nextval('public.webhook_delivery_id_seq'::regclass);
INSERT INTO public.adjudication_request VALUES (1, 1, 1, 1, '2026-11-01 12:00:00+00');
INSERT INTO public.adjudication_view VALUES (1, 1, 1, '', NULL, '2026-11-01 12:00:00+00');
INSERT INTO public.alembic_version VALUES ('0002');
INSERT INTO public.api_reply VALUES (1, '\x0101010101010101010101010101010101010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', NULL, NULL, '', '2026-11-01 12:00:00+00');
INSERT INTO public.api_token VALUES (1, '\x0101010101010101010101010101010101010101010101010101010101010101', 'x', 'x', 1, 1, 'x', '2026-11-01 12:00:00+00', NULL, NULL, NULL);
INSERT INTO public.assignment VALUES (1, 1, 1, 1, 1, 'front', 'open', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', NULL);
INSERT INTO public.assignment_candidate VALUES (1, 1, 1, 'answer');
INSERT INTO public.audit_entry VALUES (1, '2026-11-25 21:55:16.526456+00', 'role_changed', NULL, 1, 1, 'kept', '', '{"before": null, "role": "annotator"}');
INSERT INTO public.batch_head VALUES (1, 1, 2);
INSERT INTO public.bookmark VALUES (1, 1, 1, 'x', '2026-11-01 12:00:00+00', false);
INSERT INTO public.candidate VALUES (1, 'lbx9jw-2SCDxgs0p', 1, 1, 1, true, 1, NULL, '2026-11-25 21:55:16.57175+00');
INSERT INTO public.candidate VALUES (4, '3xE39RnMwp_AIs1b', 1, 2, 4, true, 1, NULL, '2026-11-25 21:55:16.571769+00');
INSERT INTO public.candidate VALUES (5, 'DFAQw8NtawjljwJe', 1, 2, 5, true, 2, NULL, '2026-11-25 21:55:16.571773+00');
INSERT INTO public.candidate VALUES (7, 'A4hIGzGfFOxLfT-B', 1, 3, 7, true, 1, NULL, '2026-11-25 21:55:16.57178+00');
INSERT INTO public.candidate VALUES (8, 'EepjukvxzHKEmLOm', 1, 3, 8, true, 2, NULL, '2026-11-25 21:55:16.571784+00');
INSERT INTO public.candidate VALUES (2, 'QvN2iDDrcsfm-HI2', 1, 1, 2, true, 1, NULL, '2026-11-25 21:55:16.571762+00');
INSERT INTO public.candidate VALUES (3, 'LVSi-ENtKoRaTitC', 1, 1, 3, true, 2, NULL, '2026-11-25 21:55:16.571766+00');
INSERT INTO public.candidate VALUES (6, '92Yw-bvhDJgKjUUe', 1, 2, 6, true, 2, NULL, '2026-11-25 21:55:16.571777+00');
INSERT INTO public.candidate VALUES (9, 'u8s_N4TqJ7hr2JvV', 1, 3, 9, true, 2, NULL, '2026-11-25 21:55:16.571788+00');
INSERT INTO public.current_judgment VALUES (1, 1, 0, 1, 7, 3, NULL, 1);
INSERT INTO public.current_judgment VALUES (2, 1, 0, 1, 8, 0, NULL, 1);
INSERT INTO public.current_judgment VALUES (3, 1, 0, 1, 9, 1, NULL, 1);
INSERT INTO public.current_judgment VALUES (4, 1, 0, 1, 10, 2, NULL, 1);
INSERT INTO public.current_judgment VALUES (5, 1, 0, 1, 11, 0, NULL, 1);
INSERT INTO public.current_judgment VALUES (6, 1, 0, 1, 12, 0, NULL, 1);
INSERT INTO public.current_judgment VALUES (7, 1, 0, 1, 13, 1, NULL, 1);
INSERT INTO public.current_judgment VALUES (8, 1, 0, 1, 14, 3, NULL, 1);
INSERT INTO public.current_judgment VALUES (9, 1, 0, 1, 15, 0, NULL, 1);
INSERT INTO public.disclosure VALUES (1, 1, 1, 1, 1, '2026-11-01 12:00:00+00');
INSERT INTO public.document VALUES (1, 1, 'd00', 'Answer d00', 'Turn the screw of d00.', '', '', '{}', '\x4f065e66063389060ec41f44125eb503553e1009b43b5224bdbd2cbb90b86551', NULL, NULL, NULL, '2026-11-25 21:55:16.537208+00');
INSERT INTO public.document VALUES (2, 1, 'd01', 'Answer d01', 'Turn the screw of d01.', '', '', '{}', '\xb655a29654edd64d573b5440f89a7b740a48241cb3dd6ea7dc1a25553fc3036a', NULL, NULL, NULL, '2026-11-25 21:55:16.539248+00');
INSERT INTO public.document VALUES (3, 1, 'd02', 'Answer d02', 'Turn the screw of d02.', '', '', '{}', '\x799414e3c62030a13d8c06e462dfcccf6c100344d422f2d58c6c11060e7c6e6c', NULL, NULL, NULL, '2026-11-25 21:55:16.540371+00');
INSERT INTO public.document VALUES (4, 1, 'd10', 'Answer d10', 'Turn the screw of d10.', '', '', '{}', '\x28b1f9dc5b9c8bd9fc2b4ba306424a18bfc1030ad87eb7b97bbc998ec2f90943', NULL, NULL, NULL, '2026-11-25 21:55:16.543543+00');
INSERT INTO public.document VALUES (5, 1, 'd11', 'Answer d11', 'Turn the screw of d11.', '', '', '{}', '\xc8872298a905363ad553db7b0121b08c6f735ec04d73033b3594b2e9c48da16f', NULL, NULL, NULL, '2026-11-25 21:55:16.544763+00');
INSERT INTO public.document VALUES (6, 1, 'd12', 'Answer d12', 'Turn the screw of d12.', '', '', '{}', '\x838f9fdeff6dafca57d9c67597eef25c44abcb8100a314cca6777cbc96c341b3', NULL, NULL, NULL, '2026-11-25 21:55:16.545624+00');
INSERT INTO public.document VALUES (7, 1, 'd20', 'Answer d20', 'Turn the screw of d20.', '', '', '{}', '\xbe779813b334a4714a0db7b4763f4a658229efdd65d88e65341f4b65f695fd70', NULL, NULL, NULL, '2026-11-25 21:55:16.548808+00');
INSERT INTO public.document VALUES (8, 1, 'd21', 'Answer d21', 'Turn the screw of d21.', '', '', '{}', '\x176f141f95754c2dcdd99815d5c831ac3a7960cce78af83f518430ffc3e86360', NULL, NULL, NULL, '2026-11-25 21:55:16.549594+00');
INSERT INTO public.document VALUES (9, 1, 'd22', 'Answer d22', 'Turn the screw of d22.', '', '', '{}', '\x93768b8def96378f3fba8bb0f4096fdcca1b7d8cb04cb980a1e70b62d1fd188c', NULL, NULL, NULL, '2026-11-25 21:55:16.550329+00');
INSERT INTO public.ended_session VALUES ('x', '2026-11-01 12:00:00+00');
INSERT INTO public.erasure VALUES (1, 1, 1, '2026-11-01 12:00:00+00', '{}', false, NULL);
INSERT INTO public.event VALUES (1, 1, 'ruler_set', NULL, '{"ruler_id": 1}', '2026-11-25 21:55:16.517649+00');
INSERT INTO public.event VALUES (1, 2, 'queries_added', NULL, '{"count": 1}', '2026-11-25 21:55:16.532519+00');
INSERT INTO public.event VALUES (1, 3, 'queries_added', NULL, '{"count": 1}', '2026-11-25 21:55:16.541781+00');
INSERT INTO public.event VALUES (1, 4, 'queries_added', NULL, '{"count": 1}', '2026-11-25 21:55:16.547004+00');
INSERT INTO public.event VALUES (1, 5, 'run_published', NULL, '{"run_id": 1, "new_candidates": 9}', '2026-11-25 21:55:16.577073+00');
INSERT INTO public.event VALUES (1, 6, 'run_published', NULL, '{"run_id": 2, "new_candidates": 0}', '2026-11-25 21:55:16.590534+00');
INSERT INTO public.flag VALUES (1, 1, 1, 1, 1, '', 'open', '2026-11-01 12:00:00+00');
INSERT INTO public.gold VALUES (1, 1, 1, 1, '2026-11-01 12:00:00+00');
INSERT INTO public.guideline VALUES (1, 1, 1, 'x', '2026-11-01 12:00:00+00', 1);
INSERT INTO public.invitation VALUES (1, 'invite', '\x0101010101010101010101010101010101010101010101010101010101010101', 1, NULL, 1, NULL, '', 1, '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', NULL, 1, NULL);
INSERT INTO public.judgment VALUES (1, 7, 1, 1, 3, NULL, 0, 0, 0, '\x4fc218371ccc40e59d1116e508461486', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 8, 2, 1, 0, NULL, 0, 0, 0, '\x6cec97eb28cd43dd9a72df36e3e22b34', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 9, 3, 1, 1, NULL, 0, 0, 0, '\xb5813d1152894931871e8c8edcde3f7f', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 10, 4, 1, 2, NULL, 0, 0, 0, '\xb36c875c4e874925bf0b862825c90b30', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 11, 5, 1, 0, NULL, 0, 0, 0, '\x79414ec789ab4cb08c6baa3acf93133f', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 12, 6, 1, 0, NULL, 0, 0, 0, '\x8d90e9d7a4e945b0825c6ed94323c1ee', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 13, 7, 1, 1, NULL, 0, 0, 0, '\x91e446d3368b4bc798d3c154627c3ca0', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 14, 8, 1, 3, NULL, 0, 0, 0, '\xf4db838d7de44cefb0fdd182807a2cf2', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment VALUES (1, 15, 9, 1, 0, NULL, 0, 0, 0, '\xeaa0d02a5e4d49429714b13cebba9146', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', 0, 1, 0, 1, true);
INSERT INTO public.judgment_note VALUES (1, 1, 1, 1, 'x', '2026-11-01 12:00:00+00');
INSERT INTO public.ledger_head VALUES (1, 15);
INSERT INTO public.mail_message VALUES ('weekly', 1, 1, 1, 1, 'x', '2026-11-01 12:00:00+00', 'waiting', 0, '2026-11-01 12:00:00+00', NULL, 0, '');
INSERT INTO public.membership VALUES (1, 1, 'annotator', false, false, '2026-11-25 21:55:16.528893+00');
INSERT INTO public.near_duplicate VALUES (1, 1, 1, 0.5);
INSERT INTO public.near_duplicate_search VALUES (1, 'waiting', 0, 0, 0, '2026-11-01 12:00:00+00');
INSERT INTO public.open_session VALUES (1, 'x', 1, '', '', '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00');
INSERT INTO public.organisation_identity VALUES ('x', 'x', 1, '2026-11-01 12:00:00+00');
INSERT INTO public.person VALUES (1, 'pP7yJZemJwYyJgjOIMDhlw', 'person', 'Ada Example', 'ada@example.org', NULL, false, 0, '{}', '2026-11-25 21:55:16.520273+00', NULL, NULL, NULL);
INSERT INTO public.picture VALUES (1, 1, 'x', 'x', '\x0101010101010101010101010101010101010101010101010101010101010101', 'waiting', '', '', 0, 0, 0, '2026-11-01 12:00:00+00');
INSERT INTO public.picture_content VALUES (1, '\x01010101010101010101010101010101');
INSERT INTO public.project VALUES (1, 'kept', 'Kept', '', 0, 3, '[{"word": "No help", "meaning": "The person asking would be annoyed."}, {"word": "A little", "meaning": "Related, but not this problem."}, {"word": "Mostly", "meaning": "The right subject, with one step missing."}, {"word": "Solves it", "meaning": "The person asking could stop looking."}]', '{}', 10, 1, 0, '\x2fd120796d1efdea0cb7884f886c2567443c32e83e7d4b1bdfefd48d4318c869', 'open', false, '{"dealing": "front"}', '2026-11-25 21:55:16.501938+00', NULL);
INSERT INTO public.project_copy VALUES (1, 'x', 'x', true, 1, NULL, 'waiting', 0, 0, 0, '{}', '2026-11-01 12:00:00+00');
INSERT INTO public.purge VALUES (999);
INSERT INTO public.query VALUES (1, 1, 'q0', 'How do I mend q0?', '', '[]', 1, 2, NULL);
INSERT INTO public.query VALUES (2, 1, 'q1', 'How do I mend q1?', '', '[]', 1, 3, NULL);
INSERT INTO public.query VALUES (3, 1, 'q2', 'How do I mend q2?', '', '[]', 1, 4, NULL);
INSERT INTO public.ranker VALUES (1, 1, 'First', 'system', 1, '2026-11-25 21:55:16.554466+00');
INSERT INTO public.ranker VALUES (2, 1, 'Second', 'system', 2, '2026-11-25 21:55:16.581037+00');
INSERT INTO public.ranking VALUES (1, 1, 1, '\x010000000200000003000000', '\x00000000000008400000000000000040000000000000f03f');
INSERT INTO public.ranking VALUES (2, 1, 2, '\x040000000500000006000000', '\x00000000000008400000000000000040000000000000f03f');
INSERT INTO public.ranking VALUES (3, 1, 3, '\x070000000800000009000000', '\x00000000000008400000000000000040000000000000f03f');
INSERT INTO public.ranking VALUES (4, 2, 1, '\x020000000300000001000000', '\x00000000000008400000000000000040000000000000f03f');
INSERT INTO public.ranking VALUES (5, 2, 2, '\x040000000600000005000000', '\x00000000000008400000000000000040000000000000f03f');
INSERT INTO public.ranking VALUES (6, 2, 3, '\x070000000900000008000000', '\x00000000000008400000000000000040000000000000f03f');
INSERT INTO public.remark_resolution VALUES (1, 1, 'note', 1, 1, 1, '2026-11-01 12:00:00+00', 'open', '', NULL, NULL, 1, '2026-11-01 12:00:00+00');
INSERT INTO public.request VALUES (1, 1, 1, NULL, NULL, NULL, 1, 1, 1, NULL, '2026-11-01 12:00:00+00');
INSERT INTO public.ruler VALUES (1, 1, 0, 3, 'linear', 'log2', 10, 'open', 'median', 'judged', 'document_descending', 1, false, false, '72d9286da6ba65ec8684aa1c2027eb6c5dd0d617d3632584499b48720de72b63', '2026-11-25 21:55:16.512288+00');
INSERT INTO public.run VALUES (1, 1, 1, 'v1', '', '', '\xbb801b7e1f4742b9a77d6b03afbef8dabb801b7e1f4742b9a77d6b03afbef8da', 'published', 5, '2026-11-25 21:55:16.559298+00', '{}');
INSERT INTO public.run VALUES (2, 1, 2, 'v1', '', '', '\x857b582d3a7c4249a16266494d173ec3857b582d3a7c4249a16266494d173ec3', 'published', 6, '2026-11-25 21:55:16.582932+00', '{}');
INSERT INTO public.shared_link VALUES (1, 1, '\x0101010101010101010101010101010101010101010101010101010101010101', '', 1, '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00', NULL, 1);
INSERT INTO public.sign_in_failure VALUES (1, 'x', 'x', '2026-11-01 12:00:00+00');
INSERT INTO public.unconfirmed_password VALUES (1, '2026-11-01 12:00:00+00', NULL);
INSERT INTO public.upload VALUES ('x', 1, 1, 'run', 'x', 1, '\x0101010101010101010101010101010101010101010101010101010101010101', 'waiting', '{}', '{}', 0, 0, NULL, '2026-11-01 12:00:00+00', '2026-11-01 12:00:00+00');
INSERT INTO public.webhook VALUES (1, 1, 'x', '\x0101010101010101010101010101010101010101010101010101010101010101', 'x', '', 2, false, '2026-11-01 12:00:00+00', NULL);
INSERT INTO public.webhook_delivery VALUES (1, 1, 'x', 'x', '{}', '2026-11-01 12:00:00+00', 'waiting', 0, '2026-11-01 12:00:00+00', NULL, 0, '');
INSERT INTO public.webhook_watch VALUES (1, 0, '2026-11-01 12:00:00+00', '{}');
SELECT pg_catalog.setval('public.api_token_id_seq', 1, true);
SELECT pg_catalog.setval('public.assignment_id_seq', 1, true);
SELECT pg_catalog.setval('public.audit_entry_id_seq', 1, true);
SELECT pg_catalog.setval('public.bookmark_id_seq', 1, true);
SELECT pg_catalog.setval('public.candidate_id_seq', 9, true);
SELECT pg_catalog.setval('public.disclosure_id_seq', 1, true);
SELECT pg_catalog.setval('public.document_id_seq', 9, true);
SELECT pg_catalog.setval('public.erasure_id_seq', 1, true);
SELECT pg_catalog.setval('public.flag_id_seq', 1, true);
SELECT pg_catalog.setval('public.guideline_id_seq', 1, true);
SELECT pg_catalog.setval('public.invitation_id_seq', 1, true);
SELECT pg_catalog.setval('public.judgment_note_id_seq', 1, true);
SELECT pg_catalog.setval('public.mail_message_id_seq', 1, true);
SELECT pg_catalog.setval('public.open_session_id_seq', 1, true);
SELECT pg_catalog.setval('public.person_id_seq', 1, true);
SELECT pg_catalog.setval('public.picture_id_seq', 1, true);
SELECT pg_catalog.setval('public.project_id_seq', 1, true);
SELECT pg_catalog.setval('public.query_id_seq', 3, true);
SELECT pg_catalog.setval('public.ranker_id_seq', 2, true);
SELECT pg_catalog.setval('public.ranking_id_seq', 6, true);
SELECT pg_catalog.setval('public.remark_resolution_id_seq', 1, true);
SELECT pg_catalog.setval('public.request_id_seq', 1, true);
SELECT pg_catalog.setval('public.ruler_id_seq', 1, true);
SELECT pg_catalog.setval('public.run_id_seq', 2, true);
SELECT pg_catalog.setval('public.shared_link_id_seq', 1, true);
SELECT pg_catalog.setval('public.sign_in_failure_id_seq', 1, true);
SELECT pg_catalog.setval('public.webhook_delivery_id_seq', 1, true);
SELECT pg_catalog.setval('public.webhook_id_seq', 1, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.adjudication_request
    ADD CONSTRAINT pk_adjudication_request PRIMARY KEY (candidate_id);
ALTER TABLE ONLY public.adjudication_view
    ADD CONSTRAINT pk_adjudication_view PRIMARY KEY (candidate_id, person_id);
ALTER TABLE ONLY public.api_reply
    ADD CONSTRAINT pk_api_reply PRIMARY KEY (token_id, key_hash);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT pk_api_token PRIMARY KEY (id);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT pk_assignment PRIMARY KEY (id);
ALTER TABLE ONLY public.assignment_candidate
    ADD CONSTRAINT pk_assignment_candidate PRIMARY KEY (assignment_id, candidate_id);
ALTER TABLE ONLY public.audit_entry
    ADD CONSTRAINT pk_audit_entry PRIMARY KEY (id);
ALTER TABLE ONLY public.batch_head
    ADD CONSTRAINT pk_batch_head PRIMARY KEY (project_id);
ALTER TABLE ONLY public.bookmark
    ADD CONSTRAINT pk_bookmark PRIMARY KEY (id);
ALTER TABLE ONLY public.candidate
    ADD CONSTRAINT pk_candidate PRIMARY KEY (id);
ALTER TABLE ONLY public.current_judgment
    ADD CONSTRAINT pk_current_judgment PRIMARY KEY (candidate_id, annotator_id, kind);
ALTER TABLE ONLY public.disclosure
    ADD CONSTRAINT pk_disclosure PRIMARY KEY (id);
ALTER TABLE ONLY public.document
    ADD CONSTRAINT pk_document PRIMARY KEY (id);
ALTER TABLE ONLY public.ended_session
    ADD CONSTRAINT pk_ended_session PRIMARY KEY (key_hash);
ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT pk_erasure PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT pk_event PRIMARY KEY (project_id, revision);
ALTER TABLE ONLY public.flag
    ADD CONSTRAINT pk_flag PRIMARY KEY (id);
ALTER TABLE ONLY public.gold
    ADD CONSTRAINT pk_gold PRIMARY KEY (candidate_id, person_id);
ALTER TABLE ONLY public.guideline
    ADD CONSTRAINT pk_guideline PRIMARY KEY (id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT pk_invitation PRIMARY KEY (id);
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT pk_judgment PRIMARY KEY (project_id, revision);
ALTER TABLE ONLY public.judgment_note
    ADD CONSTRAINT pk_judgment_note PRIMARY KEY (id);
ALTER TABLE ONLY public.ledger_head
    ADD CONSTRAINT pk_ledger_head PRIMARY KEY (project_id);
ALTER TABLE ONLY public.mail_message
    ADD CONSTRAINT pk_mail_message PRIMARY KEY (id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT pk_membership PRIMARY KEY (person_id, project_id);
ALTER TABLE ONLY public.near_duplicate
    ADD CONSTRAINT pk_near_duplicate PRIMARY KEY (document_id, other_id);
ALTER TABLE ONLY public.near_duplicate_search
    ADD CONSTRAINT pk_near_duplicate_search PRIMARY KEY (project_id);
ALTER TABLE ONLY public.open_session
    ADD CONSTRAINT pk_open_session PRIMARY KEY (id);
ALTER TABLE ONLY public.organisation_identity
    ADD CONSTRAINT pk_organisation_identity PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.person
    ADD CONSTRAINT pk_person PRIMARY KEY (id);
ALTER TABLE ONLY public.picture
    ADD CONSTRAINT pk_picture PRIMARY KEY (id);
ALTER TABLE ONLY public.picture_content
    ADD CONSTRAINT pk_picture_content PRIMARY KEY (picture_id);
ALTER TABLE ONLY public.project
    ADD CONSTRAINT pk_project PRIMARY KEY (id);
ALTER TABLE ONLY public.project_copy
    ADD CONSTRAINT pk_project_copy PRIMARY KEY (project_id);
ALTER TABLE ONLY public.purge
    ADD CONSTRAINT pk_purge PRIMARY KEY (project_id);
ALTER TABLE ONLY public.query
    ADD CONSTRAINT pk_query PRIMARY KEY (id);
ALTER TABLE ONLY public.ranker
    ADD CONSTRAINT pk_ranker PRIMARY KEY (id);
ALTER TABLE ONLY public.ranking
    ADD CONSTRAINT pk_ranking PRIMARY KEY (id);
ALTER TABLE ONLY public.remark_resolution
    ADD CONSTRAINT pk_remark_resolution PRIMARY KEY (id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT pk_request PRIMARY KEY (id);
ALTER TABLE ONLY public.ruler
    ADD CONSTRAINT pk_ruler PRIMARY KEY (id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT pk_run PRIMARY KEY (id);
ALTER TABLE ONLY public.shared_link
    ADD CONSTRAINT pk_shared_link PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_failure
    ADD CONSTRAINT pk_sign_in_failure PRIMARY KEY (id);
ALTER TABLE ONLY public.unconfirmed_password
    ADD CONSTRAINT pk_unconfirmed_password PRIMARY KEY (person_id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT pk_upload PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT pk_webhook PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT pk_webhook_delivery PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_watch
    ADD CONSTRAINT pk_webhook_watch PRIMARY KEY (project_id);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT uq_api_token_token_hash UNIQUE (token_hash);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT uq_assignment_project_id_batch UNIQUE (project_id, batch);
ALTER TABLE ONLY public.candidate
    ADD CONSTRAINT uq_candidate_project_id_query_id_document_id UNIQUE (project_id, query_id, document_id);
ALTER TABLE ONLY public.candidate
    ADD CONSTRAINT uq_candidate_public_id UNIQUE (public_id);
ALTER TABLE ONLY public.disclosure
    ADD CONSTRAINT uq_disclosure_candidate_id_person_id_revision UNIQUE (candidate_id, person_id, revision);
ALTER TABLE ONLY public.document
    ADD CONSTRAINT uq_document_project_id_external_id UNIQUE (project_id, external_id);
ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT uq_erasure_person_id UNIQUE (person_id);
ALTER TABLE ONLY public.guideline
    ADD CONSTRAINT uq_guideline_project_id_version UNIQUE (project_id, version);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT uq_invitation_token_hash UNIQUE (token_hash);
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT uq_judgment_annotator_id_client_uuid UNIQUE (annotator_id, client_uuid);
ALTER TABLE ONLY public.judgment_note
    ADD CONSTRAINT uq_judgment_note_candidate_id_annotator_id UNIQUE (candidate_id, annotator_id);
ALTER TABLE ONLY public.mail_message
    ADD CONSTRAINT uq_mail_message_message_id UNIQUE (message_id);
ALTER TABLE ONLY public.open_session
    ADD CONSTRAINT uq_open_session_key_hash UNIQUE (key_hash);
ALTER TABLE ONLY public.person
    ADD CONSTRAINT uq_person_email UNIQUE (email);
ALTER TABLE ONLY public.person
    ADD CONSTRAINT uq_person_public_id UNIQUE (public_id);
ALTER TABLE ONLY public.picture
    ADD CONSTRAINT uq_picture_project_id_source_hash UNIQUE (project_id, source_hash);
ALTER TABLE ONLY public.picture
    ADD CONSTRAINT uq_picture_public_id UNIQUE (public_id);
ALTER TABLE ONLY public.project
    ADD CONSTRAINT uq_project_slug UNIQUE (slug);
ALTER TABLE ONLY public.query
    ADD CONSTRAINT uq_query_project_id_external_id UNIQUE (project_id, external_id);
ALTER TABLE ONLY public.ranker
    ADD CONSTRAINT uq_ranker_project_id_name UNIQUE (project_id, name);
ALTER TABLE ONLY public.ranking
    ADD CONSTRAINT uq_ranking_run_id_query_id UNIQUE (run_id, query_id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT uq_run_ranker_id_version UNIQUE (ranker_id, version);
ALTER TABLE ONLY public.shared_link
    ADD CONSTRAINT uq_shared_link_token_hash UNIQUE (token_hash);
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT uq_webhook_delivery_message_id UNIQUE (message_id);
CREATE INDEX ix_adjudication_request_project_id ON public.adjudication_request USING btree (project_id);
CREATE INDEX ix_adjudication_view_project_id ON public.adjudication_view USING btree (project_id);
CREATE INDEX ix_api_reply_at ON public.api_reply USING btree (at);
CREATE INDEX ix_api_token_person_id ON public.api_token USING btree (person_id);
CREATE INDEX ix_api_token_project_id ON public.api_token USING btree (project_id);
CREATE INDEX ix_assignment_candidate_candidate_id ON public.assignment_candidate USING btree (candidate_id);
CREATE INDEX ix_assignment_person_id_project_id ON public.assignment USING btree (person_id, project_id);
CREATE INDEX ix_assignment_project_id_state_lease_end ON public.assignment USING btree (project_id, state, lease_end);
CREATE INDEX ix_audit_entry_at ON public.audit_entry USING btree (at);
CREATE INDEX ix_audit_entry_project_number ON public.audit_entry USING btree (project_number);
CREATE INDEX ix_bookmark_project_id ON public.bookmark USING btree (project_id);
CREATE INDEX ix_candidate_assignment ON public.candidate USING btree (project_id, in_pool, best_rank, query_id);
CREATE INDEX ix_candidate_document_id ON public.candidate USING btree (document_id);
CREATE INDEX ix_candidate_query_id ON public.candidate USING btree (query_id);
CREATE INDEX ix_current_judgment_annotator_id_project_id ON public.current_judgment USING btree (annotator_id, project_id, revision);
CREATE INDEX ix_current_judgment_project_id_reason ON public.current_judgment USING btree (project_id, reason) WHERE (reason IS NOT NULL);
CREATE INDEX ix_document_merged ON public.document USING btree (project_id, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX ix_document_project_id_content_hash ON public.document USING btree (project_id, content_hash);
CREATE INDEX ix_ended_session_at ON public.ended_session USING btree (at);
CREATE INDEX ix_flag_project_id_state ON public.flag USING btree (project_id, state);
CREATE INDEX ix_gold_project_id ON public.gold USING btree (project_id);
CREATE INDEX ix_judgment_candidate_id_annotator_id ON public.judgment USING btree (candidate_id, annotator_id);
CREATE INDEX ix_judgment_project_id_annotator_id ON public.judgment USING btree (project_id, annotator_id, revision);
CREATE INDEX ix_mail_message_state ON public.mail_message USING btree (state, next_at);
CREATE INDEX ix_membership_project_id ON public.membership USING btree (project_id);
CREATE INDEX ix_near_duplicate_project_id ON public.near_duplicate USING btree (project_id);
CREATE INDEX ix_open_session_last_used_at ON public.open_session USING btree (last_used_at);
CREATE INDEX ix_open_session_person_id ON public.open_session USING btree (person_id);
CREATE INDEX ix_organisation_identity_person_id ON public.organisation_identity USING btree (person_id);
CREATE INDEX ix_remark_resolution_project_id_person_id ON public.remark_resolution USING btree (project_id, person_id);
CREATE INDEX ix_request_project_id ON public.request USING btree (project_id);
CREATE INDEX ix_ruler_project_id ON public.ruler USING btree (project_id);
CREATE INDEX ix_run_project_id ON public.run USING btree (project_id);
CREATE INDEX ix_shared_link_project_id ON public.shared_link USING btree (project_id);
CREATE INDEX ix_sign_in_failure_account_at ON public.sign_in_failure USING btree (account, at);
CREATE INDEX ix_sign_in_failure_at ON public.sign_in_failure USING btree (at);
CREATE INDEX ix_sign_in_failure_source_at ON public.sign_in_failure USING btree (source, at);
CREATE INDEX ix_webhook_delivery_state ON public.webhook_delivery USING btree (state, next_at);
CREATE INDEX ix_webhook_delivery_webhook_id ON public.webhook_delivery USING btree (webhook_id);
CREATE INDEX ix_webhook_project_id ON public.webhook USING btree (project_id);
CREATE TRIGGER audit_entry_refuse_change BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION public.audit_entry_append_only();
CREATE TRIGGER audit_entry_refuse_truncate BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION public.audit_entry_append_only();
CREATE TRIGGER event_refuse_change BEFORE DELETE OR UPDATE ON public.event FOR EACH ROW EXECUTE FUNCTION public.event_append_only();
CREATE TRIGGER event_refuse_truncate BEFORE TRUNCATE ON public.event FOR EACH STATEMENT EXECUTE FUNCTION public.event_append_only();
CREATE TRIGGER judgment_refuse_change BEFORE DELETE OR UPDATE ON public.judgment FOR EACH ROW EXECUTE FUNCTION public.judgment_append_only();
CREATE TRIGGER judgment_refuse_truncate BEFORE TRUNCATE ON public.judgment FOR EACH STATEMENT EXECUTE FUNCTION public.judgment_append_only();
ALTER TABLE ONLY public.adjudication_request
    ADD CONSTRAINT fk_adjudication_request_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.adjudication_request
    ADD CONSTRAINT fk_adjudication_request_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.adjudication_request
    ADD CONSTRAINT fk_adjudication_request_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.adjudication_view
    ADD CONSTRAINT fk_adjudication_view_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.adjudication_view
    ADD CONSTRAINT fk_adjudication_view_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.adjudication_view
    ADD CONSTRAINT fk_adjudication_view_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.api_reply
    ADD CONSTRAINT fk_api_reply_token_id_api_token FOREIGN KEY (token_id) REFERENCES public.api_token(id);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT fk_api_token_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.api_token
    ADD CONSTRAINT fk_api_token_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.assignment_candidate
    ADD CONSTRAINT fk_assignment_candidate_assignment_id_assignment FOREIGN KEY (assignment_id) REFERENCES public.assignment(id);
ALTER TABLE ONLY public.assignment_candidate
    ADD CONSTRAINT fk_assignment_candidate_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT fk_assignment_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT fk_assignment_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.assignment
    ADD CONSTRAINT fk_assignment_query_id_query FOREIGN KEY (query_id) REFERENCES public.query(id);
ALTER TABLE ONLY public.audit_entry
    ADD CONSTRAINT fk_audit_entry_actor_id_person FOREIGN KEY (actor_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.audit_entry
    ADD CONSTRAINT fk_audit_entry_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.batch_head
    ADD CONSTRAINT fk_batch_head_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.bookmark
    ADD CONSTRAINT fk_bookmark_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.candidate
    ADD CONSTRAINT fk_candidate_document_id_document FOREIGN KEY (document_id) REFERENCES public.document(id);
ALTER TABLE ONLY public.candidate
    ADD CONSTRAINT fk_candidate_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.candidate
    ADD CONSTRAINT fk_candidate_query_id_query FOREIGN KEY (query_id) REFERENCES public.query(id);
ALTER TABLE ONLY public.current_judgment
    ADD CONSTRAINT fk_current_judgment_annotator_id_person FOREIGN KEY (annotator_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.current_judgment
    ADD CONSTRAINT fk_current_judgment_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.current_judgment
    ADD CONSTRAINT fk_current_judgment_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.disclosure
    ADD CONSTRAINT fk_disclosure_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.disclosure
    ADD CONSTRAINT fk_disclosure_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.disclosure
    ADD CONSTRAINT fk_disclosure_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.document
    ADD CONSTRAINT fk_document_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT fk_erasure_actor_id_person FOREIGN KEY (actor_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT fk_erasure_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT fk_event_actor_id_person FOREIGN KEY (actor_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT fk_event_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.flag
    ADD CONSTRAINT fk_flag_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.flag
    ADD CONSTRAINT fk_flag_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.flag
    ADD CONSTRAINT fk_flag_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.flag
    ADD CONSTRAINT fk_flag_query_id_query FOREIGN KEY (query_id) REFERENCES public.query(id);
ALTER TABLE ONLY public.gold
    ADD CONSTRAINT fk_gold_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.gold
    ADD CONSTRAINT fk_gold_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.gold
    ADD CONSTRAINT fk_gold_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.guideline
    ADD CONSTRAINT fk_guideline_author_id_person FOREIGN KEY (author_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.guideline
    ADD CONSTRAINT fk_guideline_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT fk_invitation_created_by_person FOREIGN KEY (created_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT fk_invitation_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT fk_invitation_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT fk_invitation_used_by_person FOREIGN KEY (used_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT fk_judgment_annotator_id_person FOREIGN KEY (annotator_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT fk_judgment_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.judgment_note
    ADD CONSTRAINT fk_judgment_note_annotator_id_person FOREIGN KEY (annotator_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.judgment_note
    ADD CONSTRAINT fk_judgment_note_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.judgment_note
    ADD CONSTRAINT fk_judgment_note_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT fk_judgment_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.ledger_head
    ADD CONSTRAINT fk_ledger_head_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.mail_message
    ADD CONSTRAINT fk_mail_message_invitation_id_invitation FOREIGN KEY (invitation_id) REFERENCES public.invitation(id);
ALTER TABLE ONLY public.mail_message
    ADD CONSTRAINT fk_mail_message_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.mail_message
    ADD CONSTRAINT fk_mail_message_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT fk_membership_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.membership
    ADD CONSTRAINT fk_membership_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.near_duplicate
    ADD CONSTRAINT fk_near_duplicate_document_id_document FOREIGN KEY (document_id) REFERENCES public.document(id);
ALTER TABLE ONLY public.near_duplicate
    ADD CONSTRAINT fk_near_duplicate_other_id_document FOREIGN KEY (other_id) REFERENCES public.document(id);
ALTER TABLE ONLY public.near_duplicate
    ADD CONSTRAINT fk_near_duplicate_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.near_duplicate_search
    ADD CONSTRAINT fk_near_duplicate_search_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.open_session
    ADD CONSTRAINT fk_open_session_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.organisation_identity
    ADD CONSTRAINT fk_organisation_identity_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.picture_content
    ADD CONSTRAINT fk_picture_content_picture_id_picture FOREIGN KEY (picture_id) REFERENCES public.picture(id);
ALTER TABLE ONLY public.picture
    ADD CONSTRAINT fk_picture_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.project_copy
    ADD CONSTRAINT fk_project_copy_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.project_copy
    ADD CONSTRAINT fk_project_copy_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.query
    ADD CONSTRAINT fk_query_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.ranker
    ADD CONSTRAINT fk_ranker_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.ranking
    ADD CONSTRAINT fk_ranking_query_id_query FOREIGN KEY (query_id) REFERENCES public.query(id);
ALTER TABLE ONLY public.ranking
    ADD CONSTRAINT fk_ranking_run_id_run FOREIGN KEY (run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.remark_resolution
    ADD CONSTRAINT fk_remark_resolution_actor_id_person FOREIGN KEY (actor_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.remark_resolution
    ADD CONSTRAINT fk_remark_resolution_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.remark_resolution
    ADD CONSTRAINT fk_remark_resolution_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.remark_resolution
    ADD CONSTRAINT fk_remark_resolution_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.remark_resolution
    ADD CONSTRAINT fk_remark_resolution_query_id_query FOREIGN KEY (query_id) REFERENCES public.query(id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT fk_request_candidate_id_candidate FOREIGN KEY (candidate_id) REFERENCES public.candidate(id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT fk_request_first_run_id_run FOREIGN KEY (first_run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT fk_request_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT fk_request_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT fk_request_query_id_query FOREIGN KEY (query_id) REFERENCES public.query(id);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT fk_request_second_run_id_run FOREIGN KEY (second_run_id) REFERENCES public.run(id);
ALTER TABLE ONLY public.ruler
    ADD CONSTRAINT fk_ruler_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT fk_run_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT fk_run_ranker_id_ranker FOREIGN KEY (ranker_id) REFERENCES public.ranker(id);
ALTER TABLE ONLY public.shared_link
    ADD CONSTRAINT fk_shared_link_created_by_person FOREIGN KEY (created_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.shared_link
    ADD CONSTRAINT fk_shared_link_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.shared_link
    ADD CONSTRAINT fk_shared_link_revoked_by_person FOREIGN KEY (revoked_by) REFERENCES public.person(id);
ALTER TABLE ONLY public.unconfirmed_password
    ADD CONSTRAINT fk_unconfirmed_password_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT fk_upload_person_id_person FOREIGN KEY (person_id) REFERENCES public.person(id);
ALTER TABLE ONLY public.upload
    ADD CONSTRAINT fk_upload_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT fk_webhook_delivery_webhook_id_webhook FOREIGN KEY (webhook_id) REFERENCES public.webhook(id);
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT fk_webhook_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
ALTER TABLE ONLY public.webhook_watch
    ADD CONSTRAINT fk_webhook_watch_project_id_project FOREIGN KEY (project_id) REFERENCES public.project(id);
