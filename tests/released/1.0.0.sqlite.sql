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
INSERT INTO "alembic_version" VALUES('0001');
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
INSERT INTO "candidate" VALUES(1,'cITTDEmPOONFQkDR',1,1,1,1,1,NULL,'2026-11-22 14:17:50.733609');
INSERT INTO "candidate" VALUES(2,'WKxuYYVLz3mbkrfP',1,1,2,1,1,NULL,'2026-11-22 14:17:50.734786');
INSERT INTO "candidate" VALUES(3,'F7tdzTkhIFB3OF_0',1,1,3,1,2,NULL,'2026-11-22 14:17:50.735576');
INSERT INTO "candidate" VALUES(4,'a-hIs7IDoZMrkFnb',1,2,4,1,1,NULL,'2026-11-22 14:17:50.747267');
INSERT INTO "candidate" VALUES(5,'T_SA9utP74Uul4Ej',1,2,5,1,2,NULL,'2026-11-22 14:17:50.748349');
INSERT INTO "candidate" VALUES(6,'sxA8-d1gfFjwhiuy',1,2,6,1,2,NULL,'2026-11-22 14:17:50.749347');
INSERT INTO "candidate" VALUES(7,'UKNvWtWvCF89PjtV',1,3,7,1,1,NULL,'2026-11-22 14:17:50.750109');
INSERT INTO "candidate" VALUES(8,'KwkBqCBKTGq22ny5',1,3,8,1,2,NULL,'2026-11-22 14:17:50.750832');
INSERT INTO "candidate" VALUES(9,'ZppVGklNC93UocZn',1,3,9,1,2,NULL,'2026-11-22 14:17:50.751527');
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
INSERT INTO "document" VALUES(1,1,'d00','Answer d00','Turn the screw of d00.','','','{}',X'4F065E66063389060EC41F44125EB503553E1009B43B5224BDBD2CBB90B86551',NULL,NULL,NULL,'2026-11-22 14:17:50.669492');
INSERT INTO "document" VALUES(2,1,'d01','Answer d01','Turn the screw of d01.','','','{}',X'B655A29654EDD64D573B5440F89A7B740A48241CB3DD6EA7DC1A25553FC3036A',NULL,NULL,NULL,'2026-11-22 14:17:50.670261');
INSERT INTO "document" VALUES(3,1,'d02','Answer d02','Turn the screw of d02.','','','{}',X'799414E3C62030A13D8C06E462DFCCCF6C100344D422F2D58C6C11060E7C6E6C',NULL,NULL,NULL,'2026-11-22 14:17:50.670636');
INSERT INTO "document" VALUES(4,1,'d10','Answer d10','Turn the screw of d10.','','','{}',X'28B1F9DC5B9C8BD9FC2B4BA306424A18BFC1030AD87EB7B97BBC998EC2F90943',NULL,NULL,NULL,'2026-11-22 14:17:50.671894');
INSERT INTO "document" VALUES(5,1,'d11','Answer d11','Turn the screw of d11.','','','{}',X'C8872298A905363AD553DB7B0121B08C6F735EC04D73033B3594B2E9C48DA16F',NULL,NULL,NULL,'2026-11-22 14:17:50.684398');
INSERT INTO "document" VALUES(6,1,'d12','Answer d12','Turn the screw of d12.','','','{}',X'838F9FDEFF6DAFCA57D9C67597EEF25C44ABCB8100A314CCA6777CBC96C341B3',NULL,NULL,NULL,'2026-11-22 14:17:50.685094');
INSERT INTO "document" VALUES(7,1,'d20','Answer d20','Turn the screw of d20.','','','{}',X'BE779813B334A4714A0DB7B4763F4A658229EFDD65D88E65341F4B65F695FD70',NULL,NULL,NULL,'2026-11-22 14:17:50.695807');
INSERT INTO "document" VALUES(8,1,'d21','Answer d21','Turn the screw of d21.','','','{}',X'176F141F95754C2DCDD99815D5C831AC3A7960CCE78AF83F518430FFC3E86360',NULL,NULL,NULL,'2026-11-22 14:17:50.696183');
INSERT INTO "document" VALUES(9,1,'d22','Answer d22','Turn the screw of d22.','','','{}',X'93768B8DEF96378F3FBA8BB0F4096FDCCA1B7D8CB04CB980A1E70B62D1FD188C',NULL,NULL,NULL,'2026-11-22 14:17:50.700786');
CREATE TABLE ended_session (
	key_hash VARCHAR(64) NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_ended_session PRIMARY KEY (key_hash)
);
INSERT INTO "ended_session" VALUES('x','2026-11-01 12:00:00.000000');
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
INSERT INTO "event" VALUES(1,1,'ruler_set',NULL,'{"ruler_id": 1}','2026-11-22 14:17:50.631932');
INSERT INTO "event" VALUES(1,2,'queries_added',NULL,'{"count": 1}','2026-11-22 14:17:50.655121');
INSERT INTO "event" VALUES(1,3,'queries_added',NULL,'{"count": 1}','2026-11-22 14:17:50.671165');
INSERT INTO "event" VALUES(1,4,'queries_added',NULL,'{"count": 1}','2026-11-22 14:17:50.685701');
INSERT INTO "event" VALUES(1,5,'run_published',NULL,'{"run_id": 1, "new_candidates": 9}','2026-11-22 14:17:50.752072');
INSERT INTO "event" VALUES(1,6,'run_published',NULL,'{"run_id": 2, "new_candidates": 0}','2026-11-22 14:17:50.787516');
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
INSERT INTO "judgment" VALUES(1,7,1,1,3,NULL,0,0,0,X'5784AB0A322045848909B24A5902EF43','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,8,2,1,0,NULL,0,0,0,X'DC0725EA3A424E84AE75395C1B14D99C','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,9,3,1,1,NULL,0,0,0,X'C6626F3835B94BAE955914428CE89DF2','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,10,4,1,2,NULL,0,0,0,X'D56BBA8E0E174BA9A7214D330D079FCE','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,11,5,1,0,NULL,0,0,0,X'604F866DA1DA4CA8B59BEA0784A1D6E2','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,12,6,1,0,NULL,0,0,0,X'F06E35391E524ECAABE952FA4652CEC6','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,13,7,1,1,NULL,0,0,0,X'9408E80B605943118D82140B7C1B59DA','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,14,8,1,3,NULL,0,0,0,X'F3C57E8A351D480EB007DAAB78B40F55','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
INSERT INTO "judgment" VALUES(1,15,9,1,0,NULL,0,0,0,X'A0DBFC721E37467EA2BB1D124A4A6886','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',0,1,0,1,1);
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
INSERT INTO "membership" VALUES(1,1,'annotator',0,0,'2026-11-22 14:17:50.654166');
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
	erased_at DATETIME, 
	CONSTRAINT ck_person_only_people_sign_in CHECK (kind = 'person' OR password_hash IS NULL), 
	CONSTRAINT ck_person_kind_is_known CHECK (kind IN ('person', 'imported', 'simulated', 'machine')), 
	CONSTRAINT uq_person_email UNIQUE (email), 
	CONSTRAINT uq_person_public_id UNIQUE (public_id)
);
INSERT INTO "person" VALUES(1,'oxOBqOkQy7yTeS_b7vEzRg','person','Ada Example','ada@example.org',NULL,0,0,'{}','2026-11-22 14:17:50.642174',NULL);
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
	created_at DATETIME NOT NULL, 
	CONSTRAINT ck_project_state_is_known CHECK (state IN ('open', 'paused', 'closed', 'archived')), 
	CONSTRAINT ck_project_depth_and_overlap_are_positive CHECK (pool_depth >= 1 AND overlap >= 1), 
	CONSTRAINT ck_project_scale_has_two_grades CHECK (scale_low < scale_high), 
	CONSTRAINT ck_project_share_twice_is_a_share CHECK (share_twice >= 0 AND share_twice <= 1), 
	CONSTRAINT uq_project_slug UNIQUE (slug)
);
INSERT INTO "project" VALUES(1,'kept','Kept','',0,3,'[{"word": "No help", "meaning": "The person asking would be annoyed."}, {"word": "A little", "meaning": "Related, but not this problem."}, {"word": "Mostly", "meaning": "The right subject, with one step missing."}, {"word": "Solves it", "meaning": "The person asking could stop looking."}]','{}',10,1,0.0,X'183495B17A9169EB457EBA7A4BD39FEC87D890901907C9559DBB36E8B3621234','open',0,'{"dealing": "front"}','2026-11-22 14:17:50.605213');
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
INSERT INTO "ranker" VALUES(1,1,'First','system',1,'2026-11-22 14:17:50.703923');
INSERT INTO "ranker" VALUES(2,1,'Second','system',2,'2026-11-22 14:17:50.762364');
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
INSERT INTO "ruler" VALUES(1,1,0,3,'linear','log2',10,'open','median','judged','document_descending',1,0,0,'72d9286da6ba65ec8684aa1c2027eb6c5dd0d617d3632584499b48720de72b63','2026-11-22 14:17:50.620079');
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
INSERT INTO "run" VALUES(1,1,1,'v1','','',X'D64CC60B8B474C17B6F105840812A0DCD64CC60B8B474C17B6F105840812A0DC','published',5,'2026-11-22 14:17:50.715368','{}');
INSERT INTO "run" VALUES(2,1,2,'v1','','',X'E074BFD8BE4345CFBDEE28E94A82751CE074BFD8BE4345CFBDEE28E94A82751C','published',6,'2026-11-22 14:17:50.763156','{}');
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
CREATE INDEX ix_judgment_project_id_annotator_id ON judgment (project_id, annotator_id);
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
CREATE TRIGGER event_refuse_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: event rows are never updated'); END;
CREATE TRIGGER event_refuse_delete BEFORE DELETE ON event
WHEN NOT EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: event rows are never deleted'); END;
CREATE TRIGGER event_refuse_rewind BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE project_id = NEW.project_id AND revision >= NEW.revision)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: event revisions only grow'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('project',1);
INSERT INTO "sqlite_sequence" VALUES('person',1);
INSERT INTO "sqlite_sequence" VALUES('run',2);
COMMIT;
