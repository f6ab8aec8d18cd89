// The sizes of the panes, as fractions of the page's width and height. The browser stores them between visits.

import { visitTexts } from "./storage/storage.ts";

export interface Shares {
  /** Width of the editors, as a fraction of the page's width. */
  readonly columns: number;
  /** Height of the script editor, as a fraction of the height of its column. */
  readonly rows: number;
  /** Height of the table above the selected point, as a fraction of the height of its pane. */
  readonly detail: number;
}

const key = "millrace-shares";
const initial: Shares = { columns: 0.5, rows: 0.58, detail: 0.5 };

export const keptShares = {
  read(): Shares {
    try {
      const stored: unknown = JSON.parse(visitTexts.get(key) ?? "{}");
      const share = (name: keyof Shares) => {
        const value = (stored as Record<string, unknown>)[name];
        return typeof value === "number" && value >= 0.1 && value <= 0.9 ? value : initial[name];
      };
      return { columns: share("columns"), rows: share("rows"), detail: share("detail") };
    } catch {
      return initial;
    }
  },
  write(shares: Shares): void {
    visitTexts.set(key, JSON.stringify(shares));
  },
};
