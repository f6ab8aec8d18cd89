// The help texts that `--help` prints for the commands that maintain the platform's store.

import { schema } from "../../config/schema.ts";

const placeText = `  --data-dir DIR      the store lies in DIR/platform (${schema.data_dir.default})
  --config FILE       configuration in TOML; the environment wins over it`;

const exitText = "The exit code is 0 when all is well, 1 for damage and failures, 2 for a mistake on the command line.";

export const platformCheckUsage = `Usage: millrace platform check [--data-dir DIR] [--config FILE]

Reads every file of the store with its checksum: manifest, segments, log, registry, metadata. Prints a line for each damaged
file, with the number of points that it costs, then a summary. Changes nothing; the platform may run meanwhile.

Options:
${placeText}

${exitText}

Examples:
  millrace platform check
`;

export const platformRepairUsage = `Usage: millrace platform repair [--data-dir DIR] [--config FILE]

Makes a damaged store whole again and prints what is lost; no platform may run on it. The manifest and files of keys are made
again from the Parquet files. Row groups of a damaged Parquet file that can still be read are saved into a new one; a value that
lies at the damage may be wrong then. Damaged files are moved to DIR/platform/points/damaged, nothing is deleted.

Options:
${placeText}

The exit code is 0 when the store is whole again, also where points were lost.

Examples:
  millrace platform repair --data-dir /var/lib/millrace
`;

export const platformBackupUsage = `Usage: millrace platform backup DIR [--data-dir DIR] [--config FILE]

Copies the store, the metadata (where SQLite keeps it) and the token into DIR. The backup has every point that was acknowledged
before it began, once; the platform may run meanwhile. A second backup into the same DIR copies only new segments. DIR holds
secrets: keep it as safe as the data folder.

Options:
${placeText}

${exitText}

Examples:
  millrace platform backup backup
`;

export const platformRestoreUsage = `Usage: millrace platform restore DIR [--data-dir DIR] [--config FILE] [--force] [--damaged]

Checks the backup in DIR, then puts it into the data folder; no platform may run there.

Options:
${placeText}
  --force             when a store is there already: moves it to DIR/platform/replaced-TIME
  --damaged           restores what is whole of a damaged backup

${exitText}

Examples:
  millrace platform restore backup --data-dir /var/lib/millrace
`;

export const platformExportUsage = `Usage: millrace platform export --format parquet|csv|lp --out DIR|- [--workspace TOKEN|ID] [--category NAME]
                                [--from TIME] [--to TIME] [--data-dir DIR] [--config FILE]

Writes points as DIR/WORKSPACE/CATEGORY.FORMAT, with a column for each key, or as line protocol, which millrace import sends
again. The platform may run meanwhile: the files hold the points of the moment when the command began. Line protocol has binary
values as base64 texts and arrays as JSON texts. With more than 1000 keys the values of each kind share a column.

Options:
  --format FORMAT     parquet, csv or lp
  --out DIR|-         the folder of the files; - is standard output, for one category as line protocol
  --workspace TEXT    a token, or the name of a folder that an export made (all workspaces)
  --category NAME     logging, metric, object, ... (all categories)
  --from TIME         of the oldest point: 2026-01-31T12:00:00Z, or nanoseconds since 1970
  --to TIME           of the newest point
${placeText}

${exitText}

Examples:
  millrace platform export --format parquet --out export
  millrace platform export --format lp --category metric --from 2026-01-01T00:00:00Z --out - > metric.lp
`;
