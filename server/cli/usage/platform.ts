// The texts of `--help` of the commands about the platform's store.

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
