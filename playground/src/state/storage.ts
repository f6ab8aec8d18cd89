// Short texts that the browser keeps by a key. Where it keeps nothing, as some do when they are told to, there is never one.

export interface KeptTexts {
  get(key: string): string | null;
  /** Null takes it away. */
  set(key: string, text: string | null): void;
}

/** Asking for the storage may throw as well as using it. */
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
        // It is not kept: the next visit starts without it.
      }
    },
  };
}

/** Kept from visit to visit. */
export const visitTexts = keptIn(() => localStorage);
/** Kept as long as the tab is open. */
export const tabTexts = keptIn(() => sessionStorage);
