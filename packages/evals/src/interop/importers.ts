/** All importers, in the order in which they are tried: the most specific first. */
import { csv } from "./formats/csv.ts";
import { deepeval } from "./formats/deepeval.ts";
import { devflow } from "./formats/devflow.ts";
import { evaliteDatabase, evaliteJson } from "./formats/evalite.ts";
import { inspectArchive, inspectJson } from "./formats/inspect.ts";
import { junit } from "./formats/junit.ts";
import { oaieval } from "./formats/oaieval.ts";
import { openaiItems } from "./formats/openai-evals.ts";
import { otlp } from "./formats/otlp.ts";
import { promptfooJson, promptfooLines } from "./formats/promptfoo.ts";
import { promptfooCsv } from "./formats/promptfoo-csv.ts";
import { vitest } from "./formats/vitest.ts";
import type { Importer } from "./importer.ts";

export const importers: readonly Importer[] = [
  promptfooJson,
  promptfooLines,
  inspectArchive,
  inspectJson,
  deepeval,
  evaliteJson,
  evaliteDatabase,
  openaiItems,
  oaieval,
  vitest,
  otlp,
  junit,
  devflow,
  promptfooCsv,
  csv,
];
