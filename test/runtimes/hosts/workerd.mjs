// workerd: the program behind a fetch handler, the way edge workers are written.

import { runToHex } from "../program.mjs";

// biome-ignore lint/style/noDefaultExport: workerd takes the handler from there
export default { fetch: async () => new Response(await runToHex()) };
