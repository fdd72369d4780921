/** Result files of other tools, read and written. */

export { exporterNamed, exporters } from "./export/export-run.ts";
export { importFile } from "./import-file.ts";
export type { ImportOptions } from "./importer.ts";
export { importers } from "./importers.ts";
