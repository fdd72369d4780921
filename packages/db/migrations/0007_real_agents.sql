-- Real agents: backends as an open set, rules for permissions, people's messages to agents.

-- People name backends in their configuration.
alter table app.run_bindings drop constraint run_bindings_backend_check;
alter table app.run_bindings add check (backend ~ '^[a-z][a-z0-9-]{0,39}$');
alter table app.sessions drop constraint sessions_backend_check;
alter table app.sessions add check (backend ~ '^[a-z][a-z0-9-]{0,39}$');

-- How the agent is driven. A change of the configuration is for new sessions.
alter table app.sessions add column adapter text;
update app.sessions set adapter = backend;
alter table app.sessions alter column adapter set not null;

-- Permissions ------------------------------------------------------------------------------------------------------------

alter table app.permission_requests
  -- What allowing it "for the run" covers, in words; null when it can be allowed only once.
  add column covers text,
  -- Of the same before secrets were taken out: equal hashes are the same permission.
  add column covers_hash text,
  -- How far the answer reaches.
  add column scope text not null default 'once' check (scope in ('once', 'run', 'repository')),
  add check (scope = 'once' or covers_hash is not null);

-- What a person allowed for every run on a repository of this machine.
create table app.permission_rules (
  id uuid primary key,
  team_id uuid not null references app.teams on delete cascade,
  host text not null,
  repo_path text not null,
  covers text not null,
  covers_hash text not null,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  unique (team_id, host, repo_path, covers_hash)
);
alter table app.permission_rules enable row level security;
create policy members on app.permission_rules for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.permission_rules to devflow_engine using (true) with check (true);
grant select on app.permission_rules to authenticated;
grant select, insert, delete on app.permission_rules to devflow_engine;

-- Messages ---------------------------------------------------------------------------------------------------------------

-- What a person says to a working agent.
create table app.session_messages (
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  session_id uuid not null references app.sessions on delete cascade,
  text text not null,
  said_by jsonb not null,
  created_at timestamptz not null default now(),
  -- When the driver passed it on to the agent's folder.
  delivered_at timestamptz
);
create index messages_of_run on app.session_messages (run_id, created_at);
alter table app.session_messages enable row level security;
create policy members on app.session_messages for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.session_messages to devflow_engine using (true) with check (true);
grant select on app.session_messages to authenticated;
grant select, insert, update on app.session_messages to devflow_engine;

-- Budgets and rate limits ------------------------------------------------------------------------------------------------

alter table app.runs
  -- Null: no limit.
  add column max_usd numeric check (max_usd > 0),
  add column max_tokens bigint check (max_tokens > 0),
  -- How often a person let the run go on beyond its budget; each time it may spend as much again.
  add column budget_grants int not null default 0,
  -- The model's provider accepts no requests until then.
  add column rate_limited_until timestamptz;
