#!/usr/bin/env node
// The `millrace` command: the compiled program, in a checkout that of the root, in the installed package its own.

import { existsSync } from "node:fs";

const built = new URL("../dist/server/main.js", import.meta.url);
await import(existsSync(built) ? built.href : new URL("dist/server/main.js", import.meta.url).href);
