PRAGMA writable_schema=on; UPDATE sqlite_master SET sql=replace(sql,'TEXT','BLOB') WHERE name='runs'; INSERT INTO runs VALUES(1,2,3,4,5,6,7,8)
