-- Runs that were started for a label: their lanes work on any machine that has it. What a run leaves on machines is removed by
-- the machines themselves.

alter table app.runs
  -- The label that its machine and those of its lanes have. Null: it was started on a machine by its name.
  add column host_label text check (char_length(host_label) between 1 and 100),
  -- The stay (`incarnation`) whose worktree was set up: files copied, the repository's setup commands run.
  add column set_up int not null default 0;
update app.runs set set_up = incarnation;

-- What a person wants removed of a run on a machine: its worktree, or everything that was said and written. The machine does it
-- with one of its next beats, whenever it is back.
create table app.run_removals (
  run_id uuid not null references app.runs on delete cascade,
  host text not null,
  what text not null check (what in ('worktree', 'content')),
  team_id uuid not null references app.teams on delete cascade,
  -- Also a worktree with uncommitted work; confirmed by the run's id.
  force boolean not null default false,
  asked_by jsonb not null,
  asked_at timestamptz not null default now(),
  done_at timestamptz,
  -- Why it was kept.
  problem text,
  primary key (run_id, host, what)
);
create index due_removals on app.run_removals (host) where done_at is null;
alter table app.run_removals enable row level security;
create policy members on app.run_removals for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.run_removals to devflow_engine using (true) with check (true);
create policy worker on app.run_removals to devflow_worker using (team_id in (select app.worker_teams()))
  with check (team_id in (select app.worker_teams()));
grant select on app.run_removals to authenticated;
grant select, insert, update, delete on app.run_removals to devflow_engine, devflow_worker;

-- What people call a machine: its name, or its id where machines share a name, as those made from one image do.
create function app.host_name(wanted text) returns text
language sql stable
return coalesce((
  select h.name from app.hosts h
  where h.host = wanted and not exists (
    select from app.hosts o where o.name = h.name and o.host <> h.host and o.removed_at is null)), wanted);
revoke execute on function app.host_name(text) from public;
grant execute on function app.host_name(text) to authenticated, devflow_engine, devflow_worker;

-- Files that a person gave to a run of another machine than the one that they were uploaded to.
create table app.run_attachment_files (
  attachment_id uuid primary key references app.run_attachments on delete cascade,
  team_id uuid not null references app.teams on delete cascade,
  content bytea not null
);
alter table app.run_attachment_files enable row level security;
create policy members on app.run_attachment_files for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.run_attachment_files to devflow_engine using (true) with check (true);
create policy worker on app.run_attachment_files to devflow_worker using (team_id in (select app.worker_teams()))
  with check (team_id in (select app.worker_teams()));
grant select on app.run_attachment_files to authenticated;
grant select, insert, update, delete on app.run_attachment_files to devflow_engine, devflow_worker;
