-- Talking to a run: comments on lines of its diff, attachments, and whether an agent has a message.

-- Comments ---------------------------------------------------------------------------------------------------------------

-- A draft until it is sent with a verdict or a message; then it does not change any more.
create table app.run_comments (
  id uuid primary key,
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null,
  author jsonb not null,
  file_path text not null,
  -- `new`: lines of the run's work. `old`: lines of its base, such as removed ones.
  side text not null check (side in ('new', 'old')),
  first_line int not null check (first_line > 0),
  last_line int not null check (last_line >= first_line),
  -- The commit and the text that the author saw.
  commit_id text not null,
  quote text not null,
  body text not null,
  -- Counts its edits: what is sent is what the sender saw.
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  sent_at timestamptz,
  -- By one of the two.
  decision_id uuid references app.approval_decisions on delete cascade,
  message_id uuid references app.session_messages on delete cascade,
  -- The attempt that answers it.
  sent_phase_id uuid references app.run_phases on delete cascade,
  sent_attempt int,
  check (sent_at is null or (decision_id is null) <> (message_id is null))
);
create index comments_of_run on app.run_comments (run_id, created_at);
alter table app.run_comments enable row level security;
create policy members on app.run_comments for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.run_comments to devflow_engine using (true) with check (true);
grant select on app.run_comments to authenticated;
grant select, insert, update, delete on app.run_comments to devflow_engine;

-- Attachments ------------------------------------------------------------------------------------------------------------

-- A file that a person gave to a run: with its requirements, a comment or a message. The content is in the run's folder.
create table app.run_attachments (
  id uuid primary key,
  team_id uuid not null references app.teams on delete cascade,
  -- The machine that has the file.
  host text not null,
  -- Null until it is used.
  run_id uuid references app.runs on delete cascade,
  comment_id uuid references app.run_comments on delete cascade,
  message_id uuid references app.session_messages on delete cascade,
  name text not null,
  media_type text not null,
  bytes int not null check (bytes > 0),
  hash text not null,
  -- Secrets were taken out of its text.
  is_redacted boolean not null default false,
  added_by jsonb not null,
  created_at timestamptz not null default now(),
  -- When its file was removed; what it was stays on record.
  removed_at timestamptz,
  check (comment_id is null or message_id is null),
  check (run_id is not null or (comment_id is null and message_id is null))
);
create index attachments_of_run on app.run_attachments (run_id, created_at);
create index attachments_unused on app.run_attachments (host, created_at) where run_id is null;
alter table app.run_attachments enable row level security;
create policy members on app.run_attachments for select to authenticated using (team_id in (select app.my_teams()));
create policy engine on app.run_attachments to devflow_engine using (true) with check (true);
grant select on app.run_attachments to authenticated;
grant select, insert, update, delete on app.run_attachments to devflow_engine;

-- Messages ---------------------------------------------------------------------------------------------------------------

-- When the agent itself had it.
alter table app.session_messages add column received_at timestamptz;
update app.session_messages set received_at = delivered_at;

-- Also when an agent waits for a permission. Which of them a person still has to answer is decided when the message is sent.
drop trigger noted on app.run_events;
create trigger noted after insert on app.run_events for each row
  when (new.type in ('approval.requested', 'permission.requested', 'run.completed', 'run.failed'))
  execute function app.note_event();
