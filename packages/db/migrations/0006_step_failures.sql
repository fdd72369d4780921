-- What keeps a run from advancing: the step that failed, why, and when it is tried again. Null while all is well.
-- It is no event: a retry that succeeds leaves the run's log as if nothing had happened.
alter table app.runs add column step_failure jsonb;
