/**
 * The digest of one repository, from the server into this machine's cache.
 *
 * - `fetchDigest(of)` the new one, or why the old one stays.
 */
import { writeDigest } from "@devflow/brain/digest";
import type { Environment } from "@devflow/core/config";
import type { Home } from "@devflow/core/home";
import { BrainDigest } from "@devflow/protocol";
import { type CacheOf, cacheFolder } from "@devflow/team/cache";
import { callRpc } from "@devflow/team/remote";
import { tokenFor } from "../sync/connection.ts";

export interface DigestOf extends CacheOf {
  readonly user: string;
}

const limitMs = 5_000;

export async function fetchDigest(
  { home, env, signal }: { readonly home: Home; readonly env: Environment; readonly signal: AbortSignal },
  of: DigestOf,
): Promise<BrainDigest | { readonly failed: string }> {
  const connection = await tokenFor(home, env)(of.server, of.user);
  if ("waiting" in connection) return { failed: connection.waiting };
  const args = { team_id: of.team, ...(of.repo === null ? {} : { repo: of.repo }) };
  const outcome = await callRpc(connection, "brain_digest", args, { timeoutMs: limitMs, signal });
  if (outcome.is === "unreachable") return { failed: outcome.reason };
  if (outcome.is === "refused") return { failed: `the server answered ${outcome.status}` };
  const parsed = BrainDigest.safeParse(outcome.body);
  if (!parsed.success) return { failed: "its answer has another form; one of the two programs is older" };
  await writeDigest(cacheFolder(home.root, of), parsed.data);
  return parsed.data;
}
