-- schema
CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT 'x', v REAL);
CREATE INDEX i ON t (name, v);
INSERT INTO t (id, name) VALUES (1, 'a''b'), (2, NULL);
SELECT a.id, count(*) AS n, CASE WHEN v > 1.5 THEN 'big' ELSE 'small' END
FROM t AS a LEFT JOIN u ON a.id = u.id AND u.x <> 3
WHERE a.name LIKE '%x' OR (v BETWEEN 1 AND 2) AND NOT EXISTS (SELECT 1 FROM w)
GROUP BY a.id HAVING count(*) >= 2 ORDER BY n DESC, a.id LIMIT 10;
UPDATE t SET v = v + 1 - -2, name = 'q' WHERE id IN (1, 2, 3);
DELETE FROM t WHERE id = 4;
