// Keeps Fastify from loading its compilers of JSON schemas, which are more than a hundred files. No interface has such
// a schema: each handler checks its own bodies and answers.

import type { FastifyServerOptions } from "fastify";

const refuse = (): never => {
  throw new Error("no interface has a JSON schema");
};

/** Options for a Fastify application. */
export const noSchemas: Pick<FastifyServerOptions, "schemaController"> = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
};
