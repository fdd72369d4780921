-- Records of machines: one function takes them in, one ordered pull gives them out.
--
-- app.records holds each record once, by (team, id), with its payload; it is the truth. The other tables are made from it
-- when a record arrives, for questions that would be slow on payloads. Records refer to each other by id and without foreign
-- keys, because they arrive in any order.

alter table app.team_counters add column epoch uuid not null default gen_random_uuid();
comment on column app.team_counters.epoch is 'Changes when a backup is restored: seqs are then given out again.';

-- The normalised remote, as the machines compute it.
alter table app.repos add column canonical text check (char_length(canonical) between 1 and 500);
create unique index repos_canonical on app.repos (team_id, canonical);

-- Tables ------------------------------------------------------------------------------------------------------------

create table app.records (
  team_id uuid not null references app.teams on delete cascade,
  id uuid not null,
  kind text not null,
  schema_version int not null check (schema_version > 0),
  -- SHA-256 of kind and payload; null in the tombstone of a record that never arrived.
  hash bytea,
  user_id uuid not null references app.users,
  repo_id uuid references app.repos on delete set null,
  agent text check (char_length(agent) <= 200),
  -- As the machine's clock had it; `at` is corrected by the clock of this server.
  claimed_at timestamptz not null,
  at timestamptz not null,
  received_at timestamptz not null,
  expires_at timestamptz,
  sanitised boolean not null default false,
  payload jsonb,
  -- A tombstone: the content is gone, the id answers `erased` for ever.
  erased_at timestamptz,
  primary key (team_id, id),
  check ((payload is null) = (erased_at is not null))
);
create index records_of_kind on app.records (team_id, kind, at desc);

create table app.eval_runs (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  suite text not null,
  run_id text not null,
  label text not null,
  tier text not null,
  git_sha text,
  branch text,
  model text,
  host text,
  ran_at timestamptz not null,
  total int not null check (total >= 0),
  passed int not null check (passed >= 0),
  failed int not null check (failed >= 0),
  errors int not null check (errors >= 0),
  skipped int not null check (skipped >= 0),
  duration_ms float8,
  usd numeric not null,
  judge_averages jsonb not null default '{}',
  -- Null until the header and all chunks have arrived; only then the run is shown.
  complete_at timestamptz,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index eval_runs_of_suite on app.eval_runs (team_id, suite, ran_at desc);
create index eval_runs_incomplete on app.eval_runs (team_id, id) where complete_at is null;

create table app.eval_costs (
  team_id uuid not null,
  run_id uuid not null,
  model text not null,
  calls int not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  usd numeric not null,
  primary key (team_id, run_id, model),
  foreign key (team_id, run_id) references app.eval_runs on delete cascade
);

-- Which parts of a run have arrived; `run_id` is the id of the header's record.
create table app.eval_chunks (
  team_id uuid not null,
  run_id uuid not null,
  index int not null check (index between 0 and 100000),
  id uuid not null,
  is_last boolean not null,
  results int not null,
  primary key (team_id, run_id, index),
  foreign key (team_id, id) references app.records on delete cascade
);
create index eval_chunks_of_record on app.eval_chunks (team_id, id);

-- One row per result without its texts, which stay in the chunk's payload.
create table app.eval_results (
  team_id uuid not null,
  run_id uuid not null,
  chunk int not null,
  place int not null,
  suite text not null,
  name text not null,
  category text,
  status text not null check (status in ('pass', 'fail', 'error', 'skipped')),
  repeat int not null default 0,
  input_sha text,
  scores jsonb not null default '{}',
  duration_ms float8,
  primary key (team_id, run_id, chunk, place),
  foreign key (team_id, run_id, chunk) references app.eval_chunks on delete cascade
);
create index eval_results_of_case on app.eval_results (team_id, suite, name);
create index eval_results_failed on app.eval_results (team_id, run_id) where status in ('fail', 'error');

create table app.retro_snapshots (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  day date not null,
  span text not null check (span ~ '^[1-9][0-9]{0,2}d$'),
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index retro_snapshots_by_day on app.retro_snapshots (team_id, day desc);

create table app.review_triage (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  day date not null,
  reviewer text not null check (char_length(reviewer) between 1 and 200),
  outcome text not null check (outcome in ('fp', 'fix', 'already-fixed')),
  file_pattern text not null,
  category text not null,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index review_triage_by_day on app.review_triage (team_id, day desc);

create table app.qa_reports (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  at timestamptz not null,
  url text not null,
  mode text not null,
  health_score numeric check (health_score between 0 and 100),
  issues int not null,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index qa_reports_by_time on app.qa_reports (team_id, at desc);

create table app.ship_logs (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  at timestamptz not null,
  version text not null check (char_length(version) between 1 and 200),
  branch text not null,
  pr_url text,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index ship_logs_by_time on app.ship_logs (team_id, at desc);

create table app.transcripts (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  session_id text not null check (char_length(session_id) between 1 and 200),
  turns int not null check (turns >= 0),
  tools jsonb not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index transcripts_of_session on app.transcripts (team_id, session_id);

-- Runs of other machines: a row per change of state. The newest row of a run is the one with the highest (rev, id).
create table app.run_progress (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  run_id uuid not null,
  rev bigint not null,
  state text not null,
  title text not null,
  at timestamptz not null,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index run_progress_of_run on app.run_progress (team_id, run_id, rev desc, id desc);

-- Gates of other machines' runs, folded the same way by request.
create table app.run_gates (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  run_id uuid not null,
  request_id uuid not null,
  rev bigint not null,
  state text not null check (state in ('pending', 'decided', 'canceled')),
  epoch bigint not null,
  diff_hash text,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index run_gates_of_request on app.run_gates (team_id, request_id, rev desc, id desc);

-- What a teammate decided about such a gate, for the machine that runs it.
create table app.run_verdicts (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null references app.users,
  run_id uuid not null,
  request_id uuid not null,
  action text not null check (action in ('approve', 'reject', 'request_changes', 'abort')),
  epoch bigint not null,
  diff_hash text,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index run_verdicts_of_request on app.run_verdicts (team_id, request_id);

-- What became of it there.
create table app.run_verdict_answers (
  team_id uuid not null,
  id uuid not null,
  user_id uuid not null references app.users,
  verdict_id uuid not null,
  outcome text not null check (outcome in ('applied', 'stale', 'refused')),
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index run_verdict_answers_of_verdict on app.run_verdict_answers (team_id, verdict_id);

-- Who may read ------------------------------------------------------------------------------------------------------

-- The caller's teams as an owner or admin. Security definer, as app.my_teams().
create function app.my_admin_teams() returns setof uuid
language sql stable security definer set search_path = ''
begin atomic
  select m.team_id from app.team_members m where m.user_id = auth.uid() and m.role in ('owner', 'admin');
end;

do $$
declare
  of_record text;
begin
  foreach of_record in array array[
    'records', 'eval_runs', 'eval_costs', 'eval_chunks', 'eval_results', 'retro_snapshots', 'review_triage', 'qa_reports',
    'ship_logs', 'transcripts', 'run_progress', 'run_gates', 'run_verdicts', 'run_verdict_answers'
  ] loop
    execute format('alter table app.%I enable row level security', of_record);
    execute format('create policy engine on app.%I for select to devflow_engine using (true)', of_record);
    execute format('grant select on app.%I to authenticated, devflow_engine', of_record);
    if of_record not in ('records', 'transcripts') then
      execute format(
        'create policy members on app.%I for select to authenticated using (team_id in (select app.my_teams()))', of_record);
    end if;
  end loop;
end
$$;

-- A transcript is for its author and the admins.
create policy members on app.records for select to authenticated using (
  team_id in (select app.my_teams())
  and (kind <> 'transcript' or user_id = (select auth.uid()) or team_id in (select app.my_admin_teams())));
create policy members on app.transcripts for select to authenticated using (
  team_id in (select app.my_teams())
  and (user_id = (select auth.uid()) or team_id in (select app.my_admin_teams())));

-- A client that is told `not_a_member` deletes its copy of this team, so nothing else may raise it: not a missing sign-in, not
-- the scope of a token.
-- Tokens have scopes only where a later migration adds them; not every write appends to the log, which checks them too.
create function app.require_team(team uuid, wanted_scope text default 'read') returns void
language plpgsql stable set search_path = ''
as $$
begin
  if auth.uid() is not null and team is not null and team not in (select app.my_teams()) then
    raise insufficient_privilege using message = 'you are not a member of this team', detail = 'not_a_member';
  end if;
  if to_regprocedure('app.require_member(uuid, text)') is null then
    perform app.require_member(team);
  else
    perform app.require_member(team, wanted_scope);
  end if;
end
$$;

-- The ordered log ---------------------------------------------------------------------------------------------------

-- As app.append_changes, for one batch of different kinds: one range of seqs, one wait.
create function app.append_change_list(team uuid, kinds text[], entities uuid[], ops text[]) returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  amount int := cardinality(entities);
  last_seq bigint;
begin
  if coalesce(current_setting('role', true), '') <> 'devflow_engine' then
    perform app.require_member(team);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('devflow.team:' || team::text, 0));
  update app.team_counters c set seq = c.seq + amount where c.team_id = team returning c.seq into last_seq;
  if last_seq is null then
    raise foreign_key_violation using message = 'there is no such team';
  end if;
  insert into app.changes (team_id, seq, kind, entity_id, op)
  select team, last_seq - amount + e.place, e.kind, e.id, e.op
  from unnest(kinds, entities, ops) with ordinality as e (kind, id, op, place);
  return last_seq;
end
$$;

-- After a restore: every cursor that was given out before is void.
create function app.begin_epoch() returns void
language sql set search_path = ''
begin atomic
  update app.team_counters set epoch = gen_random_uuid();
end;

-- Taking records in -------------------------------------------------------------------------------------------------

-- The kinds this server knows, and the newest form of each. The ids of derived kinds come from the content, so that the same
-- run has the same id on every machine; a newer redactor may change its payload, so the first one to arrive stays.
create function app.record_kinds() returns table (kind text, schema_version int, is_derived boolean)
language sql immutable
begin atomic
  select k.kind, k.schema_version, k.is_derived from (values
    ('eval_run', 1, true), ('eval_results', 1, true), ('retro_snapshot', 1, false), ('review_triage', 1, false),
    ('qa_report', 1, false), ('ship_log', 1, false), ('transcript', 1, false), ('run_progress', 1, false),
    ('approval_request', 1, false), ('verdict', 1, false), ('verdict_answer', 1, false), ('ping', 1, false)
  ) as k (kind, schema_version, is_derived);
end;

create function app.read_records(batch jsonb)
returns table (place bigint, id uuid, kind text, schema_version int, at timestamptz, repo text, agent text, expires_in int,
               payload jsonb, hash bytea)
language sql stable
begin atomic
  select e.place, (e.r ->> 'id')::uuid, e.r ->> 'kind', (e.r ->> 'schema_version')::int, (e.r ->> 'at')::timestamptz,
         nullif(e.r ->> 'repo', ''), e.r ->> 'agent', (e.r ->> 'expires_in')::int, e.r -> 'payload',
         sha256(convert_to((e.r ->> 'kind') || ' ' || (e.r -> 'payload')::text, 'UTF8'))
  from jsonb_array_elements(batch) with ordinality as e (r, place);
end;

-- Errors that say something about the record and not about the server.
create function app.is_about_data(code text) returns boolean
language sql immutable
return left(code, 2) in ('22', '23', 'P0');

-- A part of an eval run that was erased before the part arrived.
create function app.is_of_erased_run(team uuid, kind text, payload jsonb) returns boolean
language sql stable
return kind = 'eval_results' and exists (
  select from app.records h
  where h.team_id = team and h.id = (is_of_erased_run.payload ->> 'run')::uuid and h.erased_at is not null);

-- Repositories by their canonical remote, made when first seen. Returns those that were made.
create function app.ensure_repos(team uuid, wanted text[]) returns uuid[]
language plpgsql set search_path = ''
as $$
declare
  made uuid[];
begin
  select array_agg(distinct w order by w) into wanted from unnest(wanted) w
  where not exists (select from app.repos r where r.team_id = team and r.canonical = w);
  if wanted is null then
    return '{}';
  end if;
  -- By its last part where that name is free, otherwise by the whole.
  with new as (
    insert into app.repos as r (team_id, name, remote, canonical)
    select team, left(regexp_replace(w, '^.*/', ''), 200), w, w from unnest(wanted) w order by w
    on conflict do nothing
    returning r.id
  ) select coalesce(array_agg(new.id), '{}') into made from new;
  with new as (
    insert into app.repos as r (team_id, name, remote, canonical)
    select team, left(w, 200), w, w from unnest(wanted) w
    where not exists (select from app.repos r where r.team_id = team and r.canonical = w) order by w
    on conflict do nothing
    returning r.id
  ) select made || coalesce(array_agg(new.id), '{}') into made from new;
  return made;
end
$$;

-- The tables that are made from records. Returns the eval runs that became complete.
create function app.project_records(team uuid, ids uuid[], kinds text[]) returns uuid[]
language plpgsql set search_path = ''
as $$
declare
  complete uuid[] := '{}';
begin
  if 'ping' = any (kinds) then
    insert into app.pings (id, team_id, user_id, note, sanitised, at)
    select r.id, r.team_id, r.user_id, r.payload, r.sanitised, r.at
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'ping'
    on conflict do nothing;
  end if;
  if 'retro_snapshot' = any (kinds) then
    insert into app.retro_snapshots (team_id, id, repo_id, user_id, day, span)
    select r.team_id, r.id, r.repo_id, r.user_id, (r.payload ->> 'date')::date, r.payload ->> 'window'
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'retro_snapshot';
  end if;
  if 'review_triage' = any (kinds) then
    insert into app.review_triage (team_id, id, repo_id, user_id, day, reviewer, outcome, file_pattern, category)
    select r.team_id, r.id, r.repo_id, r.user_id, (r.payload ->> 'date')::date, r.payload ->> 'reviewer',
           r.payload ->> 'outcome', r.payload ->> 'file_pattern', r.payload ->> 'category'
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'review_triage';
  end if;
  if 'qa_report' = any (kinds) then
    insert into app.qa_reports (team_id, id, repo_id, user_id, at, url, mode, health_score, issues)
    select r.team_id, r.id, r.repo_id, r.user_id, r.at, r.payload ->> 'url', r.payload ->> 'mode',
           (r.payload ->> 'health_score')::numeric, jsonb_array_length(coalesce(r.payload -> 'issues', '[]'))
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'qa_report';
  end if;
  if 'ship_log' = any (kinds) then
    insert into app.ship_logs (team_id, id, repo_id, user_id, at, version, branch, pr_url)
    select r.team_id, r.id, r.repo_id, r.user_id, r.at, r.payload ->> 'version', r.payload ->> 'branch', r.payload ->> 'pr_url'
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'ship_log';
  end if;
  if 'transcript' = any (kinds) then
    insert into app.transcripts (team_id, id, repo_id, user_id, session_id, turns, tools, started_at, ended_at)
    select r.team_id, r.id, r.repo_id, r.user_id, r.payload ->> 'session_id', (r.payload ->> 'turns')::int,
           coalesce(r.payload -> 'tools', '{}'), (r.payload ->> 'started_at')::timestamptz,
           (r.payload ->> 'ended_at')::timestamptz
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'transcript';
  end if;
  if 'run_progress' = any (kinds) then
    insert into app.run_progress (team_id, id, repo_id, user_id, run_id, rev, state, title, at)
    select r.team_id, r.id, r.repo_id, r.user_id, (r.payload ->> 'run_id')::uuid, (r.payload ->> 'rev')::bigint,
           r.payload ->> 'state', r.payload ->> 'title', r.at
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'run_progress';
  end if;
  if 'approval_request' = any (kinds) then
    insert into app.run_gates (team_id, id, repo_id, user_id, run_id, request_id, rev, state, epoch, diff_hash)
    select r.team_id, r.id, r.repo_id, r.user_id, (r.payload ->> 'run_id')::uuid, (r.payload ->> 'request_id')::uuid,
           (r.payload ->> 'rev')::bigint, r.payload ->> 'state', (r.payload ->> 'epoch')::bigint, r.payload ->> 'diff_hash'
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'approval_request';
  end if;
  if 'verdict' = any (kinds) then
    insert into app.run_verdicts (team_id, id, user_id, run_id, request_id, action, epoch, diff_hash)
    select r.team_id, r.id, r.user_id, (r.payload ->> 'run_id')::uuid, (r.payload ->> 'request_id')::uuid,
           r.payload ->> 'action', (r.payload ->> 'epoch')::bigint, r.payload ->> 'diff_hash'
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'verdict';
  end if;
  if 'verdict_answer' = any (kinds) then
    insert into app.run_verdict_answers (team_id, id, user_id, verdict_id, outcome)
    select r.team_id, r.id, r.user_id, (r.payload ->> 'verdict_id')::uuid, r.payload ->> 'outcome'
    from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'verdict_answer';
  end if;
  if kinds && array['eval_run', 'eval_results'] then
    complete := app.project_evals(team, ids);
  end if;
  return complete;
end
$$;

create function app.project_evals(team uuid, ids uuid[]) returns uuid[]
language plpgsql set search_path = ''
as $$
declare
  touched uuid[];
  complete uuid[];
begin
  insert into app.eval_runs (team_id, id, repo_id, user_id, suite, run_id, label, tier, git_sha, branch, model, host, ran_at,
                             total, passed, failed, errors, skipped, duration_ms, usd, judge_averages)
  select r.team_id, r.id, r.repo_id, r.user_id, e.run ->> 'suite', e.run ->> 'runId', e.run ->> 'label', e.run ->> 'tier',
         e.run ->> 'gitSha', e.run ->> 'gitBranch', e.run ->> 'model', e.run ->> 'host',
         least((e.run ->> 'at')::timestamptz + (r.at - r.claimed_at), r.received_at),
         (e.totals ->> 'total')::int, (e.totals ->> 'passed')::int, (e.totals ->> 'failed')::int,
         (e.totals ->> 'errors')::int, (e.totals ->> 'skipped')::int, (e.run ->> 'durationMs')::float8,
         (e.cost ->> 'actualUsd')::numeric + (e.cost ->> 'estimatedUsd')::numeric,
         coalesce((select jsonb_object_agg(c.key, c.value -> 'mean')
                   from jsonb_each(r.payload #> '{summary,criteria}') c), '{}')
  from app.records r
  cross join lateral (select r.payload -> 'run' as run, r.payload #> '{run,totals}' as totals,
                             r.payload #> '{summary,cost}' as cost) e
  where r.team_id = team and r.id = any (ids) and r.kind = 'eval_run';

  insert into app.eval_costs (team_id, run_id, model, calls, input_tokens, output_tokens, usd)
  select r.team_id, r.id, m.value ->> 'model', sum(coalesce((m.value ->> 'calls')::int, 0)),
         sum(coalesce((m.value ->> 'inputTokens')::bigint, 0)), sum(coalesce((m.value ->> 'outputTokens')::bigint, 0)),
         sum((m.value ->> 'actualUsd')::numeric + (m.value ->> 'estimatedUsd')::numeric)
  from app.records r cross join lateral jsonb_array_elements(r.payload #> '{summary,cost,models}') m
  where r.team_id = team and r.id = any (ids) and r.kind = 'eval_run'
  group by r.team_id, r.id, m.value ->> 'model';

  insert into app.eval_chunks (team_id, run_id, index, id, is_last, results)
  select r.team_id, (r.payload ->> 'run')::uuid, (r.payload ->> 'index')::int, r.id, (r.payload ->> 'last')::boolean,
         jsonb_array_length(r.payload -> 'results')
  from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'eval_results';

  insert into app.eval_results (team_id, run_id, chunk, place, suite, name, category, status, repeat, input_sha, scores, duration_ms)
  select r.team_id, (r.payload ->> 'run')::uuid, (r.payload ->> 'index')::int, e.place - 1, r.payload ->> 'suite',
         e.one ->> 'name', e.one ->> 'category', e.one ->> 'status', coalesce((e.one ->> 'repeat')::int, 0),
         e.one ->> 'inputSha', coalesce(e.one -> 'scores', '{}'), (e.one ->> 'durationMs')::float8
  from app.records r cross join lateral jsonb_array_elements(r.payload -> 'results') with ordinality as e (one, place)
  where r.team_id = team and r.id = any (ids) and r.kind = 'eval_results';

  select array_agg(distinct t.id) into touched from (
    select e.id from app.eval_runs e where e.team_id = team and e.id = any (ids)
    union select c.run_id from app.eval_chunks c where c.team_id = team and c.id = any (ids)) t;
  with arrived as (
    select c.run_id, max(c.index) filter (where c.is_last) as last, count(*) as amount
    from app.eval_chunks c where c.team_id = team and c.run_id = any (touched) group by c.run_id
  ), done as (
    update app.eval_runs e set complete_at = clock_timestamp()
    from arrived a
    where e.team_id = team and e.id = a.run_id and e.complete_at is null and a.amount = a.last + 1
    returning e.id
  ) select coalesce(array_agg(done.id order by done.id), '{}') into complete from done;
  return complete;
end
$$;

-- Stores what is new in a batch. Answers each record, and says what belongs in the log; the caller appends it, last.
create function app.store_records(
  team uuid, batch jsonb, lag interval,
  out answers jsonb, out change_kinds text[], out change_ids uuid[]
)
language plpgsql set search_path = ''
as $$
declare
  arrived timestamptz := clock_timestamp();
  stored uuid[];
  stored_kinds text[];
  made_repos uuid[];
  complete uuid[];
begin
  -- A header and its last chunk may arrive at the same moment, and each transaction would miss the other's row: writers of one
  -- eval run wait for each other. Before any insert and in one order, so that nobody waits in a circle.
  perform pg_advisory_xact_lock(hashtextextended('devflow.eval:' || team::text || e.run, 0)) from (
    select distinct case g.kind when 'eval_run' then g.id::text else lower(g.payload ->> 'run') end as run
    from app.read_records(batch) g where g.kind in ('eval_run', 'eval_results') order by 1) e;

  made_repos := app.ensure_repos(team, (select array_agg(distinct g.repo) from app.read_records(batch) g where g.repo is not null));

  with fresh as (
    select distinct on (g.id) g.*, r.id as repo_id
    from app.read_records(batch) g
    join app.record_kinds() k on k.kind = g.kind and g.schema_version <= k.schema_version
    left join app.repos r on r.team_id = team and r.canonical = g.repo
    where not app.is_of_erased_run(team, g.kind, g.payload)
    order by g.id, g.place
  ), new as (
    -- Retry key: (team, id). Sorted, so that two batches with the same ids do not wait in a circle.
    insert into app.records as r (team_id, id, kind, schema_version, hash, user_id, repo_id, agent, claimed_at, at, received_at,
                                  expires_at, sanitised, payload)
    select team, f.id, f.kind, f.schema_version, f.hash, auth.uid(), f.repo_id, f.agent, f.at, least(f.at + lag, arrived),
           arrived, least(f.at + lag, arrived) + make_interval(secs => f.expires_in), app.was_sanitised(), f.payload
    from fresh f order by f.id
    on conflict (team_id, id) do nothing
    returning r.id, r.kind
  ) select coalesce(array_agg(new.id), '{}'), coalesce(array_agg(new.kind), '{}') into stored, stored_kinds from new;

  complete := app.project_records(team, stored, stored_kinds);

  -- A second statement, so that it sees what a concurrent push has stored under the same id.
  select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'status', a.status, 'reason', a.reason) order by a.place), '[]')
  into answers
  from (
    select g.place, g.id,
      case
        when k.kind is null or g.schema_version > k.schema_version then 'deferred'
        when g.id = any (stored) and g.is_first then 'stored'
        when r.erased_at is not null or r.id is null and app.is_of_erased_run(team, g.kind, g.payload) then 'erased'
        when k.is_derived and r.kind = g.kind or r.hash = g.hash then 'duplicate'
        else 'rejected'
      end as status,
      case
        when k.kind is null then 'unknown_kind'
        when g.schema_version > k.schema_version then 'unknown_version'
        when r.id is not null and r.erased_at is null and r.hash <> g.hash and not (k.is_derived and r.kind = g.kind)
          then 'id_reuse'
      end as reason
    from (select *, row_number() over (partition by id order by place) = 1 as is_first from app.read_records(batch)) g
    left join app.record_kinds() k on k.kind = g.kind
    left join app.records r on r.team_id = team and r.id = g.id
  ) a;

  -- A run is in the log when it is complete, and its chunks never are.
  select coalesce(array_agg(c.kind order by c.id), '{}'), coalesce(array_agg(c.id order by c.id), '{}')
  into change_kinds, change_ids
  from (
    select s.kind, s.id from unnest(stored_kinds, stored) as s (kind, id) where s.kind not in ('eval_run', 'eval_results')
    union all select 'eval_run', c from unnest(complete) c
    union all select 'repo', m from unnest(made_repos) m) c;
end
$$;

-- The data plane ----------------------------------------------------------------------------------------------------

create type api.pulled as (cursor text, resync boolean, more boolean, rows jsonb);
create type api.snapshot_page as (cursor text, next uuid, rows jsonb);
create type api.forgotten as (id uuid, kind text, records int);

-- What this server can store, for a client that holds records back until it can.
-- In plpgsql: a plan into which an SQL function was inlined is kept for the next role, which may not call it.
create function api.record_kinds() returns table (kind text, schema_version int)
language plpgsql stable set search_path = ''
as $$
begin
  return query select k.kind, k.schema_version from app.record_kinds() k order by k.kind;
end
$$;

-- Takes up to 500 records and answers each by its id: stored, duplicate, deferred (a kind or version this server does not
-- know), rejected (with the reason) or erased. `sent_at` is the sender's clock at this moment.
-- Security definer: nobody writes these tables but this function, as the person of the claims.
create function api.push_records(team_id uuid, records jsonb, sent_at timestamptz default null)
returns table (id uuid, status text, reason text)
language plpgsql security definer set search_path = ''
as $$
declare
  lag interval := clock_timestamp() - sent_at;
  one jsonb;
  part record;
  answers jsonb := '[]';
  kinds text[] := '{}';
  ids uuid[] := '{}';
begin
  perform app.require_team(push_records.team_id, 'write');
  if jsonb_typeof(records) is distinct from 'array' then
    raise invalid_parameter_value using message = 'records is not an array';
  end if;
  if jsonb_array_length(records) > 500 then
    raise sqlstate 'PT413' using message = 'more than 500 records in one batch';
  end if;
  if exists (select from jsonb_array_elements(records) r
             where not coalesce(r ->> 'id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', false)) then
    raise invalid_parameter_value using message = 'a record has no id';
  end if;
  -- Less than this is the way over the network, and not a wrong clock.
  if lag is null or lag between interval '-30 seconds' and interval '30 seconds' then
    lag := interval '0';
  end if;
  begin
    select * into part from app.store_records(push_records.team_id, records, lag);
    answers := part.answers; kinds := part.change_kinds; ids := part.change_ids;
  exception when others then
    if not app.is_about_data(sqlstate) then
      raise;
    end if;
    -- One record is bad: each by itself, so that it does not take the others along.
    for one in select r from jsonb_array_elements(records) r loop
      begin
        select * into part from app.store_records(push_records.team_id, jsonb_build_array(one), lag);
        answers := answers || part.answers; kinds := kinds || part.change_kinds; ids := ids || part.change_ids;
      exception when others then
        if not app.is_about_data(sqlstate) then
          raise;
        end if;
        answers := answers || jsonb_build_object('id', one ->> 'id', 'status', 'rejected', 'reason', 'invalid: ' || left(sqlerrm, 300));
      end;
    end loop;
  end;
  if cardinality(ids) > 0 then
    perform app.append_change_list(push_records.team_id, kinds, ids, array_fill('upsert'::text, array[cardinality(ids)]));
  end if;
  return query select (a ->> 'id')::uuid, a ->> 'status', a ->> 'reason' from jsonb_array_elements(answers) a;
end
$$;

-- A record as a pull and a snapshot give it out.
create function app.record_json(r app.records) returns jsonb
language sql stable
begin atomic
  select jsonb_build_object(
    'id', r.id, 'kind', r.kind, 'schema_version', r.schema_version, 'at', r.at, 'received_at', r.received_at,
    'expires_at', r.expires_at, 'agent', r.agent, 'user_id', r.user_id,
    'user_name', (select u.name from app.users u where u.id = r.user_id),
    'repo', (select p.canonical from app.repos p where p.id = r.repo_id), 'payload', r.payload);
end;

-- What a cursor was made for: another set of kinds, another repository or another role sees other rows.
create function app.pull_mark(team uuid, kinds text[], repo text) returns text
language sql stable set search_path = ''
return left(md5(concat_ws('|',
  (select string_agg(k, ',' order by k) from unnest(kinds) k), repo, team in (select app.my_admin_teams()))), 8);

-- What changed since the cursor, in order, at most 4 MB. `resync`: the cursor is of no use any more, take a snapshot.
create function api.pull(
  team_id uuid, cursor text default null, kinds text[] default null, max_rows int default 1000, repo text default null
) returns api.pulled
language plpgsql stable set search_path = ''
as $$
declare
  head record;
  mark text;
  after bigint;
  oldest bigint;
  last_seq bigint;
  answer api.pulled;
begin
  perform app.require_team(pull.team_id);
  select c.epoch, c.seq into head from app.team_counters c where c.team_id = pull.team_id;
  mark := app.pull_mark(pull.team_id, kinds, repo);
  if cursor is null or cursor !~ '^[0-9a-f-]{36}:[0-9]{1,18}:[0-9a-f]{8}$'
     or split_part(cursor, ':', 1) <> head.epoch::text or split_part(cursor, ':', 3) <> mark then
    return row(null, true, false, '[]')::api.pulled;
  end if;
  after := split_part(cursor, ':', 2)::bigint;
  select c.seq into oldest from app.changes c where c.team_id = pull.team_id order by c.seq limit 1;
  if after > head.seq or (after < head.seq and coalesce(oldest, head.seq + 1) > after + 1) then
    return row(null, true, false, '[]')::api.pulled;
  end if;

  with scanned as (
    select c.seq, c.kind, c.entity_id, c.op from app.changes c
    where c.team_id = pull.team_id and c.seq > after
    order by c.seq limit least(greatest(coalesce(max_rows, 1000), 1), 2000)
  ), latest as (
    select distinct on (s.entity_id) s.* from scanned s
    where s.kind in (select k.kind from app.record_kinds() k) and (pull.kinds is null or s.kind = any (pull.kinds))
    order by s.entity_id, s.seq desc
  ), found as (
    select l.seq, jsonb_build_object(
        'seq', l.seq, 'kind', l.kind, 'id', l.entity_id,
        'op', case when r.id is null or r.erased_at is not null then 'delete' else 'upsert' end,
        'record', case when r.erased_at is null and r.id is not null then app.record_json(r) end) as row
    from latest l
    left join app.records r on r.team_id = pull.team_id and r.id = l.entity_id
    left join app.repos p on p.id = r.repo_id
    where pull.repo is null or p.canonical is null or p.canonical = pull.repo
  ), sized as (
    select f.*, sum(octet_length(f.row::text)) over (order by f.seq) - octet_length(f.row::text) as before from found f
  ), cut as (
    select min(s.seq) - 1 as seq from sized s where s.before > 3500000
  )
  select coalesce((select c.seq from cut c), (select max(s.seq) from scanned s), after),
         coalesce((select jsonb_agg(s.row order by s.seq) from sized s where s.before <= 3500000), '[]')
  into last_seq, answer.rows;
  answer.cursor := head.epoch || ':' || last_seq || ':' || mark;
  answer.resync := false;
  answer.more := last_seq < head.seq;
  return answer;
end
$$;

-- Everything there is, page by page, by id. The cursor of the first page is where pulling goes on: it is read first, so that
-- what changes meanwhile comes again.
create function api.snapshot(
  team_id uuid, kinds text[] default null, after uuid default null, max_rows int default 1000, repo text default null
) returns api.snapshot_page
language plpgsql stable set search_path = ''
as $$
declare
  answer api.snapshot_page;
begin
  perform app.require_team(snapshot.team_id);
  select c.epoch || ':' || c.seq || ':' || app.pull_mark(snapshot.team_id, kinds, repo) into answer.cursor
  from app.team_counters c where c.team_id = snapshot.team_id;
  with page as (
    select r.id, app.record_json(r) as row
    from app.records r
    left join app.repos p on p.id = r.repo_id
    where r.team_id = snapshot.team_id and r.erased_at is null and (snapshot.after is null or r.id > snapshot.after)
      and (snapshot.kinds is null or r.kind = any (snapshot.kinds))
      and (snapshot.repo is null or p.canonical is null or p.canonical = snapshot.repo)
      -- A run that is not complete yet is not there, and a chunk belongs to its run.
      and (r.kind <> 'eval_run' or exists (
        select from app.eval_runs e where e.team_id = r.team_id and e.id = r.id and e.complete_at is not null))
    order by r.id limit least(greatest(coalesce(max_rows, 1000), 1), 2000)
  ), sized as (
    select p.*, sum(octet_length(p.row::text)) over (order by p.id) - octet_length(p.row::text) as before,
           count(*) over () as amount
    from page p
  ), kept as (select * from sized s where s.before <= 3500000)
  select coalesce(jsonb_agg(k.row order by k.id), '[]'),
         case when count(*) > 0 and (count(*) < max(k.amount)
                or max(k.amount) = least(greatest(coalesce(max_rows, 1000), 1), 2000)) then max(k.id::text)::uuid end
  into answer.rows, answer.next from kept k;
  return answer;
end
$$;

-- The results of complete eval runs, without their texts: as many of the runs as fit in 4 MB, at least one.
create function api.eval_results(team_id uuid, run_ids uuid[]) returns table (run_id uuid, results jsonb)
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_team(eval_results.team_id);
  return query
    with whole as (
      select e.id, coalesce((
          select jsonb_agg(jsonb_build_object(
              'name', t.name, 'category', t.category, 'status', t.status, 'repeat', t.repeat, 'inputSha', t.input_sha,
              'scores', t.scores, 'durationMs', t.duration_ms) order by t.chunk, t.place)
          from app.eval_results t where t.team_id = eval_results.team_id and t.run_id = e.id), '[]') as list
      from app.eval_runs e
      where e.team_id = eval_results.team_id and e.id = any (run_ids[:100]) and e.complete_at is not null
    ), sized as (
      select w.*, sum(octet_length(w.list::text)) over (order by w.id) - octet_length(w.list::text) as before from whole w
    )
    select s.id, s.list from sized s where s.before <= 3500000 order by s.id;
end
$$;

-- Which of these records the server has, or had; for a client that compares its own list.
create function api.find_records(team_id uuid, ids uuid[]) returns table (id uuid, is_erased boolean, hash text)
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_team(find_records.team_id);
  return query
    select r.id, r.erased_at is not null, encode(r.hash, 'hex')
    from app.records r where r.team_id = find_records.team_id and r.id = any (ids)
    order by r.id
    limit 1000;
end
$$;

-- Erases a record for everybody: the content is gone, a tombstone with its hash stays. Its author may, and every admin.
-- An eval run takes its results along. A record that has not arrived yet will be answered `erased` when it does.
create function api.forget_record(team_id uuid, id uuid) returns api.forgotten
language plpgsql security definer set search_path = ''
as $$
declare
  wanted uuid := forget_record.id;
  found_kind text;
  author uuid;
  gone uuid[];
  now_at timestamptz := clock_timestamp();
begin
  perform app.require_team(forget_record.team_id, 'write');
  if wanted is null then
    raise invalid_parameter_value using message = 'id is missing';
  end if;
  -- A chunk stands for its run.
  select c.run_id into wanted from app.eval_chunks c where c.team_id = forget_record.team_id and c.id = forget_record.id;
  wanted := coalesce(wanted, forget_record.id);
  -- The lock under which parts of a run arrive, so that none slips in.
  perform pg_advisory_xact_lock(hashtextextended('devflow.eval:' || forget_record.team_id::text || wanted::text, 0));
  insert into app.records as r (team_id, id, kind, schema_version, user_id, claimed_at, at, received_at, erased_at)
  values (forget_record.team_id, wanted, 'unknown', 1, auth.uid(), now_at, now_at, now_at, now_at)
  on conflict on constraint records_pkey do nothing
  returning r.kind into found_kind;
  if found_kind is not null then
    return row(wanted, found_kind, 0)::api.forgotten;
  end if;
  select r.kind, r.user_id into found_kind, author
  from app.records r where r.team_id = forget_record.team_id and r.id = wanted for update;
  if author <> auth.uid() and forget_record.team_id not in (select app.my_admin_teams()) then
    raise insufficient_privilege using message = 'only the author of a record and the admins of its team can erase it';
  end if;
  select array_agg(r.id) into gone from app.records r
  where r.team_id = forget_record.team_id and r.erased_at is null and (r.id = wanted or r.id in (
    select c.id from app.eval_chunks c where c.team_id = forget_record.team_id and c.run_id = wanted));
  if gone is null then
    return row(wanted, found_kind, 0)::api.forgotten;
  end if;
  delete from app.eval_chunks t where t.team_id = forget_record.team_id and t.run_id = wanted;
  delete from app.eval_runs t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.retro_snapshots t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.review_triage t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.qa_reports t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.ship_logs t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.transcripts t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.run_progress t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.run_gates t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.run_verdicts t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.run_verdict_answers t where t.team_id = forget_record.team_id and t.id = any (gone);
  delete from app.pings t where t.team_id = forget_record.team_id and t.id = any (gone);
  update app.records r set payload = null, agent = null, erased_at = now_at
  where r.team_id = forget_record.team_id and r.id = any (gone);
  perform app.append_changes(forget_record.team_id, found_kind, array[wanted], 'delete');
  return row(wanted, found_kind, cardinality(gone))::api.forgotten;
end
$$;

-- Grants ------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on all functions in schema api from public;

grant execute on function app.my_admin_teams(), app.require_team(uuid, text),
  app.append_change_list(uuid, text[], uuid[], text[]), app.record_kinds(), app.record_json(app.records),
  app.pull_mark(uuid, text[], text) to authenticated, devflow_engine;

grant execute on function api.record_kinds() to authenticated;
grant execute on function api.push_records(uuid, jsonb, timestamptz) to authenticated;
grant execute on function api.pull(uuid, text, text[], int, text) to authenticated;
grant execute on function api.snapshot(uuid, text[], uuid, int, text) to authenticated;
grant execute on function api.eval_results(uuid, uuid[]) to authenticated;
grant execute on function api.find_records(uuid, uuid[]) to authenticated;
grant execute on function api.forget_record(uuid, uuid) to authenticated;
