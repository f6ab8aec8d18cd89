// Prints a documentation page that is generated from declarations in the code. `npm run docs` calls it, for example as
// `node print.js errors`.

import { configPage } from "./config-page.ts";
import { errorsPage } from "./errors-page.ts";

const pages: Readonly<Record<string, () => string>> = { config: configPage, errors: errorsPage };

process.stdout.write(pages[process.argv[2] ?? ""]!());
