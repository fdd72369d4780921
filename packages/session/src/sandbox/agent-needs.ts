/**
 * What each kind of agent needs in the sandbox: a copy of its configuration, its login, and the hosts of its provider.
 *
 * - `agentNeeds(wire, profile)` of the agent behind a wire; an unknown one needs nothing of the home and reaches no host that
 *   the rules do not name.
 *
 * Hosts as the agents' own documentation lists them for firewalls, without telemetry and updates.
 */
export interface AgentNeeds {
  /** Its configuration folder below the home, and the variable that moves it. */
  readonly folder: string | undefined;
  readonly variable: string | undefined;
  /** Names in that folder of which it gets a copy: what it changes there does not reach the person's. */
  readonly copies: readonly string[];
  /** Beside the folder in the home, where the variable is not set; copied into the folder. */
  readonly copiesFromHome: readonly string[];
  /** Files in that folder that it may change: an agent renews its login itself, and the old one becomes invalid. */
  readonly logins: readonly string[];
  readonly hosts: readonly string[];
}

const claude: AgentNeeds = {
  folder: ".claude",
  variable: "CLAUDE_CONFIG_DIR",
  copies: [".claude.json", "settings.json", "CLAUDE.md", "skills", "agents", "commands", "output-styles"],
  copiesFromHome: [".claude.json"],
  logins: [".credentials.json"],
  hosts: ["api.anthropic.com", "claude.ai", "platform.claude.com", "console.anthropic.com"],
};

const codex: AgentNeeds = {
  folder: ".codex",
  variable: "CODEX_HOME",
  copies: ["config.toml", "AGENTS.md", "rules", "skills", "prompts"],
  copiesFromHome: [],
  logins: ["auth.json"],
  hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
};

const plain = (folder: string, copies: readonly string[], logins: readonly string[], hosts: readonly string[]) => ({
  folder,
  variable: undefined,
  copies,
  copiesFromHome: [],
  logins,
  hosts,
});

const google = ["generativelanguage.googleapis.com", "oauth2.googleapis.com", "cloudcode-pa.googleapis.com"];

/** By wire, and for ACP by profile. */
const needs: Readonly<Record<string, AgentNeeds>> = {
  claude,
  "tmux-claude": claude,
  "claude-agent-acp": claude,
  codex,
  "tmux-codex": codex,
  "codex-acp": codex,
  gemini: plain(".gemini", ["settings.json", "GEMINI.md"], ["oauth_creds.json", "google_accounts.json"], google),
  qwen: plain(".qwen", ["settings.json", "QWEN.md"], ["oauth_creds.json"], ["chat.qwen.ai", "*.aliyuncs.com"]),
  copilot: plain(
    ".copilot",
    ["config.json", "mcp-config.json"],
    [],
    ["api.github.com", "api.githubcopilot.com", "*.githubcopilot.com"],
  ),
  opencode: plain(".config/opencode", ["opencode.json", "AGENTS.md"], [], []),
};

const nothing: AgentNeeds = {
  folder: undefined,
  variable: undefined,
  copies: [],
  copiesFromHome: [],
  logins: [],
  hosts: [],
};

export function agentNeeds(wire: string, profile: unknown): AgentNeeds {
  const key = wire === "acp" && typeof profile === "string" ? profile : wire;
  return Object.hasOwn(needs, key) ? (needs[key] ?? nothing) : nothing;
}
