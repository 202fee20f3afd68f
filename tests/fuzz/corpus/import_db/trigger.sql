CREATE TRIGGER t AFTER INSERT ON problems BEGIN DELETE FROM runs; END; INSERT INTO sessions SELECT id||'2', request_key, 'finished', created, json FROM sessions
