// The light or dark theme of the page. The theme follows the operating system's setting until the user chooses one.

import { visitTexts } from "./storage/storage.ts";

export type Theme = "system" | "light" | "dark";

const key = "millrace-theme";
const order: readonly Theme[] = ["system", "light", "dark"];

class ThemeChoice {
  value = $state<Theme>("system");

  constructor() {
    const stored = visitTexts.get(key);
    this.set(order.find((each) => each === stored) ?? "system");
  }

  next(): void {
    this.set(order[(order.indexOf(this.value) + 1) % order.length]!);
  }

  set(value: Theme): void {
    this.value = value;
    if (value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
    visitTexts.set(key, value === "system" ? null : value);
  }
}

export const theme = new ThemeChoice();
