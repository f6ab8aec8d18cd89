// Short strings that the browser stores by key. In a browser that is configured to store nothing, reading always
// returns null.

export interface KeptTexts {
  get(key: string): string | null;
  /** Stores a string; null removes the stored string. */
  set(key: string, text: string | null): void;
}

/** Both accessing the browser's storage object and calling its methods may throw. */
function keptIn(storage: () => Storage): KeptTexts {
  return {
    get: (key) => {
      try {
        return storage().getItem(key);
      } catch {
        return null;
      }
    },
    set: (key, text) => {
      try {
        if (text === null) storage().removeItem(key);
        else storage().setItem(key, text);
      } catch {
        // The string could not be stored, so the next visit starts without it.
      }
    },
  };
}

/** Strings that are kept from visit to visit. */
export const visitTexts = keptIn(() => localStorage);
/** Strings that are kept as long as the tab is open. */
export const tabTexts = keptIn(() => sessionStorage);
