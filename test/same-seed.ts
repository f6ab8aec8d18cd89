// Properties try the same examples in each run: a test that fails does so again, and none fails by chance in somebody else's change.
// Other examples are tried by `npm run fuzz`.

import fc from "fast-check";

fc.configureGlobal({ seed: 20261122 });
