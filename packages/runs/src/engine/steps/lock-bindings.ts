/** created → bound: the bindings are final and the worktree exists. */

import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { makeWorktree } from "@devflow/harness";
import { type BindingOverride, bindRoles, type RoleBinding } from "../../binding/bind.ts";
import { ensureRunMirror } from "../../fleet/remote-repository.ts";
import { restoreArtifacts } from "../../fork/restore-artifacts.ts";
import { type BoundLanes, bindLanes } from "../../lanes/bind-lanes.ts";
import { prepareLane } from "../../lanes/prepare-lane.ts";
import { loadPersonas } from "../../personas/load-personas.ts";
import { personaId } from "../../personas/persona.ts";
import { changeAt, type DriverContext } from "../context.ts";
import { endRun } from "../end-run.ts";
import type { RunFact } from "../fact.ts";
import { startCommit } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { runSetup } from "./run-setup.ts";

export async function lockBindings(context: DriverContext, snapshot: Snapshot, signal: AbortSignal): Promise<void> {
  const { run, template } = snapshot;
  const outcome = bindRoles({
    template,
    personas: await loadPersonas(context.database, snapshot.personas),
    overrides: snapshot.overrides as Record<string, BindingOverride>,
    backends: context.backends,
  });
  if (!outcome.ok) {
    await changeAt(context, snapshot, (fact) =>
      endRun(fact, "failed", `${outcome.code}: ${outcome.reason}`, "bindings_failed"),
    );
    return;
  }
  const ofLanes = await bindLanes(context, snapshot, outcome.bindings);
  if (ofLanes && "fault" in ofLanes) {
    await changeAt(context, snapshot, (fact) => endRun(fact, "failed", ofLanes.fault, "bindings_failed"));
    return;
  }
  await ensureRunMirror(context, run, signal);
  await makeWorktree({
    repository: run.repo_path,
    root: run.worktree_root,
    branch: run.branch,
    baseCommit: startCommit(run),
    env: context.env,
    signal,
  });
  faultPoint("after_worktree_made");
  if (run.fork_commit !== null) await restoreArtifacts(context, run);
  if (run.parent_run_id !== null) await prepareLane(context, run, signal);
  const failed = await runSetup(context, snapshot, signal);
  faultPoint("after_setup");
  if (failed) {
    await changeAt(context, snapshot, (fact) => endRun(fact, "failed", failed, "bindings_failed"));
    return;
  }
  await changeAt(context, snapshot, (fact) => recordBindings(fact, snapshot, outcome.bindings, ofLanes));
}

async function recordBindings(
  fact: RunFact,
  snapshot: Snapshot,
  bindings: readonly RoleBinding[],
  lanes: BoundLanes | undefined,
): Promise<void> {
  const { run } = snapshot;
  const rows = bindings.map((binding) => {
    const content = {
      roleId: binding.instance,
      templateHash: run.template_hash,
      personaHash: binding.personaHash,
      backend: binding.backend,
      override: binding.override,
    };
    return {
      role_id: binding.instance,
      persona_hash: binding.personaHash,
      backend: binding.backend,
      override: binding.override,
      binding_hash: hash({ runId: run.id, ...content }),
      binding_content_hash: hash(content),
    };
  });
  await fact.tx`
    insert into app.run_bindings (run_id, team_id, role_id, persona_id, persona_hash, backend, override, binding_hash, binding_content_hash)
    select ${run.id}, ${run.team_id}, b.role_id, p.id, b.persona_hash, b.backend, b.override, b.binding_hash, b.binding_content_hash
    from jsonb_to_recordset(${fact.tx.json(rows as never)}) as b (role_id text, persona_hash text, backend text, override jsonb,
      binding_hash text, binding_content_hash text)
    join app.agent_personas p on p.hash = b.persona_hash
    on conflict do nothing`;
  const [input] = await fact.tx<{ objective: unknown; extra: unknown }[]>`
    select objective, extra from app.run_inputs where run_id = ${run.id}`;
  const lockedHash = hash({
    templateHash: run.template_hash,
    bindings: rows.map((row) => row.binding_hash).sort(),
    requirementsMd: snapshot.requirements,
    objective: input?.objective ?? null,
    repoPath: run.repo_path,
    baseBranch: run.base_branch,
    extra: input?.extra ?? null,
    ...(lanes ? { lanes } : {}),
    ...(run.lane_base === null ? {} : { laneBase: run.lane_base }),
    ...(run.fork_commit === null ? {} : { forkCommit: run.fork_commit, instructions: snapshot.instructions }),
  });
  const payload = {
    lockedHash,
    branch: run.branch,
    baseCommit: run.base_commit,
    bindings: bindings.map((one) => ({ role: one.instance, persona: personaId(one.persona), backend: one.backend })),
  };
  fact.moveRun("bindings_locked", { locked_hash: lockedHash, started_at: fact.now }, { payload });
}
