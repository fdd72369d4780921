/**
 * People's labels of outputs: `~/.devflow/evals/labels/<suite>.jsonl`, one label per line, append-only.
 *
 * - `labelFile(home, suite)` → `add(labels)`, `read()`: of several labels by one person for one output, the last counts.
 * - `outputShaOf(output)` identifies the output of a label, which also applies to the same output in another run or with another
 *   judge.
 */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { hash, hashBytes } from "@devflow/core/hash";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { z } from "zod";
import { suiteFolder } from "../cache/eval-cache.ts";

const labelSchema = z.object({
  at: z.string(),
  by: z.string(),
  run_id: z.string(),
  name: z.string(),
  input_sha: z.string().nullable(),
  repeat: z.number().int().min(0),
  output_sha: z.string(),
  /** Null: the whole output. */
  criterion: z.string().nullable(),
  verdict: z.enum(["pass", "fail"]),
  note: z.string().nullable(),
});
export type HumanLabel = z.output<typeof labelSchema>;

export interface LabelFile {
  readonly path: string;
  add(labels: readonly HumanLabel[]): Promise<void>;
  read(): Promise<readonly HumanLabel[]>;
}

export function labelFile(home: string, suite: string): LabelFile {
  const folder = join(home, "evals", "labels");
  const path = join(folder, `${suiteFolder(suite)}.jsonl`);
  return {
    path,
    async add(labels) {
      await ensurePrivateFolder(join(home, "evals"));
      await ensurePrivateFolder(folder);
      // One write with O_APPEND, so that concurrent writers do not mix their lines.
      await appendFile(path, labels.map((label) => `${JSON.stringify(label)}\n`).join(""), {
        mode: 0o600,
        flush: true,
      });
    },
    async read() {
      const text = (await readIfThere(path)) ?? "";
      const last = new Map<string, HumanLabel>();
      for (const line of text.split("\n")) {
        const parsed = labelSchema.safeParse(parseJson(line));
        // A line cut by a crash is ignored.
        if (parsed.success) last.set(keyOf(parsed.data), parsed.data);
      }
      return [...last.values()];
    },
  };
}

const keyOf = ({ by, name, output_sha, criterion }: HumanLabel): string =>
  JSON.stringify([by, name, output_sha, criterion]);

export function outputShaOf(output: unknown): string {
  try {
    return hash(output ?? null);
  } catch {
    return hashBytes(JSON.stringify(output) ?? "null");
  }
}
