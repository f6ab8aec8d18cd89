// The baseline of the Open API benchmark: a Fastify server that answers every request with the bytes of one file.
// Prints its port.

import { readFileSync } from "node:fs";
import process from "node:process";
import Fastify from "fastify";

const bytes = readFileSync(process.argv[2]);
const app = Fastify();
app.get("/*", (_request, reply) => reply.header("content-type", "application/json; charset=utf-8").send(bytes));
await app.listen({ port: 0, host: "127.0.0.1", listenTextResolver: () => "" });
process.stdout.write(`${(app.server.address() as { readonly port: number }).port}\n`);
