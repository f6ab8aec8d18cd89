// Finds the JSON objects in a text: objects that follow one another, with or without line feeds between them, or one
// list of objects.

import { checkJson, JsonSyntaxError } from "../../../../lib/text/index.ts";

/** Thrown for a text that is not a sequence or a list of JSON objects. */
export class ObjectsError extends Error {}

const braceOrString = /["{}]/g;
const closing = /["\\]/g;

/**
 * Yields the text of each JSON object in `text`. Between objects, only white space is allowed; in a list, also brackets
 * and commas. Throws ObjectsError.
 */
export function* objectsOf(text: string): Iterable<string> {
  const isList = /^\s*\[/.test(text);
  if (isList) checkList(text);
  const between = isList ? /[\s,[\]]*/y : /\s*/y;
  for (let at = 0; ; ) {
    between.lastIndex = at;
    between.test(text);
    const start = between.lastIndex;
    if (start === text.length) return;
    if (text[start] !== "{") throw new ObjectsError(`unit ${start} of the text: an object is expected`);
    at = endOfObject(text, start);
    yield text.slice(start, at);
  }
}

/**
 * Returns the offset after the JSON object that starts at `start`; the length of the text when the object is not
 * closed.
 */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  braceOrString.lastIndex = start;
  for (let found = braceOrString.exec(text); found !== null; found = braceOrString.exec(text)) {
    if (found[0] === "{") depth++;
    else if (found[0] === "}") {
      if (--depth === 0) return braceOrString.lastIndex;
    } else braceOrString.lastIndex = endOfString(text, found.index);
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  closing.lastIndex = start + 1;
  for (let found = closing.exec(text); found !== null; found = closing.exec(text)) {
    if (found[0] === '"') return closing.lastIndex;
    closing.lastIndex++;
  }
  return text.length;
}

function checkList(text: string): void {
  try {
    checkJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ObjectsError(`the list: ${error.message}`);
  }
}
