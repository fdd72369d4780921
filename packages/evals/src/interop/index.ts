/** Result files of other tools, read and written. */

export { defaultLimits, type ImportLimits } from "../results/limits.ts";
export type { ImportInput } from "../results/source.ts";
export { exporterNamed, exporters, exportRun } from "./export/export-run.ts";
export type { Exporter } from "./export/exporter.ts";
export { importFile } from "./import-file.ts";
export type { Importer, ImportOptions } from "./importer.ts";
export { importers } from "./importers.ts";
export { importerNamed, sniff } from "./sniff.ts";
