-- Forks of runs, and the audit of what agents did.

-- Forks ----------------------------------------------------------------------------------------------------------------

alter table app.runs
  -- The run whose state before a phase this one began with.
  add column forked_from uuid references app.runs on delete set null,
  add column fork_phase text,
  -- The commit of that state: its branch begins there, while its diff is still against the base commit.
  add column fork_commit text,
  add check ((fork_phase is null) = (fork_commit is null));
create index forks_of_run on app.runs (forked_from) where forked_from is not null;

-- What a person wrote instead of the template's instructions, by phase.
alter table app.run_inputs add column instructions jsonb not null default '{}';

-- Audit ----------------------------------------------------------------------------------------------------------------

-- What an agent did, or asked to do, that breaks a rule on destructive commands.
create table app.audit_findings (
  -- Derived from where it was seen, so that looking twice finds it once.
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  phase_id uuid references app.run_phases,
  attempt int not null,
  role_id text,
  source text not null check (source in ('transcript', 'permission', 'git')),
  -- What became of it: `seen` in a transcript or in .git; a permission was `allowed`, `denied` or `unanswered`.
  outcome text not null check (outcome in ('seen', 'allowed', 'denied', 'unanswered')),
  severity text not null check (severity in ('low', 'medium', 'high')),
  rule text not null,
  reason text not null,
  -- The command, or what changed in .git; null once the run was purged.
  detail text,
  -- The gate that told a person about it: the next one that opened.
  approval_id uuid references app.approval_requests,
  created_at timestamptz not null default now()
);
create index audit_of_run on app.audit_findings (run_id, created_at);
alter table app.audit_findings enable row level security;
create policy members on app.audit_findings for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.audit_findings to devflow_engine using (true) with check (true);
grant select on app.audit_findings to authenticated;
grant select, insert, update on app.audit_findings to devflow_engine;
