// The values of a script (pipeline document, section 3): representation and to-text.
// In JavaScript: int = number while safe, bigint beyond; float = Float; str = string or Bytes; list = array;
// map = Map; nil = null; void = VOID, the "no result" of a function.

import { Float, type Integer, type Text } from "../point/value.ts";

export class Void {
  private readonly void = true;
}
export const VOID = new Void();

export type List = Value[];
export type Dict = Map<string, Value>;
export type Value = Integer | Float | Text | boolean | List | Dict | null | Void;

export { Float };
