/**
 * Every error a user can see is one row of this table: its class, HTTP status, exit code, message and hint. Codes are
 * never reused. `docs/errors.md` is generated from it.
 *
 * - `DevflowError(code, options)` is the only error class that leaves a package.
 * - `errorReport(error)` turns anything thrown into what the command line prints and HTTP responses carry;
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
  // Input
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
    message: "The configuration has {count} error(s):\n{faults}",
    hint: "Fix them, or inspect the values with: devflow config list",
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
    message: "The request body is larger than {limit} bytes.",
    hint: "Send smaller requests.",
  },
  input_invalid: { class: "user", status: 400, exit: 65, message: "{problem}", hint: "{next}" },

  // Access
  unauthenticated: {
    class: "user",
    status: 401,
    exit: 77,
    message: "The request has no valid token ({reason}).",
    hint: "Sign in: {next}",
  },
  signed_out: {
    class: "user",
    status: 401,
    exit: 77,
    message: "You are not signed in to {server}: {reason}.",
    hint: "Sign in: devflow sync setup",
  },
  sign_in_refused: {
    class: "user",
    status: 403,
    exit: 77,
    message: "Signing in failed: {reason}.",
    hint: "{next}",
  },
  link_used: {
    class: "user",
    status: 410,
    exit: 66,
    message: "This {what} was used before, was revoked, or has expired.",
    hint: "{next}",
  },
  mail_failed: {
    class: "recoverable",
    status: 502,
    exit: 69,
    message: "The mail server {host} did not take the message: {reason}.",
    hint: "Check the settings smtp_url and mail_from of the server: devflow config list",
  },
  team_unreachable: {
    class: "recoverable",
    status: 502,
    exit: 69,
    message: "Cannot reach the team server {server}: {reason}.",
    hint: "Check the address and your network, then repeat the command. Nothing was lost.",
  },
  no_team: {
    class: "user",
    status: 404,
    exit: 66,
    message: "{where} belongs to no team yet.",
    hint: "{next}",
  },
  not_on_team_server: {
    class: "user",
    status: 404,
    exit: 64,
    message: "{what} are not available on a team server.",
    hint: "They are on the machine that holds the checkout: devflow open",
  },
  forbidden: { class: "user", status: 403, exit: 77, message: "{problem}", hint: "{next}" },

  // The machine
  home_unusable: {
    class: "fatal",
    status: 500,
    exit: 73,
    message: "Cannot use the folder {path}: {reason}.",
    hint: "Choose another one: DEVFLOW_HOME=<folder> devflow up",
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
    hint: "Free some space, then repeat the command. No acknowledged write was lost. See: devflow doctor",
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
  server_silent: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "A server (pid {pid}) holds {home} but does not say where it listens.",
    hint: "It may be starting or stopping; see: devflow status. If it stays like this: devflow down --force",
  },
  server_start_failed: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "The server did not start: {reason}.",
    hint: "See the log: devflow logs",
  },
  server_late: {
    class: "recoverable",
    status: 504,
    exit: 75,
    message: "The server did not answer {path} within {seconds} s.",
    hint: "It may still be working on it; see: devflow status, or the log: devflow logs",
  },
  answer_unreadable: {
    class: "fatal",
    status: 502,
    exit: 76,
    message: "Cannot read the server's response to {path}: {reason}.",
    hint: "The server may be a different version (devflow status). If not, see: devflow logs",
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
    message: "This server already has {limit} live streams, the maximum.",
    hint: "Close some pages, or see how many there are: devflow status",
  },
  too_many_attempts: {
    class: "user",
    status: 429,
    exit: 75,
    message: "Too many attempts.",
    hint: "Wait a minute, then try again.",
  },
  method_not_allowed: {
    class: "user",
    status: 405,
    exit: 64,
    message: "{path} does not accept {method}.",
    hint: "It accepts: {allowed}",
  },

  // The database
  db_unreachable: {
    class: "fatal",
    status: 503,
    exit: 69,
    message: "Cannot reach Postgres: {reason}.",
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
    message: "There are no Postgres binaries for {platform}.",
    hint: "Install Postgres 16 or newer, or point DEVFLOW_DATABASE_URL at one.",
  },
  db_user_missing: {
    class: "fatal",
    status: 500,
    exit: 77,
    message: "Postgres refuses to run as root, and the user to run it could not be created: {reason}.",
    hint: "Create it yourself: useradd --system --no-create-home devflow-postgres",
  },
  db_major_version: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "The data folder {path} is from Postgres {found}; this Devflow has Postgres {ours}.",
    hint: "With the older Devflow, run `devflow backup before.devflow-backup`; move the folder away; then: devflow restore before.devflow-backup",
  },
  db_not_ours: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "The database {database} is not empty and was not created by Devflow (it contains {sample}).",
    hint: "Use an empty database, or share this one: devflow up --adopt",
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
    message: "The database role {role} lacks privileges that Devflow needs: {reason}.",
    hint: "{next}",
  },
  db_read_only: {
    class: "fatal",
    status: 503,
    exit: 77,
    message: "The database {database} can only be read: {reason}.",
    hint: "Use the primary server and a role that may write, in DEVFLOW_DATABASE_URL.",
  },
  db_data_damaged: {
    class: "fatal",
    status: 500,
    exit: 74,
    message: "The data folder {path} is damaged: {reason}.",
    hint: "Move it away (mv {path} {path}.damaged), then restore a backup: devflow restore <file>",
  },
  db_serialization_retry: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "The write conflicted with another one and must be retried.",
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
    message: "Migration {name} was applied with different content than this Devflow has.",
    hint: "Run the version of Devflow that created this database, or restore a backup: devflow restore <file>",
  },
  schema_newer: {
    class: "fatal",
    status: 500,
    exit: 78,
    message: "The database is at migration {found}; this Devflow supports only up to {ours}.",
    hint: "Upgrade this executable: devflow upgrade",
  },
  backup_invalid: {
    class: "user",
    status: 400,
    exit: 65,
    message: "Cannot restore {path}: {reason}.",
    hint: "Create a backup with: devflow backup <file>",
  },

  // Git
  git_missing: {
    class: "fatal",
    status: 500,
    exit: 69,
    message: "Could not start git in {cwd}: git is not on PATH, or the folder does not exist.",
    hint: "Install git 2.38 or newer, then check: devflow doctor",
  },
  git_too_old: {
    class: "fatal",
    status: 500,
    exit: 69,
    message: "git {found} is too old; Devflow needs {needed} or newer.",
    hint: "Upgrade git, then check: devflow doctor",
  },
  git_failed: {
    class: "recoverable",
    status: 500,
    exit: 70,
    message: "git {command} failed: {reason}",
    hint: "Check the repository: git status",
  },

  // Forges
  push_failed: {
    class: "recoverable",
    status: 502,
    exit: 69,
    message: "{branch} could not be pushed to {url}: {reason}",
    hint: "{next}",
  },
  forge_unreachable: {
    class: "recoverable",
    status: 502,
    exit: 69,
    message: "{host} cannot be used: {reason}.",
    hint: "Check the connection, then repeat the command.",
  },
  forge_refused: {
    class: "user",
    status: 424,
    exit: 69,
    message: "{host} refused {what} with status {status}: {reason}",
    hint: "{next}",
  },

  // Runs
  session_start_failed: {
    class: "human_required",
    status: 500,
    exit: 70,
    message: "The session {session} did not start: {reason}.",
    hint: "Check its folder, and run: devflow doctor",
  },
  prompt_send_transient: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "The session {session} did not acknowledge the prompt.",
    hint: "It will be retried; you need to do nothing.",
  },
  prompt_send_exhausted: {
    class: "human_required",
    status: 500,
    exit: 70,
    message: "The session {session} did not accept the prompt in three attempts.",
    hint: "Decide at the gate: devflow run show {run}",
  },
  artifact_invalid_after_repair: {
    class: "human_required",
    status: 500,
    exit: 65,
    message: "The artifact {path} is still invalid after a repair.",
    hint: "Decide at the gate: devflow run show {run}",
  },
  artifact_timeout_exhausted: {
    class: "human_required",
    status: 500,
    exit: 75,
    message: "The artifact {path} was not written in time, in two attempts.",
    hint: "Decide at the gate: devflow run show {run}",
  },
  artifact_missing: {
    class: "human_required",
    status: 500,
    exit: 75,
    message: "The agent ended its turn without writing {path}, in two attempts.",
    hint: "Decide at the gate: devflow run show {run}",
  },
  budget_reached: {
    class: "human_required",
    status: 402,
    exit: 75,
    message: "The run reached its budget: {reason}.",
    hint: "Let it spend as much again, or end it: devflow run show {run}",
  },
  destructive_command_blocked: {
    class: "human_required",
    status: 403,
    exit: 77,
    message: "Devflow does not run `{command}`: {reason}.",
    hint: "Run it yourself if it is intended.",
  },
  secret_access_blocked: {
    class: "human_required",
    status: 403,
    exit: 77,
    message: "Devflow does not open {path}: it may contain secrets.",
    hint: "If a run needs it, list it in .devflow.json under: copy",
  },
  backend_unavailable: {
    class: "human_required",
    status: 409,
    exit: 69,
    message: "{reason}",
    hint: "{next}",
  },
  sandbox_unavailable: {
    class: "human_required",
    status: 409,
    exit: 69,
    message: "The agent cannot be confined: {reason}.",
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
    message: "Cannot write to the workspace {path}: {reason}.",
    hint: "Choose another one: devflow config set workspace_root <folder>",
  },
  template_load_failed: {
    class: "fatal",
    status: 400,
    exit: 65,
    message: "{file} is not valid:\n{faults}",
    hint: "Fix it, then check it: devflow template validate {file}",
  },
  definitions_invalid: {
    class: "fatal",
    status: 400,
    exit: 65,
    message: "{whose} cannot be used:\n{faults}",
    hint: "Fix them and try again. To check a file: {next}",
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
    message: "Cannot use the artifact schema {schema}: {reason}.",
    hint: "Fix it, then check it: devflow schema validate <file>",
  },
  run_active: {
    class: "user",
    status: 409,
    exit: 75,
    message: "Run {run} ({currentState}) is already active there.",
    hint: "See it: devflow run show {run}",
  },
  too_many_runs: {
    class: "user",
    status: 429,
    exit: 75,
    message: "{count} runs are active, and the limit is {limit}.",
    hint: "Queue it: devflow run start --queue, or raise the limit: devflow config set max_concurrent_runs <n>",
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
    message: "Another process now drives this run (epoch {newest}; this one had {epoch}).",
    hint: "You need to do nothing: the run continues there.",
  },
  session_host_taken: {
    class: "fatal",
    status: 409,
    exit: 3,
    message: "Another Devflow server or worker drives the agents of this machine (id {host}).",
    hint: "A machine needs only one; end the other one first. If this home is a copy of another one, remove {file}: it then gets an id of its own.",
  },
  repository_unreachable: {
    class: "recoverable",
    status: 502,
    exit: 69,
    message: "Cannot fetch {remote} on this machine: {reason}",
    hint: "Give its user access to the repository, for example with an ssh key or: gh auth setup-git",
  },
  repository_lacks_commit: {
    class: "user",
    status: 409,
    exit: 65,
    message: "{remote} does not have the commit {commit} that the run is based on.",
    hint: "Push it first: git push origin {branch}",
  },
  no_host: {
    class: "user",
    status: 409,
    exit: 69,
    message: "No machine takes this run ({wanted}): {reason}.",
    hint: "See the machines: devflow fleet list",
  },
  worker_token_refused: {
    class: "user",
    status: 401,
    exit: 77,
    message: "The worker's token is refused: it was revoked, has expired, or has not the scope worker.",
    hint: "Make another on the server's machine and set DEVFLOW_WORKER_TOKEN: devflow team token create <name> --scope worker",
  },
  worker_without_database: {
    class: "fatal",
    status: 503,
    exit: 69,
    message: "There is no database for this worker: {reason}.",
    hint: "On the server's machine: devflow up -d. On another one, set DEVFLOW_DATABASE_URL and DEVFLOW_WORKER_TOKEN (docs/fleet.md)",
  },
  temporal_not_configured: {
    class: "user",
    status: 409,
    exit: 78,
    message: "No Temporal server is configured.",
    hint: "Name one: devflow config set temporal_address 127.0.0.1:7233 (see docs/fleet.md)",
  },
  file_unreadable: {
    class: "user",
    status: 400,
    exit: 66,
    message: "Cannot read {path}: {reason}.",
    hint: "Check the path and its permissions.",
  },
  permission_only_once: {
    class: "human_required",
    status: 409,
    exit: 64,
    message: "This can be allowed only once: {detail}",
    hint: "Allow it once: devflow run allow",
  },
  permission_answered: {
    class: "user",
    status: 409,
    exit: 75,
    message: "This permission was already {answer} by {who}.",
    hint: "See the run: devflow run show {run}",
  },
  approval_decided: {
    class: "user",
    status: 409,
    exit: 75,
    message: "This gate was already decided: {decision} by {who}.",
    hint: "See the run: devflow run show {run}",
  },
  gate_moved: {
    class: "user",
    status: 409,
    exit: 75,
    message: "The work has changed since this gate showed it: {added}.",
    hint: "Look at it, then decide again: devflow run diff {run}",
  },
  agent_may_not_decide: {
    class: "user",
    status: 403,
    exit: 77,
    message: "Only a person can decide a gate, not an agent.",
    hint: "Leave it to the person who started the run. They see the gate in the web app and in: devflow run list",
  },
  starter_may_not_decide: {
    class: "user",
    status: 403,
    exit: 77,
    message: "The template requires someone other than the person who started the run to decide.",
    hint: "Ask a teammate to decide.",
  },

  // Browse
  browse_no_chromium: {
    class: "human_required",
    status: 503,
    exit: 69,
    message: "Found no Chromium or Chrome on this machine: {looked}.",
    hint: "{next}",
  },
  browse_start_failed: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "The browser did not start: {reason}",
    hint: "See its log: {log}",
  },
  browse_folder_unwritable: {
    class: "user",
    status: 403,
    exit: 77,
    message: "The browser cannot write into {path}: {reason}.",
    hint: "Make it writable, or work in another folder.",
  },
  browse_not_running: {
    class: "user",
    status: 404,
    exit: 69,
    message: "No browser is running for {workspace}.",
    hint: "Start one: devflow browse goto <url>",
  },
  browse_lost: {
    class: "recoverable",
    status: 503,
    exit: 75,
    message: "The browser exited during `{command}`: {reason}.",
    hint: "Check the tabs, then repeat it: devflow browse tabs",
  },
  browse_no_answer: {
    class: "recoverable",
    status: 504,
    exit: 75,
    message: "The browser for {workspace}{which} did not answer within {seconds} s.",
    hint: "{next}",
  },
  browse_deadline: {
    class: "recoverable",
    status: 504,
    exit: 75,
    message: "`{command}` did not finish within {seconds} s; {outcome}.",
    hint: "{next}",
  },
  browse_cancelled: {
    class: "recoverable",
    status: 499,
    exit: 75,
    message: "`{command}` was cancelled because its caller disconnected.",
    hint: "Check the tabs: devflow browse tabs",
  },
  browse_url_refused: {
    class: "user",
    status: 403,
    exit: 77,
    message: "Refused to open {url}: {reason}.",
    hint: "See what is allowed: devflow browse policy",
  },
  browse_path_refused: {
    class: "user",
    status: 403,
    exit: 77,
    message: "Refused to use {path}: {reason}.",
    hint: "Use a path inside: {roots}",
  },
  browse_session_refused: {
    class: "user",
    status: 403,
    exit: 77,
    message: "This token does not allow that: {reason}.",
    hint: "See your session: devflow browse status",
  },
  browse_token_refused: {
    class: "user",
    status: 401,
    exit: 77,
    message: "The browser does not recognize this token.",
    hint: "Repeat the command. If DEVFLOW_BROWSE_TOKEN is set, its session has ended: devflow browse status",
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
    message: "This tab has no ref @{ref}.",
    hint: "See what is there: devflow browse snapshot -i",
  },
  browse_ref_stale: {
    class: "user",
    status: 409,
    exit: 66,
    message: "@{ref} {what} is no longer on the page.{closest}",
    hint: "Use a current ref, or take a new snapshot: devflow browse snapshot -i",
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
    hint: "Choose one by its ref, for example: {next}{line}",
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
    message: "{target} is covered by {cover}; nothing was {done}.",
    hint: "{next}",
  },
  browse_action_failed: {
    class: "user",
    status: 409,
    exit: 75,
    message: "{action} failed on {target}: {reason}.",
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
  browse_unexpected: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "Devflow failed unexpectedly: {problem}",
    hint: "It may have been done, so look before you repeat it: devflow browse snapshot -i. Report it with: devflow doctor --json",
  },
  browse_script_failed: {
    class: "user",
    status: 422,
    exit: 65,
    message: "The script failed in the page: {problem}",
    hint: "See the page's own errors: devflow browse errors",
  },
  browse_wait_timeout: {
    class: "user",
    status: 408,
    exit: 75,
    message: "Timed out after {seconds} s waiting for {what}.",
    hint: "{next}",
  },
  browse_group_unknown: {
    class: "user",
    status: 404,
    exit: 66,
    message: "The page has no collapsed group @{group}.",
    hint: "Take a new snapshot: devflow browse snapshot",
  },
  browse_group_range: {
    class: "user",
    status: 400,
    exit: 64,
    message: "@{group} has {count} members; none are in that range.",
    hint: "Members are counted from 1, for example: devflow browse expand @g1 1-10",
  },
  evidence_broken: {
    class: "user",
    status: 422,
    exit: 65,
    message: "The evidence in {bundle} is not valid: {reason}.",
    hint: "Record it again: devflow browse evidence start",
  },
  evidence_differs: {
    class: "user",
    status: 409,
    exit: 65,
    message: "{count} of {total} steps differ from the recording:\n{differences}",
    hint: "The recorded pictures are in {bundle}/shots. Open the page: devflow browse goto <url>",
  },

  // Internal
  internal_state_corruption: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "Internal inconsistency: {problem}.",
    hint: "Please report it with the output of: devflow doctor --json",
  },
  internal: {
    class: "fatal",
    status: 500,
    exit: 70,
    message: "Devflow failed unexpectedly: {problem}",
    hint: "Run it again with --debug for a stack trace. If it persists, report it with: devflow doctor --json",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorRegistry;

interface DevflowErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

export class DevflowError extends Error {
  override readonly name = "DevflowError";
  /** From the registry, or from a newer version's registry when the error came over HTTP. */
  readonly code: ErrorCode | (string & Record<never, never>);
  readonly class: ErrorClass;
  readonly status: number;
  readonly exit: number;
  readonly hint: string;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, options?: DevflowErrorOptions);
  /** Keeps the report's message and hint, which the sender chose. */
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

/** Maps system errors to their codes; anything else becomes `internal` and keeps its cause. */
export function toDevflowError(error: unknown): DevflowError {
  if (error instanceof DevflowError) return error;
  const system = error as { code?: unknown; path?: unknown; message?: unknown } | null;
  const path = typeof system?.path === "string" ? system.path : "the folder";
  // 53100 is Postgres's own: the disk of its data folder is full.
  if (system?.code === "53100")
    return new DevflowError("disk_full", { details: { path: "the database" }, cause: error });
  // 25006: after a failover, or when an administrator made the database read-only.
  if (system?.code === "25006") {
    return new DevflowError("db_read_only", {
      details: { database: "in use", reason: String(system.message) },
      cause: error,
    });
  }
  if (system?.code === "ENOSPC" || system?.code === "EDQUOT" || system?.code === "SQLITE_FULL") {
    return new DevflowError("disk_full", { details: { path }, cause: error });
  }
  if (system?.code === "EACCES" || system?.code === "EPERM" || system?.code === "EROFS") {
    return new DevflowError("permission_denied", { details: { path }, cause: error });
  }
  const problem = typeof system?.message === "string" ? system.message : textOf(error);
  return new DevflowError("internal", { details: { problem }, cause: error });
}

/** `String()` throws for an object without a prototype. */
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
