#!/usr/bin/env node
// The `millrace` command. In a checkout it runs the compiled program of the root, in an installed package the
// package's own.

import { existsSync } from "node:fs";

const built = new URL("../dist/server/main.js", import.meta.url);
await import(existsSync(built) ? built.href : new URL("dist/server/main.js", import.meta.url).href);
