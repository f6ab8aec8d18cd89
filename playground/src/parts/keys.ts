// The keys of the user's keyboard.

/** Whether the keyboard is a Mac's, where the command key does what Ctrl does elsewhere. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
