// Evaluates the filter function with_labels(): returns the names (or the values of another key) of the objects that
// have all the given labels (docs/reference/query.md#filters).

import type { Engine, ObjectLabels } from "../evaluate/engine.ts";
import { numberOf } from "../semantics/arguments.ts";
import type { Call } from "../syntax/ast.ts";
import { argument, textList } from "./show.ts";

const most = 1000;

export async function labelledValues(call: Call, engine: Engine): Promise<readonly string[]> {
  const [objectClass] = textList(argument(call, "object_class"));
  const [name] = textList(argument(call, "object_name"));
  const [key = "name"] = textList(argument(call, "key"));
  const wanted = textList(argument(call, "labels"));
  const limit = Math.min(most, numberOf(argument(call, "max") ?? { type: "nil", at: 0 }) ?? most);
  const all = [...(await engine.labels("object")), ...(await engine.labels("custom_object"))];
  const objects = new Map<string, ObjectLabels[]>();
  for (const each of all) {
    if (objectClass !== undefined && each.objectClass !== objectClass) continue;
    if (name !== undefined && each.objectName !== name) continue;
    const id = JSON.stringify([each.objectClass, each.objectName]);
    objects.set(id, [...(objects.get(id) ?? []), each]);
  }
  const found = [...objects.values()].filter((entries) =>
    wanted.every((label) => entries.some(({ labels }) => labels.includes(label))),
  );
  return found
    .flatMap((entries) =>
      key === "name" ? [entries[0]!.objectName] : entries.filter((each) => each.key === key).map(({ value }) => value),
    )
    .slice(0, limit);
}
