-- Drivers, lanes and permissions: what lets another process, another machine or another lane take part in a run.

-- Runs -----------------------------------------------------------------------------------------------------------------

alter table app.runs
  -- The fencing token. Each driver takes a new one; what an older driver still tries to record is refused.
  add column driver_epoch bigint not null default 0,
  -- A lane is a run of its own below a parent. A run without a parent is its own root, in the lane `main`.
  add column parent_run_id uuid references app.runs on delete cascade,
  add column root_run_id uuid references app.runs on delete cascade,
  add column lane_id text not null default 'main' check (lane_id ~ '^[a-z0-9-]{1,64}$'),
  -- Artifacts, sessions, command logs and the report.
  add column folder text,
  -- A hard pause: the driver still has to interrupt the agents that are at work.
  add column interrupt_requested boolean not null default false;
update app.runs set root_run_id = id, folder = regexp_replace(worktree_root, '/[^/]+$', '');
alter table app.runs
  alter column root_run_id set not null,
  alter column folder set not null,
  add check ((parent_run_id is null) = (root_run_id = id)),
  add check ((parent_run_id is null) = (lane_id = 'main'));
create index lanes_of_run on app.runs (root_run_id) where parent_run_id is not null;

-- Sessions -------------------------------------------------------------------------------------------------------------

alter table app.sessions
  -- Everything the adapter needs to find its agent again, as the adapter returned it.
  add column handle jsonb,
  -- What a session in recovery recovers from.
  add column fault text check (fault in ('died', 'artifact_timed_out', 'went_silent'));
update app.sessions s set
  handle = jsonb_strip_nulls(jsonb_build_object('sessionId', s.id, 'backend', s.backend,
    'folder', r.folder || '/sessions/' || s.id, 'pid', s.pid, 'processIdentity', s.process_identity,
    'agentSessionId', s.agent_session_id)),
  fault = case s.state when 'CRASHED' then 'died' when 'ARTIFACT_TIMEOUT' then 'artifact_timed_out' end
from app.runs r where r.id = s.run_id;
alter table app.sessions
  alter column handle set not null,
  drop column pid, drop column process_identity, drop column agent_session_id, drop column hook_token,
  drop column tmux_socket, drop column tmux_session, drop column tmux_window, drop column lane_id,
  drop constraint sessions_state_check,
  add check (state in ('BOOTSTRAPPING', 'READY', 'BUSY', 'WAITING_FOR_APPROVAL', 'ARTIFACT_TIMEOUT', 'HUNG', 'CRASHED',
    'RESUMING', 'REBOOTSTRAPPED', 'FAILED_NEEDS_HUMAN', 'DISPOSED')),
  add unique (run_id, role_id);

-- Permissions ----------------------------------------------------------------------------------------------------------

-- What an agent asks to be allowed. A person's answer is a row; the run's driver takes it to the agent.
create table app.permission_requests (
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  session_id uuid not null references app.sessions on delete cascade,
  -- The agent's own name for the question.
  permission_id text not null,
  tool text not null,
  detail text not null,
  -- `withdrawn`: the turn ended before anybody answered.
  state text not null check (state in ('pending', 'allowed', 'denied', 'withdrawn')),
  answered_by jsonb,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  -- When the driver told the agent.
  delivered_at timestamptz,
  unique (session_id, permission_id),
  check ((state in ('allowed', 'denied')) = (answered_by is not null)),
  check (delivered_at is null or state in ('allowed', 'denied'))
);
create index permissions_of_run on app.permission_requests (run_id, created_at);
alter table app.permission_requests enable row level security;
create policy members on app.permission_requests for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.permission_requests to devflow_engine using (true) with check (true);
grant select on app.permission_requests to authenticated;
grant select, insert, update on app.permission_requests to devflow_engine;

-- Questions that are open while the database is migrated.
insert into app.permission_requests (id, run_id, team_id, session_id, permission_id, tool, detail, state, created_at)
select gen_random_uuid(), e.run_id, e.team_id, (e.payload ->> 'session')::uuid, e.payload ->> 'permission',
  coalesce(e.payload ->> 'tool', ''), coalesce(e.payload ->> 'detail', ''), 'pending', e.ts
from app.run_events e join app.runs r on r.id = e.run_id join app.sessions s on s.id::text = e.payload ->> 'session'
where r.ended_at is null and s.state = 'BUSY' and e.type = 'permission.requested' and e.payload ? 'permission'
  and e.seq > (select coalesce(max(b.seq), 0) from app.run_events b where b.run_id = r.id and b.type = 'phase.started')
  and not exists (select from app.run_events a where a.run_id = r.id and a.type = 'permission.resolved'
    and a.payload ->> 'permission' = e.payload ->> 'permission' and a.payload ->> 'session' = e.payload ->> 'session')
on conflict do nothing;
update app.sessions s set state = 'WAITING_FOR_APPROVAL'
where s.state = 'BUSY' and exists (select from app.permission_requests p where p.session_id = s.id and p.state = 'pending');

-- Usage ----------------------------------------------------------------------------------------------------------------

alter table app.run_usage rename column cached_tokens to cache_read_tokens;
alter table app.run_usage
  add column cache_write_tokens bigint not null default 0,
  -- `actual`: the agent said what it paid. `estimated`: tokens times the price of that day. `unpriced`: unknown.
  add column cost_kind text check (cost_kind in ('actual', 'estimated', 'unpriced'));
update app.run_usage set cost_kind = case when cost_usd is null then 'unpriced' else 'actual' end;
alter table app.run_usage alter column cost_kind set not null;
