-- A verdict on a teammate's gate is applied in a person's name. A token of CI acts for its maker and may push records, but it is no person:
-- what it decides is refused, record by record.

create function app.only_people_decide() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if not app.has_scope('manage') then
    raise check_violation using message = 'a gate is decided by a person, not by a token';
  end if;
  return null;
end
$$;

create trigger only_people_decide before insert on app.run_verdicts
  for each statement execute function app.only_people_decide();

revoke execute on function app.only_people_decide() from public;
