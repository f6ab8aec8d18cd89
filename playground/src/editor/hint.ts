// Shows an error message with its hint below, for the tooltip and for the list of errors.

export function withHint(message: string, hint: string): Node {
  const shown = document.createElement("span");
  const advice = document.createElement("span");
  advice.className = "cm-advice";
  advice.textContent = `hint: ${hint}`;
  shown.append(message, advice);
  return shown;
}
