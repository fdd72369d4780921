/**
 * A server that is upgraded, for tests: from now on it knows other kinds of records, or a newer form of one.
 *
 * - `teachServer(admin, kinds)` returns a function that makes it forget them again. A kind that it has no table for is stored as a record.
 */
import type { Sql } from "@devflow/db";

export async function teachServer(
  admin: Sql,
  kinds: readonly { readonly kind: string; readonly schema_version: number }[],
): Promise<() => Promise<void>> {
  const [before] = await admin<{ source: string }[]>`select pg_get_functiondef('app.record_kinds'::regproc) as source`;
  const known = await admin<
    { kind: string; schema_version: number; is_derived: boolean }[]
  >`select * from app.record_kinds()`;
  const rows = [
    ...known.filter((one) => !kinds.some(({ kind }) => kind === one.kind)),
    ...kinds.map((one) => ({ ...one, is_derived: false })),
  ];
  const values = rows.map((one) => `('${one.kind}', ${one.schema_version}, ${one.is_derived})`).join(", ");
  await admin.unsafe(`
    create or replace function app.record_kinds() returns table (kind text, schema_version int, is_derived boolean)
    language sql immutable begin atomic
      select k.kind, k.schema_version, k.is_derived from (values ${values}) as k (kind, schema_version, is_derived);
    end`);
  return async () => void (await admin.unsafe(before?.source ?? ""));
}
