/**
 * Crash tests: the environment that makes a process kill itself at a named fault point (`@devflow/core/fault-point`).
 *
 * - `killAt(name, visit)` dies by SIGKILL at the given visit of the point.
 */
export function killAt(name: string, visit = 1): Record<"DEVFLOW_FAULT", string> {
  const text = `${name}:kill:${visit}`;
  if (!/^\w+$/.test(name) || visit < 1)
    throw new Error(`"${text}" is not a fault: a point's name is one word, visits count from 1`);
  return { DEVFLOW_FAULT: text };
}
