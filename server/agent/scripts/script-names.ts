// Checks the names of scripts that clients want to save as files.

/**
 * Largest length in bytes of the name of a script file. The previous version of the file is stored under the same name
 * with a suffix, and the limit leaves room for this suffix.
 */
const mostNameBytes = 200;
/** Names that Windows reserves for devices, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Returns the reason why a script file may not have the given name; undefined when it may. A name consists of letters
 * and digits of any language, `_`, `-` and `.`, and ends with `.p`. It does not begin with a dot, so it names no hidden
 * file and no other folder.
 */
export function nameFault(name: string): string | undefined {
  if (!name.endsWith(".p")) return "the name of a script ends with .p";
  if (!/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u.test(name) || name.includes("..")) {
    return "the name of a script has only letters, digits, _, - and single dots, and begins with no dot";
  }
  if (Buffer.byteLength(name) > mostNameBytes) return `the name of a script has at most ${mostNameBytes} bytes`;
  if (devices.test(name.slice(0, name.indexOf(".")))) return "the name is one that systems reserve for devices";
  return undefined;
}
