DROP TABLE trials; CREATE VIEW trials AS SELECT * FROM machines
