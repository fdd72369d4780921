-- Pull requests, and messages about runs.

-- The pull request made from the run's branch: {forge, url, number}.
alter table app.runs add column pull_request jsonb;

-- Messages to send when a run asks, fails or completes. A row names an event and has no content of its own, so that what is
-- sent is what the run says, and a purged run leaves nothing here.
create table app.notifications (
  run_id uuid not null references app.runs on delete cascade,
  seq bigint not null,
  team_id uuid not null,
  -- The machine that sends it.
  host text not null,
  created_at timestamptz not null default now(),
  attempts int not null default 0,
  -- When it may be tried, also while an attempt is under way: if that one dies, another follows.
  next_try_at timestamptz not null default now(),
  -- Sent, or given up.
  ended_at timestamptz,
  last_error text,
  primary key (run_id, seq),
  foreign key (run_id, seq) references app.run_events (run_id, seq) on delete cascade
);
create index notifications_due on app.notifications (host, next_try_at) where ended_at is null;
create index notifications_given_up on app.notifications (host, ended_at) where last_error is not null;
alter table app.notifications enable row level security;
create policy members on app.notifications for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.notifications to devflow_engine using (true) with check (true);
grant select on app.notifications to authenticated;
grant select, insert, update, delete on app.notifications to devflow_engine;

-- The event and its message commit together, whatever writes the event.
create function app.note_event() returns trigger
language plpgsql set search_path = ''
as $$
begin
  insert into app.notifications (run_id, seq, team_id, host, created_at, next_try_at)
  select new.run_id, new.seq, new.team_id, r.host, new.ts, now() from app.runs r where r.id = new.run_id;
  return null;
end
$$;
revoke execute on function app.note_event() from public;
create trigger noted after insert on app.run_events for each row
  when (new.type in ('approval.requested', 'run.completed', 'run.failed'))
  execute function app.note_event();
