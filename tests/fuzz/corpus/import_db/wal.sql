PRAGMA journal_mode=wal; UPDATE problems SET json='{}'
