/**
 * The agent that runs a command. Agents start a new shell for every command, so the direct parent does not identify them.
 *
 * - `agentProcess(pid)` the nearest ancestor that is not a shell, with proof of its identity; undefined when there is none.
 */
import { type ProcessProof, processIdentity } from "@devflow/core/process-proof";
import { ancestry } from "@devflow/core/process-table";

const shells = /^-?(?:ba|z|da|fi|k)?sh$|^(?:env|time|timeout|nice|sudo|xargs|script)$/;
const maxAncestors = 8;

export function agentProcess(pid: number): ProcessProof | undefined {
  const agent = ancestry(pid)
    .take(maxAncestors)
    .find((one) => !shells.test(one.name));
  if (!agent || agent.pid === 1) return undefined;
  const identity = processIdentity(agent.pid);
  return identity === undefined ? undefined : { pid: agent.pid, identity };
}
