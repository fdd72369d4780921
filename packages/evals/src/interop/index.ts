/** Entry point of interop: reads and writes the result files of other tools. */

export { exporterNamed, exporters } from "./export/export-run.ts";
export { promptfooResult } from "./formats/promptfoo-result.ts";
export { variantsOf } from "./formats/promptfoo-variants.ts";
export { importFile } from "./import-file.ts";
export { type ImportOptions, Repeats } from "./importer.ts";
export { importers } from "./importers.ts";
