// Prints the typed part of the client, for `npm run docs`.

import { routes } from "../routes.ts";
import { clientSource } from "./client-source.ts";

process.stdout.write(clientSource(routes));
