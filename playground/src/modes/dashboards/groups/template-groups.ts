// The groups of a dashboard in its template: `main.groups` has their names, and each chart names its group. A group is
// a name, or an object with a name and further members, which stay as they are.

import { bottomOf, freePlace } from "../../../panes/dashboards/layout.ts";
import {
  type Chart,
  chartsOf,
  groupOf,
  isObject,
  type Json,
  listOf,
  mainOf,
  objectOf,
  type Template,
  textOf,
  withMain,
} from "../../../panes/dashboards/template.ts";

/** The charts of one group, or the charts without a group, which make up the first section of a dashboard. */
export interface Section {
  /** Name of the group; null for the charts that are in no group. */
  readonly name: string | null;
  /** Whether only the name of the group is shown when a user opens the dashboard. */
  readonly isCollapsed: boolean;
  readonly charts: readonly Chart[];
}

const nameOf = (group: unknown): string => (isObject(group) ? textOf(group.name) : textOf(group));

/** Returns the names of all groups: the names in the list of the template, and names that occur only in charts. */
export function groupNames(template: Template): readonly string[] {
  const listed = listOf(mainOf(template).groups).map(nameOf);
  const used = chartsOf(template).map(({ group }) => group ?? "");
  return [...new Set([...listed, ...used])].filter((name) => name !== "");
}

/**
 * Divides charts by their groups. The charts that are in no group form the first section; when every chart is in
 * a group, this section is absent.
 */
export function sectionsOf(template: Template, charts: readonly Chart[]): readonly Section[] {
  const groups = listOf(mainOf(template).groups);
  const named = groupNames(template).map((name) => {
    const extend = groups.map((group) => (nameOf(group) === name ? objectOf(objectOf(group).extend) : {}));
    return {
      name,
      isCollapsed: extend.some(({ collapsed }) => collapsed === true),
      charts: charts.filter(({ group }) => group === name),
    };
  });
  const others = charts.filter(({ group }) => group === null);
  return others.length === 0 && named.length > 0
    ? named
    : [{ name: null, isCollapsed: false, charts: others }, ...named];
}

export function addGroup(template: Template, name: string): Template {
  return withGroups(template, [...listedGroups(template), name]);
}

/** Renames a group in the list of groups and in all charts that belong to it. Returns the changed template. */
export function renameGroup(template: Template, name: string, next: string): Template {
  const renamed = withGroups(
    template,
    listedGroups(template).map((group) => {
      if (nameOf(group) !== name) return group;
      return isObject(group) ? { ...group, name: next } : next;
    }),
  );
  return withEachChart(renamed, (chart) => (groupOf(chart) === name ? withGroup(chart, next) : chart));
}

/**
 * Changes whether a group is collapsed (only its name is shown) when a user opens the dashboard. Returns the changed
 * template.
 */
export function collapseGroup(template: Template, name: string, isCollapsed: boolean): Template {
  const groups = listedGroups(template).map((group) => {
    if (nameOf(group) !== name) return group;
    const { collapsed: _, ...others } = objectOf(objectOf(group).extend);
    const extend = isCollapsed ? { ...others, collapsed: true } : others;
    // A group that has nothing but a name is written as a string, as in the templates that the platform exports.
    const members = Object.keys(objectOf(group)).filter((member) => member !== "name" && member !== "extend");
    if (members.length === 0 && Object.keys(extend).length === 0) return name;
    return { ...objectOf(group), name, extend };
  });
  return withGroups(template, groups);
}

/** Moves a group one position up (-1) or down (1) in the order of groups. */
export function moveGroup(template: Template, name: string, by: -1 | 1): Template {
  const groups = [...listedGroups(template)];
  const at = groups.findIndex((group) => nameOf(group) === name);
  const [group] = groups.splice(at, 1);
  groups.splice(Math.max(0, at + by), 0, group);
  return withGroups(template, groups);
}

/**
 * Removes a group. Its charts stay on the dashboard without a group, and are placed below the charts that had no group
 * before.
 */
export function removeGroup(template: Template, name: string): Template {
  const charts = chartsOf(template);
  const bottom = bottomOf(charts.filter(({ group }) => group === null).map(({ place }) => place));
  const moved = withEachChart(template, (chart, index) => {
    const { group, place } = charts[index]!;
    if (group !== name) return chart;
    return { ...withGroup(chart, null), pos: { ...objectOf(chart.pos), ...place, y: place.y + bottom } };
  });
  return withGroups(
    moved,
    listOf(mainOf(template).groups).filter((group) => nameOf(group) !== name),
  );
}

/** Puts a chart into a group, at the first place that has room for it. With null, the chart gets no group. */
export function regroupChart(template: Template, index: number, group: string | null): Template {
  const charts = chartsOf(template);
  const chart = charts[index]!;
  if (chart.group === group) return template;
  const others = charts.filter((each) => each.group === group);
  const place = freePlace(
    others.map((each) => each.place),
    chart.place.w,
    chart.place.h,
  );
  const y = place.y + (others[0]?.rowsBefore ?? 0);
  return withEachChart(template, (raw, at) =>
    at === index ? { ...withGroup(raw, group), pos: { ...objectOf(raw.pos), ...place, y } } : raw,
  );
}

/** Returns the groups in the list of the template, followed by groups whose names occur only in charts. */
function listedGroups(template: Template): readonly unknown[] {
  const listed = listOf(mainOf(template).groups);
  const names = listed.map(nameOf);
  return [...listed, ...groupNames(template).filter((name) => !names.includes(name))];
}

function withGroups(template: Template, groups: readonly unknown[]): Template {
  return withMain(template, { groups });
}

function withGroup(chart: Json, name: string | null): Json {
  return { ...chart, group: { ...objectOf(chart.group), name } };
}

function withEachChart(template: Template, change: (chart: Json, index: number) => Json): Template {
  const charts = listOf(mainOf(template).charts);
  return withMain(template, {
    charts: charts.map((each, index) => (isObject(each) ? change(each, index) : each)),
  });
}
