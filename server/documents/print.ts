// Prints a page that is generated from declarations, for `npm run docs`: `node print.js errors`.

import { configPage } from "./config-page.ts";
import { errorsPage } from "./errors-page.ts";

const pages: Readonly<Record<string, () => string>> = { config: configPage, errors: errorsPage };

process.stdout.write(pages[process.argv[2] ?? ""]!());
