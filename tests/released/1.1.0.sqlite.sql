BEGIN TRANSACTION;
CREATE TABLE adjudication_request (
	candidate_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_adjudication_request PRIMARY KEY (candidate_id), 
	CONSTRAINT fk_adjudication_request_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_adjudication_request_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_adjudication_request_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "adjudication_request" VALUES(1,1,1,1,'2026-11-01 12:00:00.000000');
CREATE TABLE adjudication_view (
	candidate_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	shown_at DATETIME, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_adjudication_view PRIMARY KEY (candidate_id, person_id), 
	CONSTRAINT fk_adjudication_view_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_adjudication_view_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_adjudication_view_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "adjudication_view" VALUES(1,1,1,'',NULL,'2026-11-01 12:00:00.000000');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE api_reply (
	token_id INTEGER NOT NULL, 
	key_hash BLOB NOT NULL, 
	request_hash BLOB NOT NULL, 
	status SMALLINT, 
	body JSON, 
	location VARCHAR(500) NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_api_reply PRIMARY KEY (token_id, key_hash), 
	CONSTRAINT fk_api_reply_token_id_api_token FOREIGN KEY(token_id) REFERENCES api_token (id)
);
INSERT INTO "api_reply" VALUES(1,X'0101010101010101010101010101010101010101010101010101010101010101',X'0101010101010101010101010101010101010101010101010101010101010101',NULL,NULL,'','2026-11-01 12:00:00.000000');
CREATE TABLE api_token (
	id INTEGER NOT NULL, 
	token_hash BLOB NOT NULL, 
	ending VARCHAR(8) NOT NULL, 
	name VARCHAR(120) NOT NULL, 
	person_id INTEGER, 
	project_id INTEGER, 
	scopes VARCHAR(120) NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	last_used_at DATETIME, 
	revoked_at DATETIME, 
	CONSTRAINT pk_api_token PRIMARY KEY (id), 
	CONSTRAINT fk_api_token_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_api_token_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_api_token_token_hash UNIQUE (token_hash)
);
INSERT INTO "api_token" VALUES(1,X'0101010101010101010101010101010101010101010101010101010101010101','x','x',1,1,'x','2026-11-01 12:00:00.000000',NULL,NULL,NULL);
CREATE TABLE assignment (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	batch INTEGER NOT NULL, 
	kind VARCHAR(12) NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	assigned_at DATETIME NOT NULL, 
	lease_end DATETIME NOT NULL, 
	declined VARCHAR(12), 
	CONSTRAINT pk_assignment PRIMARY KEY (id), 
	CONSTRAINT ck_assignment_state_is_known CHECK (state IN ('open', 'done', 'parked', 'released')), 
	CONSTRAINT ck_assignment_kind_is_known CHECK (kind IN ('requested', 'finish', 'front', 'waiting', 'random', 'check', 'chosen')), 
	CONSTRAINT fk_assignment_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_assignment_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_assignment_query_id_query FOREIGN KEY(query_id) REFERENCES "query" (id), 
	CONSTRAINT uq_assignment_project_id_batch UNIQUE (project_id, batch)
);
INSERT INTO "assignment" VALUES(1,1,1,1,1,'front','open','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
CREATE TABLE assignment_candidate (
	assignment_id INTEGER NOT NULL, 
	candidate_id INTEGER NOT NULL, 
	place SMALLINT NOT NULL, 
	arm VARCHAR(10) NOT NULL, 
	CONSTRAINT pk_assignment_candidate PRIMARY KEY (assignment_id, candidate_id), 
	CONSTRAINT ck_assignment_candidate_arm_is_known CHECK (arm IN ('answer', 'second', 'repeat', 'gold')), 
	CONSTRAINT fk_assignment_candidate_assignment_id_assignment FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT fk_assignment_candidate_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id)
);
INSERT INTO "assignment_candidate" VALUES(1,1,1,'answer');
CREATE TABLE audit_entry (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at DATETIME NOT NULL, 
	kind VARCHAR(24) NOT NULL, 
	actor_id INTEGER, 
	person_id INTEGER, 
	project_number INTEGER, 
	project_slug VARCHAR(80), 
	network VARCHAR(64) NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT fk_audit_entry_actor_id_person FOREIGN KEY(actor_id) REFERENCES person (id), 
	CONSTRAINT fk_audit_entry_person_id_person FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "audit_entry" VALUES(1,'2026-11-25 21:55:14.506921','role_changed',NULL,1,1,'kept','','{"before": null, "role": "annotator"}');
CREATE TABLE batch_head (
	project_id INTEGER NOT NULL, 
	odd INTEGER NOT NULL, 
	even INTEGER NOT NULL, 
	CONSTRAINT pk_batch_head PRIMARY KEY (project_id), 
	CONSTRAINT fk_batch_head_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "batch_head" VALUES(1,1,2);
CREATE TABLE bookmark (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	label VARCHAR(80) NOT NULL, 
	at DATETIME NOT NULL, 
	is_note BOOLEAN NOT NULL, 
	CONSTRAINT pk_bookmark PRIMARY KEY (id), 
	CONSTRAINT fk_bookmark_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "bookmark" VALUES(1,1,1,'x','2026-11-01 12:00:00.000000',0);
CREATE TABLE candidate (
	id INTEGER NOT NULL, 
	public_id VARCHAR(16) NOT NULL, 
	project_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	document_id INTEGER NOT NULL, 
	in_pool BOOLEAN NOT NULL, 
	best_rank SMALLINT NOT NULL, 
	pooled_revision BIGINT, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_candidate PRIMARY KEY (id), 
	CONSTRAINT fk_candidate_document_id_document FOREIGN KEY(document_id) REFERENCES document (id), 
	CONSTRAINT fk_candidate_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_candidate_query_id_query FOREIGN KEY(query_id) REFERENCES "query" (id), 
	CONSTRAINT uq_candidate_project_id_query_id_document_id UNIQUE (project_id, query_id, document_id), 
	CONSTRAINT uq_candidate_public_id UNIQUE (public_id)
);
INSERT INTO "candidate" VALUES(1,'tRCVZCvFDHtrYl7G',1,1,1,1,1,NULL,'2026-11-25 21:55:14.528594');
INSERT INTO "candidate" VALUES(2,'RvHM8OtCmK89DbCL',1,1,2,1,1,NULL,'2026-11-25 21:55:14.528603');
INSERT INTO "candidate" VALUES(3,'u-L_Ncm4DmCmz8xa',1,1,3,1,2,NULL,'2026-11-25 21:55:14.528606');
INSERT INTO "candidate" VALUES(4,'mzuqnZj9xRhfYLqn',1,2,4,1,1,NULL,'2026-11-25 21:55:14.528609');
INSERT INTO "candidate" VALUES(5,'JHA-S8rtrX7T8jy4',1,2,5,1,2,NULL,'2026-11-25 21:55:14.528612');
INSERT INTO "candidate" VALUES(6,'diELIB1zdM70DpQD',1,2,6,1,2,NULL,'2026-11-25 21:55:14.528615');
INSERT INTO "candidate" VALUES(7,'K8aur9Lq__k4-tA2',1,3,7,1,1,NULL,'2026-11-25 21:55:14.528621');
INSERT INTO "candidate" VALUES(8,'Rbm-UrJXrnMlvelt',1,3,8,1,2,NULL,'2026-11-25 21:55:14.528624');
INSERT INTO "candidate" VALUES(9,'RagtPszMqp5cWm6p',1,3,9,1,2,NULL,'2026-11-25 21:55:14.528626');
CREATE TABLE current_judgment (
	candidate_id INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	kind SMALLINT NOT NULL, 
	project_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	grade SMALLINT, 
	reason SMALLINT, 
	role SMALLINT NOT NULL, 
	CONSTRAINT pk_current_judgment PRIMARY KEY (candidate_id, annotator_id, kind), 
	CONSTRAINT fk_current_judgment_annotator_id_person FOREIGN KEY(annotator_id) REFERENCES person (id), 
	CONSTRAINT fk_current_judgment_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_current_judgment_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
)
 WITHOUT ROWID

;
INSERT INTO "current_judgment" VALUES(1,1,0,1,7,3,NULL,1);
INSERT INTO "current_judgment" VALUES(2,1,0,1,8,0,NULL,1);
INSERT INTO "current_judgment" VALUES(3,1,0,1,9,1,NULL,1);
INSERT INTO "current_judgment" VALUES(4,1,0,1,10,2,NULL,1);
INSERT INTO "current_judgment" VALUES(5,1,0,1,11,0,NULL,1);
INSERT INTO "current_judgment" VALUES(6,1,0,1,12,0,NULL,1);
INSERT INTO "current_judgment" VALUES(7,1,0,1,13,1,NULL,1);
INSERT INTO "current_judgment" VALUES(8,1,0,1,14,3,NULL,1);
INSERT INTO "current_judgment" VALUES(9,1,0,1,15,0,NULL,1);
CREATE TABLE disclosure (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	candidate_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	told_at DATETIME NOT NULL, 
	CONSTRAINT pk_disclosure PRIMARY KEY (id), 
	CONSTRAINT fk_disclosure_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_disclosure_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_disclosure_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_disclosure_candidate_id_person_id_revision UNIQUE (candidate_id, person_id, revision)
);
INSERT INTO "disclosure" VALUES(1,1,1,1,1,'2026-11-01 12:00:00.000000');
CREATE TABLE document (
	id INTEGER NOT NULL, 
	project_id INTEGER, 
	external_id VARCHAR(512) NOT NULL, 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	url TEXT NOT NULL, 
	source TEXT NOT NULL, 
	extra JSON NOT NULL, 
	content_hash BLOB, 
	edited_revision BIGINT, 
	retired_revision BIGINT, 
	merged_into INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_document PRIMARY KEY (id), 
	CONSTRAINT fk_document_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_document_project_id_external_id UNIQUE (project_id, external_id)
);
INSERT INTO "document" VALUES(1,1,'d00','Answer d00','Turn the screw of d00.','','','{}',X'4F065E66063389060EC41F44125EB503553E1009B43B5224BDBD2CBB90B86551',NULL,NULL,NULL,'2026-11-25 21:55:14.511809');
INSERT INTO "document" VALUES(2,1,'d01','Answer d01','Turn the screw of d01.','','','{}',X'B655A29654EDD64D573B5440F89A7B740A48241CB3DD6EA7DC1A25553FC3036A',NULL,NULL,NULL,'2026-11-25 21:55:14.512341');
INSERT INTO "document" VALUES(3,1,'d02','Answer d02','Turn the screw of d02.','','','{}',X'799414E3C62030A13D8C06E462DFCCCF6C100344D422F2D58C6C11060E7C6E6C',NULL,NULL,NULL,'2026-11-25 21:55:14.512649');
INSERT INTO "document" VALUES(4,1,'d10','Answer d10','Turn the screw of d10.','','','{}',X'28B1F9DC5B9C8BD9FC2B4BA306424A18BFC1030AD87EB7B97BBC998EC2F90943',NULL,NULL,NULL,'2026-11-25 21:55:14.513599');
INSERT INTO "document" VALUES(5,1,'d11','Answer d11','Turn the screw of d11.','','','{}',X'C8872298A905363AD553DB7B0121B08C6F735EC04D73033B3594B2E9C48DA16F',NULL,NULL,NULL,'2026-11-25 21:55:14.513877');
INSERT INTO "document" VALUES(6,1,'d12','Answer d12','Turn the screw of d12.','','','{}',X'838F9FDEFF6DAFCA57D9C67597EEF25C44ABCB8100A314CCA6777CBC96C341B3',NULL,NULL,NULL,'2026-11-25 21:55:14.514144');
INSERT INTO "document" VALUES(7,1,'d20','Answer d20','Turn the screw of d20.','','','{}',X'BE779813B334A4714A0DB7B4763F4A658229EFDD65D88E65341F4B65F695FD70',NULL,NULL,NULL,'2026-11-25 21:55:14.514996');
INSERT INTO "document" VALUES(8,1,'d21','Answer d21','Turn the screw of d21.','','','{}',X'176F141F95754C2DCDD99815D5C831AC3A7960CCE78AF83F518430FFC3E86360',NULL,NULL,NULL,'2026-11-25 21:55:14.515277');
INSERT INTO "document" VALUES(9,1,'d22','Answer d22','Turn the screw of d22.','','','{}',X'93768B8DEF96378F3FBA8BB0F4096FDCCA1B7D8CB04CB980A1E70B62D1FD188C',NULL,NULL,NULL,'2026-11-25 21:55:14.515543');
CREATE TABLE ended_session (
	key_hash VARCHAR(64) NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_ended_session PRIMARY KEY (key_hash)
);
INSERT INTO "ended_session" VALUES('x','2026-11-01 12:00:00.000000');
CREATE TABLE erasure (
	id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	actor_id INTEGER, 
	at DATETIME NOT NULL, 
	events JSON NOT NULL, 
	is_open BOOLEAN NOT NULL, 
	cleaned_at DATETIME, 
	CONSTRAINT pk_erasure PRIMARY KEY (id), 
	CONSTRAINT fk_erasure_actor_id_person FOREIGN KEY(actor_id) REFERENCES person (id), 
	CONSTRAINT fk_erasure_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_erasure_person_id UNIQUE (person_id)
);
INSERT INTO "erasure" VALUES(1,1,1,'2026-11-01 12:00:00.000000','{}',0,NULL);
CREATE TABLE event (
	project_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	kind VARCHAR(24) NOT NULL, 
	actor_id INTEGER, 
	payload JSON NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_event PRIMARY KEY (project_id, revision), 
	CONSTRAINT fk_event_actor_id_person FOREIGN KEY(actor_id) REFERENCES person (id), 
	CONSTRAINT fk_event_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "event" VALUES(1,1,'ruler_set',NULL,'{"ruler_id": 1}','2026-11-25 21:55:14.501886');
INSERT INTO "event" VALUES(1,2,'queries_added',NULL,'{"count": 1}','2026-11-25 21:55:14.509118');
INSERT INTO "event" VALUES(1,3,'queries_added',NULL,'{"count": 1}','2026-11-25 21:55:14.513020');
INSERT INTO "event" VALUES(1,4,'queries_added',NULL,'{"count": 1}','2026-11-25 21:55:14.514465');
INSERT INTO "event" VALUES(1,5,'run_published',NULL,'{"run_id": 1, "new_candidates": 9}','2026-11-25 21:55:14.530262');
INSERT INTO "event" VALUES(1,6,'run_published',NULL,'{"run_id": 2, "new_candidates": 0}','2026-11-25 21:55:14.537377');
CREATE TABLE flag (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	candidate_id INTEGER, 
	text TEXT NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_flag PRIMARY KEY (id), 
	CONSTRAINT ck_flag_state_is_known CHECK (state IN ('open', 'withdrawn', 'resolved')), 
	CONSTRAINT fk_flag_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_flag_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_flag_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_flag_query_id_query FOREIGN KEY(query_id) REFERENCES "query" (id)
);
INSERT INTO "flag" VALUES(1,1,1,1,1,'','open','2026-11-01 12:00:00.000000');
CREATE TABLE gold (
	candidate_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	grade SMALLINT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_gold PRIMARY KEY (candidate_id, person_id), 
	CONSTRAINT fk_gold_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_gold_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_gold_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "gold" VALUES(1,1,1,1,'2026-11-01 12:00:00.000000');
CREATE TABLE guideline (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	markdown TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	author_id INTEGER, 
	CONSTRAINT pk_guideline PRIMARY KEY (id), 
	CONSTRAINT fk_guideline_author_id_person FOREIGN KEY(author_id) REFERENCES person (id), 
	CONSTRAINT fk_guideline_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_guideline_project_id_version UNIQUE (project_id, version)
);
INSERT INTO "guideline" VALUES(1,1,1,'x','2026-11-01 12:00:00.000000',1);
CREATE TABLE invitation (
	id INTEGER NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	token_hash BLOB NOT NULL, 
	project_id INTEGER, 
	role VARCHAR(10), 
	person_id INTEGER, 
	email VARCHAR(320), 
	note VARCHAR(120) NOT NULL, 
	created_by INTEGER, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	used_by INTEGER, 
	revoked_at DATETIME, 
	CONSTRAINT pk_invitation PRIMARY KEY (id), 
	CONSTRAINT ck_invitation_kind_is_known CHECK (kind IN ('invite', 'reset', 'set_up')), 
	CONSTRAINT ck_invitation_role_is_known CHECK (role IN ('owner', 'annotator', 'viewer')), 
	CONSTRAINT fk_invitation_created_by_person FOREIGN KEY(created_by) REFERENCES person (id), 
	CONSTRAINT fk_invitation_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_invitation_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_invitation_used_by_person FOREIGN KEY(used_by) REFERENCES person (id), 
	CONSTRAINT uq_invitation_token_hash UNIQUE (token_hash)
);
INSERT INTO "invitation" VALUES(1,'invite',X'0101010101010101010101010101010101010101010101010101010101010101',1,NULL,1,NULL,'',1,'2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,1,NULL);
CREATE TABLE judgment (
	project_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	candidate_id INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	grade SMALLINT, 
	reason SMALLINT, 
	place SMALLINT NOT NULL, 
	length SMALLINT NOT NULL, 
	batch INTEGER NOT NULL, 
	client_uuid BLOB NOT NULL, 
	judged_at DATETIME NOT NULL, 
	received_at DATETIME NOT NULL, 
	active_ms INTEGER NOT NULL, 
	input SMALLINT NOT NULL, 
	guideline_version SMALLINT NOT NULL, 
	role SMALLINT NOT NULL, 
	blind BOOLEAN NOT NULL, 
	CONSTRAINT pk_judgment PRIMARY KEY (project_id, revision), 
	CONSTRAINT ck_judgment_grade_or_reason CHECK ((grade IS NULL) <> (reason IS NULL)), 
	CONSTRAINT ck_judgment_grade_in_range CHECK (grade IS NULL OR grade BETWEEN 0 AND 5), 
	CONSTRAINT fk_judgment_annotator_id_person FOREIGN KEY(annotator_id) REFERENCES person (id), 
	CONSTRAINT fk_judgment_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_judgment_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_judgment_annotator_id_client_uuid UNIQUE (annotator_id, client_uuid)
);
INSERT INTO "judgment" VALUES(1,7,1,1,3,NULL,0,0,0,X'1C9F9760D3ED4B7984C1456ACBD50544','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,8,2,1,0,NULL,0,0,0,X'43DF221E8B524228AB007598896D652B','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,9,3,1,1,NULL,0,0,0,X'B104E33B6A8A418A874B1CE03E37E045','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,10,4,1,2,NULL,0,0,0,X'7F2C2593320A4429A314F91C23DD1AB2','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,11,5,1,0,NULL,0,0,0,X'D70537FD587E4646861D35481BE97F71','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,12,6,1,0,NULL,0,0,0,X'BF883ABB52624980BA032B7919F1B15A','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,13,7,1,1,NULL,0,0,0,X'6F6E6C9072E744E3B884DA3BB4427AF2','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,14,8,1,3,NULL,0,0,0,X'A5DA19B2120645949A881FCD4E1925D9','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,15,9,1,0,NULL,0,0,0,X'6AF2548DB18746FF9FE53D387DF4BD55','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
CREATE TABLE judgment_note (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	candidate_id INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_judgment_note PRIMARY KEY (id), 
	CONSTRAINT fk_judgment_note_annotator_id_person FOREIGN KEY(annotator_id) REFERENCES person (id), 
	CONSTRAINT fk_judgment_note_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_judgment_note_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_judgment_note_candidate_id_annotator_id UNIQUE (candidate_id, annotator_id)
);
INSERT INTO "judgment_note" VALUES(1,1,1,1,'x','2026-11-01 12:00:00.000000');
CREATE TABLE ledger_head (
	project_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	CONSTRAINT pk_ledger_head PRIMARY KEY (project_id), 
	CONSTRAINT fk_ledger_head_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "ledger_head" VALUES(1,15);
CREATE TABLE mail_message (
	kind VARCHAR(10) NOT NULL, 
	person_id INTEGER, 
	invitation_id INTEGER, 
	project_id INTEGER, 
	id INTEGER NOT NULL, 
	message_id VARCHAR(40) NOT NULL, 
	created_at DATETIME NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	attempts SMALLINT NOT NULL, 
	next_at DATETIME NOT NULL, 
	tried_at DATETIME, 
	status SMALLINT NOT NULL, 
	answer TEXT NOT NULL, 
	CONSTRAINT pk_mail_message PRIMARY KEY (id), 
	CONSTRAINT ck_mail_message_kind_is_known CHECK (kind IN ('invitation', 'replies', 'work', 'weekly')), 
	CONSTRAINT ck_mail_message_state_is_known CHECK (state IN ('waiting', 'delivered', 'failed', 'unneeded')), 
	CONSTRAINT fk_mail_message_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_mail_message_invitation_id_invitation FOREIGN KEY(invitation_id) REFERENCES invitation (id), 
	CONSTRAINT fk_mail_message_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_mail_message_message_id UNIQUE (message_id)
);
INSERT INTO "mail_message" VALUES('weekly',1,1,1,1,'x','2026-11-01 12:00:00.000000','waiting',0,'2026-11-01 12:00:00.000000',NULL,0,'');
CREATE TABLE membership (
	person_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	role VARCHAR(10), 
	saw_rankers BOOLEAN NOT NULL, 
	adjudicates BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_membership PRIMARY KEY (person_id, project_id), 
	CONSTRAINT ck_membership_role_is_known CHECK (role IN ('owner', 'annotator', 'viewer')), 
	CONSTRAINT fk_membership_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_membership_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "membership" VALUES(1,1,'annotator',0,0,'2026-11-25 21:55:14.507780');
CREATE TABLE near_duplicate (
	document_id INTEGER NOT NULL, 
	other_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	share FLOAT NOT NULL, 
	CONSTRAINT pk_near_duplicate PRIMARY KEY (document_id, other_id), 
	CONSTRAINT fk_near_duplicate_document_id_document FOREIGN KEY(document_id) REFERENCES document (id), 
	CONSTRAINT fk_near_duplicate_other_id_document FOREIGN KEY(other_id) REFERENCES document (id), 
	CONSTRAINT fk_near_duplicate_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "near_duplicate" VALUES(1,1,1,0.5);
CREATE TABLE near_duplicate_search (
	project_id INTEGER NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	revision BIGINT NOT NULL, 
	done INTEGER NOT NULL, 
	total INTEGER NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_near_duplicate_search PRIMARY KEY (project_id), 
	CONSTRAINT ck_near_duplicate_search_state_is_known CHECK (state IN ('waiting', 'running', 'done', 'failed')), 
	CONSTRAINT fk_near_duplicate_search_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "near_duplicate_search" VALUES(1,'waiting',0,0,0,'2026-11-01 12:00:00.000000');
CREATE TABLE open_session (
	id INTEGER NOT NULL, 
	key_hash VARCHAR(64) NOT NULL, 
	person_id INTEGER NOT NULL, 
	device VARCHAR(80) NOT NULL, 
	network VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_used_at DATETIME NOT NULL, 
	CONSTRAINT pk_open_session PRIMARY KEY (id), 
	CONSTRAINT fk_open_session_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_open_session_key_hash UNIQUE (key_hash)
);
INSERT INTO "open_session" VALUES(1,'x',1,'','','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
CREATE TABLE organisation_identity (
	issuer VARCHAR(500) NOT NULL, 
	subject VARCHAR(255) NOT NULL, 
	person_id INTEGER NOT NULL, 
	linked_at DATETIME NOT NULL, 
	CONSTRAINT pk_organisation_identity PRIMARY KEY (issuer, subject), 
	CONSTRAINT fk_organisation_identity_person_id_person FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "organisation_identity" VALUES('x','x',1,'2026-11-01 12:00:00.000000');
CREATE TABLE person (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	public_id VARCHAR(32) NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	email VARCHAR(320), 
	password_hash VARCHAR(255), 
	is_admin BOOLEAN NOT NULL, 
	session_epoch INTEGER NOT NULL, 
	preferences JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	erased_at DATETIME, disabled_at DATETIME, last_sign_in_at DATETIME, 
	CONSTRAINT ck_person_only_people_sign_in CHECK (kind = 'person' OR password_hash IS NULL), 
	CONSTRAINT ck_person_kind_is_known CHECK (kind IN ('person', 'imported', 'simulated', 'machine')), 
	CONSTRAINT uq_person_email UNIQUE (email), 
	CONSTRAINT uq_person_public_id UNIQUE (public_id)
);
INSERT INTO "person" VALUES(1,'6jBObQNGpmhC-ybeBG7LyQ','person','Ada Example','ada@example.org',NULL,0,0,'{}','2026-11-25 21:55:14.503346',NULL,NULL,NULL);
CREATE TABLE picture (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	public_id VARCHAR(32) NOT NULL, 
	source TEXT NOT NULL, 
	source_hash BLOB NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	problem TEXT NOT NULL, 
	media_type VARCHAR(20) NOT NULL, 
	width INTEGER NOT NULL, 
	height INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_picture PRIMARY KEY (id), 
	CONSTRAINT ck_picture_state_is_known CHECK (state IN ('waiting', 'ready', 'failed')), 
	CONSTRAINT fk_picture_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_picture_project_id_source_hash UNIQUE (project_id, source_hash), 
	CONSTRAINT uq_picture_public_id UNIQUE (public_id)
);
INSERT INTO "picture" VALUES(1,1,'x','x',X'0101010101010101010101010101010101010101010101010101010101010101','waiting','','',0,0,0,'2026-11-01 12:00:00.000000');
CREATE TABLE picture_content (
	picture_id INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_picture_content PRIMARY KEY (picture_id), 
	CONSTRAINT fk_picture_content_picture_id_picture FOREIGN KEY(picture_id) REFERENCES picture (id)
);
INSERT INTO "picture_content" VALUES(1,X'01010101010101010101010101010101');
CREATE TABLE project (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	slug VARCHAR(80) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	headline VARCHAR(300) NOT NULL, 
	scale_low SMALLINT NOT NULL, 
	scale_high SMALLINT NOT NULL, 
	grade_words JSON NOT NULL, 
	wording JSON NOT NULL, 
	pool_depth SMALLINT NOT NULL, 
	overlap SMALLINT NOT NULL, 
	share_twice DOUBLE NOT NULL, 
	shuffle_secret BLOB NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	is_demo BOOLEAN NOT NULL, 
	options JSON NOT NULL, 
	created_at DATETIME NOT NULL, importing JSON, 
	CONSTRAINT ck_project_state_is_known CHECK (state IN ('open', 'paused', 'closed', 'archived')), 
	CONSTRAINT ck_project_depth_and_overlap_are_positive CHECK (pool_depth >= 1 AND overlap >= 1), 
	CONSTRAINT ck_project_scale_has_two_grades CHECK (scale_low < scale_high), 
	CONSTRAINT ck_project_share_twice_is_a_share CHECK (share_twice >= 0 AND share_twice <= 1), 
	CONSTRAINT uq_project_slug UNIQUE (slug)
);
INSERT INTO "project" VALUES(1,'kept','Kept','',0,3,'[{"word": "No help", "meaning": "The person asking would be annoyed."}, {"word": "A little", "meaning": "Related, but not this problem."}, {"word": "Mostly", "meaning": "The right subject, with one step missing."}, {"word": "Solves it", "meaning": "The person asking could stop looking."}]','{}',10,1,0.0,X'C729DD4A8788BE9CCF7E65A6A967C013A7DB6CA539788C2A365EEC6D28FDD7AF','open',0,'{"dealing": "front"}','2026-11-25 21:55:14.493199',NULL);
CREATE TABLE project_copy (
	project_id INTEGER NOT NULL, 
	slug VARCHAR(80) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	with_ratings BOOLEAN NOT NULL, 
	person_id INTEGER, 
	network VARCHAR(64), 
	state VARCHAR(8) NOT NULL, 
	attempts SMALLINT NOT NULL, 
	done INTEGER NOT NULL, 
	total INTEGER NOT NULL, 
	report JSON NOT NULL, 
	asked_at DATETIME NOT NULL, 
	CONSTRAINT pk_project_copy PRIMARY KEY (project_id), 
	CONSTRAINT ck_project_copy_state_is_known CHECK (state IN ('waiting', 'copying', 'done', 'failed')), 
	CONSTRAINT fk_project_copy_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_project_copy_person_id_person FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "project_copy" VALUES(1,'x','x',1,1,NULL,'waiting',0,0,0,'{}','2026-11-01 12:00:00.000000');
CREATE TABLE purge (
	project_id INTEGER NOT NULL, 
	CONSTRAINT pk_purge PRIMARY KEY (project_id)
);
INSERT INTO "purge" VALUES(999);
CREATE TABLE "query" (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	external_id VARCHAR(512) NOT NULL, 
	text TEXT NOT NULL, 
	intent TEXT NOT NULL, 
	tags JSON NOT NULL, 
	weight FLOAT NOT NULL, 
	added_revision BIGINT NOT NULL, 
	retired_revision BIGINT, 
	CONSTRAINT pk_query PRIMARY KEY (id), 
	CONSTRAINT ck_query_retired_later CHECK (retired_revision IS NULL OR retired_revision >= added_revision), 
	CONSTRAINT ck_query_weight_positive CHECK (weight > 0), 
	CONSTRAINT fk_query_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_query_project_id_external_id UNIQUE (project_id, external_id)
);
INSERT INTO "query" VALUES(1,1,'q0','How do I mend q0?','','[]',1.0,2,NULL);
INSERT INTO "query" VALUES(2,1,'q1','How do I mend q1?','','[]',1.0,3,NULL);
INSERT INTO "query" VALUES(3,1,'q2','How do I mend q2?','','[]',1.0,4,NULL);
CREATE TABLE ranker (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	mark SMALLINT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_ranker PRIMARY KEY (id), 
	CONSTRAINT ck_ranker_kind_is_known CHECK (kind IN ('system', 'manual')), 
	CONSTRAINT fk_ranker_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_ranker_project_id_name UNIQUE (project_id, name)
);
INSERT INTO "ranker" VALUES(1,1,'First','system',1,'2026-11-25 21:55:14.520718');
INSERT INTO "ranker" VALUES(2,1,'Second','system',2,'2026-11-25 21:55:14.532229');
CREATE TABLE ranking (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	document_ids BLOB NOT NULL, 
	scores BLOB, 
	CONSTRAINT pk_ranking PRIMARY KEY (id), 
	CONSTRAINT fk_ranking_query_id_query FOREIGN KEY(query_id) REFERENCES "query" (id), 
	CONSTRAINT fk_ranking_run_id_run FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT uq_ranking_run_id_query_id UNIQUE (run_id, query_id)
);
INSERT INTO "ranking" VALUES(1,1,1,X'010000000200000003000000',X'00000000000008400000000000000040000000000000F03F');
INSERT INTO "ranking" VALUES(2,1,2,X'040000000500000006000000',X'00000000000008400000000000000040000000000000F03F');
INSERT INTO "ranking" VALUES(3,1,3,X'070000000800000009000000',X'00000000000008400000000000000040000000000000F03F');
INSERT INTO "ranking" VALUES(4,2,1,X'020000000300000001000000',X'00000000000008400000000000000040000000000000F03F');
INSERT INTO "ranking" VALUES(5,2,2,X'040000000600000005000000',X'00000000000008400000000000000040000000000000F03F');
INSERT INTO "ranking" VALUES(6,2,3,X'070000000900000008000000',X'00000000000008400000000000000040000000000000F03F');
CREATE TABLE remark_resolution (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	kind VARCHAR(4) NOT NULL, 
	person_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	candidate_id INTEGER, 
	said_at DATETIME NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	reply TEXT NOT NULL, 
	replied_at DATETIME, 
	seen_at DATETIME, 
	actor_id INTEGER NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_remark_resolution PRIMARY KEY (id), 
	CONSTRAINT ck_remark_resolution_kind_is_known CHECK (kind IN ('flag', 'note', 'pass')), 
	CONSTRAINT ck_remark_resolution_state_is_known CHECK (state IN ('open', 'resolved')), 
	CONSTRAINT fk_remark_resolution_actor_id_person FOREIGN KEY(actor_id) REFERENCES person (id), 
	CONSTRAINT fk_remark_resolution_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_remark_resolution_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_remark_resolution_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_remark_resolution_query_id_query FOREIGN KEY(query_id) REFERENCES "query" (id)
);
INSERT INTO "remark_resolution" VALUES(1,1,'note',1,1,1,'2026-11-01 12:00:00.000000','open','',NULL,NULL,1,'2026-11-01 12:00:00.000000');
CREATE TABLE request (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	query_id INTEGER, 
	candidate_id INTEGER, 
	first_run_id INTEGER, 
	second_run_id INTEGER, 
	person_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	answers INTEGER NOT NULL, 
	withdrawn_revision BIGINT, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_request PRIMARY KEY (id), 
	CONSTRAINT ck_request_target_is_one CHECK (CASE WHEN query_id IS NULL THEN 0 ELSE 1 END + CASE WHEN candidate_id IS NULL THEN 0 ELSE 1 END + CASE WHEN first_run_id IS NULL THEN 0 ELSE 1 END = 1), 
	CONSTRAINT ck_request_runs_are_two CHECK ((first_run_id IS NULL) = (second_run_id IS NULL)), 
	CONSTRAINT fk_request_candidate_id_candidate FOREIGN KEY(candidate_id) REFERENCES candidate (id), 
	CONSTRAINT fk_request_first_run_id_run FOREIGN KEY(first_run_id) REFERENCES run (id), 
	CONSTRAINT fk_request_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_request_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_request_query_id_query FOREIGN KEY(query_id) REFERENCES "query" (id), 
	CONSTRAINT fk_request_second_run_id_run FOREIGN KEY(second_run_id) REFERENCES run (id)
);
INSERT INTO "request" VALUES(1,1,1,NULL,NULL,NULL,1,1,1,NULL,'2026-11-01 12:00:00.000000');
CREATE TABLE ruler (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	scale_low SMALLINT NOT NULL, 
	scale_high SMALLINT NOT NULL, 
	gain VARCHAR(12) NOT NULL, 
	discount VARCHAR(14) NOT NULL, 
	k SMALLINT NOT NULL, 
	unjudged VARCHAR(10) NOT NULL, 
	consensus VARCHAR(10) NOT NULL, 
	ideal VARCHAR(10) NOT NULL, 
	ties VARCHAR(24) NOT NULL, 
	threshold SMALLINT NOT NULL, 
	only_blind BOOLEAN NOT NULL, 
	machines BOOLEAN NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_ruler PRIMARY KEY (id), 
	CONSTRAINT ck_ruler_consensus_is_known CHECK (consensus IN ('median', 'mean', 'majority')), 
	CONSTRAINT ck_ruler_discount_is_known CHECK (discount IN ('log2', 'original-2002', 'reciprocal')), 
	CONSTRAINT ck_ruler_gain_is_known CHECK (gain IN ('linear', 'exponential', 'raw')), 
	CONSTRAINT ck_ruler_ideal_is_known CHECK (ideal IN ('judged', 'pool', 'returned')), 
	CONSTRAINT ck_ruler_ties_is_known CHECK (ties IN ('document_descending')), 
	CONSTRAINT ck_ruler_unjudged_is_known CHECK (unjudged IN ('open', 'complete')), 
	CONSTRAINT ck_ruler_k_is_positive CHECK (k >= 1), 
	CONSTRAINT fk_ruler_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "ruler" VALUES(1,1,0,3,'linear','log2',10,'open','median','judged','document_descending',1,0,0,'72d9286da6ba65ec8684aa1c2027eb6c5dd0d617d3632584499b48720de72b63','2026-11-25 21:55:14.499015');
CREATE TABLE run (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	ranker_id INTEGER NOT NULL, 
	version VARCHAR(100) NOT NULL, 
	tag VARCHAR(512) NOT NULL, 
	note VARCHAR(300) NOT NULL, 
	file_hash BLOB NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	revision BIGINT, 
	registered_at DATETIME NOT NULL, 
	stats JSON NOT NULL, 
	CONSTRAINT ck_run_published_has_a_revision CHECK (state = 'unpublished' OR revision IS NOT NULL), 
	CONSTRAINT ck_run_state_is_known CHECK (state IN ('unpublished', 'published', 'withdrawn')), 
	CONSTRAINT fk_run_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_run_ranker_id_ranker FOREIGN KEY(ranker_id) REFERENCES ranker (id), 
	CONSTRAINT uq_run_ranker_id_version UNIQUE (ranker_id, version)
);
INSERT INTO "run" VALUES(1,1,1,'v1','','',X'6BEFDE8846004FBBBD2169B325D923F66BEFDE8846004FBBBD2169B325D923F6','published',5,'2026-11-25 21:55:14.523078','{}');
INSERT INTO "run" VALUES(2,1,2,'v1','','',X'C5F07029313E42F9BB6EC3F2EB3FE08FC5F07029313E42F9BB6EC3F2EB3FE08F','published',6,'2026-11-25 21:55:14.533488','{}');
CREATE TABLE shared_link (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	token_hash BLOB NOT NULL, 
	note VARCHAR(120) NOT NULL, 
	created_by INTEGER, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	revoked_at DATETIME, 
	revoked_by INTEGER, 
	CONSTRAINT pk_shared_link PRIMARY KEY (id), 
	CONSTRAINT fk_shared_link_created_by_person FOREIGN KEY(created_by) REFERENCES person (id), 
	CONSTRAINT fk_shared_link_project_id_project FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_shared_link_revoked_by_person FOREIGN KEY(revoked_by) REFERENCES person (id), 
	CONSTRAINT uq_shared_link_token_hash UNIQUE (token_hash)
);
INSERT INTO "shared_link" VALUES(1,1,X'0101010101010101010101010101010101010101010101010101010101010101','',1,'2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,1);
CREATE TABLE sign_in_failure (
	id INTEGER NOT NULL, 
	account VARCHAR(64) NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_sign_in_failure PRIMARY KEY (id)
);
INSERT INTO "sign_in_failure" VALUES(1,'x','x','2026-11-01 12:00:00.000000');
CREATE TABLE unconfirmed_password (
	person_id INTEGER NOT NULL, 
	since DATETIME NOT NULL, 
	earlier_hash VARCHAR(255), 
	CONSTRAINT pk_unconfirmed_password PRIMARY KEY (person_id), 
	CONSTRAINT fk_unconfirmed_password_person_id_person FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "unconfirmed_password" VALUES(1,'2026-11-01 12:00:00.000000',NULL);
CREATE TABLE upload (
	id VARCHAR(32) NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER, 
	kind VARCHAR(12) NOT NULL, 
	file_name VARCHAR(300) NOT NULL, 
	size BIGINT NOT NULL, 
	sha256 BLOB NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	options JSON NOT NULL, 
	report JSON NOT NULL, 
	progress_done BIGINT NOT NULL, 
	progress_total BIGINT NOT NULL, 
	checked_revision BIGINT, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_upload PRIMARY KEY (id), 
	CONSTRAINT ck_upload_kind_is_known CHECK (kind IN ('queries', 'documents', 'run', 'judgments')), 
	CONSTRAINT ck_upload_state_is_known CHECK (state IN ('waiting', 'checking', 'checked', 'importing', 'done', 'failed', 'cancelled')), 
	CONSTRAINT fk_upload_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_upload_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "upload" VALUES('x',1,1,'run','x',1,X'0101010101010101010101010101010101010101010101010101010101010101','waiting','{}','{}',0,0,NULL,'2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
CREATE TABLE webhook (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	address VARCHAR(1000) NOT NULL, 
	secret BLOB NOT NULL, 
	events VARCHAR(200) NOT NULL, 
	template TEXT NOT NULL, 
	points FLOAT NOT NULL, 
	paused BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	deleted_at DATETIME, 
	CONSTRAINT pk_webhook PRIMARY KEY (id), 
	CONSTRAINT fk_webhook_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "webhook" VALUES(1,1,'x',X'0101010101010101010101010101010101010101010101010101010101010101','x','',2.0,0,'2026-11-01 12:00:00.000000',NULL);
CREATE TABLE webhook_delivery (
	id INTEGER NOT NULL, 
	webhook_id INTEGER NOT NULL, 
	message_id VARCHAR(40) NOT NULL, 
	event VARCHAR(30) NOT NULL, 
	data JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	attempts SMALLINT NOT NULL, 
	next_at DATETIME NOT NULL, 
	tried_at DATETIME, 
	status SMALLINT NOT NULL, 
	answer TEXT NOT NULL, 
	CONSTRAINT pk_webhook_delivery PRIMARY KEY (id), 
	CONSTRAINT ck_webhook_delivery_state_is_known CHECK (state IN ('waiting', 'delivered', 'failed')), 
	CONSTRAINT fk_webhook_delivery_webhook_id_webhook FOREIGN KEY(webhook_id) REFERENCES webhook (id), 
	CONSTRAINT uq_webhook_delivery_message_id UNIQUE (message_id)
);
INSERT INTO "webhook_delivery" VALUES(1,1,'x','x','{}','2026-11-01 12:00:00.000000','waiting',0,'2026-11-01 12:00:00.000000',NULL,0,'');
CREATE TABLE webhook_watch (
	project_id INTEGER NOT NULL, 
	revision BIGINT NOT NULL, 
	looked_at DATETIME NOT NULL, 
	facts JSON NOT NULL, 
	CONSTRAINT pk_webhook_watch PRIMARY KEY (project_id), 
	CONSTRAINT fk_webhook_watch_project_id_project FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "webhook_watch" VALUES(1,0,'2026-11-01 12:00:00.000000','{}');
CREATE INDEX ix_ended_session_at ON ended_session (at);
CREATE INDEX ix_sign_in_failure_account_at ON sign_in_failure (account, at);
CREATE INDEX ix_sign_in_failure_source_at ON sign_in_failure (source, at);
CREATE INDEX ix_sign_in_failure_at ON sign_in_failure (at);
CREATE INDEX ix_bookmark_project_id ON bookmark (project_id);
CREATE INDEX ix_document_project_id_content_hash ON document (project_id, content_hash);
CREATE INDEX ix_document_merged ON document (project_id, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX ix_shared_link_project_id ON shared_link (project_id);
CREATE INDEX ix_near_duplicate_project_id ON near_duplicate (project_id);
CREATE INDEX ix_membership_project_id ON membership (project_id);
CREATE INDEX ix_ruler_project_id ON ruler (project_id);
CREATE INDEX ix_assignment_person_id_project_id ON assignment (person_id, project_id);
CREATE INDEX ix_assignment_project_id_state_lease_end ON assignment (project_id, state, lease_end);
CREATE INDEX ix_candidate_assignment ON candidate (project_id, in_pool, best_rank, query_id);
CREATE INDEX ix_candidate_document_id ON candidate (document_id);
CREATE INDEX ix_candidate_query_id ON candidate (query_id);
CREATE INDEX ix_run_project_id ON run (project_id);
CREATE INDEX ix_assignment_candidate_candidate_id ON assignment_candidate (candidate_id);
CREATE INDEX ix_request_project_id ON request (project_id);
CREATE INDEX ix_flag_project_id_state ON flag (project_id, state);
CREATE INDEX ix_gold_project_id ON gold (project_id);
CREATE INDEX ix_remark_resolution_project_id_person_id ON remark_resolution (project_id, person_id);
CREATE INDEX ix_adjudication_view_project_id ON adjudication_view (project_id);
CREATE INDEX ix_adjudication_request_project_id ON adjudication_request (project_id);
CREATE INDEX ix_judgment_candidate_id_annotator_id ON judgment (candidate_id, annotator_id);
CREATE INDEX ix_current_judgment_annotator_id_project_id ON current_judgment (annotator_id, project_id, revision);
CREATE INDEX ix_current_judgment_project_id_reason ON current_judgment (project_id, reason) WHERE reason IS NOT NULL;
CREATE TRIGGER judgment_refuse_update BEFORE UPDATE ON judgment
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: judgment rows are never updated'); END;
CREATE TRIGGER judgment_refuse_delete BEFORE DELETE ON judgment
WHEN NOT EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: judgment rows are never deleted'); END;
CREATE TRIGGER judgment_refuse_rewind BEFORE INSERT ON judgment
WHEN EXISTS (SELECT 1 FROM judgment WHERE project_id = NEW.project_id AND revision >= NEW.revision)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: judgment revisions only grow'); END;
CREATE TRIGGER event_refuse_delete BEFORE DELETE ON event
WHEN NOT EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: event rows are never deleted'); END;
CREATE TRIGGER event_refuse_rewind BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE project_id = NEW.project_id AND revision >= NEW.revision)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: event revisions only grow'); END;
CREATE INDEX ix_api_token_person_id ON api_token (person_id);
CREATE INDEX ix_api_token_project_id ON api_token (project_id);
CREATE INDEX ix_api_reply_at ON api_reply (at);
CREATE TRIGGER event_refuse_update BEFORE UPDATE ON event
WHEN NOT EXISTS (SELECT 1 FROM erasure WHERE is_open)
    OR NEW.project_id <> OLD.project_id OR NEW.revision <> OLD.revision OR NEW.kind <> OLD.kind
    OR NEW.actor_id IS NOT OLD.actor_id OR NEW.at <> OLD.at
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: event rows are never updated'); END;
CREATE INDEX ix_open_session_person_id ON open_session (person_id);
CREATE INDEX ix_open_session_last_used_at ON open_session (last_used_at);
CREATE INDEX ix_organisation_identity_person_id ON organisation_identity (person_id);
CREATE INDEX ix_audit_entry_project_number ON audit_entry (project_number);
CREATE INDEX ix_audit_entry_at ON audit_entry (at);
CREATE TRIGGER audit_entry_refuse_update BEFORE UPDATE ON audit_entry
WHEN NOT EXISTS (SELECT 1 FROM erasure WHERE is_open AND person_id IN (OLD.actor_id, OLD.person_id))
    OR NEW.network <> ''
    OR NEW.id <> OLD.id OR NEW.at <> OLD.at OR NEW.kind <> OLD.kind OR NEW.actor_id IS NOT OLD.actor_id
    OR NEW.person_id IS NOT OLD.person_id OR NEW.project_number IS NOT OLD.project_number
    OR NEW.project_slug IS NOT OLD.project_slug OR NEW.details <> OLD.details
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: entries are never updated'); END;
CREATE TRIGGER audit_entry_refuse_delete BEFORE DELETE ON audit_entry
WHEN OLD.at > datetime('now', '-90 days')
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: entries of the last 90 days are never deleted'); END;
CREATE TRIGGER audit_entry_refuse_replace BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: entries are never replaced'); END;
CREATE INDEX ix_webhook_project_id ON webhook (project_id);
CREATE INDEX ix_webhook_delivery_webhook_id ON webhook_delivery (webhook_id);
CREATE INDEX ix_webhook_delivery_state ON webhook_delivery (state, next_at);
CREATE INDEX ix_mail_message_state ON mail_message (state, next_at);
CREATE INDEX ix_judgment_project_id_annotator_id ON judgment (project_id, annotator_id, revision);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('project',1);
INSERT INTO "sqlite_sequence" VALUES('person',1);
INSERT INTO "sqlite_sequence" VALUES('audit_entry',1);
INSERT INTO "sqlite_sequence" VALUES('run',2);
COMMIT;
