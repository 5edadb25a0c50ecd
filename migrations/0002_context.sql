-- What a pack tells beside the conversation. Rows are small facts around one JSON payload; the columns are
-- those that lists and packs look up by, each list with an index in its order.

-- A branch starts at one message of another conversation.
ALTER TABLE conversation ADD COLUMN parent INTEGER;
ALTER TABLE conversation ADD COLUMN checkpoint INTEGER;

-- What of each section the engine's session was told last: section name to hash.
ALTER TABLE engine_session ADD COLUMN sections_json TEXT;

CREATE TABLE plan (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  conversation INTEGER REFERENCES conversation (id) ON DELETE SET NULL,
  implementation INTEGER REFERENCES conversation (id) ON DELETE SET NULL,
  review INTEGER REFERENCES conversation (id) ON DELETE SET NULL,
  active INTEGER,
  updated_ms INTEGER,
  json TEXT,
  document TEXT -- Markdown, apart because it can be long
);
CREATE INDEX plan_by_project ON plan (project, updated_ms);
CREATE INDEX plan_by_conversation ON plan (conversation, active, updated_ms);
CREATE INDEX plan_by_implementation ON plan (implementation, active, updated_ms) WHERE implementation IS NOT NULL;
CREATE INDEX plan_by_review ON plan (review, active, updated_ms) WHERE review IS NOT NULL;

CREATE TABLE finding (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  plan INTEGER REFERENCES plan (id) ON DELETE SET NULL,
  open INTEGER,
  updated_ms INTEGER,
  json TEXT
);
CREATE INDEX finding_by_project ON finding (project, open, updated_ms);
CREATE INDEX finding_by_plan ON finding (plan) WHERE plan IS NOT NULL;

CREATE TABLE agreement (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  conversation INTEGER REFERENCES conversation (id) ON DELETE SET NULL,
  updated_ms INTEGER,
  json TEXT
);
CREATE INDEX agreement_by_project ON agreement (project, updated_ms);
CREATE INDEX agreement_by_conversation ON agreement (conversation, updated_ms);

CREATE TABLE artifact (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  conversation INTEGER REFERENCES conversation (id) ON DELETE SET NULL,
  pinned INTEGER,
  updated_ms INTEGER,
  json TEXT,
  text TEXT
);
CREATE INDEX artifact_by_project ON artifact (project, updated_ms);
CREATE INDEX artifact_pinned ON artifact (project, updated_ms) WHERE pinned = 1;
CREATE INDEX artifact_by_conversation ON artifact (conversation) WHERE conversation IS NOT NULL;

-- What the first conversation may know of the second.
CREATE TABLE link (
  conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  linked INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  made_by TEXT,
  created_ms INTEGER,
  PRIMARY KEY (conversation, linked)
) WITHOUT ROWID;
CREATE INDEX link_by_linked ON link (linked);

-- conversation 0 = for the whole project.
CREATE TABLE skill_switch (
  project INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  conversation INTEGER NOT NULL,
  skill TEXT NOT NULL,
  is_on INTEGER,
  PRIMARY KEY (project, conversation, skill)
) WITHOUT ROWID;

-- Compressed memory: one row a topic.
CREATE TABLE topic (
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
  pinned INTEGER,
  updated_ms INTEGER,
  json TEXT
);
CREATE INDEX topic_by_conversation ON topic (conversation, updated_ms);
