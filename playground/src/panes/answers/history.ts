// The last queries of this browser. They are not stored in the project, so a link to the project does not reveal them.

import { visitTexts } from "../../state/storage/storage.ts";

const key = "millrace-queries";
const most = 50;

/**
 * Adds `text` to the stored history, unless it is null. Returns the history: the newest query first, each query once.
 */
export function rememberQuery(text: string | null): readonly string[] {
  const before = stored();
  if (text === null) return before;
  const history = [text, ...before.filter((each) => each !== text)].slice(0, most);
  visitTexts.set(key, JSON.stringify(history));
  return history;
}

function stored(): readonly string[] {
  try {
    const list: unknown = JSON.parse(visitTexts.get(key) ?? "[]");
    return Array.isArray(list) ? list.filter((each) => typeof each === "string").slice(0, most) : [];
  } catch {
    return [];
  }
}
