export * from "./database.ts";
export { type PostgresFolder, postgresFolder } from "./postgres-folder.ts";
export { type RunningTestCluster, startTestCluster, type TestCluster } from "./test-cluster.ts";
/** The door of the testkit; see README.md. */

export { type AgentHome, claudeHome, codexHome } from "./agents/agent-homes.ts";
export {
  type AgentName,
  AgentsUnavailable,
  agentsOrSkip,
  type InstalledAgent,
  type InstalledAgents,
  installAgent,
  installAgents,
  pinnedAgents,
} from "./agents/install-agents.ts";
export { atEnd } from "./at-end.ts";
export { canRun, lackOfProgram } from "./can-run.ts";
export { cleanEnvironment } from "./clean-environment.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
export { killAt } from "./fault.ts";
export { expectNoLeaks } from "./leaks/check.ts";
export { keepUntilExit } from "./leaks/processes.ts";
export { type CliResult, devflowCommand, type RunCliOptions, type RunCommandLine, runCli } from "./run-cli.ts";
export {
  type ProcessOptions,
  type ProcessResult,
  type RunningProcess,
  runProcess,
  startProcess,
} from "./run-process.ts";
export {
  type RecordedRequest,
  type Scenario,
  type ScenarioInput,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "./scripted-model/index.ts";
export { type TemporaryHome, temporaryFolder, temporaryHome } from "./temporary-home.ts";
