// Light or dark: what the system says, until somebody chooses.

export type Theme = "system" | "light" | "dark";

const key = "millrace-theme";
const order: readonly Theme[] = ["system", "light", "dark"];

class ThemeChoice {
  value = $state<Theme>("system");

  constructor() {
    const stored = localStorage.getItem(key);
    this.set(order.find((each) => each === stored) ?? "system");
  }

  next(): void {
    this.set(order[(order.indexOf(this.value) + 1) % order.length]!);
  }

  set(value: Theme): void {
    this.value = value;
    if (value === "system") {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem(key);
    } else {
      document.documentElement.dataset.theme = value;
      localStorage.setItem(key, value);
    }
  }
}

export const theme = new ThemeChoice();
