/**
 * What a person means by a name or the beginning of an id.
 *
 * - `pickById(rows, given, what, list)`, `pickMember(members, given)` the only match; otherwise `not_found` or `usage` with the
 *   command that lists them.
 */
import { DevflowError } from "@devflow/core/errors";
import type { MemberRow } from "@devflow/protocol";

export function pickById<Row extends { readonly id: string; readonly name?: string }>(
  rows: readonly Row[],
  given: string,
  what: string,
  list: string,
): Row {
  const exact = rows.filter(({ id, name }) => id === given || name === given);
  return only(exact.length > 0 ? exact : rows.filter(({ id }) => id.startsWith(given)), given, what, list);
}

export function pickMember(members: readonly MemberRow[], given: string): MemberRow {
  const typed = given.toLowerCase();
  const exact = members.filter(
    ({ user_id, name, email }) => user_id === given || name.toLowerCase() === typed || email?.toLowerCase() === typed,
  );
  const close = members.filter(
    ({ user_id, name }) => user_id.startsWith(given) || name.toLowerCase().split(/\s+/).includes(typed),
  );
  return only(exact.length > 0 ? exact : close, given, "member", "devflow team members");
}

function only<Row>(found: readonly Row[], given: string, what: string, list: string): Row {
  const [first, second] = found;
  if (first && !second) return first;
  if (!first) {
    throw new DevflowError("not_found", { details: { what: `A ${what} "${given}"`, next: `List them: ${list}` } });
  }
  throw new DevflowError("usage", {
    details: { problem: `"${given}" matches ${found.length} ${what}s.`, next: `Use the id of one: ${list} --json` },
  });
}
