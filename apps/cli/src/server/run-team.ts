/**
 * The team of this machine's runs, where it is on another server: records to it, verdicts from it.
 *
 * - `runTeam(options)` implements the port of `@devflow/runs/team`. A team on this machine's own server needs nothing: it sees the runs.
 */

import { verdicts as actions } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { homeAt } from "@devflow/core/home";
import { uuidv5 } from "@devflow/core/ids";
import type { RunTeam, SharedFact, TeamVerdict } from "@devflow/runs/team";
import { cacheFolder, pullTeam, readRows } from "@devflow/team/cache";
import { spool } from "@devflow/team/spool";
import { z } from "zod";
import { tokenFor } from "../sync/connection.ts";
import { findPlace, localServer, type TeamPlace } from "../sync/place.ts";
import { spoolFailed } from "../sync/spool-failed.ts";

export interface RunTeamOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** After records were written: starts a drain. */
  readonly wake: (place: TeamPlace) => Promise<void>;
}

const Verdict = z.looseObject({
  request_id: z.uuid(),
  action: z.enum(actions),
  epoch: z.number().int(),
  diff_hash: z.string().nullish(),
  comment: z.string().max(20_000).nullish(),
});
const Answer = z.looseObject({ verdict_id: z.uuid() });

export function runTeam({ home: root, env, wake }: RunTeamOptions): RunTeam {
  const home = homeAt(root);
  const signal = new AbortController().signal;
  const answered = new Set<string>();

  /** Asked for each time: a repository may join a team while the server runs. */
  const placeOf = async (repository: string): Promise<TeamPlace | undefined> => {
    const inspectConfig = () => ({ home: root }) as never;
    const place = await findPlace({ cwd: repository, env, signal, inspectConfig });
    return place?.to.server === localServer ? undefined : place;
  };
  const write = async (place: TeamPlace, kind: SharedFact["kind"] | "verdict_answer", id: string, payload: object) => {
    const outcome = await spool(root, { id, kind, to: place.to, repo: place.repo, payload });
    if (!outcome.spooled) throw spoolFailed(home, outcome);
  };

  return {
    async share(facts) {
      const elsewhere = new Set<string>();
      for (const [repository, own] of Map.groupBy(facts, (fact) => fact.repository)) {
        const place = await placeOf(repository);
        if (!place) continue;
        elsewhere.add(repository);
        // The same state has the same id, so that sharing it again after a restart changes nothing.
        for (const { kind, payload } of own)
          await write(place, kind, uuidv5(payload.run_id, `${kind}:${hash(payload)}`), payload);
        await wake(place);
      }
      return elsewhere;
    },
    async verdicts(repositories) {
      const found: TeamVerdict[] = [];
      for (const repository of repositories) {
        const place = await placeOf(repository);
        const connection = place && (await tokenFor(home, env)(place.to.server, place.to.user));
        if (!place || !connection || "waiting" in connection) continue;
        const of = { ...place.to, repo: place.repo };
        const pulled = await pullTeam({ home: root, of, connection, now: Date.now });
        if (pulled.is === "failed") {
          throw new DevflowError("team_unreachable", { details: { server: place.to.server, reason: pulled.reason } });
        }
        const folder = cacheFolder(root, of);
        for (const { payload } of await readRows(folder, "verdict_answer")) {
          const answer = Answer.safeParse(payload).data;
          if (answer) answered.add(answer.verdict_id);
        }
        for (const row of await readRows(folder, "verdict")) {
          const given = Verdict.safeParse(row.payload).data;
          if (!given || answered.has(row.id)) continue;
          found.push({
            ...{ id: row.id, repository, requestId: given.request_id, action: given.action, epoch: given.epoch },
            comment: given.comment ?? undefined,
            diffHash: given.diff_hash ?? null,
            // Who it was is said by the server, never by the payload.
            person: { id: row.user_id, name: row.user_name ?? "A teammate" },
          });
        }
      }
      // Oldest first: of two verdicts, the first one counts.
      return found.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async answer({ id, repository, requestId }, outcome) {
      const place = await placeOf(repository);
      if (!place) return;
      await write(place, "verdict_answer", uuidv5(id, "answer"), { verdict_id: id, request_id: requestId, outcome });
      answered.add(id);
      await wake(place);
    },
  };
}
