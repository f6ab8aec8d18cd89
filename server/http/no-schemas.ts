// Prevents Fastify from loading its JSON schema compilers, which consist of more than a hundred files. They are
// not needed: no interface has a JSON schema, because each handler checks its own bodies and answers.

import type { FastifyServerOptions } from "fastify";

const refuse = (): never => {
  throw new Error("no interface has a JSON schema");
};

/** Options that create a Fastify application without schema compilers. */
export const noSchemas: Pick<FastifyServerOptions, "schemaController"> = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
};
