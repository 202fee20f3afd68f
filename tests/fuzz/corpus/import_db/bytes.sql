DELETE FROM machines; DELETE FROM trials; INSERT OR REPLACE INTO problems VALUES(x'ff00', char(0)), ('b', '[1e-320]'); VACUUM
