ALTER TABLE runs ADD COLUMN extra TEXT; PRAGMA user_version=9
