// Tests labels of objects on their way from an agent to the query answers of a platform: they are set, replaced,
// queried and removed. Each kind of store runs this test.

import { expect } from "vitest";
import { startAgent } from "./running-agent.ts";
import { ask, folder, platform, write } from "./running-platform.ts";

const object = (members = {}) => ({ object_class: "HOST", object_name: "h1", key: "os", value: "linux", ...members });

/** Runs the test. `env` has environment variables for the platform, one of which selects its store. */
export async function labelsReachThePlatform(env: Readonly<Record<string, string>>): Promise<void> {
  const { url, token } = await platform(folder(), { PLATFORM_TOKENS: "token-of-another", ...env });
  const agent = await startAgent({
    config: `[gateway]\nurls = ["${url}?token=${token}"]\n[io]\nflush_interval = "100ms"\n`,
  });
  const label = (method: string, body: object | string) =>
    agent.send("/v1/object/labels", {
      method,
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
  const put = await label("POST", object({ labels: ["aws", "prod"] }));
  expect([put.status, JSON.parse(put.text)]).toEqual([
    200,
    { content: { _id: expect.stringMatching(/^[0-9a-f]{40}$/) } },
  ]);
  const again = await label("POST", object({ labels: ["aws", "test"] }));
  expect(JSON.parse(again.text)).toEqual(JSON.parse(put.text));
  const large = "9007199254740993";
  await label("POST", JSON.stringify(object({ object_name: "h2", value: 7, labels: ["aws"] })).replace("7", large));
  await write(url, token, "cpu,host=h1 load=1\ncpu,host=h2 load=2\ncpu,host=h3 load=3");

  const shown = async (asking = token) => (await ask(url, "show_object_label(class='HOST')", asking)).series;
  expect((await shown()).map(({ tags, values }) => [tags!.name, values.map((row) => row.slice(1))])).toEqual([
    ["h1", [[["aws", "test"], "os", "linux"]]],
    ["h2", [[["aws"], "os", large]]],
  ]);
  expect(await shown("token-of-another")).toEqual([]);
  const labelled = async (labels: string) => {
    const { series } = await ask(
      url,
      `M::cpu:(last(load)) {host = with_labels(object_class='HOST', labels=${labels})} [1h] BY host`,
      token,
    );
    return series.map(({ tags }) => tags!.host);
  };
  expect(await labelled("['aws']")).toEqual(["h1", "h2"]);
  expect(await labelled("['aws','test']")).toEqual(["h1"]);
  expect(await labelled("['prod']")).toEqual([]);

  const gone = await label("DELETE", object());
  expect([gone.status, JSON.parse(gone.text)]).toEqual([200, { content: { msg: "delete success!" } }]);
  expect((await label("DELETE", object())).status).toBe(200);
  expect(await labelled("['aws']")).toEqual(["h2"]);
  await agent.stop();
}
