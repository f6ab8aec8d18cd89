// The formatter of scripts, in a file of its own, because the page loads it only when the user formats a script.

export { format } from "../../../../lib/index.ts";
