// Runs the test program (program.mjs) in workerd, as a fetch handler like edge workers have.

import { runToHex } from "../program.mjs";

// biome-ignore lint/style/noDefaultExport: workerd takes the handler from there
export default { fetch: async () => new Response(await runToHex()) };
