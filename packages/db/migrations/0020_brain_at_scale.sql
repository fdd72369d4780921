-- The brain with many records: the same answers in less time.

-- Whether some decision has a word, or at least twenty match. To find a few rows, the planner would rather read the table from its
-- beginning, which for a word that nobody used is all of it; without that choice it takes the index of the words.
create function app.has_word(team uuid, word text) returns boolean
language plpgsql stable set search_path = '' set enable_seqscan = off set enable_indexscan = off
as $$
begin
  return exists (select from app.decisions d where d.team_id = has_word.team and d.search @@ quote_literal(has_word.word)::tsquery);
end
$$;
revoke execute on function app.has_word(uuid, text) from public;

create or replace function app.has_many(team uuid, wanted tsquery) returns boolean
language plpgsql stable set search_path = '' set enable_seqscan = off set enable_indexscan = off
as $$
begin
  return (select count(*) >= 20 from (
    select from app.decisions d where d.team_id = has_many.team and d.search @@ has_many.wanted limit 20) d);
end
$$;

-- Decisions come one by one, and are looked for all the time: no list of entries that every search has to read besides the index.
alter index app.decisions_search set (fastupdate = off);

-- As before (0015), but: common words are not looked for one by one, decisions with all words but one are found by the rarest words,
-- candidates are ranked roughly before they are ranked word by word, and rows are carried by their ids: a function that is given a row is
-- given its texts as well.
create or replace function api.search_decisions(
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
  unlisted text[];
  meant text[] := '{}';
  known text[] := '{}';
  queries tsquery[];
  any_word tsquery;
  has_trigrams boolean := to_regprocedure('word_similarity(text,text)') is not null;
begin
  perform app.require_member(team);
  select r.id into repo_of from app.repos r where r.team_id = team and r.canonical = search_decisions.repo;

  select coalesce(array_agg(t.word order by t.place), '{}'),
         coalesce(array_agg(ln(1.0 / greatest(coalesce(t.frequency, 0.0002), 0.0002)) order by t.place), '{}'),
         string_agg(quote_literal(t.word), ' | ') filter (where coalesce(t.frequency, 0) <= 0.02),
         coalesce(array_agg(t.word order by t.frequency) filter (where t.frequency > 0.02), '{}'),
         coalesce(array_agg(t.word) filter (where coalesce(t.frequency, 0) < 0.01 and char_length(t.word) > 2), '{}')
  into words, weights, rare, common, unlisted
  from (
    select l.lexeme as word, f.frequency, row_number() over (order by f.frequency nulls first, l.lexeme) as place
    from unnest(to_tsvector('pg_catalog.english', app.split_words(left(search_decisions.query, 1000)))) l
    left join app.word_frequencies() f on f.word = l.lexeme
    order by f.frequency nulls first, l.lexeme limit 16) t;

  if cardinality(words) > 0 then
    -- A common word exists, and to look for it would cost most.
    select coalesce(array_agg(w), '{}') into unknown from unnest(unlisted) w
    where not app.has_word(team, w);
    -- A word that is known once two letters are exchanged or one is left out.
    select coalesce(array_agg(distinct s.word), '{}') into meant
    from unnest(unknown) u cross join lateral app.near_spellings(u) as s (word)
    where app.has_word(team, s.word);
    -- Rarest first, as the words are.
    select coalesce(array_agg(quote_literal(w.word) order by w.place), '{}') into known
    from unnest(words) with ordinality w (word, place) where w.word <> all (unknown);
    if cardinality(meant) > 0 then
      known := ('(' || (select string_agg(quote_literal(w), ' | ') from unnest(meant) w) || ')') || known;
      words := words || meant;
      weights := weights || array_fill(6.0::float8, array[cardinality(meant)]);
      unknown := '{}';
    end if;
    -- From all words to some of them, until there is enough to choose from: ranking is what costs.
    wanted := case when cardinality(known) = 1 and rare is null then (known[1] || ':A')::tsquery
                   else nullif(array_to_string(known, ' & '), '')::tsquery end;
    -- Whatever has all words but one has two of the three rarest, and those are quickly found.
    if cardinality(known) > 2 and not app.has_many(team, wanted) then
      wanted := wanted || format('(%1$s & %2$s) | (%1$s & %3$s) | (%2$s & %3$s)', known[1], known[2], known[3])::tsquery;
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
  any_word := (select string_agg(quote_literal(w), ' | ')::tsquery from unnest(words) w);

  return query
  with matching as materialized (
    select d.id, ts_rank('{0.15, 0.35, 0.7, 1.0}', d.search, any_word) as rough
    from app.decisions d
    where d.team_id = team and d.search @@ wanted limit 800
  ), by_text as materialized (
    -- Word by word is what costs: only for those that look good with all words taken alike.
    select m.id from matching m order by m.rough desc, m.id limit 150
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
    -- The files themselves first, then the newest of their folder.
    order by 2 desc, 1 desc limit 300
  ), by_feature as materialized (
    select distinct x.decision_id as id from app.features f join app.decision_features x on x.feature_id = f.id
    where f.team_id = team and f.name = any (search_decisions.features) order by 1 desc limit 300
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
    -- As app.decision_state(d), which would be given the whole row, with its texts, for each.
    select s.id, s.score,
           case when d.state in ('superseded', 'rejected', 'expired') then d.state
                when exists (select from app.decisions x where x.team_id = team and x.supersedes = d.id and x.state = 'accepted')
                  then 'superseded'
                when d.expires_at <= now() then 'expired' else d.state end as state
    from scored s join app.decisions d on d.team_id = team and d.id = s.id
  ), replaced as (
    -- What replaced a decision that was found, step by step; at most twenty, for those that replace each other.
    with recursive chain (origin, id, score, depth) as (
      select s.id, s.id, s.score, 0 from standing s where s.state = 'superseded'
      union all
      select c.origin, n.id, c.score, c.depth + 1
      from chain c join app.decisions n on n.team_id = team and n.supersedes = c.id and n.state = 'accepted'
      where c.depth < 20
    ) select distinct on (c.id) c.id, c.score * 0.9 as score, c.origin from chain c where c.depth > 0 order by c.id, c.score desc
  ), best as (
    -- By id: a whole decision is too much to group by.
    select m.id, max(m.score) as score, (array_agg(m.origin) filter (where m.origin is not null))[1] as origin
    from (select s.id, s.score, null::uuid as origin from standing s
          union all select r.id, r.score, r.origin from replaced r) m
    group by m.id
  ), ranked as (
    select b.* from best b join app.decisions d on d.team_id = team and d.id = b.id
    where search_decisions.states is null
       or case when d.state in ('superseded', 'rejected', 'expired') then d.state
                when exists (select from app.decisions x where x.team_id = team and x.supersedes = d.id and x.state = 'accepted')
                  then 'superseded'
                when d.expires_at <= now() then 'expired' else d.state end = any (search_decisions.states)
    order by b.score desc, d.created_at desc limit app.row_limit(search_decisions.max_rows, 10)
  )
  select app.decision_json(d) || jsonb_build_object('score', round(r.score::numeric, 3), 'reasons', to_jsonb(array_remove(array[
    (select 'in the title: ' || string_agg(w, ', ') from unnest(words) w where d.search @@ (quote_literal(w) || ':A')::tsquery),
    (select 'in its features: ' || string_agg(w, ', ') from unnest(words) w where d.search @@ (quote_literal(w) || ':B')::tsquery),
    (select 'in the text: ' || string_agg(w, ', ') from unnest(words) w where d.search @@ (quote_literal(w) || ':C')::tsquery),
    (select 'in a path: ' || string_agg(w, ', ') from unnest(words) w where d.search @@ (quote_literal(w) || ':D')::tsquery),
    (select 'the title resembles: ' || array_to_string(t.like_words, ', ') from by_title t where t.id = d.id),
    (select case when s.points > 2 then 'is about a file in question' else 'is about the same folder' end from by_scope s where s.id = d.id),
    (select 'is about a feature in question' from by_feature f where f.id = d.id),
    (select 'replaces ' || coalesce('#' || o.number || ' ', '') || o.title from app.decisions o where o.team_id = team and o.id = r.origin)
  ], null)))
  from ranked r join app.decisions d on d.team_id = team and d.id = r.id order by r.score desc, d.created_at desc;
end
$$;

-- Replacing a function keeps its owner and grants, and forgets its settings.
do $$
declare
  place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
begin
  if place is not null then
    execute format('alter function api.search_decisions(uuid, text, text, text[], text[], text[], text[], int) set search_path = pg_catalog, %s', place);
  end if;
end
$$;

-- As before, with the state in place.
create or replace function api.list_decisions(
  team_id uuid, repo text default null, states text[] default '{proposed,accepted}', types text[] default null,
  feature text default null, file text default null, before timestamptz default null, max_rows int default 50
) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  team uuid := list_decisions.team_id;
begin
  perform app.require_member(team);
  return query
    select app.decision_json(d) from app.decisions d
    where d.team_id = list_decisions.team_id and app.is_of_repo(d.team_id, d.repo_id, list_decisions.repo)
      and (list_decisions.states is null
           or case when d.state in ('superseded', 'rejected', 'expired') then d.state
                when exists (select from app.decisions x where x.team_id = team and x.supersedes = d.id and x.state = 'accepted')
                  then 'superseded'
                when d.expires_at <= now() then 'expired' else d.state end = any (list_decisions.states))
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

-- As before, but hot files come from the same newest edits as the rest: machines ask for it while their agents work, and a week of a large
-- team is too much to count each time.
create or replace function api.brain_digest(team_id uuid, repo text default null) returns jsonb
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
    'hot_files', coalesce((
      select jsonb_agg(jsonb_build_object(
        'file', f.path, 'repo', brain_digest.repo, 'edits', h.edits, 'people', h.people, 'agents', h.agents, 'last_at', h.last_at,
        'intents', (select count(*) from app.intent_files x join app.intents i on i.team_id = x.team_id and i.id = x.intent_id
                    where x.file_id = f.id and i.state = 'active'),
        'features', coalesce((select jsonb_agg(distinct t.name) from app.file_features x join app.features t on t.id = x.feature_id
                              where x.file_id = f.id), '[]')) order by h.agents desc, h.edits desc, f.path)
      from (
        select e.file_id, count(*) as edits, count(distinct e.user_id) as people, count(distinct e.agent_id) as agents, max(e.at) as last_at
        from (select e.* from app.edits e where e.team_id = team and e.repo_id = repo_of and e.at > now() - interval '7 days'
              order by e.at desc limit 5000) e
        group by e.file_id order by 4 desc, 2 desc, 1 limit 30) h
      join app.files f on f.id = h.file_id), '[]'),
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

-- For why: what an agent was about to do at a time.
create index intents_of_agent on app.intents (team_id, agent_id, created_at desc);

-- The caller's own agents on one machine, for `devflow brain doctor`: which hosts have reported, and when they last did.
create function api.my_agents(team_id uuid, machine text) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(my_agents.team_id);
  return query
    select jsonb_build_object('host', a.host, 'sessions', count(*), 'last_seen_at', max(a.last_seen_at))
    from app.agents a
    where a.team_id = my_agents.team_id and a.user_id = auth.uid() and a.machine = my_agents.machine
    group by a.host order by max(a.last_seen_at) desc limit 50;
end
$$;
revoke execute on function api.my_agents(uuid, text) from public;
grant execute on function api.my_agents(uuid, text) to authenticated;
