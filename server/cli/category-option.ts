// Parses the command line option `--category`, which names a category of points such as `logging`.

import { type CategoryName, categories, categoryOf } from "../../lib/index.ts";
import { UsageError } from "./usage-error.ts";

export function categoryNamed(name: string): CategoryName {
  const category = categoryOf(name);
  if (category === undefined) throw new UsageError(`unsupported category: ${name}; one of ${categories.join(", ")}`);
  return category;
}
