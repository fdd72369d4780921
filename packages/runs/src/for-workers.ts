/** For workers of the distributed engine: `@devflow/runs/fleet`. */
export { writeWorkerBeat } from "@devflow/session";
export type { EngineContext } from "./engine/context.ts";
export { type AfterStint, driveAWhile, type Stint } from "./engine/drive-a-while.ts";
export type { RunDriver } from "./engine/driver.ts";
export { takeNextQueued, unfinishedRuns } from "./engine/run-queue.ts";
export { dueWakes, wakesDelivered } from "./engine/wakes.ts";
export { announce, beat, farewell, type HostAbout, requireTokenTaken } from "./fleet/host-repository.ts";
export { type BusyAgent, busyAgents, interruptAgents } from "./fleet/interrupt-agents.ts";
export { takeFromLost } from "./fleet/lost-hosts.ts";
export { performRemovals } from "./fleet/removals.ts";
export { endStrayAgents } from "./fleet/stray-agents.ts";
