-- What is known of a branch beside where it starts.
ALTER TABLE conversation ADD COLUMN branch_json TEXT;
CREATE INDEX conversation_by_parent ON conversation (parent) WHERE parent IS NOT NULL;

-- The engine's own name of the place in its session where this turn ended: a branch forks there.
ALTER TABLE turn ADD COLUMN fork_point TEXT;
