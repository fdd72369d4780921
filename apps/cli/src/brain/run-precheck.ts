/**
 * A precheck with what this machine knows: git, the team's digest, the sessions that run here, and what the agent's session read.
 *
 * - `runPrecheck(of)` for the command, for the hook before a push, and for git's own pre-push hook. It opens no socket.
 */
import { readNotes } from "@devflow/brain/hooks";
import { type PrecheckReport, precheck } from "@devflow/brain/precheck";
import { readPresences } from "@devflow/brain/presence";
import type { Symbols } from "@devflow/brain/symbols";
import type { Environment } from "@devflow/core/environment";
import type { Home } from "@devflow/core/home";
import { symbolGrammars } from "../embedded.ts";
import { hookPlaces } from "../hooks/hook-place.ts";
import { cachedDigest, teamWork } from "../hooks/team-digest.ts";

interface PrecheckOf {
  readonly home: Home;
  readonly env: Environment;
  readonly folder: string;
  readonly against?: string;
  readonly agent?: string;
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
}

export async function runPrecheck({
  home,
  env,
  folder,
  signal,
  agent,
  ...options
}: PrecheckOf): Promise<PrecheckReport> {
  const place = await hookPlaces(home)(folder);
  const notes = agent === undefined ? undefined : readNotes(home.root, agent);
  const presences = await readPresences(home.root, Date.now());
  const sameWorktree = presences.flatMap((one) => (one.folder === place?.checkout.root ? [one.agent.id] : []));
  let symbols: Promise<Symbols> | undefined;
  return await precheck(
    {
      now: Date.now,
      async symbolsOf(path, text) {
        const { openSymbols } = await import("@devflow/brain/symbols");
        symbols ??= openSymbols(symbolGrammars());
        return (await (await symbols).of(path, text)) ?? [];
      },
      async team() {
        const { team } = place ?? {};
        if (!team) return undefined;
        return teamWork(
          await cachedDigest(home.root, team),
          presences.filter(({ repo }) => repo === team.repo),
        );
      },
      reads: async () => ({
        files: notes?.reads ?? new Map(),
        decisions: [...(notes?.decisions ?? [])].map(([id, rev]) => ({ id, rev })),
      }),
    },
    {
      place: { cwd: folder, env, ...(signal ? { signal } : {}) },
      ...options,
      sameWorktree,
      ...(agent ? { agent } : {}),
    },
  );
}
