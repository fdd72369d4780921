-- Runs: templates, personas, runs and everything that happens in them.
--
-- Only the engine writes here (role devflow_engine); members read through row-level security. A fact and its event
-- commit in one transaction that first locks the run's row, so that a run has one writer at a time and its event seq
-- has no gaps.

create table app.workflow_templates (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  version int not null check (version > 0),
  hash text not null unique,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  unique (name, version)
);

create table app.agent_personas (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  version int not null check (version > 0),
  hash text not null unique,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  unique (name, version)
);

create table app.runs (
  id uuid primary key,
  team_id uuid not null references app.teams on delete cascade,
  started_by uuid not null references app.users,
  -- The machine whose server executes it; no other server touches it.
  host text not null,
  template_id uuid not null references app.workflow_templates,
  template_hash text not null,
  title text not null check (char_length(title) between 1 and 500),
  state text not null check (state in ('created', 'bound', 'planning', 'awaiting_approval', 'executing', 'paused',
    'completed', 'failed', 'aborted')),
  repo_path text not null,
  base_branch text not null,
  base_commit text not null,
  branch text not null,
  worktree_root text not null,
  exclusive boolean not null default false,
  -- Waits for a free slot; only while `created`.
  queued boolean not null default false,
  current_phase_id uuid,
  paused_from_state text check (paused_from_state in ('bound', 'planning', 'awaiting_approval', 'executing')),
  pause_cause text,
  failure_reason text,
  locked_hash text,
  final_report_path text,
  -- Last seq given out and the hash of the last event: the head of the chain.
  event_seq bigint not null default 0,
  chain_head text not null default '',
  -- Retry key of `run start`.
  client_token text not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  check ((state = 'paused') = (paused_from_state is not null)),
  check ((state in ('completed', 'failed', 'aborted')) = (ended_at is not null)),
  unique (team_id, client_token)
);
create index runs_of_team on app.runs (team_id, created_at desc, id desc);
create index runs_by_age on app.runs (created_at desc, id desc);
create index runs_of_host on app.runs (host) where state not in ('completed', 'failed', 'aborted');
create unique index one_active_run_per_branch on app.runs (team_id, host, repo_path, branch)
  where state not in ('completed', 'failed', 'aborted');
create unique index one_exclusive_run_per_base on app.runs (team_id, host, repo_path, base_branch)
  where exclusive and state not in ('completed', 'failed', 'aborted');

create table app.run_inputs (
  run_id uuid primary key references app.runs on delete cascade,
  team_id uuid not null,
  requirements_md text not null,
  objective jsonb,
  extra jsonb,
  overrides jsonb not null default '{}',
  input_hash text not null,
  sanitised boolean not null default false
);

create table app.run_bindings (
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  role_id text not null,
  persona_id uuid not null references app.agent_personas,
  persona_hash text not null,
  backend text not null check (backend in ('codex', 'claude', 'fake')),
  override jsonb,
  binding_hash text not null,
  -- The same without the run's id, for comparison across runs.
  binding_content_hash text not null,
  primary key (run_id, role_id)
);

create table app.run_phases (
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  phase_key text not null,
  seq int not null,
  kind text not null check (kind in ('planning', 'work', 'review', 'verify', 'qa', 'command', 'report', 'backtest')),
  state text not null check (state in ('pending', 'running', 'awaiting_artifact', 'validating', 'awaiting_approval',
    'completed', 'failed', 'skipped')),
  attempts int not null default 0 check (attempts >= 0),
  -- Automatic attempts since a person or a loop began this phase anew; the second one is the last.
  automatic_attempts int not null default 0,
  -- The current attempt repairs an invalid artifact.
  repair boolean not null default false,
  -- What a person asked for, or what the last attempt did wrong; goes into the next prompt.
  comment text,
  loops int not null default 0,
  -- Hash of the shared .git's configuration and hooks when the attempt began.
  git_state text,
  reason text,
  -- Time that counts towards the timeout: pauses do not.
  active_ms bigint not null default 0,
  active_since timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (run_id, phase_key),
  unique (run_id, seq)
);
alter table app.runs add constraint runs_current_phase foreign key (current_phase_id)
  references app.run_phases deferrable initially deferred;

-- Append-only; a hash chain. `hash` covers everything in the row but itself, and the hash before it.
create table app.run_events (
  run_id uuid not null references app.runs on delete cascade,
  seq bigint not null check (seq > 0),
  team_id uuid not null,
  phase_id uuid references app.run_phases,
  type text not null,
  payload jsonb not null,
  idempotency_key text not null,
  actor jsonb not null,
  ts timestamptz not null,
  prev_hash text not null,
  hash text not null,
  sanitised boolean not null default false,
  primary key (run_id, seq),
  unique (run_id, idempotency_key)
);

create table app.approval_requests (
  id uuid primary key,
  run_id uuid references app.runs on delete cascade,
  team_id uuid not null references app.teams on delete cascade,
  phase_id uuid references app.run_phases,
  gate_key text not null,
  -- `gate`: the template asks. `recovery`: something went wrong and a person has to say how to go on.
  kind text not null check (kind in ('gate', 'recovery', 'cleanup')),
  state text not null check (state in ('pending', 'approved', 'rejected', 'changes_requested', 'aborted', 'paused')),
  epoch int not null default 1,
  idempotency_key text not null unique,
  payload jsonb not null default '{}',
  timeout_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  resolved_at timestamptz
);
create index approvals_of_run on app.approval_requests (run_id, created_at);
create index pending_approvals on app.approval_requests (team_id, created_at) where state = 'pending';

-- Append-only.
create table app.approval_decisions (
  id uuid primary key,
  approval_request_id uuid not null references app.approval_requests on delete cascade,
  team_id uuid not null,
  action text not null check (action in ('approve', 'reject', 'request_changes', 'abort')),
  comment text,
  actor jsonb not null,
  decided_at timestamptz not null default now(),
  -- `<request>:<client token>`, without the action: the same token with another action is a conflict, not a second one.
  idempotency_key text not null unique
);
-- One decision ends a request; the guard that two deciders at once meet.
create unique index one_decision_per_request on app.approval_decisions (approval_request_id);

create table app.sessions (
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  role_id text not null,
  lane_id text not null default 'main',
  backend text not null check (backend in ('codex', 'claude', 'fake')),
  cwd text not null,
  state text not null check (state in ('CREATED', 'BOOTSTRAPPING', 'READY', 'BUSY', 'WAITING_FOR_APPROVAL',
    'ARTIFACT_TIMEOUT', 'HUNG', 'CRASHED', 'RESUMING', 'REBOOTSTRAPPED', 'FAILED_NEEDS_HUMAN', 'DISPOSED')),
  expected_artifact_path text,
  expected_schema text,
  last_prompt_hash text,
  last_prompt_at timestamptz,
  last_capture_seq bigint not null default 0,
  last_fact_seq bigint not null default 0,
  pid int,
  process_identity text,
  -- The agent's own session or thread id, so that it can be resumed when its process is gone.
  agent_session_id text,
  hook_token text,
  tmux_socket text,
  tmux_session text,
  tmux_window text,
  recovery_attempts int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (run_id, role_id, lane_id)
);

-- Append-only.
create table app.transcript_chunks (
  session_id uuid not null references app.sessions on delete cascade,
  seq bigint not null,
  team_id uuid not null,
  content text not null,
  sanitised boolean not null default false,
  captured_at timestamptz not null default now(),
  primary key (session_id, seq)
);

create table app.artifacts (
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  phase_id uuid references app.run_phases,
  role_id text,
  attempt int not null,
  path text not null,
  schema_id text not null,
  hash text not null,
  bytes bigint not null,
  valid boolean not null,
  validation_error jsonb,
  -- The text that was judged: prompts and pages quote it, so a file that changes later changes nothing.
  content text,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  unique (run_id, path, hash, attempt)
);

create table app.commands (
  id uuid primary key,
  run_id uuid references app.runs on delete cascade,
  team_id uuid not null,
  phase_id uuid references app.run_phases,
  attempt int,
  kind text not null check (kind in ('git', 'test', 'e2e', 'doctor', 'backtest', 'setup', 'other')),
  argv text[] not null,
  cwd text not null,
  exit_code int,
  -- Why it did not run or did not end by itself: blocked, timed out, aborted.
  failure text,
  stdout_path text,
  stderr_path text,
  -- The end of both, for prompts and pages.
  tail text,
  stdout_hash text,
  stderr_hash text,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default now()
);
create index commands_of_run on app.commands (run_id, created_at);

create table app.review_findings (
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  phase_id uuid references app.run_phases,
  attempt int not null,
  reviewer_role text not null,
  -- The same finding of two reviewers, or of one reviewer twice, is one row: hash of file, line, category and summary.
  finding_key text not null,
  also_by text[] not null default '{}',
  -- How grave each reviewer found it.
  severities jsonb not null default '{}',
  severity text not null check (severity in ('info', 'low', 'medium', 'high', 'critical')),
  category text not null check (category in ('correctness', 'evidence', 'style', 'security', 'performance', 'other')),
  file_path text,
  line int,
  summary text not null,
  evidence text,
  verifier_status text not null default 'unverified' check (verifier_status in ('unverified', 'confirmed', 'rejected')),
  verifier_reason text,
  resolved boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (run_id, finding_key)
);

-- What agents used, by their own account.
create table app.run_usage (
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  session_id uuid not null references app.sessions on delete cascade,
  fact_seq bigint not null,
  phase_id uuid references app.run_phases,
  model text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  cost_usd numeric(14, 6),
  at timestamptz not null default now(),
  primary key (session_id, fact_seq)
);
-- The cost of a run stands in every list of runs.
create index usage_of_run on app.run_usage (run_id);

-- Append-only tables -------------------------------------------------------------------------------------------------

create function app.refuse_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- `run purge` blanks content and says so in the log; nothing else may touch what was written.
  if coalesce(current_setting('app.purging', true), '') = 'on' then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  raise exception using errcode = '42501', message = format('%s is append-only', tg_table_name);
end
$$;
create trigger append_only before update or delete on app.run_events for each row execute function app.refuse_change();
create trigger append_only before update or delete on app.approval_decisions
  for each row execute function app.refuse_change();
create trigger append_only before update or delete on app.transcript_chunks
  for each row execute function app.refuse_change();

-- Policies -----------------------------------------------------------------------------------------------------------

do $$
declare
  name text;
begin
  foreach name in array array['workflow_templates', 'agent_personas'] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('create policy readers on app.%I for select to authenticated using (true)', name);
    execute format('create policy engine on app.%I to devflow_engine using (true) with check (true)', name);
    execute format('grant select on app.%I to authenticated', name);
    execute format('grant select, insert, delete on app.%I to devflow_engine', name);
  end loop;
  foreach name in array array['runs', 'run_inputs', 'run_bindings', 'run_phases', 'run_events', 'approval_requests',
    'approval_decisions', 'sessions', 'transcript_chunks', 'artifacts', 'commands', 'review_findings', 'run_usage'] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('create policy members on app.%I for select to authenticated using (team_id in (select app.my_teams()))',
      name);
    execute format('create policy engine on app.%I to devflow_engine using (true) with check (true)', name);
    execute format('grant select on app.%I to authenticated', name);
    execute format('grant select, insert, update on app.%I to devflow_engine', name);
  end loop;
end
$$;
revoke execute on function app.refuse_change() from public;

-- Times in reports and events: UTC with milliseconds, as JavaScript writes them.
create function app.iso(moment timestamptz) returns text
language sql stable
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
revoke execute on function app.iso(timestamptz) from public;
grant execute on function app.iso(timestamptz) to authenticated, devflow_engine;
