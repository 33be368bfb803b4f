-- Format 2: undoing and resolving calls, ends that retention ranks by, and the wish that an execution stops.

ALTER TABLE executions ADD COLUMN cancel INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN resolution TEXT;
ALTER TABLE entries ADD COLUMN revert TEXT;
-- 0 where nobody knows: lines of format 1.
ALTER TABLE logs ADD COLUMN pass INTEGER NOT NULL DEFAULT 0;

-- Looking for the few rows that need attention must not cost more where there are many others.
CREATE INDEX executions_by_end ON executions (ended_at, n) WHERE ended_at IS NOT NULL;
CREATE INDEX entries_unknown ON entries (key) WHERE state = 'unknown';
CREATE INDEX entries_consented ON entries (key) WHERE state = 'pending' AND decision IS NOT NULL;
-- With the whole column, because in the table it stands behind what may be large.
CREATE INDEX entries_reverts ON entries (key, state, revert) WHERE revert IS NOT NULL;

-- How many executions have ended, so that each start knows without counting whether one is to go.
INSERT INTO meta (name, value) SELECT 'ended', count(*) FROM executions WHERE ended_at IS NOT NULL;

CREATE TRIGGER ended_inserted AFTER INSERT ON executions WHEN NEW.ended_at IS NOT NULL
BEGIN
    UPDATE meta SET value = value + 1 WHERE name = 'ended';
END;

CREATE TRIGGER ended_changed AFTER UPDATE OF ended_at ON executions
    WHEN (OLD.ended_at IS NULL) <> (NEW.ended_at IS NULL)
BEGIN
    UPDATE meta SET value = value + iif(NEW.ended_at IS NULL, -1, 1) WHERE name = 'ended';
END;

CREATE TRIGGER ended_deleted AFTER DELETE ON executions WHEN OLD.ended_at IS NOT NULL
BEGIN
    UPDATE meta SET value = value - 1 WHERE name = 'ended';
END;
