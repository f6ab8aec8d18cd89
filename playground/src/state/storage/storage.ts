// Short strings that the browser stores by key. In a browser that is configured to store nothing, reading always
// returns null.

export interface KeptTexts {
  get(key: string): string | null;
  /** Stores a string; null removes the stored string. Returns whether the browser has stored it. */
  set(key: string, text: string | null): boolean;
  /** Returns the keys that begin with `prefix`. */
  keys(prefix: string): string[];
}

/**
 * Returns functions that read and write a storage of the browser and never throw. In some browsers, reading the
 * property `localStorage` or calling its methods throws.
 */
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
        return true;
      } catch {
        // The string could not be stored, so the next visit starts without it.
        return false;
      }
    },
    keys: (prefix) => {
      try {
        return Object.keys(storage()).filter((key) => key.startsWith(prefix));
      } catch {
        return [];
      }
    },
  };
}

/** Strings that the browser keeps from one visit to the next. */
export const visitTexts = keptIn(() => localStorage);
/**
 * Key under which the browser stores whether the page can be used without a network. The stored value is `off`
 * when the user has turned this off; no value is stored while it is on.
 */
export const offlineKey = "millrace-offline";
/** Strings that are kept as long as the tab is open. */
export const tabTexts = keptIn(() => sessionStorage);
