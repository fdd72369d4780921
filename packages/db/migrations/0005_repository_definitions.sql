-- Templates and personas of a repository, and the schemas of a run.
--
-- What Devflow ships and what a person has is published: a name and a version mean one content. What a repository has at
-- a commit is versioned by git, and two repositories may use the same name; such a row is found by its hash only.

alter table app.workflow_templates
  add column from_repository boolean not null default false,
  drop constraint workflow_templates_name_version_key,
  drop constraint workflow_templates_hash_key;
create unique index published_templates on app.workflow_templates (name, version) where not from_repository;
create unique index templates_by_hash on app.workflow_templates (hash, from_repository);

alter table app.agent_personas
  add column from_repository boolean not null default false,
  drop constraint agent_personas_name_version_key,
  drop constraint agent_personas_hash_key;
create unique index published_personas on app.agent_personas (name, version) where not from_repository;
create unique index personas_by_hash on app.agent_personas (hash, from_repository);

alter table app.run_inputs
  -- The artifact schemas that Devflow does not ship, by id, as they were when the run was created.
  add column schemas jsonb not null default '{}',
  -- Hashes of the personas of its repository that may play a role in it.
  add column personas jsonb not null default '[]';

-- A repository's definitions are visible to those who can see a run that uses them.
drop policy readers on app.workflow_templates;
create policy readers on app.workflow_templates for select to authenticated using (
  not from_repository or exists (select from app.runs r where r.template_id = workflow_templates.id));
drop policy readers on app.agent_personas;
create policy readers on app.agent_personas for select to authenticated using (
  not from_repository or exists (select from app.run_bindings b where b.persona_id = agent_personas.id));
create index runs_of_template on app.runs (template_id);
create index bindings_of_persona on app.run_bindings (persona_id);
