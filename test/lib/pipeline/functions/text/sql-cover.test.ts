// SQL statements, and the same statements after sql_cover has replaced their values
// (docs/reference/functions.md#sql_cover).

import { describe, expect, it } from "vitest";
import { coverSql } from "../../../../../lib/pipeline/functions/text/sql-cover.ts";

describe("sql_cover", () => {
  it.each<[string, string | undefined]>([
    ["select abc from def where x > 3 and y < 5", "select abc from def where x > ? and y < ?"],
    [
      "SELECT Codi , Nom AS N FROM P WHERE Vigent=1 ORDER BY Ordre;",
      "SELECT Codi, Nom FROM P WHERE Vigent = ? ORDER BY Ordre",
    ],
    ["SELECT * FROM t WHERE name = 'O''Brien' AND b = 'it\\'s'", "SELECT * FROM t WHERE name = ? AND b = ?"],
    ["SELECT 'a\\' , 'b'", "SELECT ?"],
    ["SELECT 'unterminated 42", undefined],
    [
      'SELECT "col" FROM "t" WHERE "x" = "secret" AND y != "leak" AND z IN ("a", "b")',
      "SELECT col FROM t WHERE x = ? AND y != ? AND z IN ( a, b )",
    ],
    ["SELECT `id`, `` FROM `my db`.`t` WHERE `k`='v'", "SELECT id, `` FROM my db . t WHERE k = ?"],
    ["INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y'), (3, NULL)", "INSERT INTO t ( a, b ) VALUES ( ? )"],
    ["INSERT INTO t VALUES (1, now(), 'x')", "INSERT INTO t VALUES ( ? now ( ), ? )"],
    ["SELECT * FROM t WHERE a IN (1, 2, 3) AND c IN (d, e)", "SELECT * FROM t WHERE a IN ( ? ) AND c IN ( d, e )"],
    [
      "UPDATE t SET a = -5, b = +6, c = 0x1F, d = 1.5e-10, e = .5, g = TRUE WHERE id=42",
      "UPDATE t SET a = ? b = + ? c = ? d = ? e = ? g = ? WHERE id = ?",
    ],
    ["SELECT a-5, a - 5, 5-3 FROM t", "SELECT a ? a - ? FROM t"],
    [
      "SELECT count(*), t.*, u.name FROM t u WHERE u.id>=10 AND u.x<>3",
      "SELECT count ( * ), t.*, u.name FROM t u WHERE u.id >= ? AND u.x <> ?",
    ],
    ["SELECT /* secret 123 */ 1 -- tail 99\nFROM t // more", "SELECT ? FROM t"],
    ["/* only comment 5 */", undefined],
    ["#c\nselect 1", "select ?"],
    ["SELECT * FROM t LIMIT 10, 20", "SELECT * FROM t LIMIT ?"],
    ["SELECT * FROM t LIMIT 10 OFFSET 20", "SELECT * FROM t LIMIT ? OFFSET ?"],
    ["WITH x AS (SELECT 1) SELECT * FROM x", "WITH x SELECT ? ) SELECT * FROM x"],
    ["SELECT CAST(a AS int), b::text, '1'::int FROM t", "SELECT CAST ( a ), b :: text, ? :: int FROM t"],
    [
      "SELECT * FROM t WHERE id = $1 AND n = :name AND z = ? AND p = %s AND q = %(pid)s AND v = @var",
      "SELECT * FROM t WHERE id = ? AND n = :name AND z = ? AND p = ? AND q = ? AND v = @var",
    ],
    ["SELECT data->>'name' FROM t", "SELECT data ? > > ? FROM t"],
    ["SELECT $$text 'q'$$, $tag$body$tag$ FROM t", "SELECT ? FROM t"],
    ["{call sp_get(?, 12)}", "{ call sp_get ( ? ) }"],
    ["SELECT {fn now()} FROM t WHERE d = {d '2001-01-01'}", "SELECT ? FROM t WHERE d = ?"],
    ["SELECT * FROM [dbo].[t] WHERE [a] = 1", "SELECT * FROM [ dbo ] . [ t ] WHERE [ a ] = ?"],
    ["SELECT a AS [my alias], b FROM t", "SELECT a, b FROM t"],
    ["SAVEPOINT s1; ROLLBACK TO SAVEPOINT s1", "SAVEPOINT ? ROLLBACK TO SAVEPOINT ?"],
    [
      "select * from t where a in (select id from u where z in (1,2))",
      "select * from t where a in ( select id from u where z in ( ? ) )",
    ],
    ["SELECT 1 + 2 * 3, id % 8, id %mod", "SELECT ? + ? * ? id % ? id ? od"],
    ["SELECT a ! = b", undefined],
    ["SELECT ARRAY[1,2,3], m['k']", "SELECT ARRAY [ ? ], m [ ? ]"],
    ["SELECT x FROM t WHERE a='密码' AND 名='v'", "SELECT x FROM t WHERE a = ? AND 名 = ?"],
    ["SELECT a FROM t WHERE b IN (1, 2 /*c*/, 3)", "SELECT a FROM t WHERE b IN ( ?, ? )"],
    ["VALUES (1,2),(a,3),(4,5)", "VALUES ( ? ) ( a, ? ) ( )"],
    ["SELECT a AS [select], 5", undefined],
    ["user 42 logged in from 10.0.0.1", "user ? logged in from ?"],
    ["GRANT SELECT ON t TO 'u'@'%' IDENTIFIED BY 'pw'", "GRANT SELECT ON t TO ? @ ? IDENTIFIED BY ?"],
  ])("%s", (sql, covered) => {
    expect(coverSql(sql) || undefined).toBe(covered);
  });
});
