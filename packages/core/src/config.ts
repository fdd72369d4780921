/**
 * Settings: one table, read once, validated as a whole, frozen and passed down. Besides environment.ts, nothing else
 * reads the environment.
 *
 * - `loadConfig(sources)` the frozen `Config`, or one `config_invalid` error that lists every problem.
 * - `inspectConfig(sources)` the same without throwing, with the source of each value (`doctor`, `config list`).
 * - `defaultOf(key)` what a setting is without a value.
 * - `inheritedEnvironment(env)` the environment for a child process, without Devflow's secrets.
 *
 * Precedence: flags, `DEVFLOW_*`, `~/.devflow/config.yaml`, the safe part of the repository's `.devflow.json`
 * (its `settings`), defaults. A `.env` file in the working folder is never read.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import { engineNames } from "./enums.ts";
import { type Environment, environmentVariables } from "./environment.ts";
import { DevflowError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import { Secret } from "./secret.ts";

export {
  type Environment,
  environmentOf,
  environmentVariables,
  processEnvironment,
} from "./environment.ts";

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];
const browseSandboxChoices = ["auto", "on", "off"] as const;
const webhookFormats = ["auto", "slack", "json"] as const;
const postgresChoices = ["auto", "embedded", "system"] as const;

const flag = () =>
  z.union([z.boolean(), z.stringbool({ truthy: ["true", "1", "on", "yes"], falsy: ["false", "0", "off", "no"] })]);
const whole = (min: number, max: number) =>
  z
    .union([z.number(), z.string().regex(/^\d+$/, "expected a whole number").transform(Number)])
    .pipe(z.number().int().min(min).max(max));
const list = () =>
  z.union([
    z.array(z.string().min(1)),
    z.string().transform((text) =>
      text
        .split(",")
        .map((item) => item.trim())
        .filter(Boolean),
    ),
  ]);

/** The schema is made when a value is given: making all of them took a third of the time of a short command (8 ms). */
interface Setting<S extends z.ZodType> {
  readonly schema: () => S;
  readonly summary: string;
  /** Whether a repository's committed `.devflow.json` may set it. Only what cannot run, redirect or expose anything. */
  readonly fromRepository?: boolean;
  readonly secret?: boolean;
  /** What has to start again before a change counts; otherwise it counts at once. */
  readonly readBy?: "server" | "browser" | "worker";
}
type Defaulted<S extends z.ZodType> = Setting<S> & { readonly fallback: z.output<S> };
function setting<S extends z.ZodType>(value: Defaulted<S>): Defaulted<S>;
function setting<S extends z.ZodType>(value: Setting<S>): Setting<S>;
function setting<S extends z.ZodType>(value: Setting<S>): Setting<S> {
  return value;
}

export const settings = {
  host: setting({
    schema: () => z.string().min(1),
    fallback: "127.0.0.1",
    summary: "Address the server listens on",
    readBy: "server",
  }),
  port: setting({
    schema: () => whole(0, 65535),
    fallback: 4780,
    summary: "Port the server listens on; 0 picks a free one",
    readBy: "server",
  }),
  allow_hosts: setting({
    schema: list,
    fallback: [],
    summary: "Additional Host names the server accepts, for port forwarding",
    readBy: "server",
  }),
  database_url: setting({
    schema: () =>
      z
        .string()
        .regex(/^postgres(ql)?:\/\//, "expected postgres://user:password@host/database")
        .transform((text) => new Secret(text)),
    summary: "Your own Postgres 16+, instead of the embedded one",
    readBy: "server",
    secret: true,
  }),
  public_url: setting({
    schema: () =>
      z
        .string()
        .regex(/^https?:\/\/[^/\s]+\/?$/, "expected an address without a path, such as https://devflow.example.com"),
    summary: "Team server: the address that people and terminals use",
    readBy: "server",
  }),
  signing_key: setting({
    schema: () =>
      z
        .string()
        .min(43, "expected at least 43 characters, for example from: openssl rand -base64 48")
        .transform((text) => new Secret(text)),
    summary: "Team server: the key that signs its tokens, if several servers share one; by default a file in its home",
    readBy: "server",
    secret: true,
  }),
  smtp_url: setting({
    schema: () =>
      z
        .string()
        .regex(/^smtps?:\/\//, "expected smtp://user:password@host:587 or smtps://…")
        .transform((text) => new Secret(text)),
    summary: "Team server: the mail server for sign-in links and invites",
    readBy: "server",
    secret: true,
  }),
  mail_from: setting({
    schema: () => z.string().min(3),
    summary: "Team server: the sender of its mail, such as Devflow <devflow@example.com>",
    readBy: "server",
  }),
  alert_hosts: setting({
    schema: list,
    fallback: [],
    summary: "Team server: hosts in private networks that the webhooks of teams may be on, such as chat.internal",
    readBy: "server",
  }),
  metrics_token: setting({
    schema: () =>
      z
        .string()
        .min(16)
        .transform((text) => new Secret(text)),
    summary: "Team server: the token that /metrics asks for; without it there are no metrics",
    readBy: "server",
    secret: true,
  }),
  postgres: setting({
    schema: () => z.enum(postgresChoices),
    fallback: "auto",
    summary: "Which Postgres binaries to run: embedded, the system's, or whichever is available (auto)",
    readBy: "server",
  }),
  workspace_root: setting({
    schema: () => z.string().min(1),
    summary: "Where worktrees, artifacts and reports go",
    readBy: "server",
  }),
  log_level: setting({
    schema: () => z.enum(logLevels),
    fallback: "info",
    summary: "Minimum level of log messages",
    readBy: "server",
    fromRepository: true,
  }),
  max_concurrent_runs: setting({
    schema: () => whole(1, 1000),
    fallback: 4,
    summary: "Maximum number of runs at work; those that wait for a person do not count",
    fromRepository: true,
  }),
  agents_in: setting({
    schema: () => z.enum(["tmux", "pipes"]),
    fallback: "tmux",
    summary:
      "Where agents run: in tmux, where you can attach to their screens, or behind pipes, as without tmux (docs/agents.md)",
    readBy: "server",
  }),
  sandbox: setting({
    schema: flag,
    fallback: false,
    summary:
      "Confine agents to their worktree, their artifacts and their model's provider; needs bubblewrap (docs/agents.md)",
  }),
  sandbox_hosts: setting({
    schema: list,
    fallback: [],
    summary:
      "Hosts that agents in the sandbox may reach besides their model's provider: example.com, *.example.com:8443",
  }),
  sandbox_ports: setting({
    schema: () =>
      z.union([
        z.array(z.number().int().min(1).max(65_535)),
        list().pipe(
          z.array(
            z
              .string()
              .regex(/^\d{1,5}$/, "expected ports")
              .transform(Number),
          ),
        ),
      ]),
    fallback: [],
    summary: "Ports on this machine that agents in the sandbox may reach",
  }),
  sandbox_read: setting({
    schema: list,
    fallback: [],
    summary: "Folders of your home that agents in the sandbox may read, such as those of tools",
  }),
  pass_environment: setting({
    schema: list,
    fallback: [],
    summary:
      "Environment variables that agents and commands of runs get besides the usual ones, secrets included (docs/secrets.md)",
    readBy: "server",
  }),
  forges: setting({
    schema: list,
    fallback: [],
    summary:
      "Hosts of repositories besides github.com, gitlab.com, gitea.com and codeberg.org: host=github, host=gitlab or host=gitea, with the name of the variable that has the token if it is not the usual one: git.example.com=gitea:EXAMPLE_TOKEN",
  }),
  webhook_url: setting({
    schema: () =>
      z
        .string()
        .regex(/^https?:\/\/[^\s/]+/, "expected an http or https URL")
        .refine((text) => URL.canParse(text), "expected an http or https URL")
        .transform((text) => new Secret(text)),
    summary: "Where to send a message when a run asks, fails or completes; a Slack webhook works as it is",
    secret: true,
  }),
  webhook_format: setting({
    schema: () => z.enum(webhookFormats),
    fallback: "auto",
    summary: "slack sends only a text, json the facts besides; auto decides by the host",
  }),
  engine: setting({
    schema: () => z.enum(engineNames),
    fallback: "inline",
    summary: "What drives new runs: this server (inline), or Temporal with devflow-worker (docs/fleet.md)",
    readBy: "server",
  }),
  temporal_address: setting({
    schema: () => z.string().regex(/^[^\s/]+$/, "expected host:port"),
    summary: "Address of a Temporal server, host:port",
    readBy: "server",
  }),
  temporal_namespace: setting({
    schema: () => z.string().min(1),
    fallback: "devflow",
    summary: "Temporal: the namespace of the runs' workflows",
    readBy: "server",
  }),
  temporal_tls: setting({
    schema: flag,
    fallback: false,
    summary: "Temporal: connect over TLS; a key or a certificate turns it on by itself",
    readBy: "server",
  }),
  temporal_ca: setting({
    schema: () => z.string().min(1),
    summary: "Temporal: file with the certificate of the authority that signed the server's, in PEM",
    readBy: "server",
  }),
  temporal_cert: setting({
    schema: () => z.string().min(1),
    summary: "Temporal: file with the worker's own certificate, in PEM; needs temporal_key",
    readBy: "server",
  }),
  temporal_key: setting({
    schema: () => z.string().min(1),
    summary: "Temporal: file with the private key of temporal_cert, in PEM",
    readBy: "server",
  }),
  temporal_api_key: setting({
    schema: () =>
      z
        .string()
        .min(1)
        .transform((text) => new Secret(text)),
    summary: "Temporal: the API key, as for Temporal Cloud",
    readBy: "server",
    secret: true,
  }),
  worker_token: setting({
    schema: () =>
      z
        .string()
        .min(1)
        .transform((text) => new Secret(text)),
    summary:
      "Worker: its token, for a Postgres that it shares with a server; see devflow team token create --scope worker",
    readBy: "worker",
    secret: true,
  }),
  worker_labels: setting({
    schema: list,
    fallback: [],
    summary: "Worker: labels for run start --on, such as gpu or eu",
    readBy: "worker",
  }),
  worker_repositories: setting({
    schema: list,
    fallback: [],
    summary: "Worker: repositories that it takes runs of, such as github.com/acme/*; empty allows all",
    readBy: "worker",
  }),
  worker_beat_seconds: setting({
    schema: () => whole(1, 3600),
    fallback: 10,
    summary: "Worker: how often it reports that it is alive",
    readBy: "worker",
  }),
  worker_suspect_seconds: setting({
    schema: () => whole(1, 86_400),
    fallback: 120,
    summary: "Worker: after so many seconds without a beat it is shown as suspect",
    readBy: "worker",
  }),
  worker_lost_seconds: setting({
    schema: () => whole(2, 604_800),
    fallback: 600,
    summary:
      "Worker: after so many seconds without a beat its runs may go on elsewhere; at half of it the worker stops by itself",
    readBy: "worker",
  }),
  sync_enabled: setting({ schema: flag, fallback: true, summary: "Push records to the team server" }),
  sync_transcripts: setting({ schema: flag, fallback: false, summary: "Push redacted transcripts too" }),
  update_check: setting({
    schema: flag,
    fallback: true,
    summary: "Check for a newer version in `devflow upgrade` and `doctor`",
  }),
  auto_upgrade: setting({ schema: flag, fallback: false, summary: "Install a newer version without asking" }),
  release_source: setting({
    schema: () => z.string().min(1),
    summary: "Folder or https URL that `devflow upgrade` installs from",
  }),
  browse_chromium: setting({
    schema: () => z.string().min(1),
    summary: "The Chromium or Chrome that `devflow browse` uses; by default the one on PATH",
    readBy: "browser",
  }),
  browse_sandbox: setting({
    schema: () => z.enum(browseSandboxChoices),
    fallback: "auto",
    summary: "Chromium's sandbox. auto: on, except as root, where it cannot work. off: at your own risk",
    readBy: "browser",
  }),
  browse_idle_minutes: setting({
    schema: () => whole(1, 7 * 24 * 60),
    fallback: 30,
    summary: "Minutes without a command after which the browser exits",
    readBy: "browser",
  }),
  browse_allow_hosts: setting({
    schema: list,
    fallback: [],
    summary:
      "Hosts that pages may reach; *.example.com means a domain and its subdomains; empty allows all that are not forbidden",
    readBy: "browser",
  }),
  contributor: setting({
    schema: flag,
    fallback: false,
    summary: "Agents note problems with Devflow itself, in contributor-notes under its home",
  }),
  telemetry: setting({
    schema: () => flag().pipe(z.literal(false, "Devflow has no telemetry; it cannot be turned on")),
    fallback: false,
    summary: "Always off",
  }),
} as const;

export type SettingKey = keyof typeof settings;
export const settingKeys = Object.keys(settings) as SettingKey[];

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type ValueOf<K extends SettingKey> = z.output<ReturnType<(typeof settings)[K]["schema"]>>;
type SettingValues = {
  readonly [K in SettingKey as Camel<K>]: (typeof settings)[K] extends { readonly fallback: unknown }
    ? ValueOf<K>
    : ValueOf<K> | undefined;
};

export interface Config extends Omit<SettingValues, "workspaceRoot"> {
  /** `~/.devflow`, or DEVFLOW_HOME; absolute. */
  readonly home: string;
  /** Absolute. */
  readonly workspaceRoot: string;
}

export interface ConfigSources {
  readonly env?: Environment;
  readonly flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Where to read a repository's `.devflow.json`; undefined reads none. */
  readonly repository?: string | undefined;
}

const valueSources = ["flag", "environment", "config.yaml", ".devflow.json", "default"] as const;
export type ValueSource = (typeof valueSources)[number];

export interface ConfigFault {
  readonly key: string;
  readonly source: ValueSource;
  readonly problem: string;
}

export interface ConfigInspection {
  readonly home: string;
  readonly config: Config | undefined;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
  readonly values: readonly { readonly key: SettingKey; readonly value: unknown; readonly source: ValueSource }[];
}

export function loadConfig(sources: ConfigSources = {}): Config {
  const { config, faults } = inspectConfig(sources);
  if (config) return config;
  const listed = faults.map(({ key, source, problem }) => `  ${key} (${source}): ${problem}`).join("\n");
  throw new DevflowError("config_invalid", { details: { count: faults.length, faults: listed } });
}

export function inspectConfig({ env = process.env, flags = {}, repository }: ConfigSources = {}): ConfigInspection {
  const faults: ConfigFault[] = [];
  const warnings: ConfigFault[] = [];
  const home = homeOf(env);
  const file = readSettingsFile(join(home, "config.yaml"), "config.yaml", faults);
  const shared = repository ? readRepositorySettings(repository, faults, warnings) : {};
  for (const key of Object.keys(file)) if (!isSettingKey(key)) warnings.push(unknownKey(key, "config.yaml"));
  for (const name of Object.keys(env)) if (!isKnownVariable(name)) warnings.push(unknownVariable(name));

  const values = settingKeys.map((key) => {
    const candidates: [ValueSource, unknown][] = [
      ["flag", flags[key]],
      // CI systems pass a missing value on as an empty variable.
      ["environment", env[variableOf(key)] || undefined],
      ["config.yaml", file[key]],
      [".devflow.json", shared[key]],
    ];
    const [source, given] = candidates.find(([, value]) => value !== undefined) ?? (["default", undefined] as const);
    if (given === undefined) return { key, value: defaultOf(key), source };
    const parsed = settings[key].schema().safeParse(given);
    if (parsed.success) return { key, value: parsed.data as unknown, source };
    const problem = parsed.error.issues.map((issue) => plainIssue(issue)).join("; ");
    const shown = "secret" in settings[key] ? "" : `${JSON.stringify(given)}: `;
    faults.push({ key, source, problem: `${shown}${problem}` });
    return { key, value: undefined, source };
  });
  const config = faults.length === 0 ? freezeConfig(home, values) : undefined;
  return { home, config, faults, warnings, values };
}

export function homeOf(env: Environment = process.env): string {
  const given = env.DEVFLOW_HOME;
  if (given) return resolve(given);
  return join(env.HOME || homedir(), ".devflow");
}

/** The absolute folders on PATH. */
export function searchPath(env: Environment = process.env): string[] {
  return (env.PATH ?? "").split(":").filter((folder) => isAbsolute(folder));
}

/** What a child process may inherit: everything but Devflow's own secrets. */
export function inheritedEnvironment(env: Environment = process.env): Environment {
  const secrets = settingKeys.filter((key) => "secret" in settings[key]).map(variableOf);
  const withheld = new Set([...secrets, "DEVFLOW_ACCESS_TOKEN", "DEVFLOW_SESSION_TOKEN", "DEVFLOW_BROWSE_TOKEN"]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.has(name)));
}

export const variableOf = (key: SettingKey): string => `DEVFLOW_${key.toUpperCase()}`;

export function defaultOf(key: SettingKey): unknown {
  const one = settings[key];
  return "fallback" in one ? one.fallback : undefined;
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settings, key);
}

function freezeConfig(home: string, values: ConfigInspection["values"]): Config {
  const entries = values.map(({ key, value }) => [
    camel(key),
    Array.isArray(value) ? Object.freeze([...value]) : value,
  ]);
  const config = Object.fromEntries(entries) as unknown as SettingValues;
  const root = config.workspaceRoot ?? "workspaces";
  const workspaceRoot = isAbsolute(root) ? root : join(home, root);
  return Object.freeze({ ...config, home, workspaceRoot });
}

const camel = (key: string): string => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function readSettingsFile(path: string, source: ValueSource, faults: ConfigFault[]): Record<string, unknown> {
  const text = readText(path, source, faults);
  if (text === undefined) return {};
  // Not imported: most homes have no such file, and every command would start 2 ms later.
  const { parseDocument } = require("yaml") as typeof import("yaml");
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    faults.push({ key: path, source, problem: document.errors[0]?.message.split("\n")[0] ?? "not YAML" });
    return {};
  }
  try {
    return asObject(document.toJS(), path, source, faults);
  } catch (error) {
    // An alias without an anchor, or so many aliases that they would exhaust memory.
    faults.push({ key: path, source, problem: (error as Error).message });
    return {};
  }
}

function readRepositorySettings(
  folder: string,
  faults: ConfigFault[],
  warnings: ConfigFault[],
): Record<string, unknown> {
  const path = join(folder, ".devflow.json");
  const text = readText(path, ".devflow.json", faults);
  if (text === undefined) return {};
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    faults.push({ key: path, source: ".devflow.json", problem: (error as Error).message });
    return {};
  }
  const given = asObject((content as { settings?: unknown } | null)?.settings ?? {}, path, ".devflow.json", faults);
  const allowed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (!isSettingKey(key)) warnings.push(unknownKey(key, ".devflow.json"));
    else if ("fromRepository" in settings[key]) allowed[key] = value;
    else warnings.push({ key, source: ".devflow.json", problem: "ignored: a repository may not set this" });
  }
  return allowed;
}

function readText(path: string, source: ValueSource, faults: ConfigFault[]): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== "ENOENT" && code !== "ENOTDIR") faults.push({ key: path, source, problem: message });
    return undefined;
  }
}

function asObject(value: unknown, path: string, source: ValueSource, faults: ConfigFault[]): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  faults.push({ key: path, source, problem: "expected an object" });
  return {};
}

function isKnownVariable(name: string): boolean {
  if (!name.startsWith("DEVFLOW_")) return true;
  return name in environmentVariables || isSettingKey(name.slice("DEVFLOW_".length).toLowerCase());
}

function unknownVariable(name: string): ConfigFault {
  const known = [...settingKeys.map(variableOf), ...Object.keys(environmentVariables)];
  const meant = nearest(name, known);
  return { key: name, source: "environment", problem: `no such variable${meant ? `; did you mean ${meant}?` : ""}` };
}

function unknownKey(key: string, source: ValueSource): ConfigFault {
  const meant = nearest(key, settingKeys);
  return { key, source, problem: `no such setting${meant ? `; did you mean ${meant}?` : ""}` };
}

/** zod wraps the alternatives of a union; show only the message of the one that fits best. */
function plainIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union") {
    const inner = issue.errors.flat().filter((one) => one.code !== "invalid_type");
    return inner[0] ? plainIssue(inner[0]) : issue.message;
  }
  return issue.message;
}
