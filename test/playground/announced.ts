// Records what screen readers hear of a page: each text that a live region gets.

import { expect } from "vitest";
import type { TestPage } from "./running-page.ts";

/** A text that a screen reader reads. An `alert` interrupts what it reads; a `status` waits. */
export interface Heard {
  readonly how: "status" | "alert";
  readonly text: string;
}

/** Runs in the page before its scripts. */
export function recordAnnouncements(): void {
  const regions = "[role=status], [role=alert], [aria-live]";
  const heard: Heard[] = [];
  Object.assign(globalThis, { heard });
  const texts = new WeakMap<Element, string>();
  const take = (region: Element, isNew: boolean) => {
    const politeness = region.getAttribute("aria-live");
    const text = region.textContent ?? "";
    const before = texts.get(region) ?? "";
    texts.set(region, text);
    if (politeness === "off" || text === before || text.trim() === "" || !region.checkVisibility()) return;
    const isAlert = politeness === "assertive" || (politeness === null && region.getAttribute("role") === "alert");
    // Screen readers read an alert that appears. Of a status they read only what changes in it.
    if (isNew && !isAlert) return;
    heard.push({ how: isAlert ? "alert" : "status", text: text.replace(/\s+/g, " ").trim() });
  };
  new MutationObserver((records) => {
    const changed = new Set<Element>();
    const added = new Set<Element>();
    for (const { target, addedNodes } of records) {
      const region = (target instanceof Element ? target : target.parentElement)?.closest(regions);
      if (region != null) changed.add(region);
      for (const node of addedNodes)
        if (node instanceof Element)
          for (const each of [node, ...node.querySelectorAll(regions)]) if (each.matches(regions)) added.add(each);
    }
    for (const each of added) take(each, true);
    for (const each of changed) if (!added.has(each)) take(each, false);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** How long nothing may be heard, in milliseconds, until the page is quiet. Results are read after 700 ms. */
const quietMs = 1500;

/** Returns how many texts were heard that do not only say that work goes on. */
const count = ({ page }: TestPage) =>
  page.evaluate(
    () => (globalThis as unknown as { heard: Heard[] }).heard.filter(({ text }) => !text.endsWith("…")).length,
  );

/** Waits until the page is quiet. Returns what was heard since the call before, without texts that say that work goes on. */
export async function heardSince(opened: TestPage): Promise<readonly Heard[]> {
  const { page } = opened;
  for (let before = -1, now = await count(opened); before !== now; now = await count(opened)) {
    before = now;
    await page.waitForTimeout(quietMs);
  }
  const heard = await page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard.splice(0));
  return heard.filter(({ text }) => !text.endsWith("…"));
}

/** Does steps one after the other, and asserts what is heard after each: politely, once, and nothing else. */
export async function expectHeard(
  opened: TestPage,
  steps: readonly (readonly [name: string, act: () => Promise<unknown>, texts: readonly (string | RegExp)[]])[],
): Promise<void> {
  for (const [name, act, texts] of steps) {
    await act();
    // What is heard first may take long on a busy machine.
    if (texts.length > 0) await expect.poll(() => count(opened)).toBeGreaterThan(0);
    const expected = texts.map((text) => ({
      how: "status",
      text: typeof text === "string" ? text : expect.stringMatching(text),
    }));
    expect([name, await heardSince(opened)]).toEqual([name, expected]);
  }
}
