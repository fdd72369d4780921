-- The distributed engine: which engine drives a run, and what has to be told to it.

-- Set when the run is made and never changed: a run ends on the engine that it began with.
alter table app.runs
  add column engine text not null default 'inline' check (engine in ('inline', 'temporal'));

-- Something about a run of the distributed engine changed. The row commits with the change and is deleted when its workflow
-- was told, so nothing that a person decides is lost while the engine is away. It has no content: whoever is told looks at
-- the run.
create table app.run_wakes (
  id bigint generated always as identity primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null references app.teams on delete cascade,
  created_at timestamptz not null default now()
);
create index wakes_of_run on app.run_wakes (run_id);
alter table app.run_wakes enable row level security;
create policy engine on app.run_wakes to devflow_engine using (true) with check (true);
grant select, insert, delete on app.run_wakes to devflow_engine;
