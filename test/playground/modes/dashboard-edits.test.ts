// Changes of the variables and groups of a dashboard, and of the order of its charts on a narrow page.

import { describe, expect, it } from "vitest";
import {
  addGroup,
  collapseGroup,
  groupNames,
  moveGroup,
  regroupChart,
  removeGroup,
  renameGroup,
  sectionsOf,
} from "../../../playground/src/modes/dashboards/groups/template-groups.ts";
import {
  addVariable,
  changeVariable,
  editedVariables,
  moveVariable,
  removeVariable,
  type VariableText,
  variableFault,
} from "../../../playground/src/modes/dashboards/variables/template-variables.ts";
import { overlaps, type Place, placeEarlier } from "../../../playground/src/panes/dashboards/layout.ts";
import { chartsOf, moveCharts, type Template } from "../../../playground/src/panes/dashboards/template.ts";

/** A dashboard template in which each object has some members that the page does not know. */
const strange: Template = {
  title: "Strange",
  main: {
    groups: ["web", { name: "data", extend: { colour: 1 } }],
    vars: [
      {
        ...{ name: "Host", code: "host", type: "QUERY", datasource: "df", seq: 3, hide: 0, isHiddenAsterisk: false },
        ...{
          definition: {
            value: "M::cpu:(distinct(host)) {os = '#{os}'}",
            tag: "",
            defaultVal: { label: "l", value: "a" },
          },
        },
      },
      { code: "os", type: "CUSTOM_LIST", seq: 5, definition: { value: "linux,mac", defaultVal: "linux" } },
      {
        code: "disk",
        type: "TAG",
        seq: 9,
        own: [1],
        definition: { metric: "disk", tag: "device", defaultVal: ["sda", "sdb"] },
      },
    ],
    odd: null,
    charts: [
      { name: "a", type: "toplist", pos: { x: 0, y: 0, w: 12, h: 9, i: "1" }, group: { name: null }, queries: [] },
      {
        ...{ name: "b", type: "table", pos: { x: 0, y: 20, w: 12, h: 9, i: "2" }, group: { name: "web", own: true } },
        ...{
          queries: [{ qtype: "dql", own: 1, query: { q: "M::cpu {host = '#{host}'}", fill: null } }],
          extend: { own: 1 },
        },
      },
      { name: "c", type: "table", pos: { x: 12, y: 20, w: 12, h: 6 }, group: { name: "web" }, queries: [] },
      { name: "d", type: "table", pos: { x: 0, y: 0, w: 6, h: 6 }, group: { name: "data" }, queries: [] },
    ],
    more: { x: 1 },
  },
};

/**
 * Returns a copy of the template in which one member has the given value. `path` names the member, such as
 * `main.vars.0.name`.
 */
function withMember(path: string, value: unknown, of: Template = strange): Template {
  const copy = structuredClone(of) as Record<string, unknown>;
  const keys = path.split(".");
  let at: Record<string, unknown> = copy;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[keys.at(-1)!] = value;
  return copy;
}

describe("a variable that is edited", () => {
  const [host, os, disk] = editedVariables(strange) as unknown as [VariableText, VariableText, VariableText];
  const change = (index: number, of: VariableText, part: Partial<VariableText>) =>
    changeVariable(strange, index, { ...of, ...part });

  it("is shown with its source, default and switches", () => {
    expect([host, os, disk]).toMatchObject([
      { name: "Host", code: "host", source: "query", first: "a", hasAll: true, isHidden: false },
      { name: "", code: "os", source: "list", text: "linux,mac", first: "linux" },
      { code: "disk", source: "other", type: "TAG", text: "", first: "sda" },
    ]);
  });

  it.each<[string, Template, Template]>([
    ["nothing", change(0, host, {}), strange],
    ["the name", change(0, host, { name: "Server" }), withMember("main.vars.0.name", "Server")],
    ["the query", change(0, host, { text: "q" }), withMember("main.vars.0.definition.value", "q")],
    [
      "the default of an object",
      change(0, host, { first: "b" }),
      withMember("main.vars.0.definition.defaultVal", { label: "b", value: "b" }),
    ],
    ["the default of a text", change(1, os, { first: "mac" }), withMember("main.vars.1.definition.defaultVal", "mac")],
    [
      "the default of a list",
      change(2, disk, { first: "sdc" }),
      withMember("main.vars.2.definition.defaultVal", ["sdc", "sdb"]),
    ],
    ["whether all is offered", change(0, host, { hasAll: false }), withMember("main.vars.0.isHiddenAsterisk", true)],
    ["whether it is hidden", change(0, host, { isHidden: true }), withMember("main.vars.0.hide", 1)],
    ["the list", change(1, os, { text: "linux, bsd" }), withMember("main.vars.1.definition.value", "linux, bsd")],
    [
      "the source",
      change(0, host, { source: "list", text: "a,b" }),
      withMember("main.vars.0.definition.value", "a,b", withMember("main.vars.0.type", "CUSTOM_LIST")),
    ],
    [
      "the code, in all queries",
      change(0, host, { code: "server" }),
      withMember(
        "main.charts.1.queries.0.query.q",
        "M::cpu {host = '#{server}'}",
        withMember("main.vars.0.code", "server"),
      ),
    ],
    [
      "the code, in queries of variables",
      change(1, os, { code: "system" }),
      withMember(
        "main.vars.0.definition.value",
        "M::cpu:(distinct(host)) {os = '#{system}'}",
        withMember("main.vars.1.code", "system"),
      ),
    ],
    ["an added and removed variable", removeVariable(addVariable(strange), 3), strange],
    ["a variable that moves there and back", moveVariable(moveVariable(strange, 0, 2), 2, 0), strange],
  ])("changes %s and nothing else", (_, changed, expected) => {
    expect(JSON.stringify(changed)).toBe(JSON.stringify(expected));
  });

  it("gets the sequence number of its new position when it is moved", () => {
    const moved = editedVariables(moveVariable(strange, 2, 1));
    expect(moved.map(({ code }) => code)).toEqual(["host", "disk", "os"]);
    const { vars } = moveVariable(strange, 2, 1).main as { vars: { seq: number }[] };
    expect(vars.map(({ seq }) => seq)).toEqual([3, 5, 9]);
  });

  it("is added with a unique code, also to a dashboard without variables", () => {
    const twice = addVariable(addVariable({ title: "x" }));
    expect(editedVariables(twice).map(({ code }) => code)).toEqual(["variable", "variable2"]);
    expect(twice).toMatchObject({ title: "x", main: { type: "template", groups: [], charts: [] } });
  });

  it.each([
    ["host", ""],
    ["", "needs a name"],
    ["a b", "no spaces"],
    ["a}", "no braces"],
    ["os", "Another variable is called os"],
  ])("with the code %j gets the error %j", (code, fault) => {
    const found = variableFault({ ...host, code }, ["os"]);
    if (fault === "") expect(found).toBe("");
    else expect(found).toContain(fault);
  });
});

describe("the groups of a dashboard", () => {
  const sections = (template: Template) =>
    sectionsOf(template, chartsOf(template)).map(({ name, charts }) => [
      name,
      charts.map((each) => each.name).join(""),
    ]);

  it("contain the charts, and the rows of each group start at 0", () => {
    expect(sections(strange)).toEqual([
      [null, "a"],
      ["web", "bc"],
      ["data", "d"],
    ]);
    expect(chartsOf(strange).map(({ place: { x, y } }) => [x, y])).toEqual([
      [0, 0],
      [0, 0],
      [12, 0],
      [0, 0],
    ]);
    expect(sections({ main: { groups: ["empty"] } })).toEqual([["empty", ""]]);
    expect(sections({ main: { charts: [{ group: { name: "unlisted" } }] } })).toEqual([["unlisted", ""]]);
    expect(sections({})).toEqual([[null, ""]]);
  });

  it.each<[string, Template, Template]>([
    [
      "moved chart keeps the rows before its group",
      moveCharts(
        strange,
        chartsOf(strange).map(({ place, name }) => (name === "c" ? { ...place, y: 9 } : place)),
      ),
      withMember("main.charts.2.pos.y", 29),
    ],
    [
      "added group",
      addGroup(strange, "new"),
      withMember("main.groups", ["web", { name: "data", extend: { colour: 1 } }, "new"]),
    ],
    [
      "new name goes to the charts",
      renameGroup(strange, "data", "store"),
      withMember("main.charts.3.group.name", "store", withMember("main.groups.1.name", "store")),
    ],
    [
      "moved group",
      moveGroup(strange, "data", -1),
      withMember("main.groups", [{ name: "data", extend: { colour: 1 } }, "web"]),
    ],
    [
      "collapsed group",
      collapseGroup(strange, "web", true),
      withMember("main.groups.0", { name: "web", extend: { collapsed: true } }),
    ],
    ["group that is opened again", collapseGroup(collapseGroup(strange, "web", true), "web", false), strange],
    [
      "group with members of its own that is opened again",
      collapseGroup(collapseGroup(strange, "data", true), "data", false),
      strange,
    ],
    [
      "removed group leaves its charts below the others",
      removeGroup(strange, "data"),
      withMember(
        "main.groups",
        ["web"],
        withMember("main.charts.3.pos.y", 9, withMember("main.charts.3.group.name", null)),
      ),
    ],
    [
      "chart goes to the first free place of another group",
      regroupChart(strange, 3, "web"),
      withMember(
        "main.charts.3.pos.y",
        26,
        withMember("main.charts.3.group.name", "web", withMember("main.charts.3.pos.x", 12)),
      ),
    ],
    ["chart that stays in its group", regroupChart(strange, 1, "web"), strange],
  ])("%s", (_, changed, expected) => {
    expect(JSON.stringify(changed)).toBe(JSON.stringify(expected));
  });

  it("include a group that only a chart names, and a change adds it to the list", () => {
    const template = { main: { charts: [{ group: { name: "unlisted" } }] } };
    expect(groupNames(template)).toEqual(["unlisted"]);
    expect(groupNames(renameGroup(template, "unlisted", "x"))).toEqual(["x"]);
    expect((collapseGroup(template, "unlisted", true).main as { groups: unknown }).groups).toEqual([
      { name: "unlisted", extend: { collapsed: true } },
    ]);
  });
});

describe("a chart that the user moves up on a narrow page", () => {
  const place = (x: number, y: number, w: number, h: number): Place => ({ x, y, w, h });
  const orderOf = (places: readonly Place[]) =>
    places.map((_, at) => at).sort((a, b) => places[a]!.y - places[b]!.y || places[a]!.x - places[b]!.x);

  it.each<[string, readonly Place[], number, readonly Place[]]>([
    ["changes places in its row", [place(0, 0, 8, 9), place(8, 0, 16, 9)], 1, [place(16, 0, 8, 9), place(0, 0, 16, 9)]],
    ["goes above a wide one", [place(0, 0, 24, 9), place(0, 9, 12, 6)], 1, [place(0, 6, 24, 9), place(0, 0, 12, 6)]],
    [
      "goes between two of the row above",
      [place(0, 0, 12, 6), place(12, 0, 12, 6), place(0, 6, 12, 6)],
      2,
      [place(0, 0, 12, 6), place(12, 6, 12, 6), place(12, 0, 12, 6)],
    ],
    [
      "stays when it is the first one",
      [place(0, 0, 24, 9), place(0, 9, 12, 6)],
      0,
      [place(0, 0, 24, 9), place(0, 9, 12, 6)],
    ],
  ])("%s", (_, places, index, expected) => {
    expect(placeEarlier(places, index)).toEqual(expected);
  });

  it("comes earlier in reading order and overlaps no chart, on random dashboards", () => {
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    let faults = 0;
    for (let round = 0; round < 300; round++) {
      let places: readonly Place[] = [];
      for (let count = 0; count < 6; count++) {
        const w = 3 + random(22);
        const y = places.reduce((bottom, each) => Math.max(bottom, each.y + each.h), 0);
        places = [...places, place(random(25 - w), count % 2 === 0 ? y : y + random(4), w, 3 + random(9))];
      }
      const index = random(6);
      const moved = placeEarlier(places, index);
      const [before, after] = [orderOf(places).indexOf(index), orderOf(moved).indexOf(index)];
      if (before > 0 && after >= before) faults++;
      for (const [at, one] of moved.entries()) {
        if (one.x < 0 || one.x + one.w > 24) faults++;
        faults += moved.slice(at + 1).filter((other) => overlaps(one, other)).length;
      }
    }
    expect(faults).toBe(0);
  });
});
