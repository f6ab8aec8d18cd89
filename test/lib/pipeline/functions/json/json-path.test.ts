// Paths in the syntax of gjson, over one document (docs/reference/functions.md#gjson).

import { describe, expect, it } from "vitest";
import { compilePath } from "../../../../../lib/pipeline/functions/json/json-path.ts";

const DOCUMENT =
  '{"name":{"first":"Tom","last":"Anderson"},"age":37,"children":["Sara","Alex","Jack"],"fav.movie":"Deer Hunter",' +
  '"friends":[{"first":"Dale","last":"Murphy","age":44,"nets":["ig","fb","tw"]},' +
  '{"first":"Roger","last":"Craig","age":68,"nets":["fb","tw"]},' +
  '{"first":"Jane","last":"Murphy","age":47,"nets":["ig","tw"]}]}';

describe("paths of gjson", () => {
  it.each<[string, string | undefined]>([
    ["name", '{"first":"Tom","last":"Anderson"}'],
    ["name.last", '"Anderson"'],
    ["age", "37"],
    ["children.0", '"Sara"'],
    ["children.01", '"Alex"'],
    ["children.-1", undefined],
    ["children.9", undefined],
    ["children.#", "3"],
    ["child*.2", '"Jack"'],
    ["c?ildren.0", '"Sara"'],
    ["fav\\.movie", '"Deer Hunter"'],
    ["friends.1.nets", '["fb","tw"]'],
    ["friends.#.first", '["Dale","Roger","Jane"]'],
    ["friends.#.nets.0", '["ig","fb","ig"]'],
    ["friends.#.nets.#", "[3,2,2]"],
    ["friends.#.missing", "[]"],
    ['friends.#(last=="Murphy").first', '"Dale"'],
    ['friends.#(last=="Murphy")#.first', '["Dale","Jane"]'],
    ["friends.#(age>45)#.last", '["Craig","Murphy"]'],
    ["friends.#(age<=44).first", '"Dale"'],
    ['friends.#(last!="Murphy").first', '"Roger"'],
    ['friends.#(first%"D*").last', '"Murphy"'],
    ['friends.#(first!%"D*").last', '"Craig"'],
    ['friends.#(nets.#(=="fb"))#.first', '["Dale","Roger"]'],
    ['friends.#(first=="Nobody").first', undefined],
    ['friends.#(first=="Nobody")#.first', "[]"],
    ['children.#(>"B")#', '["Sara","Jack"]'],
    ['children.#(%"*e*")#', '["Alex"]'],
    ["friends.#(missing==~null)#|#", "3"],
    ["friends.#.age.0", "[]"],
    ["friends.#(age>44)#|#", "2"],
    ["friends|0|first", '"Dale"'],
    ["name|first", '"Tom"'],
    ["children|@reverse", '["Jack","Alex","Sara"]'],
    ["name.@keys", '["first","last"]'],
    ["friends.#.nets|@flatten", '["ig","fb","tw","fb","tw","ig","tw"]'],
    // Multipaths, which combine several paths into one result.
    ["{name.first,age}", '{"first":"Tom","age":37}'],
    ["[name.first,age]", '["Tom",37]'],
    ["friends.#.{first,age}", '[{"first":"Dale","age":44},{"first":"Roger","age":68},{"first":"Jane","age":47}]'],
    ["friends.#.[first,age]", '[["Dale",44],["Roger",68],["Jane",47]]'],
    ['{"who":name.first,years:age}', '{"who":"Tom","years":37}'],
    ["{age,missing}", '{"age":37}'],
    ["[age,missing]", "[37]"],
    ["{}", "{}"],
    ["{friends.#,children.0}", '{"_":3,"0":"Sara"}'],
    ['{friends.#(last=="Murphy").first,a\\.b:age}', '{"first":"Dale","a\\\\.b":37}'],
    ["{name.first,age}.age", "37"],
    ["[age,[name.last,age]]|1.0", '"Anderson"'],
    ["{name.first", undefined],
    ["name.{first,last}|first", '"Tom"'],
    // Literals, which insert a JSON value into the result.
    ['!"text"', '"text"'],
    ["!true", "true"],
    ["!5.5", "5.5"],
    ["!word", undefined],
    ['{"n":!1,"l":![1,2],age}', '{"n":1,"l":[1,2],"age":37}'],
    ['!{"a":{"b":1}}.a.b', "1"],
    // Modifiers, which transform a result.
    ["name.@pretty", '{\n  "first": "Tom",\n  "last": "Anderson"\n}\n'],
    ["children|@pretty", '["Sara", "Alex", "Jack"]\n'],
    ['name|@pretty:{"indent":"\\t","prefix":"> "}', '> {\n> \t"first": "Tom",\n> \t"last": "Anderson"\n> }\n'],
    ['children|@pretty:{"width":10}', '[\n  "Sara",\n  "Alex",\n  "Jack"\n]\n'],
    [
      '!{"b":[1,{"d":2,"c":{}}],"a":[]}|@pretty:{"sortKeys":true}',
      '{\n  "a": [],\n  "b": [\n    1,\n    {\n      "c": {},\n      "d": 2\n    }\n  ]\n}\n',
    ],
    ['!{"a": [1, "x y"]}|@ugly', '{"a":[1,"x y"]}'],
    ["friends|@join", '{"first":"Jane","last":"Murphy","age":47,"nets":["ig","tw"]}'],
    ['![{"a":1},{"b":2,"a":3},5]|@join', '{"a":3,"b":2}'],
    ['![{"a":1},{"b":2,"a":3}]|@join:{"preserve":true}', '{"a":1,"b":2,"a":3}'],
    ["@dig:first", '["Tom","Dale","Roger","Jane"]'],
    ["@dig:nets.0|#", "3"],
    ["@dig:missing", "[]"],
    ['!{"id":["1","2"],"v":[3,4]}|@group', '[{"id":"1","v":3},{"id":"2","v":4}]'],
    ["![1,[2,[3]]]|@flatten", "[1,2,[3]]"],
    ['![1,[2,[3]]]|@flatten:{"deep":true}', "[1,2,3]"],
    ["age.@valid", "37"],
    ["age.@missing", undefined],
    ["name.", undefined],
    ["name..first", undefined],
    ["missing", undefined],
    ["friends[0]", undefined],
  ])("%s", (path, expected) => {
    expect(compilePath(path)(DOCUMENT)).toBe(expected);
  });

  it("end and keep their output small for deeply nested JSON", () => {
    const deep = `${"[".repeat(3000)}1${"]".repeat(3000)}`;
    expect(compilePath("@pretty")(deep)!.length).toBeLessThan(6000 * 70);
    expect(compilePath("@dig:0|#")(deep)).toBe("101");
    expect(compilePath('@flatten:{"deep":true}')(deep)!.length).toBeLessThan(6000);
  });

  it("read JSON lines, the first of duplicate members, and values before a damaged part", () => {
    expect(compilePath("..1.a")('{"a":1} {"a":2}')).toBe("2");
    expect(compilePath("a")('{"a":1,"a":2}')).toBe("1");
    expect(compilePath("a")('{"a":1')).toBe("1");
  });
});
