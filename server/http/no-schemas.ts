// Fastify's own compilers of JSON schemas take a tenth of the time in which a service starts, to be loaded alone. No interface here
// has such a schema: bodies and answers are checked by the code they belong to.

import type { FastifyServerOptions } from "fastify";

const refuse = (): never => {
  throw new Error("no interface has a JSON schema");
};

/** For a Fastify application. */
export const noSchemas: Pick<FastifyServerOptions, "schemaController"> = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
};
