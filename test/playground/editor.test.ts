// What the editor makes of scripts: ranges of mistakes, format, the surroundings of the cursor.

import { describe, expect, it } from "vitest";
import { surroundings } from "../../playground/src/editor/assist.ts";
import { format } from "../../playground/src/editor/format.ts";
import { examples } from "../../playground/src/state/examples.ts";
import { rangeAt } from "../../playground/src/worker/check.ts";

describe("the range of a mistake", () => {
  const marked = (text: string, at: number) => {
    const { from, to } = rangeAt(text, at);
    return text.slice(from, to);
  };

  it.each([
    ['grok(_, "%{X}")', 8, '"%{X}"'],
    ["uppercas(a)", 0, "uppercas"],
    ['add_key(a, "😀") + wrong(1)', 18, "wrong"],
    ["if a {", 6, "{"],
    ["a = ", 4, "="],
    ["", 0, ""],
  ])("in %j at %d is %j", (text, at, range) => {
    expect(marked(text, at)).toBe(range);
  });
});

describe("format", () => {
  it("leaves what is formatted", () => {
    for (const { project } of examples) expect(format(project.scripts[0]!.text)).toBe(project.scripts[0]!.text);
  });

  it("indents by brackets and puts spaces where they belong", () => {
    const script = `# top
if a==1&&!b{add_key(x,-1)
for i=0;i<3;i+=1 {
y=x[1:2]   # slice
z={"a":1,"b":[1,2,-3]}
f( a , b = 2,
c)
}



} else{ drop( ) }
for ;; { break }
a.b[0].c = - 1 + (2-3)*4
`;
    expect(format(script)).toBe(`# top
if a == 1 && !b { add_key(x, -1)
    for i = 0; i < 3; i += 1 {
        y = x[1:2] # slice
        z = {"a": 1, "b": [1, 2, -3]}
        f(a, b=2,
            c)
    }

} else { drop() }
for ;; { break }
a.b[0].c = -1 + (2 - 3) * 4
`);
  });

  it("keeps strings and comments as they are", () => {
    const script = 'a = """x\n   y  """\nb = \'  # no comment\' # comment  \n';
    expect(format(script)).toBe('a = """x\n   y  """\nb = \'  # no comment\' # comment\n');
  });

  it("leaves scripts that cannot be read alone", () => {
    expect(format("if {{")).toBeNull();
    expect(format('"open')).toBeNull();
  });
});

describe("what is around the cursor", () => {
  it.each([
    ['grok(_, "%{IP', { inString: "%{IP", call: "grok" }],
    ["a = add_key(b, ", { inString: null, call: "add_key" }],
    ["f(g(1), ", { inString: null, call: "f" }],
    ["f(1)\n", { inString: null, call: null }],
    ["# f(", { inComment: true }],
    ['"a\\"b', { inString: 'a\\"b' }],
    ['"""a "b', { inString: 'a "b' }],
    ["a.b", { afterDot: true }],
    ["1.5", { afterDot: false }],
  ])("of %j", (before, expected) => {
    expect(surroundings(before)).toMatchObject(expected);
  });
});
