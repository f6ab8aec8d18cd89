// Small documentation cards for hover and completion, built from DOM elements, so that no text is interpreted as HTML.

import { type FunctionDoc, type KeyFact, signature } from "../../../lib/index.ts";
import { t } from "../text/translate.ts";

function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

export function functionCard(doc: FunctionDoc): HTMLElement {
  const card = element(
    "div",
    "card",
    element("code", "card-title", signature(doc)),
    element("p", "card-text", doc.summary),
  );
  if (doc.params.length > 0) {
    const list = element("dl", "card-params");
    for (const { name, type, optional, summary } of doc.params) {
      list.append(
        element(
          "dt",
          "",
          element("code", "", name),
          element("span", "card-kind", optional ? t("{type}, optional", { type }) : type),
        ),
        element("dd", "", summary),
      );
    }
    card.append(list);
  }
  const [example] = doc.examples;
  if (example !== undefined) {
    card.append(element("div", "card-label", t("Example")), element("code", "card-code", example.script));
    const gives = Object.entries(example.gives).map(([key, value]) =>
      value === undefined ? t("{key} is removed", { key }) : `${key} = ${JSON.stringify(value)}`,
    );
    const input = example.input.length > 120 ? `${example.input.slice(0, 120)}…` : example.input;
    card.append(element("p", "card-gives", element("span", "card-kind", `${t("input")} `), input));
    if (gives.length > 0)
      card.append(element("p", "card-gives", element("span", "card-kind", `${t("gives")} `), gives.join(", ")));
  }
  return card;
}

export function parameterCard({ name, type, summary }: FunctionDoc["params"][number]): HTMLElement {
  return element("div", "card", element("code", "card-title", `${name}: ${type}`), element("p", "card-text", summary));
}

export function patternCard(name: string, definition: string, isOwn = false): HTMLElement {
  return element(
    "div",
    "card",
    element("code", "card-title", `%{${name}}`),
    element("p", "card-text", t(isOwn ? "A pattern that a script defines:" : "A pattern of the built-in library:")),
    element("code", "card-code", definition),
  );
}

export function keyCard(key: string, { kind, isTag, sample }: KeyFact): HTMLElement {
  const value = sample.length > 400 ? `${sample.slice(0, 400)}…` : sample;
  return element(
    "div",
    "card",
    element("code", "card-title", key),
    element(
      "p",
      "card-text",
      isTag
        ? t("A tag, in the point that is selected:")
        : t("A field of kind {kind}, in the point that is selected:", { kind }),
    ),
    element("code", "card-code", value === "" ? t("empty") : value),
  );
}
