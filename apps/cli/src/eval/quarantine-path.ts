/**
 * Where quarantines are stored: `evals/quarantine.json` in the repository, to be committed; outside a repository, in the home.
 *
 * - `quarantinePath(context)`, `readQuarantineFile(context)`.
 */
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { type Quarantine, readQuarantines } from "@devflow/evals/compare";
import { openCommits } from "./commits.ts";

export async function quarantinePath(context: CommandContext): Promise<string> {
  const commits = await openCommits(context);
  return commits
    ? join(commits.root, "evals", "quarantine.json")
    : join(context.config().home, "evals", "quarantine.json");
}

export async function readQuarantineFile(context: CommandContext): Promise<Quarantine[]> {
  return readQuarantines(await quarantinePath(context));
}
