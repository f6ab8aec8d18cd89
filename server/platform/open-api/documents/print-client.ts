// Prints the source code of `client/operations.ts`, the generated part of the client. `npm run docs` calls this
// program.

import { routes } from "../routes.ts";
import { clientSource } from "./client-source.ts";

process.stdout.write(clientSource(routes));
