/**
 * Homes in which the real agents use only a scripted model.
 *
 * - `claudeHome({ model, workspace })` HOME with Claude Code's first-run questions answered, and its environment.
 * - `codexHome({ model })` CODEX_HOME with the scripted model as provider, and its environment.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../at-end.ts";
import type { ScriptedModel } from "../scripted-model/index.ts";
import { removeFolder, type TemporaryHome, temporaryHome } from "../temporary-home.ts";
import { projectFolder } from "./install-agents.ts";

export interface AgentHome {
  readonly home: TemporaryHome;
  readonly env: Record<string, string>;
}

export interface HomeOptions {
  readonly model: ScriptedModel;
  /** Distinguishes this agent from others in the scenario's sessions. */
  readonly apiKey?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface ClaudeHomeOptions extends HomeOptions {
  /** The folder it will work in, already trusted; needed for the TUI. */
  readonly workspace?: string;
}

export function claudeHome({ model, workspace, apiKey = "sk-scripted-model-key", env }: ClaudeHomeOptions): AgentHome {
  const home = temporaryHome();
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const seed = {
    hasCompletedOnboarding: true,
    theme: "dark",
    // It stores keys by their last 20 characters.
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: workspace ? { [workspace]: trusted } : {},
  };
  writeFileSync(join(home.path, ".claude.json"), JSON.stringify(seed));
  return {
    home,
    env: home.environment({
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      ...env,
    }),
  };
}

export function codexHome({ model, apiKey = "scripted-model-key", env }: HomeOptions): AgentHome {
  const home = temporaryHome();
  // Codex refuses to link its helpers into a home under the temp folder, and this project may be checked out there.
  const parent = join(projectFolder, ".cache", "codex-homes");
  mkdirSync(parent, { recursive: true });
  const codex = mkdtempSync(join(parent, "home-"));
  const temporary = join(codex, "temp");
  mkdirSync(temporary);
  atEnd(() => removeFolder(codex));
  const config = [
    'model = "gpt-5-codex"',
    'model_provider = "scripted"',
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = ${JSON.stringify(model.openaiUrl)}`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_MODEL_KEY"',
  ];
  writeFileSync(join(codex, "config.toml"), `${config.join("\n")}\n`);
  return { home, env: home.environment({ CODEX_HOME: codex, TMPDIR: temporary, SCRIPTED_MODEL_KEY: apiKey, ...env }) };
}
