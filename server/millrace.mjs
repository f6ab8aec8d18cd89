#!/usr/bin/env node
// The `millrace` command. In a checkout of the repository, it runs the compiled code of the checkout; in an
// installed package, it runs the code of the package.

import { existsSync } from "node:fs";

const built = new URL("../dist/server/main.js", import.meta.url);
await import(existsSync(built) ? built.href : new URL("dist/server/main.js", import.meta.url).href);
