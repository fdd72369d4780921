/**
 * The file of a suite's results.
 *
 * - `suiteResultPath(suite, options, context)` where it goes: `--out`, else the home, or with `--no-push` the current folder.
 * - `writeWhole(pieces, path)` complete or not at all.
 */
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import type { CommandContext } from "@devflow/core/command";
import type { CheckInput } from "./check-input.ts";

export async function suiteResultPath(
  suite: string,
  { out, push }: Pick<CheckInput, "out" | "push">,
  context: CommandContext,
): Promise<string> {
  const name = `${encodeURIComponent(suite).replace(/^\./, "%2E").slice(0, 150)}.promptfoo.json`;
  if (out !== undefined) {
    const path = resolve(context.cwd, out);
    await mkdir(dirname(path), { recursive: true });
    return path;
  }
  if (!push) return join(context.cwd, name);
  const folder = join(context.config().home, "eval-results");
  await ensurePrivateFolder(folder);
  return join(folder, name);
}

export async function writeWhole(pieces: AsyncIterable<string>, path: string): Promise<void> {
  const temporary = `${path}.part`;
  const file = createWriteStream(temporary, { mode: 0o600 });
  try {
    for await (const piece of pieces) if (!file.write(piece)) await new Promise((done) => file.once("drain", done));
    file.end();
    await finished(file);
    await rename(temporary, path);
  } catch (error) {
    file.destroy();
    await rm(temporary, { force: true });
    throw error;
  }
}
