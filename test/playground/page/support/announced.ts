// Records the texts that a screen reader would read aloud from a page: the texts of its live regions.

import { expect } from "vitest";
import type { TestPage } from "./running-page.ts";

/**
 * A text that a screen reader reads to the user. A text with the role `alert` interrupts the text that is being read; a
 * text with the role `status` is read after it.
 */
export interface Heard {
  readonly how: "status" | "alert";
  readonly text: string;
}

/**
 * This function runs in the page before the scripts of the page. It records the announcements in the global `heard`.
 */
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
    // A screen reader reads a new element only when its role is alert. In a new element with the role status, it reads
    // only later changes.
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

/**
 * The page counts as quiet when it announced no text for this many milliseconds. The page announces a result 700 ms
 * after the last change, so this time must be longer.
 */
const quietMs = 1500;

/** Returns the number of announced texts. Texts that end with "…" do not count: they only say that work continues. */
const count = ({ page }: TestPage) =>
  page.evaluate(
    () => (globalThis as unknown as { heard: Heard[] }).heard.filter(({ text }) => !text.endsWith("…")).length,
  );

/**
 * Waits until the page is quiet. Returns the texts that were announced since the last call, without texts about work
 * that continues.
 */
export async function heardSince(opened: TestPage): Promise<readonly Heard[]> {
  const { page } = opened;
  for (let before = -1, now = await count(opened); before !== now; now = await count(opened)) {
    before = now;
    await page.waitForTimeout(quietMs);
  }
  const heard = await page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard.splice(0));
  return heard.filter(({ text }) => !text.endsWith("…"));
}

/**
 * Does the given actions of a user one after the other. After each action, asserts that the page announced the texts
 * that are expected for this action and no others, each once and with the role `status`.
 */
export async function expectHeard(
  opened: TestPage,
  steps: readonly (readonly [name: string, act: () => Promise<unknown>, texts: readonly (string | RegExp)[]])[],
): Promise<void> {
  for (const [name, act, texts] of steps) {
    await act();
    // On a busy machine the page may announce its first text late. So the test waits for this text before it waits
    // until the page is quiet.
    if (texts.length > 0) await expect.poll(() => count(opened)).toBeGreaterThan(0);
    const expected = texts.map((text) => ({
      how: "status",
      text: typeof text === "string" ? text : expect.stringMatching(text),
    }));
    expect([name, await heardSince(opened)]).toEqual([name, expected]);
  }
}
