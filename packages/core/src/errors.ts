/**
 * Every failure a user can meet is one row of this table: what kind it is, which HTTP status and exit code it
 * becomes, what it says and what to do next. Codes are never reused. `docs/errors.md` is tested against it both ways.
 *
 * - `DevflowError(code, options)` is the only error class that crosses a package's door.
 * - `errorReport(error)` turns anything thrown into what the command line prints and every wire carries;
 *   `DevflowError(report, options)` turns that back into the error on the other side.
 */
import type { ErrorClass, ErrorDetails, ErrorReport } from "./error-report.ts";

export type { ErrorReport } from "./error-report.ts";

interface ErrorEntry {
  readonly class: ErrorClass;
  readonly status: number;
  readonly exit: number;
  readonly message: string;
  readonly hint: string;
}

/** `{name}` in a message or hint is filled from the error's details. */
export const errorRegistry = {
  // The person or agent at the keyboard
  usage: { class: "user", status: 400, exit: 64, message: "{problem}", hint: "{next}" },
  unknown_command: {
    class: "user",
    status: 400,
    exit: 64,
    message: 'There is no command "{given}".',
    hint: "{next}",
  },
  config_invalid: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "The configuration has {count} fault(s):\n{faults}",
    hint: "Mend them, or read one with: devflow config list",
  },
  config_key_unknown: {
    class: "user",
    status: 400,
    exit: 64,
    message: 'There is no setting "{key}".',
    hint: "{next}",
  },
  not_found: { class: "user", status: 404, exit: 66, message: "{what} was not found.", hint: "{next}" },
  conflict: { class: "user", status: 409, exit: 75, message: "{problem}", hint: "{next}" },
  too_large: {
    class: "user",
    status: 413,
    exit: 65,
    message: "The body is larger than {limit} bytes.",
    hint: "Send it in smaller parts.",
  },
  input_invalid: { class: "user", status: 400, exit: 65, message: "{problem}", hint: "{next}" },

  // Who is asking
  unauthenticated: {
    class: "user",
    status: 401,
    exit: 77,
    message: "No valid token came with this request ({reason}).",
    hint: "On this machine: devflow open",
  },
  forbidden: { class: "user", status: 403, exit: 77, message: "{problem}", hint: "{next}" },

  // The machine
  home_unusable: {
    class: "fatal",
    status: 500,
    exit: 73,
    message: "The folder {path} cannot be used: {reason}.",
    hint: "Give another one: DEVFLOW_HOME=<folder> devflow up",
  },
  permission_denied: {
    class: "fatal",
    status: 500,
    exit: 77,
    message: "Permission denied: {path}.",
    hint: "Give yourself access (ls -ld {path}), or use another home: DEVFLOW_HOME=<folder>",
  },
  disk_full: {
    class: "fatal",
    status: 507,
    exit: 74,
    message: "The disk that holds {path} is full.",
    hint: "Free some space, then repeat the command; nothing acknowledged was lost. See: devflow doctor",
  },
  port_in_use: {
    class: "fatal",
    status: 500,
    exit: 69,
    message: "Port {port} on {host} is already in use.",
    hint: "Use another one: devflow up --port {other}",
  },
  server_not_running: {
    class: "recoverable",
    status: 503,
    exit: 69,
    message: "No Devflow server is running for {home}.",
    hint: "Start it: devflow up -d",
  },
  server_start_failed: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "The server did not start: {reason}.",
    hint: "Read why: devflow logs",
  },
  answer_unreadable: {
    class: "fatal",
    status: 502,
    exit: 76,
    message: "The server's answer to {path} cannot be read: {reason}.",
    hint: "It may be of another version (devflow status). If it is not, see: devflow logs",
  },
  server_busy: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "The server is stopping.",
    hint: "Try again in a few seconds: devflow status",
  },
  too_many_streams: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "This server already feeds {limit} live streams.",
    hint: "Close some pages, or see how many there are: devflow status",
  },
  too_many_attempts: {
    class: "user",
    status: 429,
    exit: 75,
    message: "Too many wrong codes were tried.",
    hint: "Wait a minute, then: devflow open",
  },
  method_not_allowed: {
    class: "user",
    status: 405,
    exit: 64,
    message: "{path} does not take {method}.",
    hint: "It takes {allowed}.",
  },

  // The database
  db_unreachable: {
    class: "fatal",
    status: 503,
    exit: 69,
    message: "Postgres cannot be reached: {reason}.",
    hint: "See what is wrong: devflow doctor",
  },
  db_start_failed: {
    class: "fatal",
    status: 500,
    exit: 69,
    message: "The embedded Postgres did not start: {reason}.",
    hint: "{next}",
  },
  db_binaries_missing: {
    class: "fatal",
    status: 500,
    exit: 69,
    message: "There is no Postgres for {platform} here.",
    hint: "Install Postgres 16 or newer, or point DEVFLOW_DATABASE_URL at one.",
  },
  db_user_missing: {
    class: "fatal",
    status: 500,
    exit: 77,
    message: "Postgres refuses to run as root, and the user it should run as could not be made: {reason}.",
    hint: "Make it yourself: useradd --system --no-create-home devflow-postgres",
  },
  db_major_version: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "The data folder {path} was made by Postgres {found}, and this Devflow brings Postgres {ours}.",
    hint: "Move it: run the older Devflow's `devflow backup before.devflow-backup`, move the folder away, then: devflow restore before.devflow-backup",
  },
  db_not_ours: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "The database {database} is not empty and Devflow did not make it (it holds {sample}).",
    hint: "Use an empty database, or say that it may be shared: devflow up --adopt",
  },
  db_too_old: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "Postgres {found} is too old; Devflow needs 16 or newer.",
    hint: "Unset DEVFLOW_DATABASE_URL to use the embedded one, or upgrade that server.",
  },
  db_privileges: {
    class: "fatal",
    status: 500,
    exit: 77,
    message: "The database role {role} may not do what Devflow needs: {reason}.",
    hint: "{next}",
  },
  db_serialization_retry: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "Two writers met; this one has to try again.",
    hint: "Repeat the command.",
  },
  migration_pending: {
    class: "fatal",
    status: 503,
    exit: 78,
    message: "{count} migration(s) have not been applied: {names}.",
    hint: "Apply them: devflow up",
  },
  migration_changed: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "Migration {name} was applied with other content than this Devflow carries.",
    hint: "Run the version of Devflow that made this database, or restore a backup: devflow restore <file>",
  },
  schema_newer: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "The database is at migration {found}, and this Devflow knows only up to {ours}.",
    hint: "Upgrade this executable: devflow upgrade",
  },
  backup_invalid: {
    class: "user",
    status: 400,
    exit: 65,
    message: "{path} is not a backup that can be restored: {reason}.",
    hint: "Make one with: devflow backup <file>",
  },

  // Git
  git_missing: {
    class: "fatal",
    status: 500,
    exit: 69,
    message: "git could not be started in {cwd}: there is no git on PATH, or no such folder.",
    hint: "Install git 2.38 or newer, then look again: devflow doctor",
  },
  git_too_old: {
    class: "fatal",
    status: 500,
    exit: 69,
    message: "git {found} is too old; Devflow needs {needed} or newer.",
    hint: "Upgrade git, then look again: devflow doctor",
  },
  git_failed: {
    class: "recoverable",
    status: 500,
    exit: 70,
    message: "git {command} failed: {reason}",
    hint: "See what state the repository is in: git status",
  },

  // Runs
  session_start_failed: {
    class: "human_required",
    status: 500,
    exit: 70,
    message: "The session {session} did not start: {reason}.",
    hint: "See its folder and: devflow doctor",
  },
  prompt_send_transient: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "The session {session} did not acknowledge the prompt.",
    hint: "It is tried again; nothing is to be done.",
  },
  prompt_send_exhausted: {
    class: "human_required",
    status: 500,
    exit: 70,
    message: "The session {session} did not take the prompt after three tries.",
    hint: "Decide at the gate: devflow run show {run}",
  },
  artifact_invalid_after_repair: {
    class: "human_required",
    status: 500,
    exit: 65,
    message: "The artifact {path} is still invalid after its repair.",
    hint: "Decide at the gate: devflow run show {run}",
  },
  artifact_timeout_exhausted: {
    class: "human_required",
    status: 500,
    exit: 75,
    message: "The artifact {path} did not come in time, twice.",
    hint: "Decide at the gate: devflow run show {run}",
  },
  destructive_command_blocked: {
    class: "human_required",
    status: 403,
    exit: 77,
    message: "Devflow does not run `{command}`: {reason}.",
    hint: "Run it yourself if it is meant.",
  },
  secret_access_blocked: {
    class: "human_required",
    status: 403,
    exit: 77,
    message: "Devflow does not touch {path}: it may hold secrets.",
    hint: "Name it under `copy` in .devflow.json if a run needs it.",
  },
  backend_unavailable: {
    class: "human_required",
    status: 409,
    exit: 69,
    message: "{reason}",
    hint: "{next}",
  },
  no_eligible_persona: { class: "human_required", status: 409, exit: 65, message: "{reason}", hint: "{next}" },
  writeset_conflict: { class: "human_required", status: 409, exit: 65, message: "{reason}", hint: "{next}" },
  merge_conflict: { class: "human_required", status: 409, exit: 65, message: "{reason}", hint: "{next}" },
  objective_not_met: { class: "human_required", status: 409, exit: 65, message: "{reason}", hint: "{next}" },
  review_dispute_unresolved: { class: "human_required", status: 409, exit: 65, message: "{reason}", hint: "{next}" },
  workspace_permissions: {
    class: "fatal",
    status: 500,
    exit: 77,
    message: "The workspace {path} cannot be written: {reason}.",
    hint: "Give another one: devflow config set workspace_root <folder>",
  },
  template_load_failed: {
    class: "fatal",
    status: 400,
    exit: 65,
    message: "{file} is not valid:\n{faults}",
    hint: "Check it again after mending: devflow template validate {file}",
  },
  artifact_schema_unknown: {
    class: "fatal",
    status: 400,
    exit: 65,
    message: "There is no artifact schema {schema}.",
    hint: "{next}",
  },
  artifact_schema_load_failed: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "The artifact schema {schema} cannot be used: {reason}.",
    hint: "Mend the file under schemas/artifacts.",
  },
  run_active: {
    class: "user",
    status: 409,
    exit: 75,
    message: "Run {currentRunId} ({currentState}) already works there.",
    hint: "See it: devflow run show {currentRunId}",
  },
  too_many_runs: {
    class: "user",
    status: 429,
    exit: 75,
    message: "{count} runs are active, and no more than {limit} may be.",
    hint: "Wait in line: devflow run start --queue, or raise it: devflow config set max_concurrent_runs <n>",
  },
  run_paused: {
    class: "user",
    status: 409,
    exit: 75,
    message: "Run {run} is paused.",
    hint: "Resume it first: devflow run resume {run}",
  },
  illegal_transition: {
    class: "user",
    status: 409,
    exit: 75,
    message: "{what} is {state}; it cannot be {wanted} now.",
    hint: "{next}",
  },
  driver_replaced: {
    class: "recoverable",
    status: 409,
    exit: 75,
    message: "Another process drives this run now (epoch {newest}; this one had {epoch}).",
    hint: "Nothing needs to be done: the run continues there.",
  },
  permission_answered: {
    class: "user",
    status: 409,
    exit: 75,
    message: "This permission was {answer} already by {who}.",
    hint: "See the run: devflow run show {run}",
  },
  approval_decided: {
    class: "user",
    status: 409,
    exit: 75,
    message: "This gate was decided already: {decision} by {who}.",
    hint: "See the run: devflow run show {run}",
  },
  agent_may_not_decide: {
    class: "user",
    status: 403,
    exit: 77,
    message: "An agent may not decide a gate; a person has to.",
    hint: "Leave it to the person who started the run; the gate stands in the web app, and in: devflow run list",
  },
  starter_may_not_decide: {
    class: "user",
    status: 403,
    exit: 77,
    message: "The template wants somebody else than the starter of the run to decide.",
    hint: "Ask a teammate to decide.",
  },

  // Browse
  browse_no_chromium: {
    class: "human_required",
    status: 503,
    exit: 69,
    message: "There is no Chromium or Chrome on this machine: {looked}.",
    hint: "{next}",
  },
  browse_start_failed: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "The browser did not start: {reason}",
    hint: "Look at its log: {log}",
  },
  browse_not_running: {
    class: "user",
    status: 404,
    exit: 69,
    message: "No browser runs for {workspace}.",
    hint: "Start one by using it: devflow browse goto <url>",
  },
  browse_lost: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "The browser ended in the middle of `{command}`: {reason}.",
    hint: "Look where things stand, then repeat it: devflow browse tabs",
  },
  browse_deadline: {
    class: "recoverable",
    status: 504,
    exit: 75,
    message: "`{command}` did not end within {seconds} s; {outcome}.",
    hint: "{next}",
  },
  browse_cancelled: {
    class: "recoverable",
    status: 499,
    exit: 75,
    message: "`{command}` was given up: its caller went away.",
    hint: "Look where things stand: devflow browse tabs",
  },
  browse_url_refused: {
    class: "user",
    status: 403,
    exit: 77,
    message: "{url} is not opened: {reason}.",
    hint: "See what is allowed: devflow browse policy",
  },
  browse_path_refused: {
    class: "user",
    status: 403,
    exit: 77,
    message: "{path} is not touched: {reason}.",
    hint: "Give a path inside {roots}.",
  },
  browse_session_refused: {
    class: "user",
    status: 403,
    exit: 77,
    message: "This token may not do that: {reason}.",
    hint: "See your session: devflow browse status",
  },
  browse_token_refused: {
    class: "user",
    status: 401,
    exit: 77,
    message: "The browser does not know this token.",
    hint: "Repeat the command; when DEVFLOW_BROWSE_TOKEN is set, its session has ended: devflow browse status",
  },
  browse_no_tab: {
    class: "user",
    status: 404,
    exit: 66,
    message: "There is no tab {tab} in session {session}.",
    hint: "List them: devflow browse tabs",
  },
  browse_ref_unknown: {
    class: "user",
    status: 404,
    exit: 66,
    message: "@{ref} was never given in this tab.",
    hint: "See what is there: devflow browse snapshot -i",
  },
  browse_ref_stale: {
    class: "user",
    status: 409,
    exit: 66,
    message: "@{ref} {what} is no longer on the page.{closest}",
    hint: "Use one of the live refs, or look again: devflow browse snapshot -i",
  },
  browse_no_match: {
    class: "user",
    status: 404,
    exit: 66,
    message: "Nothing matches {target}.{closest}",
    hint: "See what is there: devflow browse snapshot -i",
  },
  browse_many_match: {
    class: "user",
    status: 409,
    exit: 65,
    message: "{count} elements match {target}: {some}.",
    hint: "Say which one by its ref, for example: devflow browse click @{first}",
  },
  browse_target_invalid: {
    class: "user",
    status: 400,
    exit: 64,
    message: "{target} is not a target: {reason}.",
    hint: "Use a ref (@e3), CSS (#save), text=Save or button:Save. Refs come from: devflow browse snapshot -i",
  },
  browse_covered: {
    class: "user",
    status: 409,
    exit: 75,
    message: "{target} is covered by {cover}; nothing was clicked.",
    hint: "Deal with the cover first, or look: devflow browse snapshot -i",
  },
  browse_action_failed: {
    class: "user",
    status: 409,
    exit: 75,
    message: "{action} did not work on {target}: {reason}.",
    hint: "{next}",
  },
  browse_navigation_failed: {
    class: "recoverable",
    status: 502,
    exit: 69,
    message: "{url} did not open: {reason}.",
    hint: "{next}",
  },
  browse_page_failed: { class: "user", status: 409, exit: 65, message: "{reason}", hint: "{next}" },
  browse_script_failed: {
    class: "user",
    status: 422,
    exit: 65,
    message: "The script failed in the page: {problem}",
    hint: "Errors of the page itself: devflow browse errors",
  },
  browse_wait_timeout: {
    class: "user",
    status: 408,
    exit: 75,
    message: "Waited {seconds} s in vain for {what}.",
    hint: "See the page as it is: devflow browse snapshot",
  },
  browse_group_unknown: {
    class: "user",
    status: 404,
    exit: 66,
    message: "There is no folded group @{group} on the page now.",
    hint: "Look again: devflow browse snapshot",
  },
  browse_group_range: {
    class: "user",
    status: 400,
    exit: 64,
    message: "@{group} has {count} members; that range holds none of them.",
    hint: "Members are counted from 1, for example: devflow browse expand @g1 1-10",
  },
  evidence_broken: {
    class: "user",
    status: 422,
    exit: 65,
    message: "The evidence in {bundle} does not hold: {reason}.",
    hint: "It proves nothing any more. Record it again: devflow browse evidence start",
  },
  evidence_differs: {
    class: "user",
    status: 409,
    exit: 65,
    message: "{count} of {total} steps went otherwise than recorded:\n{differences}",
    hint: "The pictures of the recording are in {bundle}/shots. Look at the page now: devflow browse goto <url>",
  },

  // Others
  internal_state_corruption: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "Something that cannot be, is: {problem}.",
    hint: "Please report it with the output of: devflow doctor --json",
  },
  internal: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "Devflow failed unexpectedly: {problem}",
    hint: "Run it again with --debug for the trace; if it stays, report it with: devflow doctor --json",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorRegistry;

interface DevflowErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

export class DevflowError extends Error {
  override readonly name = "DevflowError";
  /** Of the registry, or of a newer one's when the error came over a wire. */
  readonly code: ErrorCode | (string & Record<never, never>);
  readonly class: ErrorClass;
  readonly status: number;
  readonly exit: number;
  readonly hint: string;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, options?: DevflowErrorOptions);
  /** Keeps the words of the report: whoever made it knew better what happened. */
  constructor(report: ErrorReport, options?: Pick<DevflowErrorOptions, "cause">);
  constructor(given: ErrorCode | ErrorReport, { details = {}, cause }: DevflowErrorOptions = {}) {
    const report = typeof given === "string" ? reportOf(given, details) : given;
    super(report.message, cause === undefined ? undefined : { cause });
    this.code = report.code;
    this.class = report.class;
    this.status = report.status;
    this.exit = report.exit;
    this.hint = report.hint;
    this.details = report.details;
  }
}

function reportOf(code: ErrorCode, details: ErrorDetails): ErrorReport {
  const row: ErrorEntry = errorRegistry[code];
  return { code, ...row, message: fill(row.message, details), hint: fill(row.hint, details), details };
}

/** Names the machine's own faults; everything unknown becomes `internal` and keeps its cause. */
export function toDevflowError(error: unknown): DevflowError {
  if (error instanceof DevflowError) return error;
  const system = error as { code?: unknown; path?: unknown; message?: unknown } | null;
  const path = typeof system?.path === "string" ? system.path : "the folder";
  if (system?.code === "ENOSPC" || system?.code === "EDQUOT") {
    return new DevflowError("disk_full", { details: { path }, cause: error });
  }
  if (system?.code === "EACCES" || system?.code === "EPERM" || system?.code === "EROFS") {
    return new DevflowError("permission_denied", { details: { path }, cause: error });
  }
  const problem = typeof system?.message === "string" ? system.message : textOf(error);
  return new DevflowError("internal", { details: { problem }, cause: error });
}

/** An object without a prototype has no text of its own. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}

export function errorReport(error: unknown): ErrorReport {
  const { code, class: errorClass, message, hint, status, exit, details } = toDevflowError(error);
  return { code, class: errorClass, message, hint, status, exit, details };
}

function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = details[name];
    return value === undefined ? (name === "next" ? "" : whole) : String(value);
  });
}
