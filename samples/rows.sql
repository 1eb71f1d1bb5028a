-- A table of ROWS rows with an index, grouped and joined with itself.
CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, price INTEGER, name TEXT);
WITH RECURSIVE counter(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counter WHERE i < ROWS)
  INSERT INTO item SELECT i, i * 7919 % 1000, i * 104729 % 10007, 'item ' || i FROM counter;
CREATE INDEX item_price ON item(price);
SELECT kind, count(*), sum(price) FROM item GROUP BY kind ORDER BY 3 DESC LIMIT 3;
SELECT count(*), sum(a.price) FROM item a JOIN item b ON b.id = a.price WHERE b.kind < 500;
