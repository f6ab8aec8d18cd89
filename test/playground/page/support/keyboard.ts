// Functions for tests that use a page with the keyboard alone: which element has the focus, and how the Tab key gets to
// an element.

import type { TestPage } from "./running-page.ts";

/**
 * Returns the role (or else the tag name) and the name of the element with the focus, and whether a user can see that
 * it has the focus.
 */
export const focused = ({ page }: TestPage) =>
  page.evaluate(() => {
    const { activeElement } = document;
    const inside = activeElement?.shadowRoot?.activeElement ?? null;
    const element = (inside ?? activeElement) as HTMLElement;
    const { width, height, left, right, top, bottom } = element.getBoundingClientRect();
    const rings = [element, activeElement?.parentElement, activeElement?.closest(".grid")].map((each) =>
      each == null ? "none" : getComputedStyle(each).outlineStyle,
    );
    return {
      name: `${element.getAttribute("role") ?? element.tagName.toLowerCase()} ${(
        element.getAttribute("aria-label") ??
        (element as HTMLInputElement).labels?.[0]?.textContent ??
        element.textContent ??
        ""
      )
        .trim()
        .replace(/\s+/g, " ")}`.slice(0, 60),
      // An editor shows the focus by its cursor and needs no outline.
      isSeen: inside !== null || rings.some((style) => style !== "none"),
      isOnPage: width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
    };
  });

/**
 * Presses Tab, or the key `key`, until the element with this name has the focus. Presses Escape before each press, so
 * that Tab also leaves an editor.
 */
export async function tabTo(opened: TestPage, name: RegExp, key = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await opened.page.keyboard.press("Escape");
    await opened.page.keyboard.press(key);
    const { name: reached } = await focused(opened);
    if (name.test(reached)) return;
    passed.push(reached);
  }
  throw new Error(`${key} does not reach ${name}, but ${passed.join(" | ")}`);
}
