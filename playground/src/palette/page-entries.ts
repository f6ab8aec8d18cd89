// Reads the controls of the page that is on the screen: buttons, tabs, fields and panes. So the command palette offers
// each of them by the name that users and screen readers read, and no list of them has to be kept.

import { firstIn, innerOf } from "../parts/focus-guard.ts";
import { isMac } from "../parts/keys.ts";
import { original, t } from "../text/translate.ts";
import type { Entry, EntryKind } from "./entry.ts";

const controls = 'button, a[href], [role="tab"], summary, select, textarea, input:not([type="file"], [type="hidden"])';

/**
 * The parts of the page whose controls are left out: tables and lists, whose many rows have controls of their own; open
 * menus, which the palette closes; and controls for which the palette has entries of its own (`data-unlisted`), such as
 * the links to the modes. The buttons of a page without content are in a list too, but there are only a few of them.
 */
const leftOut = 'table, [role="grid"], [role="listbox"], li, dialog, .panel, [data-unlisted]';
const start = ".start";

/**
 * Returns an entry for each control and pane that a user can see in `page`. Of controls with the same name, the first.
 */
export function pageEntries(page: HTMLElement): readonly Entry[] {
  const found = new Map<string, Entry>();
  for (const element of page.querySelectorAll<HTMLElement>(`${controls}, section[aria-label]`)) {
    const entry = entryOf(element);
    if (entry !== null && !found.has(`${entry.title}\n${entry.about}`))
      found.set(`${entry.title}\n${entry.about}`, entry);
  }
  return [...found.values()];
}

function entryOf(element: HTMLElement): Entry | null {
  if (!element.checkVisibility() || isOff(element)) return null;
  if (element.closest(start) === null && element.closest(leftOut) !== null) return null;
  const name = nameOf(element);
  if (name === "") return null;
  const kind = kindOf(element);
  return {
    kind,
    title: kind === "setting" || kind === "pane" ? t("Go to: {name}", { name }) : name,
    about: [stateOf(element), placeOf(element), titleOf(element)]
      .filter((text) => text !== "" && text !== name)
      .join(" · "),
    words: original(name),
    keys: keysOf(element),
    run: () => use(element, kind),
  };
}

/** Returns whether a control does nothing now, or is out of reach of the keyboard. */
const isOff = (element: HTMLElement): boolean =>
  element.matches(':disabled, [aria-disabled="true"], [tabindex="-1"]:not([role="tab"])');

function kindOf(element: HTMLElement): EntryKind {
  if (element.tagName === "SECTION") return "pane";
  const isPressed = element.matches('button, a, summary, [role="tab"], [type="checkbox"], [type="radio"]');
  return isPressed ? "action" : "setting";
}

/** Returns the name of a control as screen readers read it, without the keys that are written on it. */
function nameOf(element: HTMLElement): string {
  const { labels = null } = element as HTMLInputElement;
  const own =
    element.getAttribute("aria-label") ??
    textOf(labels?.[0] ?? (element.matches("section, select, input, textarea") ? null : element));
  return (own || element.title).replace(/\s+/g, " ").trim();
}

/** Returns the texts in an element, with a space between two of them. */
function textOf(element: HTMLElement | null): string {
  if (element === null) return "";
  const copy = element.cloneNode(true) as HTMLElement;
  for (const part of copy.querySelectorAll("kbd, svg, select, small")) part.remove();
  const texts = document.createNodeIterator(copy, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) found.push(node.textContent ?? "");
  return found.join(" ");
}

/** Returns whether a control that can be on or off is on, in a word; empty for any other control. */
function stateOf(element: HTMLElement): string {
  if (!element.matches('[aria-pressed], [type="checkbox"], [type="radio"]')) return "";
  return element.matches('[aria-pressed="true"], :checked') ? t("is on") : t("is off");
}

/** Returns the name of the part of the page that contains the control; empty for a part without a name. */
function placeOf(element: HTMLElement): string {
  const place = element.parentElement?.closest('section[aria-label], [role="group"][aria-label]');
  return place?.getAttribute("aria-label") ?? "";
}

/** The keys in parentheses at the end of a title, such as `Run (Ctrl+Enter)`. */
const keysInTitle = /\s*[(（]((?:\w+\+)+[^\s)）]+|F\d+)[)）]$/;

const titleOf = ({ title }: HTMLElement): string => title.replace(keysInTitle, "");

function keysOf(element: HTMLElement): string {
  const keys = element.getAttribute("aria-keyshortcuts") ?? keysInTitle.exec(element.title)?.[1] ?? "";
  return isMac ? keys.replace("Ctrl", "⌘") : keys;
}

function use(element: HTMLElement, kind: EntryKind): void {
  // The page may have removed or hidden the control while the palette was open.
  if (!element.isConnected || !element.checkVisibility()) return;
  if (kind === "action") {
    // The focus stays where it was, such as in an editor, unless the control itself moves it.
    element.click();
    return;
  }
  // The content of a pane, such as its editor, comes behind the bar with the buttons of the pane.
  const target = kind === "pane" ? firstIn(element.querySelector(".body") ?? element) : element;
  if (target !== null) innerOf(target).focus();
  if (target instanceof HTMLInputElement) target.select();
}
