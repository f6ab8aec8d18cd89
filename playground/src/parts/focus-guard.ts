// Moves the keyboard focus when the element that has it vanishes, because its button was used, its menu was
// closed or its row was removed. Without this guard, the browser would give the focus to the body, and a person
// who works with the keyboard would start at the top of the page again. The guard moves the focus to the element
// that took the place of the vanished element, or to the nearest neighbour of that place.

/**
 * Marks an element that takes the focus when one of its siblings vanishes. Without a marked element, the nearest
 * sibling takes the focus.
 */
const preferred = "[data-takes-focus]";
const focusable = "a[href], button, input, select, textarea, summary, [tabindex]";
/** Number of recently focused elements that the guard remembers. */
const mostRecent = 20;

/** The place in the document from which an element was removed: its former parent, and the node that came before it. */
interface Gap {
  readonly parent: Element;
  readonly before: Node | null;
}

/**
 * Starts the guard for the whole document. When an element in a dialog, or in a message outside of `page`,
 * vanishes, the guard returns the focus to the element that had it before. When there is no such element any
 * more, the guard moves the focus to `content`.
 */
export function guardFocus(page: HTMLElement, content: HTMLElement): void {
  const { body } = document;
  /** The elements that had the focus recently, the latest one at the end. */
  let recent: HTMLElement[] = [];
  /** The element with the focus; null when the user has moved the focus away without giving it to another element. */
  let last: HTMLElement | null = null;

  function focused(): void {
    const { activeElement: element } = document;
    if (!(element instanceof HTMLElement) || element === body || element === last) return;
    last = element;
    recent = [...recent.filter((each) => each !== element && each.isConnected), element].slice(-mostRecent);
  }

  function left(): void {
    // This check runs in a microtask, because a timer could run too late: the browser may first handle the next key,
    // and that key may remove the element.
    queueMicrotask(() => {
      if (document.activeElement === body && last !== null && canFocus(last)) last = null;
    });
  }

  function changed(records: readonly MutationRecord[]): void {
    const { activeElement } = document;
    if (last === null || (activeElement !== body && activeElement !== last)) return;
    if (activeElement === last && !isOff(last)) return;
    const lost = last;
    const gap = gapOf(lost, records);
    // Waits a moment, because the code that has removed the element may itself move the focus.
    setTimeout(() => {
      if (document.activeElement !== body && document.activeElement !== lost) return;
      const before = recent.toReversed().find((each) => each !== lost && canFocus(each));
      const inPage = gap !== null && page.contains(gap.parent) && lost.closest("dialog") === null;
      const next = canFocus(lost) ? lost : ((inPage ? nearest(gap) : null) ?? before ?? content);
      innerOf(next).focus({ preventScroll: next === content });
    });
  }

  const observer = new MutationObserver(changed);
  observer.observe(body, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled", "hidden"] });
  // In a window that is not active, Firefox sends no events about the focus. It still sends events for keys and clicks,
  // so the guard listens to these events as well.
  for (const event of ["focusin", "keydown", "click"]) document.addEventListener(event, focused, true);
  document.addEventListener("focusout", left);
}

const isOff = (element: HTMLElement) => element.matches(":disabled") || element.closest("[hidden]") !== null;

function canFocus(element: HTMLElement): boolean {
  return element.isConnected && !isOff(element) && element.checkVisibility() && element.closest("[inert]") === null;
}

/**
 * Returns the place in the document from which the element was removed. For an element that was only disabled or
 * hidden, returns the place right after it. Returns null when the place is no longer in the document.
 */
function gapOf(element: HTMLElement, records: readonly MutationRecord[]): Gap | null {
  let gone: Node = element;
  // The element may have been removed from a part of the page that was then removed itself. So the loop continues
  // until it finds a part that is still on the page.
  for (;;) {
    const record = records.findLast(({ removedNodes }) => [...removedNodes].some((each) => each.contains(gone)));
    if (record === undefined) break;
    const { target, previousSibling } = record;
    if (target.isConnected) return target instanceof Element ? { parent: target, before: previousSibling } : null;
    gone = target;
  }
  const parent = element.parentElement;
  return parent?.isConnected === true ? { parent, before: element } : null;
}

/**
 * Returns the element that gets the focus. Tries the elements after the gap (the place of the removed element),
 * then the elements before it, the nearest first. When none of them can have the focus, tries the parent, and
 * then searches around the parent in the same way.
 */
function nearest({ parent, before }: Gap): HTMLElement | null {
  const { children } = parent;
  const anchor = before === null || before.parentNode !== parent ? null : before;
  const isBehind = (each: Element) =>
    anchor === null || (anchor.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const behind = [...children].filter(isBehind);
  const ahead = [...children].filter((each) => !isBehind(each)).reverse();
  for (const each of [...[...children].filter((each) => each.matches(preferred)), ...behind, ...ahead]) {
    const found = firstIn(each);
    if (found !== null) return found;
  }
  if (isStop(parent)) return parent as HTMLElement;
  const above = parent.parentElement;
  return above === null || parent.matches("main, header, nav") ? null : nearest({ parent: above, before: parent });
}

const isStop = (element: Element) => element instanceof HTMLElement && element.tabIndex >= 0 && canFocus(element);

/** Returns the first element of a tree that the Tab key reaches; null when there is none. */
export function firstIn(root: Element): HTMLElement | null {
  const all = [root, ...root.querySelectorAll("*")].filter(
    (each) => each.shadowRoot !== null || each.matches(focusable),
  );
  const found = all.find((each) => (each.shadowRoot === null ? isStop(each) : canFocus(each as HTMLElement)));
  return (found as HTMLElement | undefined) ?? null;
}

/**
 * Returns the element that contains the editable text when `element` is an editor, because an editor has its
 * text in a shadow tree. Returns any other element unchanged.
 */
export function innerOf(element: HTMLElement): HTMLElement {
  return element.shadowRoot?.querySelector<HTMLElement>("[contenteditable=true]") ?? element;
}
