// The start of the command line program: `millrace <command> [options]`. The code of a command is loaded only
// when the user calls this command.

import { exitCodes } from "./cli/exit-codes.ts";
import { print, printError } from "./cli/terminal/print.ts";
import { usage } from "./cli/usage/usage.ts";
import { UsageError } from "./cli/usage-error.ts";
import { keepHeapsSmall } from "./http/heap.ts";
import { version } from "./http/version.ts";
import { framesOf, nameOf } from "./telemetry/log.ts";

/**
 * Runs the command. Returns its exit code, or undefined when the command has started a service, which then runs until
 * it is stopped.
 */
async function main([command, ...args]: string[]): Promise<number | undefined> {
  switch (command) {
    case "start":
      return await (await import("./cli/services/start.ts")).start(args);
    case "agent":
      keepHeapsSmall();
      return await (await import("./cli/services/agent.ts")).agent(args);
    case "gateway":
      return await (await import("./cli/services/gateway.ts")).gateway(args);
    case "platform":
      return await (await import("./cli/platform.ts")).platform(args);
    case "key":
      return await (await import("./cli/key.ts")).key(args);
    case "dql":
      return await (await import("./cli/dql/dql.ts")).dql(args);
    case "dashboard":
      return await (await import("./cli/dashboard.ts")).dashboard(args);
    case "pipeline":
      return await (await import("./cli/pipeline/pipeline.ts")).pipeline(args);
    case "config":
      return (await import("./cli/config.ts")).config(args);
    case "queue":
      return await (await import("./cli/queue/queue.ts")).queue(args);
    case "doctor":
      return await (await import("./cli/doctor/doctor.ts")).doctor(args);
    case "debug":
      return await (await import("./cli/debug.ts")).debug(args);
    case "tool":
      return await (await import("./cli/tool.ts")).tool(args);
    case "import":
      return await (await import("./cli/import.ts")).importPoints(args);
    case "tail":
      return await (await import("./cli/tail/tail.ts")).tail(args);
    case "monitor":
      return await (await import("./cli/monitor.ts")).monitor(args);
    case "version":
    case "--version":
      print(`millrace ${version}\n`);
      return 0;
    case "help":
      return args.length === 0 ? await main(["--help"]) : await main([...args, "--help"]);
    case "--help":
    case "-h":
      print(usage);
      return 0;
    case undefined:
      printError(usage);
      return 1;
    default:
      throw new UsageError(
        `unknown ${command.startsWith("-") ? "option" : "command"} ${command}; millrace --help lists them`,
      );
  }
}

// EPIPE means that the program that reads the output (such as `head`) has closed the pipe. This is not a failure
// of the command, so the exit code is 0.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const isUsers = error instanceof UsageError || code?.startsWith("ERR_PARSE_ARGS") || code?.startsWith("E");
  printError(`${isUsers ? message : [nameOf(error), ...framesOf(error)].join("\n    ")}\n`);
  process.exitCode = exitCodes.failed.code;
}
