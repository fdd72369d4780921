/** `devflow eval export <run> --as <format>`: writes a stored run as another tool's file, streamed. */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { finished } from "node:stream/promises";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import type { EvalResult } from "@devflow/evals";
import { runName } from "@devflow/evals/compare";
import { exporterNamed } from "@devflow/evals/interop";
import type { EvalStore } from "@devflow/evals/store";
import { runOf } from "./pick-runs.ts";
import type { evalExportRecord } from "./store-commands.ts";
import { withStore } from "./with-store.ts";

export const exportRun: HandlerOf<typeof evalExportRecord> = async ({ run, as, output }, context) =>
  withStore(context, async (store) => {
    const exporter = exporterNamed(as);
    const { line, record } = await runOf(store, run);
    const pieces = exporter.write(record.run, results(store, runName(line)));
    for (const lost of exporter.lost) context.output.note(`${exporter.title} does not carry: ${lost}`);
    if (output === undefined) return print(pieces, as, context);
    const path = resolve(context.cwd, output);
    const bytes = await write(pieces, path);
    context.output.result({ run: line, as, path, bytes }, `${path}: ${line.total} results as ${exporter.title}`);
  });

async function* results(store: EvalStore, id: string): AsyncIterable<EvalResult> {
  for await (const block of store.allResults(id)) yield* block;
}

/** Prints whole lines as they come, so that a large run needs little memory; with --json it is one string. */
async function print(pieces: AsyncIterable<string>, as: string, { output }: CommandContext): Promise<void> {
  let held = "";
  for await (const piece of pieces) {
    held += piece;
    const end = output.json ? -1 : held.lastIndexOf("\n");
    if (end === -1) continue;
    output.item(undefined, held.slice(0, end + 1));
    held = held.slice(end + 1);
  }
  output.result({ as, text: held }, held);
}

async function write(pieces: AsyncIterable<string>, path: string): Promise<number> {
  const temporary = `${path}.part`;
  const file = createWriteStream(temporary);
  try {
    for await (const piece of pieces) {
      if (!file.write(piece)) await new Promise((done) => file.once("drain", done));
    }
    file.end();
    await finished(file);
    await rename(temporary, path);
    return file.bytesWritten;
  } catch (error) {
    file.destroy();
    await rm(temporary, { force: true });
    throw error;
  }
}
