import { expect, it } from "vitest";
import { RingLink } from "../../../server/http/ring.ts";

class Named extends RingLink {
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
}

function namesIn(head: RingLink): string {
  let names = "";
  for (let { next } = head; next !== head; next = next.next) names += (next as Named).name;
  return names;
}

const cases: readonly (readonly [steps: string, left: string])[] = [
  ["", ""],
  ["+a", "a"],
  ["+a +b +c", "abc"],
  ["+a +b +c -a", "bc"],
  ["+a +b +c -b", "ac"],
  ["+a +b +c -c", "ab"],
  ["+a -a", ""],
  ["+a -a -a", ""],
  ["+a +b -a +a", "ba"],
  ["-a +b", "b"],
];

it.each(cases)("after %s the members are %s", (steps, left) => {
  const head = new RingLink();
  const members = { a: new Named("a"), b: new Named("b"), c: new Named("c") };
  for (const [sign, name] of steps.split(" ").filter(Boolean)) {
    const member = members[name as keyof typeof members];
    if (sign === "+") member.enter(head);
    else member.leave();
  }
  expect(namesIn(head)).toBe(left);
  expect(head.isLinked).toBe(left !== "");
  for (const member of Object.values(members)) expect(member.isLinked).toBe(left.includes(member.name));
});
