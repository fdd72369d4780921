-- Waivers: a person lets an open finding stand, with a reason.

alter table app.review_findings
  add column waived_at timestamptz,
  add column waived_by jsonb,
  -- Null once the run was purged.
  add column waiver_reason text,
  add check ((waived_at is null) = (waived_by is null));
