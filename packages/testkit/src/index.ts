/** The entry point of the testkit; see README.md. */

export { acpHome } from "./agents/acp-homes.ts";
export { claudeHome, codexHome } from "./agents/agent-homes.ts";
export { acpAgentOrSkip, agentsOrSkip, type InstalledAcpAgent, type InstalledAgents } from "./agents/install-agents.ts";
export { canRun, lackOfProgram } from "./can-run.ts";
export * from "./database.ts";
export { killAt } from "./fault.ts";
export { expectNoLeaks } from "./leaks/check.ts";
export { npmProgramOrSkip } from "./npm-program.ts";
export { outputOf, plainText } from "./output-of.ts";
export { type PostgresFolder, postgresFolder } from "./postgres-folder.ts";
export { type CliResult, devflowCommand, type RunCliOptions, runCli } from "./run-cli.ts";
export { type ProcessResult, type RunningProcess, runProcess, startProcess } from "./run-process.ts";
export { type ScenarioInput, type ScriptedModel, startScriptedModel } from "./scripted-model/index.ts";
export { type ServerProcessOptions, serverProgram } from "./server-program.ts";
export { type TemporaryHome, temporaryFolder, temporaryHome } from "./temporary-home.ts";
