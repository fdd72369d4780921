-- The brain: who is working on what, what was changed and why, and what was decided.
--
-- Everything but presence comes in as records (0008). A trigger makes these tables from them, in the transaction that stores
-- them; a record that is erased takes its part back out. An intent and a decision are folded: of their records the one with
-- the highest (rev, id) holds, whatever order they arrive in. Records name each other by id and without foreign keys.

-- Kinds -------------------------------------------------------------------------------------------------------------

create or replace function app.record_kinds() returns table (kind text, schema_version int, is_derived boolean)
language sql immutable
begin atomic
  select k.kind, k.schema_version, k.is_derived from (values
    ('eval_run', 1, true), ('eval_results', 1, true), ('retro_snapshot', 1, false), ('review_triage', 1, false),
    ('qa_report', 1, false), ('ship_log', 1, false), ('transcript', 1, false), ('run_progress', 1, false),
    ('approval_request', 1, false), ('verdict', 1, false), ('verdict_answer', 1, false), ('ping', 1, false),
    ('agent_edit', 1, false), ('agent_read', 1, false), ('intent', 1, false), ('decision', 1, false),
    ('decision_event', 1, false), ('handoff', 1, false), ('feature_tag', 1, false)
  ) as k (kind, schema_version, is_derived);
end;

-- Tables ------------------------------------------------------------------------------------------------------------

-- An agent is one session of a host, for one person. The id is the machine's word, so it counts only together with the person
-- whose token brought it: nobody can write as somebody else's agent.
create table app.agents (
  team_id uuid not null references app.teams on delete cascade,
  user_id uuid not null references app.users,
  id uuid not null,
  host text not null check (host ~ '^[a-z][a-z0-9-]{0,39}$'),
  session text not null check (char_length(session) between 1 and 200),
  machine text not null check (char_length(machine) between 1 and 200),
  handle text check (char_length(handle) between 1 and 100),
  model text check (char_length(model) between 1 and 200),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (team_id, user_id, id)
);

create table app.files (
  team_id uuid not null references app.teams on delete cascade,
  id uuid primary key default gen_random_uuid(),
  repo_id uuid not null references app.repos on delete cascade,
  path text not null check (char_length(path) between 1 and 1000 and path !~ '(^/|(^|/)\.\.(/|$)|//|/$)'),
  unique (repo_id, path)
);

-- A part of the product that people talk about, in one repository.
create table app.features (
  team_id uuid not null references app.teams on delete cascade,
  id uuid primary key default gen_random_uuid(),
  repo_id uuid references app.repos on delete cascade,
  name text not null check (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  unique nulls not distinct (team_id, repo_id, name)
);

create table app.branches (
  team_id uuid not null references app.teams on delete cascade,
  repo_id uuid not null references app.repos on delete cascade,
  name text not null check (char_length(name) between 1 and 500),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (repo_id, name)
);

create table app.intents (
  team_id uuid not null references app.teams on delete cascade,
  id uuid not null,
  record_id uuid not null,
  rev bigint not null check (rev > 0),
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  agent_id uuid not null,
  state text not null check (state in ('active', 'shipped', 'abandoned')),
  text text not null check (char_length(text) between 1 and 2000),
  branch text check (char_length(branch) between 1 and 500),
  source text not null check (source in ('person', 'inferred', 'run')),
  confidence real not null check (confidence between 0 and 1),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, id)
);
create index intents_active on app.intents (team_id, updated_at desc) where state = 'active';
create index intents_by_time on app.intents (team_id, updated_at desc);

create table app.intent_files (
  team_id uuid not null,
  intent_id uuid not null,
  file_id uuid not null references app.files on delete cascade,
  primary key (team_id, intent_id, file_id),
  foreign key (team_id, intent_id) references app.intents on delete cascade
);
create index intent_files_of_file on app.intent_files (file_id);

create table app.intent_features (
  team_id uuid not null,
  intent_id uuid not null,
  feature_id uuid not null references app.features on delete cascade,
  primary key (team_id, intent_id, feature_id),
  foreign key (team_id, intent_id) references app.intents on delete cascade
);
create index intent_features_of_feature on app.intent_features (feature_id);

create table app.intent_decisions (
  team_id uuid not null,
  intent_id uuid not null,
  decision_id uuid not null,
  primary key (team_id, intent_id, decision_id),
  foreign key (team_id, intent_id) references app.intents on delete cascade
);
create index intent_decisions_of_decision on app.intent_decisions (team_id, decision_id);

-- What agents changed. Only ever added to.
create table app.edits (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid not null references app.repos on delete cascade,
  file_id uuid not null references app.files on delete cascade,
  user_id uuid not null references app.users,
  agent_id uuid not null,
  at timestamptz not null,
  tool text not null check (char_length(tool) between 1 and 100),
  via text not null check (via in ('edit', 'bash', 'run')),
  -- In the file as it was after the edit; empty when it is not known.
  lines int4multirange not null,
  branch text check (char_length(branch) between 1 and 500),
  -- HEAD before the edit.
  commit text check (commit ~ '^[0-9a-f]{40,64}$'),
  hash_after text check (char_length(hash_after) <= 128),
  intent_id uuid,
  run_id uuid,
  prompt text check (char_length(prompt) <= 300),
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index edits_of_file on app.edits (file_id, at desc);
create index edits_by_time on app.edits (team_id, repo_id, at desc);
create index edits_of_intent on app.edits (team_id, intent_id) where intent_id is not null;

create table app.decision_counters (
  team_id uuid not null references app.teams on delete cascade,
  repo_id uuid primary key references app.repos on delete cascade,
  last int not null
);

create table app.decisions (
  team_id uuid not null references app.teams on delete cascade,
  id uuid not null,
  record_id uuid not null,
  rev bigint not null check (rev > 0),
  repo_id uuid references app.repos on delete set null,
  -- Given out here, in the order of arrival, so that people who write offline never collide.
  number int,
  user_id uuid not null references app.users,
  agent_id uuid,
  type text not null check (type in ('decision', 'learning', 'freeze')),
  title text not null check (char_length(title) between 1 and 300),
  body text not null check (char_length(body) <= 100000),
  context text check (char_length(context) <= 50000),
  alternatives text check (char_length(alternatives) <= 50000),
  -- As written. app.decision_state(decision) adds what others decided since, and time.
  state text not null check (state in ('proposed', 'accepted', 'superseded', 'rejected', 'expired')),
  supersedes uuid check (supersedes <> id),
  intent_id uuid,
  expires_at timestamptz,
  source_file text check (char_length(source_file) <= 1000),
  source_number int,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  search tsvector not null,
  primary key (team_id, id),
  unique (repo_id, number)
);
create index decisions_search on app.decisions using gin (search);
create index decisions_by_time on app.decisions (team_id, created_at desc);
create index decisions_superseding on app.decisions (team_id, supersedes) where supersedes is not null;
create index decisions_of_intent on app.decisions (team_id, intent_id) where intent_id is not null;

create table app.decision_files (
  team_id uuid not null,
  decision_id uuid not null,
  file_id uuid not null references app.files on delete cascade,
  primary key (team_id, decision_id, file_id),
  foreign key (team_id, decision_id) references app.decisions on delete cascade
);
create index decision_files_of_file on app.decision_files (file_id);

create table app.decision_features (
  team_id uuid not null,
  decision_id uuid not null,
  feature_id uuid not null references app.features on delete cascade,
  primary key (team_id, decision_id, feature_id),
  foreign key (team_id, decision_id) references app.decisions on delete cascade
);
create index decision_features_of_feature on app.decision_features (feature_id);

-- The timeline. A table of its own, so that two people who add to it at once lose nothing.
create table app.decision_events (
  team_id uuid not null,
  id uuid not null,
  decision_id uuid not null,
  user_id uuid not null references app.users,
  agent_id uuid,
  event text not null check (event in ('created', 'accepted', 'superseded', 'rejected', 'expired', 'commented')),
  text text check (char_length(text) <= 10000),
  at timestamptz not null,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index decision_events_of_decision on app.decision_events (team_id, decision_id, at);

-- Tags of files. `record_id` is the record that said so, so that erasing it takes the tag back.
create table app.file_features (
  team_id uuid not null,
  record_id uuid not null,
  file_id uuid not null references app.files on delete cascade,
  feature_id uuid not null references app.features on delete cascade,
  primary key (team_id, record_id, file_id, feature_id),
  foreign key (team_id, record_id) references app.records on delete cascade
);
create index file_features_of_file on app.file_features (file_id);
create index file_features_of_feature on app.file_features (feature_id);

create table app.handoffs (
  team_id uuid not null,
  id uuid not null,
  repo_id uuid references app.repos on delete set null,
  user_id uuid not null references app.users,
  agent_id uuid not null,
  intent_id uuid,
  text text not null check (char_length(text) between 1 and 20000),
  branch text check (char_length(branch) between 1 and 500),
  -- A person's id or name; null: whoever comes next.
  for_person text check (char_length(for_person) between 1 and 200),
  source text not null check (source in ('person', 'auto', 'run')),
  at timestamptz not null,
  primary key (team_id, id),
  foreign key (team_id, id) references app.records on delete cascade
);
create index handoffs_by_time on app.handoffs (team_id, at desc);

create table app.handoff_files (
  team_id uuid not null,
  handoff_id uuid not null,
  file_id uuid not null references app.files on delete cascade,
  primary key (team_id, handoff_id, file_id),
  foreign key (team_id, handoff_id) references app.handoffs on delete cascade
);
create index handoff_files_of_file on app.handoff_files (file_id);

-- What a session relied on, by hash: when that changes, its premise is stale.
create table app.read_files (
  team_id uuid not null,
  record_id uuid not null,
  user_id uuid not null references app.users,
  agent_id uuid not null,
  file_id uuid not null references app.files on delete cascade,
  hash text not null check (char_length(hash) between 1 and 128),
  at timestamptz not null,
  primary key (team_id, record_id, file_id),
  foreign key (team_id, record_id) references app.records on delete cascade
);
create index read_files_of_agent on app.read_files (team_id, agent_id, at desc);
create index read_files_of_file on app.read_files (file_id);

create table app.read_decisions (
  team_id uuid not null,
  record_id uuid not null,
  user_id uuid not null references app.users,
  agent_id uuid not null,
  decision_id uuid not null,
  rev bigint not null check (rev > 0),
  at timestamptz not null,
  primary key (team_id, record_id, decision_id),
  foreign key (team_id, record_id) references app.records on delete cascade
);
create index read_decisions_of_agent on app.read_decisions (team_id, agent_id, at desc);

-- Who works right now. Unlogged: after a crash everybody says it again within a minute.
create unlogged table app.presence (
  team_id uuid not null references app.teams on delete cascade,
  user_id uuid not null references app.users,
  agent_id uuid not null,
  repo_id uuid references app.repos on delete cascade,
  intent_text text,
  branch text,
  files text[] not null default '{}',
  state text not null check (state in ('working', 'waiting', 'idle')),
  since timestamptz not null,
  at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, user_id, agent_id)
);

-- For folding again after one record of an intent or a decision was erased.
create index records_of_intent on app.records (team_id, (payload ->> 'intent_id')) where kind = 'intent';
create index records_of_decision on app.records (team_id, (payload ->> 'decision_id')) where kind = 'decision';

-- Views -------------------------------------------------------------------------------------------------------------

-- What a decision is now: somebody's accepted decision may have replaced it, and its time may be over.
create function app.decision_state(d app.decisions) returns text
language sql stable
return case
  when d.state in ('superseded', 'rejected', 'expired') then d.state
  when exists (select from app.decisions s where s.team_id = d.team_id and s.supersedes = d.id and s.state = 'accepted')
    then 'superseded'
  when d.expires_at <= now() then 'expired'
  else d.state
end;

create view app.live_presence with (security_invoker = true) as
  select p.team_id, p.user_id, u.name as user_name, p.agent_id, a.host, a.machine, a.handle, a.model, p.repo_id,
         r.canonical as repo, p.intent_text, p.branch, p.files, p.state, p.since, p.at
  from app.presence p
  join app.users u on u.id = p.user_id
  join app.agents a on a.team_id = p.team_id and a.user_id = p.user_id and a.id = p.agent_id
  left join app.repos r on r.id = p.repo_id
  where p.expires_at > now();

create view app.active_intents with (security_invoker = true) as
  select i.team_id, i.id, i.rev, i.repo_id, r.canonical as repo, i.user_id, u.name as user_name, i.agent_id, a.host, a.handle,
         i.text, i.branch, i.source, i.confidence, i.created_at, i.updated_at
  from app.intents i
  join app.users u on u.id = i.user_id
  left join app.agents a on a.team_id = i.team_id and a.user_id = i.user_id and a.id = i.agent_id
  left join app.repos r on r.id = i.repo_id
  where i.state = 'active';

-- Active intents that name a file, or under which it was edited.
create view app.file_intents with (security_invoker = true) as
  select f.team_id, f.file_id, f.intent_id from app.intent_files f
  join app.intents i on i.team_id = f.team_id and i.id = f.intent_id and i.state = 'active'
  union
  select e.team_id, e.file_id, e.intent_id from app.edits e
  join app.intents i on i.team_id = e.team_id and i.id = e.intent_id and i.state = 'active';

create view app.decisions_by_feature with (security_invoker = true) as
  select f.team_id, f.repo_id, f.name as feature, d.id as decision_id, d.number, d.title, app.decision_state(d) as state,
         d.created_at
  from app.features f
  join app.decision_features x on x.feature_id = f.id
  join app.decisions d on d.team_id = x.team_id and d.id = x.decision_id;

-- Who may read ------------------------------------------------------------------------------------------------------

do $$
declare
  one text;
begin
  foreach one in array array[
    'agents', 'files', 'features', 'branches', 'intents', 'intent_files', 'intent_features', 'intent_decisions', 'edits',
    'decision_counters', 'decisions', 'decision_files', 'decision_features', 'decision_events', 'file_features', 'handoffs',
    'handoff_files', 'read_files', 'read_decisions', 'presence'
  ] loop
    execute format('alter table app.%I enable row level security', one);
    execute format('create policy engine on app.%I for select to devflow_engine using (true)', one);
    execute format('grant select on app.%I to authenticated, devflow_engine', one);
    execute format(
      'create policy members on app.%I for select to authenticated using (team_id in (select app.my_teams()))', one);
  end loop;
end
$$;
grant select on app.live_presence, app.active_intents, app.file_intents, app.decisions_by_feature to authenticated, devflow_engine;

-- Words of decisions ------------------------------------------------------------------------------------------------

-- Identifiers and paths as the words in them: `useAuthStore`, `src/auth/store.ts`.
create function app.split_words(given text) returns text
language sql immutable
return regexp_replace(
  regexp_replace(coalesce(given, ''), '([a-z0-9])([A-Z])', '\1 \2', 'g'), '[/._:\\#-]+', ' ', 'g');

create function app.decision_document(payload jsonb) returns tsvector
language sql immutable
return
  setweight(to_tsvector('pg_catalog.english', app.split_words(payload ->> 'title')), 'A')
  || setweight(to_tsvector('pg_catalog.english', app.split_words(
       (select string_agg(f, ' ') from jsonb_array_elements_text(coalesce(payload -> 'features', '[]')) f))), 'B')
  || setweight(to_tsvector('pg_catalog.english', app.split_words(
       concat_ws(' ', payload ->> 'body', payload ->> 'context', payload ->> 'alternatives'))), 'C')
  || setweight(to_tsvector('pg_catalog.english', app.split_words(
       (select string_agg(f, ' ') from jsonb_array_elements_text(coalesce(payload -> 'files', '[]')) f))), 'D');

-- Titles that resemble a misspelt word. Without the extension, search does without.
do $$
begin
  create extension if not exists pg_trgm;
  execute format('create index decisions_titles on app.decisions using gin (title %I.gin_trgm_ops)',
    (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'));
exception when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
  raise notice 'pg_trgm is not available here: misspelt words find nothing';
end
$$;

-- From records to tables --------------------------------------------------------------------------------------------

-- The paths that a record names.
create function app.paths_of(kind text, payload jsonb) returns setof text
language sql immutable
begin atomic
  select paths_of.payload ->> 'file' where paths_of.kind = 'agent_edit'
  union
  select f.value ->> 'path' from jsonb_array_elements(paths_of.payload -> 'files') f where paths_of.kind = 'agent_read'
  union
  select f.value from jsonb_array_elements_text(paths_of.payload -> 'files') f
  where paths_of.kind in ('intent', 'decision', 'handoff', 'feature_tag');
end;

create function app.features_of(payload jsonb) returns setof text
language sql immutable
begin atomic
  select f.value from jsonb_array_elements_text(features_of.payload -> 'features') f
  union
  select features_of.payload ->> 'feature' where features_of.payload ->> 'feature' is not null;
end;

-- The entities that records name, made when first seen. Sorted, so that two batches do not wait in a circle.
create function app.ensure_named(team uuid, ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
begin
  insert into app.agents as a (team_id, user_id, id, host, session, machine, handle, model, first_seen_at, last_seen_at)
  select distinct on (r.user_id, (g.j ->> 'id')::uuid) team, r.user_id, (g.j ->> 'id')::uuid, g.j ->> 'host', g.j ->> 'session',
         g.j ->> 'machine', g.j ->> 'handle', g.j ->> 'model', r.at, r.at
  from app.records r cross join lateral (select r.payload -> 'agent' as j) g
  where r.team_id = team and r.id = any (ids) and jsonb_typeof(g.j) = 'object'
  order by r.user_id, (g.j ->> 'id')::uuid, r.at desc
  on conflict (team_id, user_id, id) do update set
    handle = coalesce(excluded.handle, a.handle), model = coalesce(excluded.model, a.model),
    first_seen_at = least(a.first_seen_at, excluded.first_seen_at),
    last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at);

  insert into app.files (team_id, repo_id, path)
  select distinct team, r.repo_id, p.path
  from app.records r cross join lateral app.paths_of(r.kind, r.payload) as p (path)
  where r.team_id = team and r.id = any (ids) and r.repo_id is not null and p.path is not null
  order by r.repo_id, p.path
  on conflict (repo_id, path) do nothing;

  insert into app.features (team_id, repo_id, name)
  select distinct team, r.repo_id, f.name
  from app.records r cross join lateral app.features_of(r.payload) as f (name)
  where r.team_id = team and r.id = any (ids) and r.kind in ('intent', 'decision', 'feature_tag')
  order by r.repo_id, f.name
  on conflict (team_id, repo_id, name) do nothing;

  insert into app.branches as b (team_id, repo_id, name, first_seen_at, last_seen_at)
  select team, r.repo_id, r.payload ->> 'branch', min(r.at), max(r.at)
  from app.records r
  where r.team_id = team and r.id = any (ids) and r.repo_id is not null and r.payload ->> 'branch' is not null
    and r.kind in ('agent_edit', 'intent', 'handoff')
  group by r.repo_id, r.payload ->> 'branch'
  order by r.repo_id, r.payload ->> 'branch'
  on conflict (repo_id, name) do update set
    first_seen_at = least(b.first_seen_at, excluded.first_seen_at),
    last_seen_at = greatest(b.last_seen_at, excluded.last_seen_at);
end
$$;

-- Retry key of a fold: (team, intent). A concurrent fold of the same intent waits on its row and then compares again.
create function app.fold_intents(team uuid, ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
declare
  changed uuid[];
begin
  with given as (
    select distinct on (1) (r.payload ->> 'intent_id')::uuid as intent, (r.payload ->> 'rev')::bigint as rev, r.*
    from app.records r
    where r.team_id = team and r.id = any (ids) and r.kind = 'intent'
    order by 1, 2 desc, r.id desc
  ), folded as (
    insert into app.intents as i (team_id, id, record_id, rev, repo_id, user_id, agent_id, state, text, branch, source,
                                  confidence, created_at, updated_at)
    select team, g.intent, g.id, g.rev, g.repo_id, g.user_id, (g.payload #>> '{agent,id}')::uuid, g.payload ->> 'state',
           g.payload ->> 'text', g.payload ->> 'branch', g.payload ->> 'source', (g.payload ->> 'confidence')::real, g.at, g.at
    from given g order by g.intent
    on conflict (team_id, id) do update set
      record_id = excluded.record_id, rev = excluded.rev, state = excluded.state, text = excluded.text,
      branch = excluded.branch, source = excluded.source, confidence = excluded.confidence, updated_at = excluded.updated_at
    where (excluded.rev, excluded.record_id) > (i.rev, i.record_id)
    returning i.id
  ) select array_agg(f.id) into changed from folded f;
  -- Whose it is and since when: its earliest record.
  update app.intents i set created_at = r.at, user_id = r.user_id, agent_id = (r.payload #>> '{agent,id}')::uuid
  from app.records r
  where r.team_id = team and r.id = any (ids) and r.kind = 'intent'
    and i.team_id = team and i.id = (r.payload ->> 'intent_id')::uuid and r.at < i.created_at;

  delete from app.intent_files x where x.team_id = team and x.intent_id = any (changed);
  delete from app.intent_features x where x.team_id = team and x.intent_id = any (changed);
  delete from app.intent_decisions x where x.team_id = team and x.intent_id = any (changed);
  insert into app.intent_files (team_id, intent_id, file_id)
  select team, i.id, f.id
  from app.intents i join app.records r on r.team_id = team and r.id = i.record_id
  cross join lateral app.paths_of('intent', r.payload) as p (path)
  join app.files f on f.repo_id = r.repo_id and f.path = p.path
  where i.team_id = team and i.id = any (changed);
  insert into app.intent_features (team_id, intent_id, feature_id)
  select team, i.id, f.id
  from app.intents i join app.records r on r.team_id = team and r.id = i.record_id
  cross join lateral app.features_of(r.payload) as p (name)
  join app.features f on f.team_id = team and f.repo_id is not distinct from r.repo_id and f.name = p.name
  where i.team_id = team and i.id = any (changed);
  insert into app.intent_decisions (team_id, intent_id, decision_id)
  select distinct team, i.id, d.value::uuid
  from app.intents i join app.records r on r.team_id = team and r.id = i.record_id
  cross join lateral jsonb_array_elements_text(r.payload -> 'decisions') d
  where i.team_id = team and i.id = any (changed);
end
$$;

-- An imported decision is as old as its file says.
create function app.decided_at(payload jsonb, at timestamptz) returns timestamptz
language sql stable
return least(decided_at.at, coalesce((decided_at.payload #>> '{source,date}')::timestamptz, decided_at.at));

create function app.fold_decisions(team uuid, ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
declare
  changed uuid[];
begin
  with given as (
    select distinct on (1) (r.payload ->> 'decision_id')::uuid as decision, (r.payload ->> 'rev')::bigint as rev, r.*
    from app.records r
    where r.team_id = team and r.id = any (ids) and r.kind = 'decision'
    order by 1, 2 desc, r.id desc
  ), folded as (
    insert into app.decisions as d (team_id, id, record_id, rev, repo_id, user_id, agent_id, type, title, body, context,
                                    alternatives, state, supersedes, intent_id, expires_at, source_file, source_number,
                                    created_at, updated_at, search)
    select team, g.decision, g.id, g.rev, g.repo_id, g.user_id, (g.payload #>> '{agent,id}')::uuid, g.payload ->> 'type',
           g.payload ->> 'title', g.payload ->> 'body', g.payload ->> 'context', g.payload ->> 'alternatives',
           g.payload ->> 'state', (g.payload ->> 'supersedes')::uuid, (g.payload ->> 'intent_id')::uuid,
           (g.payload ->> 'expires_at')::timestamptz, g.payload #>> '{source,file}', (g.payload #>> '{source,number}')::int,
           app.decided_at(g.payload, g.at), g.at, app.decision_document(g.payload)
    from given g order by g.decision
    on conflict (team_id, id) do update set
      record_id = excluded.record_id, rev = excluded.rev, type = excluded.type, title = excluded.title, body = excluded.body,
      context = excluded.context, alternatives = excluded.alternatives, state = excluded.state,
      supersedes = excluded.supersedes, intent_id = excluded.intent_id, expires_at = excluded.expires_at,
      source_file = excluded.source_file, source_number = excluded.source_number, updated_at = excluded.updated_at,
      search = excluded.search
    where (excluded.rev, excluded.record_id) > (d.rev, d.record_id)
    returning d.id
  ) select array_agg(f.id) into changed from folded f;
  update app.decisions d
  set created_at = app.decided_at(r.payload, r.at), user_id = r.user_id, agent_id = (r.payload #>> '{agent,id}')::uuid
  from app.records r
  where r.team_id = team and r.id = any (ids) and r.kind = 'decision'
    and d.team_id = team and d.id = (r.payload ->> 'decision_id')::uuid and app.decided_at(r.payload, r.at) < d.created_at;

  -- The rows are locked, so each gets one number. The counter is taken in the order of the repositories.
  with new as (
    select d.id, d.repo_id, row_number() over (
             partition by d.repo_id order by d.created_at, d.source_number, d.source_file, d.id)::int as place
    from app.decisions d
    where d.team_id = team and d.id = any (changed) and d.number is null and d.repo_id is not null
  ), taken as (
    insert into app.decision_counters as c (team_id, repo_id, last)
    select team, n.repo_id, max(n.place) from new n group by n.repo_id order by n.repo_id
    on conflict (repo_id) do update set last = c.last + excluded.last
    returning c.repo_id, c.last
  )
  update app.decisions d set number = t.last - (select max(m.place) from new m where m.repo_id = n.repo_id) + n.place
  from new n join taken t on t.repo_id = n.repo_id
  where d.team_id = team and d.id = n.id;

  delete from app.decision_files x where x.team_id = team and x.decision_id = any (changed);
  delete from app.decision_features x where x.team_id = team and x.decision_id = any (changed);
  insert into app.decision_files (team_id, decision_id, file_id)
  select team, d.id, f.id
  from app.decisions d join app.records r on r.team_id = team and r.id = d.record_id
  cross join lateral app.paths_of('decision', r.payload) as p (path)
  join app.files f on f.repo_id = r.repo_id and f.path = p.path
  where d.team_id = team and d.id = any (changed);
  insert into app.decision_features (team_id, decision_id, feature_id)
  select team, d.id, f.id
  from app.decisions d join app.records r on r.team_id = team and r.id = d.record_id
  cross join lateral app.features_of(r.payload) as p (name)
  join app.features f on f.team_id = team and f.repo_id is not distinct from r.repo_id and f.name = p.name
  where d.team_id = team and d.id = any (changed);
end
$$;

create function app.store_edits(team uuid, ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
begin
  insert into app.edits (team_id, id, repo_id, file_id, user_id, agent_id, at, tool, via, lines, branch, commit, hash_after,
                         intent_id, run_id, prompt)
  select team, r.id, r.repo_id, f.id, r.user_id, (r.payload #>> '{agent,id}')::uuid, r.at, r.payload ->> 'tool',
         r.payload ->> 'via', l.lines, r.payload ->> 'branch', r.payload ->> 'commit', r.payload ->> 'hash_after',
         (r.payload ->> 'intent_id')::uuid, (r.payload ->> 'run_id')::uuid, r.payload ->> 'prompt'
  from app.records r
  -- A left join: an edit outside a repository has no file, and is refused.
  left join app.files f on f.repo_id = r.repo_id and f.path = r.payload ->> 'file'
  cross join lateral (
    select coalesce(range_agg(int4range(least(a.low, a.high), greatest(a.low, a.high), '[]')), '{}') as lines
    from (select (e.value ->> 0)::int as low, (e.value ->> 1)::int as high
          from jsonb_array_elements(r.payload -> 'lines') e limit 50) a) l
  where r.team_id = team and r.id = any (ids) and r.kind = 'agent_edit';
end
$$;

create function app.store_notes(team uuid, ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
begin
  insert into app.decision_events (team_id, id, decision_id, user_id, agent_id, event, text, at)
  select team, r.id, (r.payload ->> 'decision_id')::uuid, r.user_id, (r.payload #>> '{agent,id}')::uuid,
         r.payload ->> 'event', r.payload ->> 'text', r.at
  from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'decision_event';

  insert into app.handoffs (team_id, id, repo_id, user_id, agent_id, intent_id, text, branch, for_person, source, at)
  select team, r.id, r.repo_id, r.user_id, (r.payload #>> '{agent,id}')::uuid, (r.payload ->> 'intent_id')::uuid,
         r.payload ->> 'text', r.payload ->> 'branch', r.payload ->> 'to', r.payload ->> 'source', r.at
  from app.records r where r.team_id = team and r.id = any (ids) and r.kind = 'handoff';
  insert into app.handoff_files (team_id, handoff_id, file_id)
  select team, r.id, f.id
  from app.records r cross join lateral app.paths_of('handoff', r.payload) as p (path)
  join app.files f on f.repo_id = r.repo_id and f.path = p.path
  where r.team_id = team and r.id = any (ids) and r.kind = 'handoff';

  insert into app.file_features (team_id, record_id, file_id, feature_id)
  select team, r.id, f.id, t.id
  from app.records r cross join lateral app.paths_of('feature_tag', r.payload) as p (path)
  join app.files f on f.repo_id = r.repo_id and f.path = p.path
  join app.features t on t.team_id = team and t.repo_id is not distinct from r.repo_id and t.name = r.payload ->> 'feature'
  where r.team_id = team and r.id = any (ids) and r.kind = 'feature_tag';
  insert into app.decision_features (team_id, decision_id, feature_id)
  select distinct team, d.id, t.id
  from app.records r cross join lateral jsonb_array_elements_text(r.payload -> 'decisions') w
  join app.decisions d on d.team_id = team and d.id = w.value::uuid
  join app.features t on t.team_id = team and t.repo_id is not distinct from r.repo_id and t.name = r.payload ->> 'feature'
  where r.team_id = team and r.id = any (ids) and r.kind = 'feature_tag'
  on conflict do nothing;

  insert into app.read_files (team_id, record_id, user_id, agent_id, file_id, hash, at)
  select distinct on (r.id, f.id) team, r.id, r.user_id, (r.payload #>> '{agent,id}')::uuid, f.id, w.value ->> 'hash', r.at
  from app.records r cross join lateral jsonb_array_elements(r.payload -> 'files') w
  join app.files f on f.repo_id = r.repo_id and f.path = w.value ->> 'path'
  where r.team_id = team and r.id = any (ids) and r.kind = 'agent_read';
  insert into app.read_decisions (team_id, record_id, user_id, agent_id, decision_id, rev, at)
  select distinct on (r.id, w.value ->> 'id') team, r.id, r.user_id, (r.payload #>> '{agent,id}')::uuid,
         (w.value ->> 'id')::uuid, (w.value ->> 'rev')::bigint, r.at
  from app.records r cross join lateral jsonb_array_elements(r.payload -> 'decisions') w
  where r.team_id = team and r.id = any (ids) and r.kind = 'agent_read';
end
$$;

-- Part of the insert into app.records: a record that does not fit here is refused there.
create function app.project_brain() returns trigger
language plpgsql set search_path = ''
as $$
declare
  part record;
begin
  for part in
    select a.team_id as team, array_agg(a.id) as ids, array_agg(distinct a.kind) as kinds from arrived a
    where a.erased_at is null and a.kind in ('agent_edit', 'agent_read', 'intent', 'decision', 'decision_event', 'handoff', 'feature_tag')
    group by a.team_id
  loop
    perform app.ensure_named(part.team, part.ids);
    if 'intent' = any (part.kinds) then
      perform app.fold_intents(part.team, part.ids);
    end if;
    if 'decision' = any (part.kinds) then
      perform app.fold_decisions(part.team, part.ids);
    end if;
    if 'agent_edit' = any (part.kinds) then
      perform app.store_edits(part.team, part.ids);
    end if;
    if part.kinds && array['decision_event', 'handoff', 'feature_tag', 'agent_read'] then
      perform app.store_notes(part.team, part.ids);
    end if;
  end loop;
  return null;
end
$$;
create trigger brain_arrived after insert on app.records referencing new table as arrived
  for each statement execute function app.project_brain();

-- Files, features and branches that nothing names any more: their names were the content of what was erased.
create function app.drop_unnamed(team uuid, repo uuid, paths text[], names text[], branch text) returns void
language plpgsql set search_path = ''
as $$
begin
  delete from app.files f where f.repo_id = repo and f.path = any (paths)
    and not exists (select from app.edits x where x.file_id = f.id)
    and not exists (select from app.intent_files x where x.file_id = f.id)
    and not exists (select from app.decision_files x where x.file_id = f.id)
    and not exists (select from app.handoff_files x where x.file_id = f.id)
    and not exists (select from app.read_files x where x.file_id = f.id)
    and not exists (select from app.file_features x where x.file_id = f.id);
  delete from app.features f where f.team_id = team and f.repo_id is not distinct from repo and f.name = any (names)
    and not exists (select from app.intent_features x where x.feature_id = f.id)
    and not exists (select from app.decision_features x where x.feature_id = f.id)
    and not exists (select from app.file_features x where x.feature_id = f.id);
  delete from app.branches b where b.repo_id = repo and b.name = drop_unnamed.branch
    and not exists (select from app.edits x where x.team_id = team and x.repo_id = repo and x.branch = b.name)
    and not exists (select from app.intents x where x.team_id = team and x.repo_id = repo and x.branch = b.name)
    and not exists (select from app.handoffs x where x.team_id = team and x.repo_id = repo and x.branch = b.name);
end
$$;

-- What an erased record said leaves these tables too. An intent or a decision falls back to what its other records say.
create function app.forget_brain() returns trigger
language plpgsql set search_path = ''
as $$
declare
  rest uuid[];
begin
  delete from app.edits t where t.team_id = old.team_id and t.id = old.id;
  delete from app.handoffs t where t.team_id = old.team_id and t.id = old.id;
  delete from app.decision_events t where t.team_id = old.team_id and t.id = old.id;
  delete from app.file_features t where t.team_id = old.team_id and t.record_id = old.id;
  delete from app.read_files t where t.team_id = old.team_id and t.record_id = old.id;
  delete from app.read_decisions t where t.team_id = old.team_id and t.record_id = old.id;
  if old.kind = 'intent' then
    delete from app.intents t where t.team_id = old.team_id and t.id = (old.payload ->> 'intent_id')::uuid;
    select array_agg(r.id) into rest from app.records r
    where r.team_id = old.team_id and r.kind = 'intent' and r.payload ->> 'intent_id' = old.payload ->> 'intent_id';
    perform app.fold_intents(old.team_id, rest);
  end if;
  if old.kind = 'decision' then
    select array_agg(r.id) into rest from app.records r
    where r.team_id = old.team_id and r.kind = 'decision' and r.payload ->> 'decision_id' = old.payload ->> 'decision_id';
    if rest is null then
      delete from app.decisions t where t.team_id = old.team_id and t.id = (old.payload ->> 'decision_id')::uuid;
    else
      -- It keeps its number.
      update app.decisions t set rev = 1, record_id = '00000000-0000-0000-0000-000000000000'
      where t.team_id = old.team_id and t.id = (old.payload ->> 'decision_id')::uuid;
      perform app.fold_decisions(old.team_id, rest);
    end if;
  end if;
  perform app.drop_unnamed(old.team_id, old.repo_id, array(select app.paths_of(old.kind, old.payload)),
    array(select app.features_of(old.payload)), old.payload ->> 'branch');
  return null;
end
$$;
create trigger brain_erased after delete on app.records for each row
  when (old.erased_at is null
        and old.kind in ('agent_edit', 'agent_read', 'intent', 'decision', 'decision_event', 'handoff', 'feature_tag'))
  execute function app.forget_brain();

-- Somebody who leaves is not at work any more; somebody who was erased leaves no session and no machine's name behind.
create function app.end_agents() returns trigger
language plpgsql set search_path = ''
as $$
begin
  delete from app.presence p where p.team_id = old.team_id and p.user_id = old.user_id;
  delete from app.agents a where a.team_id = old.team_id and a.user_id = old.user_id and not exists (
    select from app.records r where r.team_id = old.team_id and r.user_id = old.user_id and r.erased_at is null);
  return null;
end
$$;
create trigger brain_left after delete on app.team_members for each row execute function app.end_agents();

-- Rows as the data plane gives them out -----------------------------------------------------------------------------

create function app.files_of_decision(d app.decisions) returns jsonb
language sql stable
return coalesce((
  select jsonb_agg(f.path order by f.path) from app.decision_files x join app.files f on f.id = x.file_id
  where x.team_id = d.team_id and x.decision_id = d.id), '[]');

-- Without its texts, of which the beginning is the excerpt.
create function app.decision_json(d app.decisions) returns jsonb
language sql stable
return jsonb_build_object(
  'id', d.id, 'rev', d.rev, 'number', d.number,
  'repo', (select r.canonical from app.repos r where r.id = d.repo_id),
  'type', d.type, 'title', d.title, 'state', app.decision_state(d), 'excerpt', left(d.body, 300),
  'user_id', d.user_id, 'user_name', (select u.name from app.users u where u.id = d.user_id), 'agent_id', d.agent_id,
  'files', app.files_of_decision(d),
  'features', coalesce((
    select jsonb_agg(f.name order by f.name) from app.decision_features x join app.features f on f.id = x.feature_id
    where x.team_id = d.team_id and x.decision_id = d.id), '[]'),
  'supersedes', d.supersedes,
  'superseded_by', (select s.id from app.decisions s
                    where s.team_id = d.team_id and s.supersedes = d.id and s.state = 'accepted'
                    order by s.created_at desc, s.id limit 1),
  'intent_id', d.intent_id, 'expires_at', d.expires_at, 'source_file', d.source_file, 'source_number', d.source_number,
  'created_at', d.created_at, 'updated_at', d.updated_at);

create function app.intent_json(i app.intents) returns jsonb
language sql stable
return jsonb_build_object(
  'id', i.id, 'rev', i.rev, 'repo', (select r.canonical from app.repos r where r.id = i.repo_id),
  'user_id', i.user_id, 'user_name', (select u.name from app.users u where u.id = i.user_id), 'agent_id', i.agent_id,
  'host', (select a.host from app.agents a where a.team_id = i.team_id and a.user_id = i.user_id and a.id = i.agent_id),
  'handle', (select a.handle from app.agents a where a.team_id = i.team_id and a.user_id = i.user_id and a.id = i.agent_id),
  'state', i.state, 'text', i.text, 'branch', i.branch, 'source', i.source, 'confidence', i.confidence,
  'files', coalesce((
    select jsonb_agg(f.path order by f.path) from app.intent_files x join app.files f on f.id = x.file_id
    where x.team_id = i.team_id and x.intent_id = i.id), '[]'),
  'features', coalesce((
    select jsonb_agg(f.name order by f.name) from app.intent_features x join app.features f on f.id = x.feature_id
    where x.team_id = i.team_id and x.intent_id = i.id), '[]'),
  'decisions', coalesce((
    select jsonb_agg(x.decision_id order by x.decision_id) from app.intent_decisions x
    where x.team_id = i.team_id and x.intent_id = i.id), '[]'),
  'created_at', i.created_at, 'updated_at', i.updated_at);

create function app.handoff_json(h app.handoffs) returns jsonb
language sql stable
return jsonb_build_object(
  'id', h.id, 'repo', (select r.canonical from app.repos r where r.id = h.repo_id),
  'user_id', h.user_id, 'user_name', (select u.name from app.users u where u.id = h.user_id), 'agent_id', h.agent_id,
  'intent_id', h.intent_id, 'text', h.text, 'branch', h.branch, 'to', h.for_person, 'source', h.source,
  'files', coalesce((
    select jsonb_agg(f.path order by f.path) from app.handoff_files x join app.files f on f.id = x.file_id
    where x.team_id = h.team_id and x.handoff_id = h.id), '[]'),
  'at', h.at);

create function app.edit_json(e app.edits) returns jsonb
language sql stable
return jsonb_build_object(
  'id', e.id, 'file', (select f.path from app.files f where f.id = e.file_id), 'at', e.at,
  'user_id', e.user_id, 'user_name', (select u.name from app.users u where u.id = e.user_id), 'agent_id', e.agent_id,
  'host', (select a.host from app.agents a where a.team_id = e.team_id and a.user_id = e.user_id and a.id = e.agent_id),
  'tool', e.tool, 'via', e.via, 'branch', e.branch, 'commit', e.commit, 'intent_id', e.intent_id, 'run_id', e.run_id,
  'prompt', e.prompt,
  'lines', coalesce((select jsonb_agg(jsonb_build_array(lower(l), upper(l) - 1) order by lower(l)) from unnest(e.lines) l), '[]'));

-- Rows of one repository, and those of none; without a name, of all.
create function app.is_of_repo(team uuid, row_repo uuid, wanted text) returns boolean
language sql stable
return wanted is null or row_repo is null
  or row_repo = (select r.id from app.repos r where r.team_id = team and r.canonical = wanted);

create function app.row_limit(wanted int, usual int) returns int
language sql immutable
return least(greatest(coalesce(wanted, usual), 1), 500);

-- The data plane ----------------------------------------------------------------------------------------------------
-- Security definer throughout: `@@` and the trigram operators are not leakproof, so under row-level security their indexes
-- would not be used. Each function asks for membership first and names the team in every statement.

-- "I am here." Says how many others are. The log hears of it only when somebody comes, goes or turns to something else.
create function api.heartbeat(
  team_id uuid, agent jsonb, repo text default null, intent_text text default null, branch text default null,
  files text[] default '{}', state text default 'working', ttl_seconds int default 300
) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  me uuid := auth.uid();
  mine uuid := (heartbeat.agent ->> 'id')::uuid;
  repo_of uuid;
  before app.presence;
  gone uuid[];
  is_leaving boolean := heartbeat.state = 'left';
begin
  perform app.require_member(heartbeat.team_id, 'write');
  if mine is null then
    raise invalid_parameter_value using message = 'agent has no id';
  end if;
  if not is_leaving then
    if heartbeat.repo is not null then
      perform app.ensure_repos(heartbeat.team_id, array[heartbeat.repo]);
      select r.id into repo_of from app.repos r where r.team_id = heartbeat.team_id and r.canonical = heartbeat.repo;
    end if;
    insert into app.agents as a (team_id, user_id, id, host, session, machine, handle, model, first_seen_at, last_seen_at)
    values (heartbeat.team_id, me, mine, agent ->> 'host', agent ->> 'session', agent ->> 'machine', agent ->> 'handle',
            agent ->> 'model', now(), now())
    on conflict on constraint agents_pkey do update set
      handle = coalesce(excluded.handle, a.handle), model = coalesce(excluded.model, a.model), last_seen_at = now();
  end if;
  select p.* into before from app.presence p
  where p.team_id = heartbeat.team_id and p.user_id = me and p.agent_id = mine for update;
  with old as (
    delete from app.presence p
    where p.team_id = heartbeat.team_id
      and (p.expires_at <= now() and (p.user_id, p.agent_id) <> (me, mine) or is_leaving and (p.user_id, p.agent_id) = (me, mine))
    returning p.agent_id
  ) select array_agg(o.agent_id order by o.agent_id) into gone from old o;
  if not is_leaving then
    insert into app.presence as p (team_id, user_id, agent_id, repo_id, intent_text, branch, files, state, since, at, expires_at)
    values (heartbeat.team_id, me, mine, repo_of, left(heartbeat.intent_text, 500), left(heartbeat.branch, 500),
            (select coalesce(array_agg(left(f.path, 1000)), '{}') from unnest(heartbeat.files[:20]) as f (path)),
            coalesce(heartbeat.state, 'working'), now(), now(),
            now() + make_interval(secs => least(greatest(coalesce(ttl_seconds, 300), 30), 3600)))
    on conflict on constraint presence_pkey do update set
      repo_id = excluded.repo_id, intent_text = excluded.intent_text, branch = excluded.branch, files = excluded.files,
      state = excluded.state, at = excluded.at, expires_at = excluded.expires_at,
      since = case when p.expires_at > now() then p.since else excluded.since end;
  end if;
  if gone is not null then
    perform app.append_changes(heartbeat.team_id, 'presence', gone, 'delete');
  end if;
  if not is_leaving and (before.agent_id is null or before.expires_at <= now()
     or (before.intent_text, before.branch, before.state, before.repo_id)
        is distinct from (left(heartbeat.intent_text, 500), left(heartbeat.branch, 500), coalesce(heartbeat.state, 'working'), repo_of)) then
    perform app.append_changes(heartbeat.team_id, 'presence', array[mine]);
  end if;
  return (select count(*) from app.presence p
          where p.team_id = heartbeat.team_id and p.expires_at > now() and (p.user_id, p.agent_id) <> (me, mine));
end
$$;

create function api.live_presence(team_id uuid, repo text default null) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(live_presence.team_id);
  return query
    select to_jsonb(p) - 'team_id' - 'repo_id' from app.live_presence p
    where p.team_id = live_presence.team_id and app.is_of_repo(p.team_id, p.repo_id, live_presence.repo)
    order by p.at desc, p.agent_id limit 500;
end
$$;

create function api.active_intents(team_id uuid, repo text default null, max_rows int default 100) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(active_intents.team_id);
  return query
    select app.intent_json(i) from app.intents i
    where i.team_id = active_intents.team_id and i.state = 'active'
      and app.is_of_repo(i.team_id, i.repo_id, active_intents.repo)
    order by i.updated_at desc, i.id limit app.row_limit(max_rows, 100);
end
$$;

create function api.list_intents(
  team_id uuid, repo text default null, states text[] default null, max_rows int default 100
) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(list_intents.team_id);
  return query
    select app.intent_json(i) from app.intents i
    where i.team_id = list_intents.team_id and (list_intents.states is null or i.state = any (list_intents.states))
      and app.is_of_repo(i.team_id, i.repo_id, list_intents.repo)
    order by i.updated_at desc, i.id limit app.row_limit(max_rows, 100);
end
$$;

create function api.list_handoffs(team_id uuid, repo text default null, max_rows int default 50) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(list_handoffs.team_id);
  return query
    select app.handoff_json(h) from app.handoffs h
    where h.team_id = list_handoffs.team_id and app.is_of_repo(h.team_id, h.repo_id, list_handoffs.repo)
    order by h.at desc, h.id limit app.row_limit(max_rows, 50);
end
$$;

create function api.list_features(team_id uuid, repo text default null) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(list_features.team_id);
  return query
    select jsonb_build_object(
      'name', f.name, 'repo', (select r.canonical from app.repos r where r.id = f.repo_id),
      'files', (select count(distinct x.file_id) from app.file_features x where x.feature_id = f.id),
      'decisions', (select count(*) from app.decision_features x where x.feature_id = f.id),
      'intents', (select count(*) from app.intent_features x join app.intents i on i.team_id = x.team_id and i.id = x.intent_id
                  where x.feature_id = f.id and i.state = 'active'))
    from app.features f
    where f.team_id = list_features.team_id and app.is_of_repo(f.team_id, f.repo_id, list_features.repo)
    order by f.name, f.id limit 500;
end
$$;

-- Newest first; by default what holds.
create function api.list_decisions(
  team_id uuid, repo text default null, states text[] default '{proposed,accepted}', types text[] default null,
  feature text default null, file text default null, before timestamptz default null, max_rows int default 50
) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(list_decisions.team_id);
  return query
    select app.decision_json(d) from app.decisions d
    where d.team_id = list_decisions.team_id and app.is_of_repo(d.team_id, d.repo_id, list_decisions.repo)
      and (list_decisions.states is null or app.decision_state(d) = any (list_decisions.states))
      and (list_decisions.types is null or d.type = any (list_decisions.types))
      and (list_decisions.before is null or d.created_at < list_decisions.before)
      and (list_decisions.feature is null or exists (
        select from app.decision_features x join app.features f on f.id = x.feature_id
        where x.team_id = d.team_id and x.decision_id = d.id and f.name = list_decisions.feature))
      and (list_decisions.file is null or exists (
        select from app.decision_files x join app.files f on f.id = x.file_id
        where x.team_id = d.team_id and x.decision_id = d.id and f.path = list_decisions.file))
    order by d.created_at desc, d.id limit app.row_limit(max_rows, 50);
end
$$;

-- One decision with its texts and its timeline, by its id or by its number in a repository.
create function api.show_decision(team_id uuid, id uuid default null, repo text default null, number int default null)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_one app.decisions;
begin
  perform app.require_member(show_decision.team_id);
  select d.* into found_one from app.decisions d
  where d.team_id = show_decision.team_id and (
    d.id = show_decision.id
    or show_decision.id is null and d.number = show_decision.number
       and d.repo_id = (select r.id from app.repos r where r.team_id = show_decision.team_id and r.canonical = show_decision.repo));
  if found_one.id is null then
    raise sqlstate 'PT404' using message = 'there is no such decision', hint = 'Find it: devflow brain decide search <words>';
  end if;
  return app.decision_json(found_one) || jsonb_build_object(
    'body', found_one.body, 'context', found_one.context, 'alternatives', found_one.alternatives,
    'timeline', coalesce((
      select jsonb_agg(jsonb_build_object('event', e.event, 'text', e.text, 'user_name', e.name, 'at', e.at) order by e.at, e.event)
      from (
        select v.event, v.text, u.name, v.at from app.decision_events v join app.users u on u.id = v.user_id
        where v.team_id = found_one.team_id and v.decision_id = found_one.id
        union all
        -- A change of the text is an event, too.
        select case when v.payload ->> 'rev' = '1' then 'written' else 'changed' end, v.payload ->> 'title', u.name, v.at
        from app.records v join app.users u on u.id = v.user_id
        where v.team_id = found_one.team_id and v.kind = 'decision' and v.payload ->> 'decision_id' = found_one.id::text
        union all
        select 'superseded', 'by ' || coalesce('#' || s.number || ' ', '') || s.title, u.name, s.created_at
        from app.decisions s join app.users u on u.id = s.user_id
        where s.team_id = found_one.team_id and s.supersedes = found_one.id and s.state = 'accepted') e), '[]'),
    'intents', coalesce((
      select jsonb_agg(app.intent_json(i) order by i.updated_at desc) from (
        select i.* from app.intents i
        where i.team_id = found_one.team_id and (i.id = found_one.intent_id or exists (
          select from app.intent_decisions x where x.team_id = i.team_id and x.intent_id = i.id and x.decision_id = found_one.id))
        order by i.updated_at desc limit 20) i), '[]'));
end
$$;

-- How often each word occurs among all decisions, from the planner's statistics: common words find much and mean little.
create function app.word_frequencies() returns table (word text, frequency real)
language sql stable set search_path = ''
begin atomic
  select e.word, e.frequency
  from pg_catalog.pg_stats s
  cross join lateral unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as e (word, frequency)
  where s.schemaname = 'app' and s.tablename = 'decisions' and s.attname = 'search' and e.word is not null;
end;

create function app.has_many(team uuid, wanted tsquery) returns boolean
language sql stable set search_path = ''
return (select count(*) >= 20 from (
  select from app.decisions d where d.team_id = has_many.team and d.search @@ has_many.wanted limit 20) d);

create function app.near_spellings(word text) returns setof text
language sql immutable
begin atomic
  select left(word, n - 1) || substr(word, n + 1, 1) || substr(word, n, 1) || substr(word, n + 2)
  from generate_series(1, least(char_length(word), 30) - 1) n
  union
  select left(word, n - 1) || substr(word, n + 1) from generate_series(1, least(char_length(word), 30)) n
  where char_length(word) > 3;
end;

-- Decisions for a question in plain words, best first, each with the reasons why it was found.
--
-- Words count by how rare they are, and by where they stand: title, feature, text, path. Candidates are those with all
-- words, with all but one, and only if these are few those with a rare word or two common ones: a question full of common words
-- stays cheap. A word that no decision
-- has is taken for a misspelling: spellings close to it are tried, and then it is compared with titles. Files and features in
-- scope count extra. A decision that is no longer current is left out, and the one that replaced it is found in its place.
create function api.search_decisions(
  team_id uuid, query text, repo text default null, files text[] default null, features text[] default null,
  states text[] default '{proposed,accepted}', types text[] default null, max_rows int default 10
) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  team uuid := search_decisions.team_id;
  repo_of uuid;
  words text[];
  weights float8[];
  rare text;
  common text[];
  wanted tsquery;
  unknown text[] := '{}';
  meant text[] := '{}';
  known text[] := '{}';
  queries tsquery[];
  has_trigrams boolean := to_regprocedure('word_similarity(text,text)') is not null;
begin
  perform app.require_member(team);
  select r.id into repo_of from app.repos r where r.team_id = team and r.canonical = search_decisions.repo;

  select coalesce(array_agg(t.word), '{}'), coalesce(array_agg(ln(1.0 / greatest(coalesce(t.frequency, 0.0002), 0.0002))), '{}'),
         string_agg(quote_literal(t.word), ' | ') filter (where coalesce(t.frequency, 0) <= 0.02),
         coalesce(array_agg(t.word order by t.frequency) filter (where t.frequency > 0.02), '{}')
  into words, weights, rare, common
  from (
    select l.lexeme as word, f.frequency
    from unnest(to_tsvector('pg_catalog.english', app.split_words(left(search_decisions.query, 1000)))) l
    left join app.word_frequencies() f on f.word = l.lexeme
    order by f.frequency nulls first, l.lexeme limit 16) t;

  if cardinality(words) > 0 then
    select coalesce(array_agg(w), '{}') into unknown from unnest(words) w
    where char_length(w) > 2 and not exists (
      select from app.decisions d where d.team_id = team and d.search @@ quote_literal(w)::tsquery);
    -- A word that is known once two letters are exchanged or one is left out.
    select coalesce(array_agg(distinct s.word), '{}') into meant
    from unnest(unknown) u cross join lateral app.near_spellings(u) as s (word)
    where exists (select from app.decisions d where d.team_id = team and d.search @@ quote_literal(s.word)::tsquery);
    select coalesce(array_agg(quote_literal(w)), '{}') into known from unnest(words) w where w <> all (unknown);
    if cardinality(meant) > 0 then
      known := known || ('(' || (select string_agg(quote_literal(w), ' | ') from unnest(meant) w) || ')');
      words := words || meant;
      weights := weights || array_fill(6.0::float8, array[cardinality(meant)]);
      unknown := '{}';
    end if;
    -- From all words to some of them, until there is enough to choose from: ranking is what costs.
    wanted := case when cardinality(known) = 1 and rare is null then (known[1] || ':A')::tsquery
                   else nullif(array_to_string(known, ' & '), '')::tsquery end;
    if cardinality(known) between 3 and 10 and not app.has_many(team, wanted) then
      wanted := wanted || (
        select string_agg('(' || (select string_agg(k.w, ' & ') from unnest(known) with ordinality k (w, place) where k.place <> n) || ')', ' | ')::tsquery
        from generate_series(1, cardinality(known)) n);
    end if;
    if not app.has_many(team, wanted) then
      wanted := coalesce(wanted, ''::tsquery) || coalesce(rare::tsquery, ''::tsquery) || coalesce((
        select string_agg('(' || quote_literal(a.w) || ' & ' || quote_literal(b.w) || ')', ' | ')::tsquery
        from unnest(common[:4]) with ordinality a (w, place) join unnest(common[:4]) with ordinality b (w, place) on a.place < b.place), ''::tsquery);
    end if;
  end if;

  -- Parsed once, and not for every candidate.
  select coalesce(array_agg(quote_literal(w.word)::tsquery order by w.place), '{}') into queries
  from unnest(words) with ordinality w (word, place);

  return query
  with by_text as materialized (
    select d.id from app.decisions d
    where d.team_id = team and d.search @@ wanted limit 2000
  ), by_title as materialized (
    select d.id, max(s.alike) as alike, array_agg(u.w) as like_words
    from unnest(case when has_trigrams then unknown else '{}' end) as u (w)
    cross join lateral app.titles_like(team, u.w) s
    join app.decisions d on d.team_id = team and d.id = s.id
    group by d.id
  ), by_scope as materialized (
    select x.decision_id as id, max(case when f.path = any (search_decisions.files) then 6.0 else 2.0 end) as points
    from app.files f join app.decision_files x on x.file_id = f.id and x.team_id = team
    where f.team_id = team and (f.repo_id = repo_of or repo_of is null) and (
      f.path = any (search_decisions.files)
      or exists (select from unnest(search_decisions.files) g
                 where position('/' in g) > 0 and f.path ^@ regexp_replace(g, '[^/]+$', '')))
    group by x.decision_id
    limit 3000
  ), by_feature as materialized (
    select distinct x.decision_id as id from app.features f join app.decision_features x on x.feature_id = f.id
    where f.team_id = team and f.name = any (search_decisions.features) limit 3000
  ), found as (
    select b.id from by_text b union select b.id from by_title b union select b.id from by_scope b union select b.id from by_feature b
  ), scored as (
    select d.id, d.created_at,
      coalesce((select sum(w.weight * ts_rank('{0.15, 0.35, 0.7, 1.0}', d.search, w.query))
                from unnest(queries, weights) as w (query, weight)), 0)
      + coalesce(t.alike * 4.0, 0) + coalesce(s.points, 0) + case when f.id is not null then 3.0 else 0 end as score
    from found
    join app.decisions d on d.team_id = team and d.id = found.id
    left join by_title t on t.id = d.id
    left join by_scope s on s.id = d.id
    left join by_feature f on f.id = d.id
    where (search_decisions.repo is null or d.repo_id is null or d.repo_id = repo_of)
      and (search_decisions.types is null or d.type = any (search_decisions.types))
    order by 3 desc, d.created_at desc limit 200
  ), standing as (
    select s.*, d, app.decision_state(d) as state from scored s join app.decisions d on d.team_id = team and d.id = s.id
  ), replaced as (
    -- What replaced a decision that was found, step by step; at most twenty, for those that replace each other.
    with recursive chain (origin, id, score, depth) as (
      select s.id, s.id, s.score, 0 from standing s where s.state = 'superseded'
      union all
      select c.origin, n.id, c.score, c.depth + 1
      from chain c join app.decisions n on n.team_id = team and n.supersedes = c.id and n.state = 'accepted'
      where c.depth < 20
    ) select distinct on (c.id) c.id, c.score * 0.9 as score, c.origin from chain c where c.depth > 0 order by c.id, c.score desc
  ), ranked as (
    select d, max(m.score) as score, (array_agg(m.origin) filter (where m.origin is not null))[1] as origin
    from (select s.id, s.score, null::uuid as origin from standing s
          union all select r.id, r.score, r.origin from replaced r) m
    join app.decisions d on d.team_id = team and d.id = m.id
    where search_decisions.states is null or app.decision_state(d) = any (search_decisions.states)
    group by d.team_id, d.id, d
    order by 2 desc, (d).created_at desc limit app.row_limit(search_decisions.max_rows, 10)
  )
  select app.decision_json(r.d) || jsonb_build_object('score', round(r.score::numeric, 3), 'reasons', to_jsonb(array_remove(array[
    (select 'in the title: ' || string_agg(w, ', ') from unnest(words) w where (r.d).search @@ (quote_literal(w) || ':A')::tsquery),
    (select 'in its features: ' || string_agg(w, ', ') from unnest(words) w where (r.d).search @@ (quote_literal(w) || ':B')::tsquery),
    (select 'in the text: ' || string_agg(w, ', ') from unnest(words) w where (r.d).search @@ (quote_literal(w) || ':C')::tsquery),
    (select 'in a path: ' || string_agg(w, ', ') from unnest(words) w where (r.d).search @@ (quote_literal(w) || ':D')::tsquery),
    (select 'the title resembles: ' || array_to_string(t.like_words, ', ') from by_title t where t.id = (r.d).id),
    (select case when s.points > 2 then 'is about a file in question' else 'is about the same folder' end from by_scope s where s.id = (r.d).id),
    (select 'is about a feature in question' from by_feature f where f.id = (r.d).id),
    (select 'replaces ' || coalesce('#' || o.number || ' ', '') || o.title from app.decisions o where o.team_id = team and o.id = r.origin)
  ], null)))
  from ranked r order by r.score desc, (r.d).created_at desc;
end
$$;

-- Its own function, so that the operator that uses the index is only parsed where the extension is.
create function app.titles_like(team uuid, word text) returns table (id uuid, alike real)
language plpgsql stable set search_path = ''
as $$
begin
  return query
    select d.id, word_similarity(titles_like.word, d.title) from app.decisions d
    where d.team_id = team and titles_like.word <% d.title
    order by 2 desc limit 500;
end
$$;

do $$
declare
  place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
begin
  if place is not null then
    execute format('alter function app.titles_like(uuid, text) set search_path = pg_catalog, %s', place);
    execute format('alter function api.search_decisions(uuid, text, text, text[], text[], text[], text[], int) set search_path = pg_catalog, %s', place);
  end if;
end
$$;
-- Half of a word's trigrams: one pair of letters exchanged leaves that much.
alter function app.titles_like(uuid, text) set "pg_trgm.word_similarity_threshold" = '0.45';

-- From a line to what is known about it: the edit, the agent and its prompt, the intent, the run with its gates, decisions,
-- findings, evals, the ship. The caller knows git: the commit that last touched the line, its parents, when it was committed,
-- the line's number there, and the file's earlier names. Each part says in `how` why it belongs here.
create function api.why(
  team_id uuid, repo text, file text, line int default null, commit text default null, parents text[] default null,
  committed_at timestamptz default null, earlier_names text[] default null
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  team uuid := why.team_id;
  repo_of uuid;
  file_ids uuid[];
  edit_ids uuid[];
  best app.edits;
  intent_ids uuid[];
  run_ids uuid[];
  answer jsonb;
begin
  perform app.require_member(team);
  select r.id into repo_of from app.repos r where r.team_id = team and r.canonical = why.repo;
  select array_agg(f.id) into file_ids from app.files f
  where f.repo_id = repo_of and f.path = any (why.file || why.earlier_names);

  with near as (
    -- The newest before the commit; the edit of a line is rarely far from it.
    select e.* from unnest(file_ids) i cross join lateral (
      select e.* from app.edits e
      where e.file_id = i and (why.committed_at is null or e.at <= why.committed_at + interval '1 minute')
      order by e.at desc limit 200) e
  ), judged as (
    select e.id, e.at, coalesce(e.lines @> why.line, false) as covers, coalesce(e.commit = any (why.parents), false) as on_parent
    from near e
  ), chosen as (
    select j.* from judged j
    where j.covers or j.on_parent or why.line is null
       or not exists (select from judged k where k.covers or k.on_parent)
    order by j.covers::int + 2 * j.on_parent::int desc, j.at desc limit 5
  )
  select array_agg(c.id order by c.covers::int + 2 * c.on_parent::int desc, c.at desc), jsonb_build_object('edits', coalesce(jsonb_agg(
    app.edit_json(e) || jsonb_build_object(
      'how', concat_ws(', ', case when c.covers then 'it covers the line' end,
                       case when c.on_parent then 'it was made on the parent of the commit' end,
                       case when not c.covers and not c.on_parent then 'the last edits of the file before the commit' end),
      'confidence', case when c.covers and c.on_parent then 0.95 when c.on_parent then 0.7 when c.covers then 0.5 else 0.2 end)
    order by c.covers::int + 2 * c.on_parent::int desc, c.at desc), '[]'))
  into edit_ids, answer
  from chosen c join app.edits e on e.team_id = team and e.id = c.id;

  select e.* into best from app.edits e where e.team_id = team and e.id = edit_ids[1];

  with named as (
    select e.intent_id as id, 'the edit names it' as how, 1 as place from app.edits e
    where e.team_id = team and e.id = any (edit_ids) and e.intent_id is not null
    union all
    (select i.id, 'it was the agent''s intent at that time', 2 from app.intents i
     where i.team_id = team and i.user_id = best.user_id and i.agent_id = best.agent_id and i.created_at <= best.at
     order by i.created_at desc limit 1)
  ), one as (select distinct on (n.id) n.* from named n order by n.id, n.place)
  select array_agg(i.id), answer || jsonb_build_object('intents', coalesce(jsonb_agg(
      app.intent_json(i) || jsonb_build_object('how', o.how) order by o.place, i.updated_at desc), '[]'))
  into intent_ids, answer
  from one o join app.intents i on i.team_id = team and i.id = o.id;

  select array_agg(distinct e.run_id) into run_ids from app.edits e
  where e.team_id = team and e.id = any (edit_ids) and e.run_id is not null;
  answer := answer || jsonb_build_object('runs', coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', w.id, 'how', 'the edit names it',
      'title', coalesce(r.title, p.title), 'state', coalesce(r.state, p.state), 'at', coalesce(r.created_at, p.at),
      'gates', coalesce(
        (select jsonb_agg(jsonb_build_object('gate', q.gate_key, 'state', q.state, 'at', coalesce(c.decided_at, q.created_at),
            'comment', c.comment, 'by', c.actor ->> 'name') order by q.created_at)
         from app.approval_requests q left join app.approval_decisions c on c.approval_request_id = q.id
         where q.team_id = team and q.run_id = w.id),
        (select jsonb_agg(jsonb_build_object('gate', coalesce(x.payload ->> 'gate', 'gate'), 'state', g.state, 'at', x.at,
            'comment', null, 'by', u.name) order by x.at)
         from app.run_gates g join app.records x on x.team_id = team and x.id = g.id join app.users u on u.id = g.user_id
         where g.team_id = team and g.run_id = w.id), '[]')))
    from unnest(run_ids) as w (id)
    left join app.runs r on r.id = w.id and r.team_id = team
    left join lateral (select p.* from app.run_progress p where p.team_id = team and p.run_id = w.id
                       order by p.rev desc, p.id desc limit 1) p on true), '[]'));

  answer := answer || jsonb_build_object('decisions', coalesce((
    select jsonb_agg(app.decision_json(d) || jsonb_build_object('how', o.how) order by o.place, d.created_at desc, d.number)
    from (
      select distinct on (n.id) n.* from (
        select x.decision_id as id, 'the intent names it' as how, 1 as place from app.intent_decisions x
        where x.team_id = team and x.intent_id = any (intent_ids)
        union all
        select d.id, 'it was made for the intent', 2 from app.decisions d where d.team_id = team and d.intent_id = any (intent_ids)
        union all
        select x.decision_id, 'it is about the file', 3 from app.decision_files x where x.team_id = team and x.file_id = any (file_ids)
        union all
        select x.decision_id, 'it is about the feature ' || f.name, 4
        from app.file_features t join app.features f on f.id = t.feature_id
        join app.decision_features x on x.feature_id = t.feature_id and x.team_id = team
        where t.file_id = any (file_ids)) n
      order by n.id, n.place) o
    join app.decisions d on d.team_id = team and d.id = o.id
    where o.place < 4 or app.decision_state(d) in ('proposed', 'accepted')), '[]'));

  answer := answer || jsonb_build_object('findings', coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', n.id, 'run_id', n.run_id, 'severity', n.severity, 'category', n.category, 'summary', n.summary, 'line', n.line,
      'status', n.verifier_status, 'resolved', n.resolved, 'reviewer', n.reviewer_role, 'at', n.created_at,
      'how', 'a review of the run found it in the file') order by n.created_at)
    from app.review_findings n
    where n.team_id = team and n.run_id = any (run_ids) and n.file_path = any (why.file || why.earlier_names)), '[]'));

  answer := answer || jsonb_build_object('evals', coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', v.id, 'suite', v.suite, 'passed', v.passed, 'total', v.total, 'at', v.ran_at, 'branch', v.branch,
      'how', v.how) order by v.ran_at)
    from (
      select v.*, case when v.git_sha is not null and why.commit ^@ v.git_sha then 'it ran on the commit'
                       else 'it ran on the branch within a week of the edit' end as how
      from app.eval_runs v
      where v.team_id = team and v.complete_at is not null and (v.repo_id is null or v.repo_id = repo_of) and (
        char_length(v.git_sha) >= 7 and why.commit ^@ v.git_sha
        or v.branch = best.branch and v.ran_at between best.at and best.at + interval '7 days')
      order by v.ran_at limit 5) v), '[]'));

  answer := answer || jsonb_build_object('ships', coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', s.id, 'version', s.version, 'branch', s.branch, 'pr_url', s.pr_url, 'at', s.at, 'user_name', s.name,
      'how', 'the branch of the edit was shipped after it') order by s.at)
    from (select s.*, u.name from app.ship_logs s join app.users u on u.id = s.user_id
          where s.team_id = team and (s.repo_id is null or s.repo_id = repo_of) and s.branch = best.branch and s.at >= best.at
          order by s.at limit 3) s), '[]'));
  return answer;
end
$$;

-- What is known about a file, for people: who edited it under which intent, what was decided about it, what was handed over.
create function api.file_story(team_id uuid, repo text, file text, max_rows int default 50) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  team uuid := file_story.team_id;
  file_of uuid;
begin
  perform app.require_member(team);
  select f.id into file_of from app.files f join app.repos r on r.id = f.repo_id
  where r.team_id = team and r.canonical = file_story.repo and f.path = file_story.file;
  return jsonb_build_object(
    'file', file_story.file, 'repo', file_story.repo,
    'features', coalesce((select jsonb_agg(distinct t.name) from app.file_features x join app.features t on t.id = x.feature_id
                          where x.file_id = file_of), '[]'),
    'total', (select count(*) from app.edits e where e.file_id = file_of),
    -- One row per agent and intent, of the newest edits.
    'edits', coalesce((
      select jsonb_agg(to_jsonb(g) order by g.last_at desc) from (
        select u.name as user_name, a.host, e.branch, e.intent_id, i.text as intent, count(*) as edits,
               min(e.at) as first_at, max(e.at) as last_at, (array_agg(e.prompt order by e.at desc))[1] as prompt
        from (select e.* from app.edits e where e.file_id = file_of order by e.at desc limit 2000) e
        join app.users u on u.id = e.user_id
        left join app.agents a on a.team_id = team and a.user_id = e.user_id and a.id = e.agent_id
        left join app.intents i on i.team_id = team and i.id = e.intent_id
        group by u.name, a.host, e.branch, e.intent_id, i.text, e.agent_id
        order by max(e.at) desc limit app.row_limit(max_rows, 50)) g), '[]'),
    'intents', coalesce((
      select jsonb_agg(app.intent_json(i) order by i.updated_at desc) from (
        select i.* from app.intent_files x join app.intents i on i.team_id = x.team_id and i.id = x.intent_id
        where x.file_id = file_of order by i.updated_at desc limit app.row_limit(max_rows, 50)) i), '[]'),
    'decisions', coalesce((
      select jsonb_agg(app.decision_json(d) order by d.created_at desc) from (
        select d.* from app.decision_files x join app.decisions d on d.team_id = x.team_id and d.id = x.decision_id
        where x.file_id = file_of order by d.created_at desc limit app.row_limit(max_rows, 50)) d), '[]'),
    'handoffs', coalesce((
      select jsonb_agg(app.handoff_json(h) order by h.at desc) from (
        select h.* from app.handoff_files x join app.handoffs h on h.team_id = x.team_id and h.id = x.handoff_id
        where x.file_id = file_of order by h.at desc limit app.row_limit(max_rows, 50)) h), '[]'));
end
$$;

-- Where the work is: the most edited files, and how many people and agents met there.
create function api.hot_files(team_id uuid, repo text default null, days int default 7, max_rows int default 50)
returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  team uuid := hot_files.team_id;
begin
  perform app.require_member(team);
  return query
    select jsonb_build_object(
      'file', f.path, 'repo', r.canonical, 'edits', h.edits, 'people', h.people, 'agents', h.agents, 'last_at', h.last_at,
      'intents', (select count(distinct x.intent_id) from app.file_intents x where x.file_id = f.id),
      'features', coalesce((select jsonb_agg(distinct t.name) from app.file_features x join app.features t on t.id = x.feature_id
                            where x.file_id = f.id), '[]'))
    from (
      select e.file_id, count(*) as edits, count(distinct e.user_id) as people, count(distinct e.agent_id) as agents, max(e.at) as last_at
      from app.edits e
      where e.team_id = team and e.at > now() - make_interval(days => least(greatest(coalesce(hot_files.days, 7), 1), 365))
        and (hot_files.repo is null
             or e.repo_id = (select r.id from app.repos r where r.team_id = team and r.canonical = hot_files.repo))
      group by e.file_id
      order by count(distinct e.agent_id) desc, count(*) desc, e.file_id
      limit app.row_limit(hot_files.max_rows, 50)) h
    join app.files f on f.id = h.file_id join app.repos r on r.id = f.repo_id
    order by h.agents desc, h.edits desc, f.path;
end
$$;

-- Who did what since a moment, one row per person who did something.
create function api.standup(team_id uuid, since timestamptz default null, repo text default null) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  team uuid := standup.team_id;
  begin_at timestamptz := coalesce(standup.since, now() - interval '1 day');
begin
  perform app.require_member(team);
  return query
    select jsonb_build_object(
      'user_id', u.id, 'user_name', u.name, 'edits', coalesce(e.edits, 0), 'files', coalesce(e.files, 0),
      'intents', coalesce((
        select jsonb_agg(app.intent_json(i) order by i.updated_at desc) from (
          select i.* from app.intents i
          where i.team_id = team and i.user_id = u.id and (i.updated_at > begin_at or i.state = 'active' and i.created_at > begin_at - interval '7 days')
            and app.is_of_repo(team, i.repo_id, standup.repo)
          order by i.updated_at desc limit 30) i), '[]'),
      'decisions', coalesce((
        select jsonb_agg(app.decision_json(d) order by d.created_at desc) from (
          select d.* from app.decisions d
          where d.team_id = team and d.user_id = u.id and d.created_at > begin_at and app.is_of_repo(team, d.repo_id, standup.repo)
          order by d.created_at desc limit 30) d), '[]'),
      'handoffs', coalesce((
        select jsonb_agg(app.handoff_json(h) order by h.at desc) from (
          select h.* from app.handoffs h
          where h.team_id = team and h.user_id = u.id and h.at > begin_at and app.is_of_repo(team, h.repo_id, standup.repo)
          order by h.at desc limit 10) h), '[]'),
      'ships', coalesce((
        select jsonb_agg(jsonb_build_object('version', s.version, 'branch', s.branch, 'pr_url', s.pr_url, 'at', s.at) order by s.at desc)
        from (select s.* from app.ship_logs s
              where s.team_id = team and s.user_id = u.id and s.at > begin_at and app.is_of_repo(team, s.repo_id, standup.repo)
              order by s.at desc limit 20) s), '[]'))
    from app.team_members m
    join app.users u on u.id = m.user_id
    left join (
      select e.user_id, count(*) as edits, count(distinct e.file_id) as files from app.edits e
      where e.team_id = team and e.at > begin_at and app.is_of_repo(team, e.repo_id, standup.repo) group by e.user_id
    ) e on e.user_id = u.id
    where m.team_id = team and (
      e.edits > 0
      or exists (select from app.intents i where i.team_id = team and i.user_id = u.id and i.updated_at > begin_at
                 and app.is_of_repo(team, i.repo_id, standup.repo))
      or exists (select from app.decisions d where d.team_id = team and d.user_id = u.id and d.created_at > begin_at
                 and app.is_of_repo(team, d.repo_id, standup.repo))
      or exists (select from app.handoffs h where h.team_id = team and h.user_id = u.id and h.at > begin_at
                 and app.is_of_repo(team, h.repo_id, standup.repo))
      or exists (select from app.ship_logs s where s.team_id = team and s.user_id = u.id and s.at > begin_at
                 and app.is_of_repo(team, s.repo_id, standup.repo)))
    order by u.name, u.id limit 500;
end
$$;

-- Everything that a machine keeps for a repository, to answer without a network; bounded, newest first.
create function api.brain_digest(team_id uuid, repo text default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  team uuid := brain_digest.team_id;
  repo_of uuid;
begin
  perform app.require_member(team);
  select r.id into repo_of from app.repos r where r.team_id = team and r.canonical = brain_digest.repo;
  return jsonb_build_object(
    'at', now(), 'repo', brain_digest.repo,
    'presence', (select coalesce(jsonb_agg(p), '[]') from api.live_presence(team, brain_digest.repo) p),
    'intents', (select coalesce(jsonb_agg(i), '[]') from api.active_intents(team, brain_digest.repo, 100) i),
    'decisions', (select coalesce(jsonb_agg(d), '[]') from api.list_decisions(team, brain_digest.repo, max_rows => 300) d),
    'handoffs', (select coalesce(jsonb_agg(h), '[]') from api.list_handoffs(team, brain_digest.repo, 20) h),
    'hot_files', (select coalesce(jsonb_agg(f), '[]') from api.hot_files(team, brain_digest.repo, 7, 30) f),
    'features', coalesce((
      select jsonb_agg(x) from (
        select jsonb_build_object('feature', t.name, 'file', f.path) as x
        from app.file_features g join app.features t on t.id = g.feature_id join app.files f on f.id = g.file_id
        where g.team_id = team and f.repo_id = repo_of order by t.name, f.path limit 2000) x), '[]'),
    -- What each agent touched lately, for overlaps: one row per agent and file.
    'edits', coalesce((
      select jsonb_agg(to_jsonb(g) order by g.at desc) from (
        select f.path as file, e.agent_id, e.user_id, u.name as user_name, a.host, max(e.at) as at, count(*) as edits,
               (array_agg(e.branch order by e.at desc))[1] as branch, (array_agg(e.intent_id order by e.at desc))[1] as intent_id,
               (select coalesce(jsonb_agg(jsonb_build_array(lower(l), upper(l) - 1) order by lower(l)), '[]')
                from unnest(range_agg(e.lines)) l) as lines
        from (select e.* from app.edits e where e.team_id = team and e.repo_id = repo_of and e.at > now() - interval '3 days'
              order by e.at desc limit 5000) e
        join app.files f on f.id = e.file_id
        join app.users u on u.id = e.user_id
        left join app.agents a on a.team_id = team and a.user_id = e.user_id and a.id = e.agent_id
        group by f.path, e.agent_id, e.user_id, u.name, a.host
        order by max(e.at) desc limit 500) g), '[]'));
end
$$;

-- Grants ------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on all functions in schema api from public;

grant execute on function app.record_kinds() to authenticated, devflow_engine;
-- The views call it as whoever reads them.
grant execute on function app.decision_state(app.decisions) to authenticated, devflow_engine;

grant execute on function
  api.heartbeat(uuid, jsonb, text, text, text, text[], text, int), api.live_presence(uuid, text),
  api.active_intents(uuid, text, int), api.list_intents(uuid, text, text[], int), api.list_handoffs(uuid, text, int),
  api.list_features(uuid, text), api.list_decisions(uuid, text, text[], text[], text, text, timestamptz, int),
  api.show_decision(uuid, uuid, text, int),
  api.search_decisions(uuid, text, text, text[], text[], text[], text[], int),
  api.why(uuid, text, text, int, text, text[], timestamptz, text[]), api.file_story(uuid, text, text, int),
  api.hot_files(uuid, text, int, int), api.standup(uuid, timestamptz, text), api.brain_digest(uuid, text) to authenticated;
