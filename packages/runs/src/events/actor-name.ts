/** An actor as text: the person's name and channel, such as `Ada (web)`. */
import type { Transaction } from "@devflow/db";
import type { Actor } from "./actor.ts";

export async function nameOf(tx: Transaction, { userId, kind, via }: Actor): Promise<string> {
  const [person] = await tx<{ name: string }[]>`select name from app.users where id = ${userId}`;
  return `${person?.name ?? userId ?? kind} (${via})`;
}
