// The paths of gjson over one document (functions document 3.27).

import { describe, expect, it } from "vitest";
import { compilePath } from "../../../../lib/pipeline/functions/json-path.ts";

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
    ["name.", undefined],
    ["name..first", undefined],
    ["missing", undefined],
    ["friends[0]", undefined],
  ])("%s", (path, expected) => {
    expect(compilePath(path)(DOCUMENT)).toBe(expected);
  });

  it("reads lines, the first of equal members, and what precedes a damage", () => {
    expect(compilePath("..1.a")('{"a":1} {"a":2}')).toBe("2");
    expect(compilePath("a")('{"a":1,"a":2}')).toBe("1");
    expect(compilePath("a")('{"a":1')).toBe("1");
  });
});
