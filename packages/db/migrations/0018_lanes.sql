-- Lanes: the tasks of a run that are worked on side by side, each in a run of its own.

-- Runs -----------------------------------------------------------------------------------------------------------------

alter table app.runs
  -- Where a lane's branch begins and what its diff is against: a commit of its parent's branch. Its base commit is that of
  -- its parent, from which the repository's settings are read.
  add column lane_base text,
  -- The task may be tried again, by another run.
  add column lane_try int check (lane_try > 0),
  -- Work of an earlier try, to be brought onto `lane_base`: its conflicts are in the worktree when the agent begins.
  add column rebase_of text,
  add check ((parent_run_id is null) = (lane_base is null)),
  add check ((parent_run_id is null) = (lane_try is null)),
  add check (rebase_of is null or parent_run_id is not null);

-- The template and everything else that its lanes begin with, as it was resolved when the run was started.
alter table app.run_inputs add column lanes jsonb;

alter table app.run_phases
  drop constraint run_phases_kind_check,
  add constraint run_phases_kind_check
    check (kind in ('planning', 'work', 'review', 'verify', 'qa', 'command', 'report', 'backtest', 'lanes')),
  -- What collided with other lanes when the attempt began; goes into its prompt.
  add column collisions text;

-- Tasks ----------------------------------------------------------------------------------------------------------------

create table app.run_tasks (
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  phase_id uuid not null references app.run_phases,
  -- Also the id of its lane.
  task_id text not null check (task_id ~ '^[a-z0-9-]{1,40}$'),
  seq int not null,
  title text not null,
  instructions text not null,
  depends_on jsonb not null,
  write_set jsonb not null,
  tests jsonb not null,
  -- `waiting` → `working` (its lane is at work) → `finished` → `merging` (the merge is made, not applied) → `merged` (its
  -- tests are not) → `done`. `failed` waits for a person; `dropped` was given up.
  state text not null check (state in ('waiting', 'working', 'finished', 'merging', 'merged', 'done', 'failed', 'dropped')),
  -- How many lanes it has had.
  tries int not null default 0,
  lane_run_id uuid references app.runs on delete set null,
  -- The commit that its lane ended with.
  head text,
  -- In the parent's branch: the commit before its merge, the merge, and the how manieth one it was.
  merge_base text,
  merge_commit text,
  merge_order int,
  -- How often the tests were run after its merge.
  test_runs int not null default 0,
  -- Why it failed, or what a person asked of the next try.
  reason text,
  comment text,
  -- The next try brings this commit onto the parent's branch instead of beginning anew.
  rebase_of text,
  updated_at timestamptz not null default now(),
  primary key (run_id, task_id)
);
create index tasks_of_lane on app.run_tasks (lane_run_id) where lane_run_id is not null;
alter table app.run_tasks enable row level security;
create policy members on app.run_tasks for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.run_tasks to devflow_engine using (true) with check (true);
grant select on app.run_tasks to authenticated;
grant select, insert, update, delete on app.run_tasks to devflow_engine;

-- What two lanes changed that git could not merge, as their heads were when one of them committed last.
create table app.lane_collisions (
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  -- In the order of their names; `main` is what is merged already.
  lane text not null,
  other text not null,
  heads jsonb not null,
  files jsonb not null,
  at timestamptz not null default now(),
  primary key (run_id, lane, other),
  check (lane < other)
);
alter table app.lane_collisions enable row level security;
create policy members on app.lane_collisions for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.lane_collisions to devflow_engine using (true) with check (true);
grant select on app.lane_collisions to authenticated;
grant select, insert, update, delete on app.lane_collisions to devflow_engine;

-- Workers: both belong to a run.
do $$
declare
  name text;
begin
  foreach name in array array['run_tasks', 'lane_collisions'] loop
    execute format('grant select, insert, update, delete on app.%I to devflow_worker', name);
    execute format('create policy worker on app.%I to devflow_worker using (team_id in (select app.worker_teams()))
      with check (team_id in (select app.worker_teams()))', name);
  end loop;
end
$$;

-- Messages -------------------------------------------------------------------------------------------------------------

-- Of a lane's end its parent tells, and a run with 50 lanes is one piece of news.
create or replace function app.note_event() returns trigger
language plpgsql set search_path = ''
as $$
begin
  insert into app.notifications (run_id, seq, team_id, host, created_at, next_try_at)
  select new.run_id, new.seq, new.team_id, r.host, new.ts, now() from app.runs r
  where r.id = new.run_id and (r.parent_run_id is null or new.type not in ('run.completed', 'run.failed'));
  return null;
end
$$;
