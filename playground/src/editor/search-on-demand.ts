// Loads the search of an editor only when the editor gets the focus, so that the page opens faster.

import { Compartment, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

/**
 * The keyboard shortcuts of the search in an editor. A shortcut that is pressed before the search is loaded takes
 * effect as soon as the search is loaded.
 */
const keys = ["Mod-f", "F3", "Shift-F3", "Mod-g", "Shift-Mod-g", "Mod-Shift-l", "Mod-Alt-g", "Mod-d"];

const place = new Compartment();
let loaded: typeof import("./search.ts") | null = null;

/**
 * Returns the search as an editor extension. `marksSelected`: whether the editor marks all texts that equal the
 * selected text.
 */
export function searchOnDemand(marksSelected: boolean): Extension {
  const load = async (view: EditorView, pressed = ""): Promise<void> => {
    try {
      loaded ??= await import("./search.ts");
    } catch {
      // The code of the search could not be fetched. The next focus or key press tries to fetch it again.
      return;
    }
    view.dispatch({ effects: place.reconfigure(loaded.searching(marksSelected)) });
    if (pressed !== "") loaded.searchCommand(pressed)?.(view);
  };
  if (loaded !== null) return place.of(loaded.searching(marksSelected));
  return place.of([
    EditorView.domEventHandlers({ focus: (_, view) => void load(view) }),
    keymap.of(
      keys.map((key) => ({
        key,
        run: (view) => {
          void load(view, key);
          return true;
        },
      })),
    ),
  ]);
}
