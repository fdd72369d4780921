/**
 * Unpacks the Postgres inside the executable in a separate process: the archive has 17 MB and its content 60 MB, and a server
 * that unpacked them itself would keep 20 MB of that while it runs.
 *
 * - `unpackBeside(into)` starts that process and waits for it; its failure is thrown here.
 * - `unpackPostgres` what it does: `devflow unpack-postgres <folder>`.
 */
import { readFileSync } from "node:fs";
import type { CommandHandler } from "@devflow/core/command";
import { readErrorReport } from "@devflow/core/error-report";
import { DevflowError } from "@devflow/core/errors";
import { packedArchive } from "../embedded.ts";
import { selfArgv } from "./self.ts";

export async function unpackBeside(into: string): Promise<void> {
  const child = Bun.spawn([...selfArgv(), "unpack-postgres", into, "--json"], { stdin: "ignore", stderr: "pipe" });
  const [code, out, err] = await Promise.all([child.exited, textOf(child.stdout), textOf(child.stderr)]);
  if (code !== 0) throw failureOf(out) ?? new Error(`unpacking Postgres failed with code ${code}: ${err.trim()}`);
}

function failureOf(out: string): DevflowError | undefined {
  try {
    const report = readErrorReport((JSON.parse(out) as { error?: unknown }).error);
    return report && new DevflowError(report);
  } catch {
    return undefined;
  }
}

export const unpackPostgres: CommandHandler<{ into: string }> = async ({ into }) => {
  const { path, sha256 } = packedArchive();
  const bytes = readFileSync(path);
  // The hash is checked first: a damaged download must not become a broken Postgres.
  if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") !== sha256) {
    throw new DevflowError("internal_state_corruption", {
      details: { problem: "the Postgres inside this executable is damaged; install Devflow again" },
    });
  }
  await new Bun.Archive(await Bun.zstdDecompress(bytes)).extract(into);
};

const textOf = (stream: ReadableStream): Promise<string> => new Response(stream).text();
