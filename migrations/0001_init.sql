-- Payload columns carry no NOT NULL and no CHECK on purpose: reading is total, and a value that is wrong
-- (an older bug, a hand edit, a newer program) must cost one row, not the history.
-- Every list that is shown has an index in its order; tests hold the query plans.

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;
-- Ids are never given twice, not even after the newest row was deleted.
INSERT INTO counter (name, value) VALUES ('highest_id', 0);

CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  name TEXT,
  path, -- text; a blob when the path is not valid Unicode
  created_ms INTEGER,
  opened_ms INTEGER,
  skip_permissions INTEGER
);
CREATE INDEX project_by_opened ON project (opened_ms);

CREATE TABLE conversation (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  kind TEXT,
  title TEXT,
  created_ms INTEGER,
  updated_ms INTEGER,
  archived INTEGER,
  message_count INTEGER,
  unread INTEGER,
  last_turn TEXT,
  seat_json TEXT,
  deleted_ms INTEGER
);
CREATE INDEX conversation_by_project ON conversation (project);
CREATE INDEX conversation_list ON conversation (updated_ms) WHERE deleted_ms IS NULL;
CREATE INDEX conversation_deleted ON conversation (deleted_ms) WHERE deleted_ms IS NOT NULL;

-- Small columns first and plain_text before items_json: a lookup stops reading at the column it needs.
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  by_user INTEGER,
  speaker TEXT, -- an agent's shown name; NULL for the user and the app
  chars INTEGER,
  revision INTEGER,
  created_ms INTEGER,
  state TEXT,
  state_json TEXT, -- what belongs to the state: a failure, or why it is damaged
  turn INTEGER,
  duration_ms INTEGER,
  author_json TEXT,
  usage_json TEXT,
  deleted_ms INTEGER, -- taken out by the user; it can come back until the next start
  plain_text TEXT, -- what the text items say, for finding
  items_json TEXT
);
-- Covers the whole index of a conversation (one row a message) without touching the messages.
CREATE INDEX message_by_seq ON message (conversation, deleted_ms, seq, revision, chars, by_user);
CREATE INDEX message_by_speaker ON message (conversation, speaker, deleted_ms, seq) WHERE speaker IS NOT NULL;
CREATE INDEX message_deleted ON message (deleted_ms) WHERE deleted_ms IS NOT NULL;

CREATE TABLE turn (
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  user_message INTEGER,
  answer INTEGER,
  state TEXT,
  started_ms INTEGER,
  ended_ms INTEGER,
  stop TEXT,
  session TEXT,
  seat_json TEXT,
  failure_json TEXT,
  usage_json TEXT
);
CREATE INDEX turn_by_conversation ON turn (conversation);
CREATE INDEX turn_open ON turn (id) WHERE state NOT IN ('done', 'failed', 'stopped', 'interrupted');

CREATE TABLE turn_event (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
  at_ms INTEGER,
  kind TEXT,
  json TEXT
);
CREATE INDEX turn_event_by_turn ON turn_event (turn);

CREATE TABLE pack (
  turn INTEGER PRIMARY KEY REFERENCES turn (id) ON DELETE CASCADE,
  report_json TEXT, -- kept always: it is small
  sections_json TEXT, -- NULL, as sent_text, for all but the newest turns
  sent_text TEXT
);
CREATE INDEX pack_with_text ON pack (turn) WHERE sent_text IS NOT NULL;

CREATE TABLE engine_session (
  conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  engine TEXT NOT NULL,
  session TEXT,
  delivered_seq INTEGER,
  fixed_hash TEXT,
  turns INTEGER,
  window_used_tokens INTEGER,
  window_tokens INTEGER,
  updated_ms INTEGER,
  PRIMARY KEY (conversation, engine)
) WITHOUT ROWID;

CREATE TABLE draft (
  conversation INTEGER PRIMARY KEY REFERENCES conversation (id) ON DELETE CASCADE,
  text TEXT,
  pastes_json TEXT
);

CREATE TABLE queued (
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  text TEXT,
  created_ms INTEGER
);
CREATE INDEX queued_by_conversation ON queued (conversation);

CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  json TEXT
) WITHOUT ROWID;
