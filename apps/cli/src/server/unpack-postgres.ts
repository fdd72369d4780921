/**
 * Unpacks the Postgres that the executable carries, in a process of its own: the archive is 17 MB and what is in it 60 MB,
 * and a server that unpacked them itself would keep 20 MB of that for as long as it runs.
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
  if (code !== 0) throw failureOf(out) ?? new Error(`unpacking Postgres ended with code ${code}: ${err.trim()}`);
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
  // The hash is checked first: a damaged download must not become half a Postgres.
  if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") !== sha256) {
    throw new DevflowError("internal_state_corruption", {
      details: { problem: "the Postgres inside this executable is damaged; install Devflow again" },
    });
  }
  await new Bun.Archive(await Bun.zstdDecompress(bytes)).extract(into);
};

const textOf = (stream: ReadableStream): Promise<string> => new Response(stream).text();
