// The dashboards of the platform: finds out whether the page can reach them, lists them, and adds and removes
// dashboards.

import { exactText } from "../../state/exact-json.ts";
import { t } from "../../text/translate.ts";
import { type Api, ApiFault, createApi, type DashboardRow, type ReadyRow } from "./api.ts";
import { type Template, templateOfFile } from "./template.ts";

/**
 * Name under which the session storage holds the key of the Open API (the HTTP interface of the platform). The browser
 * keeps this storage until the tab is closed.
 */
const keyName = "millrace-open-api-key";
/** Largest size in bytes of a file that holds a dashboard. */
const mostFileBytes = 8 * 1024 * 1024;
const longestName = 128;

export type LibraryState = "opening" | "nowhere" | "key" | "open" | "failed";

export class Library {
  readonly api: Api;
  state = $state<LibraryState>("opening");
  rows = $state.raw<readonly DashboardRow[]>([]);
  /** Number of all dashboards that match the search. */
  total = $state(0);
  /** The search text that the listed dashboards match. */
  found = $state("");
  ready = $state.raw<readonly ReadyRow[]>([]);
  /**
   * The reason why the list of dashboards cannot be read, or why the platform refused the user's key; empty when there
   * is no fault.
   */
  fault = $state("");
  busy = $state(false);
  private key: string;
  private turn = 0;

  constructor() {
    this.key = sessionStorage.getItem(keyName) ?? "";
    this.api = createApi(
      (...args) => fetch(...args),
      () => this.key,
    );
  }

  async open(): Promise<void> {
    this.state = "opening";
    this.fault = "";
    try {
      const { available, needsKey } = await this.api.state();
      if (!available) this.state = "nowhere";
      else if (needsKey && this.key === "") this.state = "key";
      else {
        await this.search("");
        if (this.fault === "") this.ready = await this.api.ready();
      }
    } catch (error) {
      this.failed(error);
    }
  }

  /**
   * Tries a key of the Open API (the HTTP interface of the platform) that the user typed. The browser stores the key
   * only when the platform accepts it.
   */
  async takeKey(key: string): Promise<void> {
    this.key = key.trim();
    await this.open();
  }

  async search(text: string): Promise<void> {
    const own = ++this.turn;
    this.busy = true;
    try {
      const { rows, total } = await this.api.list(text);
      if (own !== this.turn) return;
      this.rows = rows;
      this.total = total;
      this.found = text;
      this.fault = "";
      this.state = "open";
      if (this.key !== "") sessionStorage.setItem(keyName, this.key);
    } catch (error) {
      if (own === this.turn) this.failed(error);
    } finally {
      if (own === this.turn) this.busy = false;
    }
  }

  private failed(error: unknown): void {
    this.fault = (error as Error).message;
    // When the platform refuses the stored key of the Open API (the HTTP interface of the platform), the page asks the
    // user for another key.
    if (error instanceof ApiFault && (error.status === 401 || error.status === 403) && this.state !== "open") {
      if (this.key !== "") sessionStorage.removeItem(keyName);
      this.key = "";
      this.state = "key";
    } else this.state = "failed";
  }

  /** Makes an empty dashboard, and returns its identifier. */
  create(): Promise<string> {
    return this.api.create(this.freeName(t("New dashboard")), null);
  }

  async createReady({ name, title }: ReadyRow): Promise<string> {
    const template = await this.api.readyTemplate(name);
    return await this.api.create(title, exactText(template));
  }

  /** Makes a dashboard from a file. Throws an Error that says what is wrong with the file. */
  async createFromFile(file: File): Promise<string> {
    if (file.size > mostFileBytes) throw new Error(t("The file is larger than 8 MB, so it is no dashboard."));
    const { title, template } = templateOfFile(await file.text());
    const name = title || file.name.replace(/\.json$/i, "");
    return await this.api.create([...name].slice(0, longestName).join(""), exactText(template));
  }

  createAgain(name: string, template: Template): Promise<string> {
    return this.api.create(name, exactText(template));
  }

  private freeName(wanted: string): string {
    const taken = new Set(this.rows.map(({ name }) => name));
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
    return name;
  }
}
