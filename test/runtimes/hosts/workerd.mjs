// Runs the test program (program.mjs) in workerd. The program runs inside a fetch handler, as code of edge
// workers does.

import { runToHex } from "../program.mjs";

// biome-ignore lint/style/noDefaultExport: workerd takes the handler from there
export default { fetch: async () => new Response(await runToHex()) };
