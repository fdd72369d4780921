/**
 * `auth.json` in the home, 0600: who has signed in to which team server, by its URL.
 *
 * - `readAuth(home)` all of it; a file that cannot be read is an error and is never overwritten.
 * - `changeAuth(home, server, change)` one entry, under a lock that dies with its owner: processes change it one after the
 *   other, and members of an entry that this version does not know stay.
 */
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { faultPoint } from "@devflow/core/fault-point";
import type { Home } from "@devflow/core/home";
import { parseJson } from "@devflow/core/read-if-there";
import { z } from "zod";

const SignIn = z.looseObject({
  user_id: z.uuid(),
  name: z.string(),
  /** Absent after signing out, or when the server has ended the sign-in. */
  refresh_token: z.string().optional(),
  access_token: z.string().optional(),
  /** Of the access token, in seconds since 1970. */
  expires_at: z.number().optional(),
  /** The person's teams when they were last asked for: slug to id. */
  teams: z.record(z.string(), z.uuid()).optional(),
  /** Of a team in a Supabase project; a Devflow server has none. */
  anon_key: z.string().optional(),
});
export type StoredSignIn = z.infer<typeof SignIn>;

const AuthFile = z.record(z.string(), SignIn);

const waitMs = 60_000;

export async function readAuth({ authFile }: Home): Promise<Readonly<Record<string, StoredSignIn>>> {
  const text = await readPrivateFile(authFile);
  if (text === undefined) return {};
  const parsed = AuthFile.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `${authFile} is damaged.`,
      next: `Remove it and sign in again: rm ${authFile} && devflow sync setup`,
    },
  });
}

/** `change` gets the entry as it is now and returns the new one; returning the same changes nothing. */
export async function changeAuth(
  home: Home,
  server: string,
  change: (now: StoredSignIn | undefined) => Promise<StoredSignIn | undefined>,
): Promise<StoredSignIn | undefined> {
  await ensurePrivateFolder(home.root);
  const lock = await lockOf(home);
  try {
    const all = await readAuth(home);
    const before = all[server];
    const after = await change(before);
    if (after === before) return after;
    faultPoint("beforeAuthSaved");
    const { [server]: _, ...others } = all;
    await writeFileAtomic(
      home.authFile,
      `${JSON.stringify(after ? { ...others, [server]: after } : others, null, 2)}\n`,
    );
    return after;
  } finally {
    lock.release();
  }
}

async function lockOf({ authLock }: Home) {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = tryLock(authLock);
    if (lock) return lock;
    if (Date.now() > deadline) {
      throw new DevflowError("conflict", {
        details: {
          problem: `Another process holds ${authLock}.`,
          next: "Wait for it to end, then repeat the command.",
        },
      });
    }
    await systemClock.sleep(20);
  }
}
