// Loads completion and hover of the script editor when the user first types or rests the pointer on a word, so that the
// page opens faster. When the code cannot be loaded, the editor shows no completion or help, and the next use tries to
// load it again.

import { autocompletion } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import type { Assist } from "./assist.ts";

export function assistOnDemand(assist: Assist): Extension {
  return [
    hoverTooltip(async (view, pos) => (await import("./hover.ts").catch(() => null))?.hover(view, pos, assist) ?? null),
    autocompletion({
      override: [
        async (context) => (await import("./completion.ts").catch(() => null))?.complete(assist)(context) ?? null,
      ],
    }),
  ];
}
