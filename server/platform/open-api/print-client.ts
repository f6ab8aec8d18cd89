// Prints the typed part of the client, for `npm run docs`.

import { clientSource } from "./client-source.ts";
import { routes } from "./routes.ts";

process.stdout.write(clientSource(routes));
