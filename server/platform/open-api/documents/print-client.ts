// Prints the generated part of the client, `client/operations.ts`, for `npm run docs`.

import { routes } from "../routes.ts";
import { clientSource } from "./client-source.ts";

process.stdout.write(clientSource(routes));
