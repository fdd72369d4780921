/**
 * Lanes that could not be merged with one another as they are now, found while they work.
 *
 * - `noteCollisions(context, snapshot, head)` after a commit of a lane: compares it with what is merged and with every other
 *   lane that has commits, and keeps what collides.
 * - `collisionsOf(fact)` the text about it for the next prompt of the lane; null if there is nothing.
 */
import { mainLane, previewMerge } from "@devflow/harness";
import { z } from "zod";
import type { DriverContext } from "../engine/context.ts";
import type { RunFact } from "../engine/fact.ts";
import type { RunRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { ensureCommits } from "../fleet/remote-repository.ts";

const Files = z.array(z.object({ path: z.string(), hunks: z.string() }));
type Files = z.infer<typeof Files>;

export async function noteCollisions(context: DriverContext, { run }: Snapshot, head: string): Promise<void> {
  const { env, stopping: signal } = context;
  const lanes = await others(context, run);
  await ensureCommits(
    context,
    run,
    lanes.map((one) => one.head),
    signal,
  );
  for (const other of lanes) {
    const { conflicts } = await previewMerge({
      ...{ repository: run.repo_path, ours: other.head, theirs: head },
      ...{ env, signal },
    });
    const files = conflicts.map(({ path, hunks, reason }) => ({ path, hunks: hunks || reason }));
    await keep(context, run, { head, other, files });
  }
}

interface OtherLane {
  readonly lane: string;
  readonly head: string;
}

/** The parent's branch, and the lanes beside this one that are not merged and have committed something. */
async function others({ database }: DriverContext, run: RunRow): Promise<OtherLane[]> {
  return await database.asEngine(
    (tx) => tx<OtherLane[]>`
      select case when o.id = ${run.parent_run_id} then ${mainLane} else o.lane_id end as lane, c.commit as head
      from app.runs o
      join lateral (select e.payload ->> 'commit' as commit from app.run_events e
        where e.run_id = o.id and e.type in ('commit.created', 'merge.completed') order by e.seq desc limit 1) c on true
      left join app.run_tasks k on k.lane_run_id = o.id
      where o.root_run_id = ${run.root_run_id} and o.id <> ${run.id}
        and (o.id = ${run.parent_run_id} or k.state in ('working', 'finished'))
      order by 1`,
  );
}

async function keep(
  { database }: DriverContext,
  run: RunRow,
  { head, other, files }: { readonly head: string; readonly other: OtherLane; readonly files: Files },
): Promise<void> {
  const [lane = "", second = ""] = [run.lane_id, other.lane].sort();
  const heads = { [run.lane_id]: head, [other.lane]: other.head };
  await database.asEngine(async (tx) => {
    if (files.length === 0) {
      await tx`
        delete from app.lane_collisions
        where run_id = ${run.parent_run_id} and lane = ${lane} and other = ${second}`;
      return;
    }
    await tx`
      insert into app.lane_collisions (run_id, team_id, lane, other, heads, files)
      values (${run.parent_run_id}, ${run.team_id}, ${lane}, ${second}, ${tx.json(heads)}, ${tx.json(files)})
      on conflict (run_id, lane, other) do update set heads = excluded.heads, files = excluded.files, at = now()`;
  });
}

export async function collisionsOf({ tx, run }: RunFact): Promise<string | null> {
  if (run.parent_run_id === null) return null;
  const rows = await tx<{ other: string; files: unknown }[]>`
    select case when lane = ${run.lane_id} then other else lane end as other, files from app.lane_collisions
    where run_id = ${run.parent_run_id} and ${run.lane_id} in (lane, other) order by lane, other`;
  if (rows.length === 0) return null;
  const texts = rows.map(({ other, files }) => {
    const who = other === mainLane ? "what is merged already" : `the lane ${other}`;
    return Files.parse(files)
      .map(({ path, hunks }) => `${path}, with ${who}:\n${hunks}`)
      .join("\n\n");
  });
  return texts.join("\n\n");
}
