/**
 * The gates that a template may name.
 *
 * - `gateKeys` what each one asks. `laneGates` those that the engine asks about lanes. `gateFault(name)` why a name is not a gate; undefined when it is.
 *
 * A plain key asks a person. `auto:<key>` lets the engine decide: only for what needs no judgement.
 */
import { nearest } from "@devflow/core/nearest";

interface GateKey {
  readonly asks: string;
  readonly mayBeAutomatic: boolean;
}

export const gateKeys = {
  plan_approved: { asks: "Is this the right plan?", mayBeAutomatic: false },
  ship_approved: { asks: "Ship this change?", mayBeAutomatic: false },
  parallel_dag_approved: { asks: "Run these tasks in parallel?", mayBeAutomatic: false },
  tests_pass: { asks: "Did enough tests pass to continue?", mayBeAutomatic: true },
  consensus: { asks: "Do the reviewers agree enough to continue?", mayBeAutomatic: true },
  objective: { asks: "Is the objective met well enough to continue?", mayBeAutomatic: true },
} as const satisfies Record<string, GateKey>;
/** Asked by the engine while lanes work; a template cannot name them. */
export const laneGates = {
  lane_failed: "What should become of the task?",
  writeset_conflict: "May the lane have changed these files?",
  merge_conflict: "How should the conflict be resolved?",
  merge_tests_failed: "The tests fail since this merge. How should the run go on?",
} as const;

export type GateKeyName = keyof typeof gateKeys;

function isAutomaticGate(gate: string): boolean {
  return gate.startsWith("auto:");
}

export function gateFault(gate: string): string | undefined {
  const key = gate.replace(/^auto:/, "");
  const known = Object.hasOwn(gateKeys, key) ? gateKeys[key as GateKeyName] : undefined;
  const names = Object.keys(gateKeys);
  if (!known) {
    const near = nearest(key, names);
    return `there is no gate "${key}"${near ? `; did you mean ${near}?` : `; use one of ${names.join(", ")}`}`;
  }
  if (!isAutomaticGate(gate) || known.mayBeAutomatic) return undefined;
  const automatic = names.filter((name) => gateKeys[name as GateKeyName].mayBeAutomatic);
  return `only a person can answer ${key}; auto: is for ${automatic.join(", ")}`;
}
