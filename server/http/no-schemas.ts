// Keeps Fastify from loading its compilers of JSON schemas, which are more than a hundred files. No interface here has such a schema: bodies
// and answers are checked by the code they belong to.

import type { FastifyServerOptions } from "fastify";

const refuse = (): never => {
  throw new Error("no interface has a JSON schema");
};

/** For a Fastify application. */
export const noSchemas: Pick<FastifyServerOptions, "schemaController"> = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
};
