// Short texts that the browser stores by key. A browser that stores nothing, as some are told to, never returns one.

export interface KeptTexts {
  get(key: string): string | null;
  /** Stores a text; null removes it. */
  set(key: string, text: string | null): void;
}

/** Both getting the storage and using it may throw. */
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
        // The text is not stored: the next visit starts without it.
      }
    },
  };
}

/** Texts that are kept from visit to visit. */
export const visitTexts = keptIn(() => localStorage);
/** Texts that are kept as long as the tab is open. */
export const tabTexts = keptIn(() => sessionStorage);
