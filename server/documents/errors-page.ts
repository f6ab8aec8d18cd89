// Generates the page docs/errors.md, which explains each error code and how to fix its cause, from the
// declarations of the error codes.

import { dqlReasons } from "../../lib/dql/index.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import { agentErrors } from "../http/error-codes/agent.ts";
import type { DeclaredError } from "../http/error-codes/declared-error.ts";
import { gatewayErrors } from "../http/error-codes/gateway.ts";
import { platformErrors } from "../http/error-codes/platform.ts";
import { catalogue } from "../platform/open-api/protocol/errors.ts";
import { code, markdownTable } from "./markdown.ts";

const intro = `# Errors

This page lists every error code, what it means and what you can do. \`npm run docs\` writes it from the declarations in the code.

An agent, a gateway and a platform answer a refused request with JSON:

\`\`\`json
{"error_code":"agent.emptyBody","message":"..."}
\`\`\`

The member \`message\` is left out when there is nothing more to say. A message is at most 1 KB long. An answer with \`Retry-After\` says
after how many seconds the same request may succeed. The Open API has an envelope of its own
([reference/open-api.md](reference/open-api.md)).
`;

/** Returns the page docs/errors.md in Markdown. */
export function errorsPage(): string {
  return [
    intro,
    section("Agent", "", codeTable(agentErrors)),
    section("Gateway", "", codeTable(gatewayErrors)),
    section("Platform", "Interfaces for points and queries.", codeTable(platformErrors)),
    section(
      "Open API",
      "Paths that begin with `/api/v1`, on the platform. `<...>` stands for a part that differs.",
      markdownTable(
        ["`errorCode`", "Status", "Message", "What to do"],
        Object.entries(catalogue).map(([name, { status, message, remedy }]) => [
          code(name),
          String(status),
          message.replace(/<(\w+)>/g, "`<$1>`"),
          remedy,
        ]),
      ),
    ),
    section(
      "Queries",
      "A query that is refused has the code `agent.queryParseError`; its message is `LINE:COLUMN parse error: REASON`, or `parse error: REASON`\nwhere the mistake has no place. Columns count bytes. `<...>` stands for a part that differs.",
      markdownTable(
        ["Reason", "What to do"],
        Object.values(dqlReasons).map(({ shape, remedy }) => [code(shape), remedy]),
      ),
    ),
    section(
      "Command line",
      "Exit codes of `millrace`.",
      markdownTable(
        ["Code", "What happened", "What to do"],
        Object.values(exitCodes).map((each) => [String(each.code), each.meaning, each.remedy]),
      ),
    ),
  ].join("\n");
}

function section(title: string, text: string, table: string): string {
  return `## ${title}\n\n${text === "" ? "" : `${text}\n\n`}${table}`;
}

function codeTable(errors: Readonly<Record<string, DeclaredError>>): string {
  return markdownTable(
    ["Code", "Status", "What happened", "What to do"],
    Object.entries(errors).map(([name, { status, meaning, remedy }]) => [code(name), String(status), meaning, remedy]),
  );
}
