/** Homes in which ACP agents use only a scripted model. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ScriptedModel } from "../scripted-model/index.ts";
import { temporaryHome } from "../temporary-home.ts";
import { type AgentHome, claudeHome, codexHome, type HomeOptions } from "./agent-homes.ts";
import type { AcpAgentName } from "./install-agents.ts";

export function acpHome(name: AcpAgentName, options: HomeOptions): AgentHome {
  // After each turn it would ask the model what the user might say next, with tools.
  const quiet = { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false", ...options.env };
  if (name === "claude-agent-acp") return claudeHome({ ...options, env: quiet });
  if (name === "codex-acp") return codexHome(options);
  const home = temporaryHome();
  const { model, apiKey = "scripted-model-key", env } = options;
  const { variables, files = {} } = homes[name](model, apiKey);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), JSON.stringify(content));
  }
  return { home, env: home.environment({ ...variables, ...env }) };
}

interface Seed {
  readonly variables: Record<string, string>;
  /** By their path in the home. */
  readonly files?: Readonly<Record<string, object>>;
}

const homes: Readonly<
  Record<Exclude<AcpAgentName, "claude-agent-acp" | "codex-acp">, (model: ScriptedModel, apiKey: string) => Seed>
> = {
  copilot: (model, apiKey) => ({
    variables: {
      COPILOT_PROVIDER_BASE_URL: model.openaiUrl,
      COPILOT_PROVIDER_API_KEY: apiKey,
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    },
  }),
  qwen: (model, apiKey) => ({
    variables: { OPENAI_BASE_URL: model.openaiUrl, OPENAI_API_KEY: apiKey, OPENAI_MODEL: "scripted" },
    // After each turn it would ask the model what to remember, with tools, and what the person may say next.
    files: {
      ".qwen/settings.json": {
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        ui: { enableFollowupSuggestions: false },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      },
    },
  }),
  gemini: (model, apiKey) => ({
    variables: { GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: apiKey, GEMINI_MODEL: "gemini-2.5-flash" },
    files: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      },
    },
  }),
  opencode: (model, apiKey) => ({
    variables: {
      SCRIPTED_MODEL_KEY: apiKey,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    files: {
      ".config/opencode/opencode.json": {
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        permission: { edit: "ask", bash: "ask" },
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "scripted",
            options: { baseURL: model.openaiUrl, apiKey: "{env:SCRIPTED_MODEL_KEY}" },
            models: { scripted: { name: "scripted" } },
          },
        },
      },
    },
  }),
};
