// Drives a real Firefox over WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/): Playwright only drives a Firefox
// that it has changed itself.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { WebSocket } from "ws";

/** The path of the Firefox program on this machine; null when there is none. */
export const firefoxPath: string | null =
  process.env.FIREFOX_PATH ??
  ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"].find((each) =>
    existsSync(each),
  ) ??
  null;

const startMs = 60_000;
/** Longest time in milliseconds that a test waits for a condition. */
const waitMs = 60_000;

/**
 * JavaScript functions that the test adds to every page. They search elements also inside shadow trees, because the
 * editors are in shadow trees.
 */
const inPage = `() => {
  const all = (selector, root = document) => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll("*")].flatMap((each) => (each.shadowRoot === null ? [] : all(selector, each.shadowRoot))),
  ];
  const isShown = (each) => each.getClientRects().length > 0;
  globalThis.shown = (selector, text = "") =>
    all(selector).filter((each) => isShown(each) && (each.textContent + " " + (each.getAttribute("aria-label") ?? "")).includes(text));
}`;

interface Answer {
  readonly id?: number;
  readonly type: "success" | "error" | "event";
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
}

export interface FirefoxPage {
  /** Opens an address and waits until it is loaded. */
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Runs an expression in the page and returns its value, which must be representable in JSON. */
  value<T>(expression: string): Promise<T>;
  /** Returns the texts of the visible elements that match a CSS selector. */
  texts(selector: string): Promise<string[]>;
  /** Waits until a JavaScript expression, which runs in the page, returns true. */
  until(expression: string): Promise<void>;
  /** Clicks the first visible element that matches a CSS selector and whose text or label contains `text`. */
  click(selector: string, text?: string): Promise<void>;
  /** Replaces the text of the editor with the given label, using the keyboard and the clipboard. */
  paste(label: string, text: string): Promise<void>;
  /** Presses a key that has a name, such as `Enter`. */
  press(key: "arrowDown"): Promise<void>;
  /** Chooses an option of the list with the given label. */
  choose(label: string, option: string): Promise<void>;
  /** Runs a function in each page that is opened from now on, before the scripts of the page. */
  before(functionText: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts Firefox with a profile of its own, and opens an empty page. */
export async function startFirefox(executable: string): Promise<FirefoxPage> {
  const profile = mkdtempSync(path.join(tmpdir(), "millrace-firefox-"));
  // Firefox shows no questions, sends no telemetry, and requests nothing except the page.
  const settings = {
    "app.update.enabled": false,
    "browser.shell.checkDefaultBrowser": false,
    "datareporting.policy.dataSubmissionEnabled": false,
    "network.captive-portal-service.enabled": false,
    "network.connectivity-service.enabled": false,
    "toolkit.telemetry.enabled": false,
  };
  writeFileSync(
    path.join(profile, "user.js"),
    Object.entries(settings)
      .map(([name, value]) => `user_pref("${name}", ${value});\n`)
      .join(""),
  );
  const args = ["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile, "about:blank"];
  const child = spawn(executable, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: profile, MOZ_HEADLESS_WIDTH: "1400", MOZ_HEADLESS_HEIGHT: "900" },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const send = await connect(await addressOf(child));
    await send("session.new", { capabilities: {} });
    await send("script.addPreloadScript", { functionDeclaration: inPage });
    const tree = (await send("browsingContext.getTree", {})) as { contexts: { context: string }[] };
    return pageOf(send, tree.contexts[0]!.context, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the address at which Firefox listens, which it writes to its standard error. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(
      () => reject(new Error(`Firefox does not listen. It said: ${said.slice(-1000)}`)),
      startMs,
    );
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`Firefox ended. It said: ${said.slice(-1000)}`)));
    child.stderr!.setEncoding("utf8").on("data", (part: string) => {
      said += part;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
      if (found === null) return;
      clearTimeout(timer);
      resolve(found[1]!);
    });
  });
}

type Send = (method: string, params: unknown) => Promise<unknown>;

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  let last = 0;
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  socket.on("message", (data) => {
    const answer = JSON.parse(String(data)) as Answer;
    const asked = waiting.get(answer.id ?? 0);
    if (asked === undefined) return;
    waiting.delete(answer.id!);
    if (answer.type === "success") asked.resolve(answer.result);
    else asked.reject(new Error(`${answer.error}: ${answer.message}`));
  });
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox has closed the connection"));
  });
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
}

/** Codes of keyboard keys. Each constant has the name that WebDriver uses for the key. */
const control = "\ue009";
const keys = { arrowDown: "\ue015" };

function pageOf(send: Send, context: string, stop: () => Promise<void>): FirefoxPage {
  async function value<T>(expression: string): Promise<T> {
    const answer = (await send("script.evaluate", {
      expression: `(async () => JSON.stringify(await ${expression}))()`,
      target: { context },
      awaitPromise: true,
      userActivation: true,
    })) as { type: string; result?: { value?: string }; exceptionDetails?: { text: string } };
    if (answer.type !== "success") throw new Error(`${expression}: ${answer.exceptionDetails?.text}`);
    return JSON.parse(answer.result?.value ?? "null") as T;
  }
  async function until(expression: string): Promise<void> {
    const end = Date.now() + waitMs;
    while (!(await value<boolean>(expression))) {
      if (Date.now() > end) {
        const text = await value<string>("document.body.innerText.slice(0, 1500)");
        throw new Error(`never true: ${expression}\nThe page shows:\n${text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  async function click(selector: string, text = ""): Promise<void> {
    const found = `shown(${JSON.stringify(selector)}, ${JSON.stringify(text)})[0]`;
    await until(`${found} !== undefined && ${found}.closest("[inert]") === null`);
    const [x, y] = await value<[number, number]>(
      `(({ left, top, width, height }) => [left + width / 2, top + Math.min(height / 2, 12)])(${found}.getBoundingClientRect())`,
    );
    const at = { x: Math.round(x), y: Math.round(y) };
    const actions = [
      { type: "pointerMove", ...at },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await send("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] });
  }
  return {
    open: async (url) => void (await send("browsingContext.navigate", { context, url, wait: "complete" })),
    reload: async () => void (await send("browsingContext.reload", { context, wait: "complete" })),
    value,
    texts: (selector) => value(`shown(${JSON.stringify(selector)}).map((each) => each.innerText)`),
    until,
    click,
    paste: async (label, text) => {
      await click(".cm-content", label);
      await value(`navigator.clipboard.writeText(${JSON.stringify(text)}).then(() => true)`);
      const key = (name: string) => [
        { type: "keyDown", value: control },
        { type: "keyDown", value: name },
        { type: "keyUp", value: name },
        { type: "keyUp", value: control },
      ];
      const actions = [...key("a"), ...key("v")];
      await send("input.performActions", { context, actions: [{ type: "key", id: "keyboard", actions }] });
    },
    press: async (key) => {
      const actions = ["keyDown", "keyUp"].map((type) => ({ type, value: keys[key] }));
      await send("input.performActions", { context, actions: [{ type: "key", id: "keyboard", actions }] });
    },
    choose: async (label, option) => {
      const list = `shown("select").find((each) => (each.ariaLabel ?? each.labels[0]?.textContent) === ${JSON.stringify(label)})`;
      await until(`${list} !== undefined`);
      await value(`(() => {
        const list = ${list};
        list.value = [...list.options].find((each) => each.textContent === ${JSON.stringify(option)}).value;
        list.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
    },
    before: async (functionText) => void (await send("script.addPreloadScript", { functionDeclaration: functionText })),
    close: async () => {
      await send("browser.close", {}).catch(() => {});
      await stop();
    },
  };
}
