/** For the tests and benchmarks of other packages: `@devflow/runs/testing`. */

export type { DrivenAgent } from "../src/agents/driven-agent.ts";
export { shippedDefinitions } from "../src/definitions/registry.ts";
export { seedDefinitions } from "../src/definitions/seed-definitions.ts";
export { createRunEngine } from "../src/engine/create-run-engine.ts";
export { changeRun } from "../src/engine/fact.ts";
export { createInlineDriver } from "../src/engine/inline-driver.ts";
export { loadSnapshot } from "../src/engine/snapshot.ts";
export { Actor } from "../src/events/actor.ts";
export { createRunFeed } from "../src/live/run-feed.ts";
export type { DriverChoice } from "../src/open-runs.ts";
export { verifyRun } from "../src/reports/verify-run.ts";
export { Template, templateHash, templateId } from "../src/templates/index.ts";
export { endSessions } from "./end-sessions.ts";
export { openEngineBench } from "./engine-bench.ts";
export { type AgentPrograms, agentPrograms, type FakeEngineContext, fakeEngineContext } from "./fake-engine-context.ts";
export { realAgents } from "./real-agents.ts";
export { planPhase, smallTemplate, workPhase } from "./small-templates.ts";
