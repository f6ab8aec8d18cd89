// Tests how the values of dashboard variables are put into queries.

import { describe, expect, it } from "vitest";
import { DqlError, parseStatement } from "../../../lib/dql/index.ts";
import { fillQuery } from "../../../playground/src/modes/dashboards/variables/fill-query.ts";

const errorOf = (query: string): string => {
  try {
    parseStatement(query);
    return "";
  } catch (error) {
    return error instanceof DqlError ? error.reason : String(error);
  }
};

describe("the value of a variable", () => {
  const values = { host: "web-1", all: "*", text: `it's "a" \\ \n`, n: "5", name: "a-b", range: "15m" };

  it.each([
    ["M::cpu {host = '#{host}'}", "M::cpu {host = 'web-1'}"],
    ["M::cpu {host = '#{text}'}", "M::cpu {host = 'it\\'s \"a\" \\\\ \\n'}"],
    ['M::cpu {host = "#{text}"}', 'M::cpu {host = "it\'s \\"a\\" \\\\ \\n"}'],
    ["M::cpu {host = 'x-#{host}-y'}", "M::cpu {host = 'x-web-1-y'}"],
    ["M::cpu {host = #{name}}", "M::cpu {host = 'a-b'}"],
    ["M::cpu {n > #{n}}", "M::cpu {n > 5}"],
    ["M::#{host}:(avg(`#{name}`)) BY #{name}", "M::`web-1`:(avg(`a-b`)) BY `a-b`"],
    ["M::cpu {host IN [#{host}, #{name}]}", "M::cpu {host IN ['web-1', 'a-b']}"],
    ["M::cpu:(avg(a)) [#{range}]", "M::cpu:(avg(a)) [15m]"],
    ["M::cpu {host = re('#{host}.*')}", "M::cpu {host = re('web-1.*')}"],
    // In a text of the notation re'...', a backslash cannot escape a quote.
    ["M::cpu {host = re'#{text}'}", "M::cpu {host = re'it\\x27s \"a\" \\ \n'}"],
    // The variable `all` has the value "all". A comparison with this variable is true for every point, and a comparison
    // that excludes the variable is false for every point.
    ["M::cpu {host = '#{all}'}", "M::cpu {true}"],
    ["M::cpu {host == #{all}, a = 1}", "M::cpu {true, a = 1}"],
    ["M::cpu {host IN ['#{all}'] and a = 1}", "M::cpu {true and a = 1}"],
    ["M::cpu {host in ['#{host}', '#{all}']}", "M::cpu {true}"],
    ["M::cpu {`my host` = #{all}}", "M::cpu {true}"],
    ["M::cpu {lower(host) = '#{all}'}", "M::cpu {true}"],
    ["M::cpu {host = re('#{all}') or b =~ '#{all}'}", "M::cpu {true or true}"],
    ["M::cpu {host = re'#{all}'}", "M::cpu {true}"],
    ["M::cpu {host match ['#{all}']}", "M::cpu {true}"],
    ["L::* {message = query_string('#{all}')}", "L::* {true}"],
    ["M::cpu {host != '#{all}'}", "M::cpu {false}"],
    ["M::cpu {host !~ '#{all}'}", "M::cpu {false}"],
    ["M::cpu {host not in ['#{all}'] and a = 1}", "M::cpu {false and a = 1}"],
    ["M::cpu {host NOT IN [#{all}]}", "M::cpu {false}"],
    ["M::cpu {host notin ['#{all}']}", "M::cpu {false}"],
    ["M::cpu {host not_in ['#{all}']}", "M::cpu {false}"],
    ["M::cpu {host not match ['#{all}']}", "M::cpu {false}"],
    ["M::cpu {not host = '#{all}'}", "M::cpu {not true}"],
    ["M::cpu {not (host in ['#{all}'])}", "M::cpu {not (true)}"],
    // Only the comparison with the variable is replaced, and the rest of the query stays unchanged.
    ["M::cpu {host in (M::mem:(distinct(host)) {os = '#{all}'})}", "M::cpu {host in (M::mem:(distinct(host)) {true})}"],
    ["M::cpu {a = 1 and host = '#{all}' and b != 2}", "M::cpu {a = 1 and true and b != 2}"],
    ["M::cpu {host = 'x-#{all}'}", "M::cpu {host = 'x-*'}"],
    // Comments do not belong to the query: an apostrophe in a comment does not begin a string, and a variable in a
    // comment is not replaced.
    ["# don't\nM::cpu {host = '#{text}'}", "# don't\nM::cpu {host = 'it\\'s \"a\" \\\\ \\n'}"],
    ["M::cpu # it's \"#{text}\n{host = '#{host}'}", "M::cpu # it's \"#{text}\n{host = 'web-1'}"],
    ["M::cpu {host # not in\n != # any\n '#{all}'}", "M::cpu {false}"],
    ["M::cpu {host = '#no comment #{host}'}", "M::cpu {host = '#no comment web-1'}"],
    ["M::cpu {`it's` = '#{host}'}", "M::cpu {`it's` = 'web-1'}"],
    ["M::cpu {a = 'it\\'s' and host = '#{host}'}", "M::cpu {a = 'it\\'s' and host = 'web-1'}"],
  ])("is put into %s", (query, filled) => {
    expect(fillQuery(query, values)).toBe(filled);
    expect(errorOf(filled)).toBe("");
  });

  it.each([
    "M::cpu {host = '#{other}'}",
    "M::cpu {host = '#{constructor}'}",
    "M::cpu {host = 'no end #{other}",
    "M::cpu {host in ['#{other}'",
    "= '#{other}' != ",
  ])("is not put into %s, which names no known variable", (query) => {
    expect(fillQuery(query, values)).toBe(query);
  });

  it("cannot change the structure of the query", () => {
    const evil = ["'", '"', "`", "\\", "'}", "\n#", "#{host}", "*/", "]", "re'x'"];
    const queries = [
      "M::cpu {host = '#{v}'}",
      'M::cpu {host = "#{v}"}',
      "M::cpu {host = #{v}}",
      "M::cpu:(avg(`#{v}`))",
    ];
    const shapeOf = (text: string) =>
      JSON.stringify(parseStatement(text), (key, each) =>
        key === "value" || key === "name" || key === "at" ? 0 : each,
      );
    for (const value of evil)
      for (const query of queries)
        expect([value, query, shapeOf(fillQuery(query, { v: value }))]).toEqual([
          value,
          query,
          shapeOf(fillQuery(query, { v: "plain" })),
        ]);
  });
});
