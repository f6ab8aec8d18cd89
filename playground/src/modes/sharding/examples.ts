// The example rules and points that the user can open in the sharding mode.

import type { ShardingInput } from "../../state/project.ts";
import { english } from "../../text/translate.ts";

export interface ShardingExample {
  readonly title: string;
  readonly about: string;
  readonly input: ShardingInput;
}

const logs = `nginx,service=shop-web,env=prod,team=pay status="error",message="payment refused" 1763719200000000000
nginx,service=shop-web,env=prod,team=cart status="info",message="GET /cart" 1763719201000000000
nginx,service=shop-web,env=test,team=pay status="error",message="a test" 1763719202000000000
java,service=billing,env=prod status="warning",message="slow query" 1763719203000000000
`;

export const shardingExamples: readonly [ShardingExample, ...ShardingExample[]] = [
  {
    title: english("Errors to one workspace, teams to their own"),
    about: english("The gateway makes the header by rules for tags."),
    input: {
      maker: "rules",
      tags: `# Tests get no header, so the default entry takes them.
- category: logging
  filter: "-env:test"
  fields:
    - { src: status, dest: level, remap: { error: high, critical: high }, remap_default: normal }
    - { src: team, default: unknown }
`,
      keys: "",
      sinks: `{
  "rules": [
    { "rules": ["{ level = 'high' }"], "url": "https://alarms.example/?token=tkn_11111111111111111111111111111111", "info": "alarms" },
    { "rules": ["{ team in ['pay', 'cart'] }"], "url": "https://shop.example/?token=tkn_22222222222222222222222222222222", "info": "shop" },
    { "rules": ["*"], "url": "https://others.example/?token=tkn_33333333333333333333333333333333", "info": "all others" }
  ]
}
`,
      matching: "all",
      points: logs,
      category: "logging",
    },
  },
  {
    title: english("Keys of an agent, strict rules"),
    about: english("The agent makes the header; the gateway refuses what no entry takes."),
    input: {
      maker: "keys",
      tags: "",
      keys: "env, service",
      sinks: `{
  "strict": true,
  "rules": [
    { "rules": ["{ env = 'prod' and service match 'shop-*' }"], "url": "https://shop.example/?token=tkn_22222222222222222222222222222222", "info": "shop" },
    { "rules": ["{ env != 'prod' }"], "url": "https://tests.example/?token=tkn_44444444444444444444444444444444", "info": "tests" }
  ]
}
`,
      matching: "first",
      points: logs,
      category: "logging",
    },
  },
];
