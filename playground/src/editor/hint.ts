// Shows an error message with its hint below, for the tooltip and for the list of errors.

import { t } from "../text/translate.ts";

export function withHint(message: string, hint: string): Node {
  const shown = document.createElement("span");
  const advice = document.createElement("span");
  advice.className = "cm-advice";
  advice.textContent = t("hint: {hint}", { hint });
  shown.append(message, advice);
  return shown;
}
