-- Format 1. Rows that belong to an execution carry its number in the upper bits of their own key (`n << 24 | place`):
-- one lookup to write, one range to read, in order.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT;

-- The last version given to a key of connector state.
INSERT INTO meta (name, value) VALUES ('state_version', 0);

-- Lines of a list read the front of a row only, so the large columns come last.
CREATE TABLE executions (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL
        CHECK (status IN ('running', 'paused', 'completed', 'error', 'rejected', 'rolled_back')),
    pass INTEGER NOT NULL,
    version INTEGER NOT NULL,
    token INTEGER NOT NULL,
    owner INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    replay_version INTEGER NOT NULL,
    determinism TEXT NOT NULL CHECK (determinism IN ('recorded', 'live')),
    seed BLOB NOT NULL,
    executor TEXT NOT NULL,
    namespaces TEXT NOT NULL,
    code_start TEXT NOT NULL,
    error TEXT,
    result TEXT,
    input TEXT,
    code TEXT NOT NULL
) STRICT;

CREATE INDEX executions_by_status ON executions (status, n);
CREATE INDEX executions_by_owner ON executions (owner) WHERE owner IS NOT NULL;

CREATE TABLE entries (
    key INTEGER PRIMARY KEY,
    seq INTEGER,
    state TEXT NOT NULL
        CHECK (state IN ('executing', 'pending', 'applied', 'failed', 'unrecordable', 'unknown', 'reverting',
            'reverted', 'withdrawn')),
    kind TEXT NOT NULL CHECK (kind IN ('call', 'step', 'sleep', 'fetch', 'search', 'describe', 'snippet')),
    answer TEXT CHECK (answer IN ('nothing', 'value', 'failure')),
    rerun TEXT NOT NULL CHECK (rerun IN ('no', 'yes')),
    attempt INTEGER NOT NULL,
    pass INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    answered_at INTEGER,
    delivered_place INTEGER,
    delivered_now INTEGER,
    sleep_ms INTEGER,
    remaining_ms INTEGER,
    connector TEXT,
    name TEXT,
    digest TEXT,
    decision TEXT,
    asked_event INTEGER NOT NULL,
    answered_event INTEGER,
    terms TEXT NOT NULL,
    args TEXT,
    answer_body TEXT
) STRICT;

CREATE TABLE logs (
    key INTEGER PRIMARY KEY,
    line TEXT NOT NULL
) STRICT;

CREATE TABLE hooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    execution INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('pass_ended', 'execution_ended')),
    connector TEXT NOT NULL,
    pass INTEGER NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('running', 'paused', 'completed', 'error', 'rejected', 'rolled_back'))
) STRICT;

CREATE INDEX hooks_by_execution ON hooks (execution, id);

-- `execution` is 0 where the key is the connector's own.
CREATE TABLE state (
    execution INTEGER NOT NULL,
    connector TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (execution, connector, key)
) STRICT;

-- What hangs on an execution goes with it, whoever deletes it. A trigger and not foreign keys: those would cost a lookup
-- for each entry written and a second index over all entries.
CREATE TRIGGER execution_deleted AFTER DELETE ON executions
BEGIN
    DELETE FROM entries WHERE key >= OLD.n << 24 AND key < (OLD.n + 1) << 24;
    DELETE FROM logs WHERE key >= OLD.n << 24 AND key < (OLD.n + 1) << 24;
    DELETE FROM hooks WHERE execution = OLD.n;
    DELETE FROM state WHERE execution = OLD.n;
END;

-- Processes that run or ran executions; each holds a lock on a file of this number while it lives.
CREATE TABLE owners (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    process INTEGER NOT NULL
) STRICT;

-- Saved code. The place is kept from the first format on.
CREATE TABLE snippets (
    name TEXT PRIMARY KEY,
    description TEXT,
    input_schema TEXT,
    connectors TEXT NOT NULL,
    saved_at INTEGER NOT NULL,
    code TEXT NOT NULL
) STRICT;
