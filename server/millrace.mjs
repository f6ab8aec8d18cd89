#!/usr/bin/env node
// The `millrace` command: the compiled program beside this package.
import "../dist/server/main.js";
