// Starts the services as the command line does, and sends requests to the agent.

import { spawn } from "node:child_process";
import process from "node:process";

/** Starts `millrace agent` or `millrace start` on free ports. Returns the address of the agent. */
export async function startServices(command, dataDir) {
  const own = command === "start" ? ["--gateway-listen", "127.0.0.1:0", "--platform-listen", "127.0.0.1:0"] : [];
  const args = ["dist/server/main.js", command, "--listen", "127.0.0.1:0", "--data-dir", dataDir, ...own];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const services = command === "start" ? ["agent", "gateway", "platform"] : ["agent"];
  const urls = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const found = services.map((each) => new RegExp(`${each} listening on (\\S+)\n`).exec(said)?.[1]);
      if (!found.includes(undefined)) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`millrace ${command} ended with ${code}`)));
  });
  return {
    url: urls[0],
    pid: child.pid,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill();
      }),
  };
}

/** Sends a body to the agent, and returns the text of its answer. Throws when the agent refuses it. */
export async function post(url, body) {
  const headers = { "content-type": typeof body === "string" ? "text/plain" : "application/json" };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

/** Sends a query whose answer is one number, and returns this number. */
export async function countOf(url, query) {
  const to = Date.now() + 3_600_000;
  const { content } = JSON.parse(
    await post(`${url}/v1/query/raw`, { queries: [{ query, time_range: [to - 86_400_000, to] }] }),
  );
  const { columns = [], values = [] } = content[0].series?.[0] ?? {};
  return Number(values[0]?.[columns.findIndex((name) => name !== "time")] ?? 0);
}

/** Repeats a query whose answer is one number until the answer is at least `number`. Throws after two minutes. */
export async function waitForCount(url, query, number) {
  for (const end = Date.now() + 120_000; ; ) {
    const count = await countOf(url, query);
    if (count >= number) return count;
    if (Date.now() > end) throw new Error(`${query} is ${count} after two minutes, not ${number}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
