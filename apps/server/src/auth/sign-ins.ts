/**
 * Sign-ins: one per browser or terminal, until it ends or was not used for 30 days.
 *
 * - `open(tx, userId, kind, label)` a new one, inside the transaction that has proven who it is.
 * - `refresh(secret)` an access token, and for a terminal the next refresh token; undefined when the secret is worth nothing, and
 *   `removed` when it was the sign-in of somebody who was removed from their last team.
 * - `end(secret)` signs that browser or terminal out; `endAll(userId)` all of a person.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "@devflow/core/clock";
import { faultPoint } from "@devflow/core/fault-point";
import type { Log } from "@devflow/core/log";
import type { Database, Transaction } from "@devflow/db";
import type { Grant } from "@devflow/protocol";
import { judgeRefresh, newRefreshToken, readRefreshToken, type SignInRow } from "./refresh-token.ts";
import { personScope, type Tokens } from "./tokens.ts";

export type SignInKind = SignInRow["kind"];

export interface OpenedSignIn {
  /** The refresh token of a terminal, or the secret of a browser. */
  readonly secret: string;
  readonly user: Grant["user"];
}

export interface Refreshed {
  readonly grant: Grant;
  readonly secret: string;
}

export interface SignIns {
  open(tx: Transaction, user: Grant["user"], kind: SignInKind, label: string): Promise<OpenedSignIn>;
  grantOf(signIn: OpenedSignIn): Promise<Grant>;
  refresh(secret: string, kind: SignInKind): Promise<Refreshed | "removed" | undefined>;
  end(secret: string): Promise<void>;
  endAll(userId: string): Promise<void>;
}

const lifetimeMs = 30 * 24 * 3600 * 1000;
export const signInLifetimeS = lifetimeMs / 1000;

export function signIns(options: {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
  readonly log: Log;
  readonly key: Uint8Array;
  readonly tokens: Tokens;
}): SignIns {
  const { database, clock, log, key, tokens } = options;
  const times = () => {
    const now = clock.now();
    return { now, at: new Date(now).toISOString(), until: new Date(now + lifetimeMs).toISOString() };
  };

  async function grantOf({ user }: Pick<OpenedSignIn, "user">): Promise<Grant> {
    const { token, lifetimeS } = await tokens.issue("data", user.id, { scope: personScope });
    return { access_token: token, token_type: "bearer", expires_in: lifetimeS, scope: personScope, user };
  }

  /** Decided and written under the row's lock, so that of two uses at once the second sees the first. */
  async function use(tx: Transaction, secret: string, kind: SignInKind): Promise<OpenedSignIn | "removed" | undefined> {
    const given = readRefreshToken(key, secret);
    if (!given) return undefined;
    const { now, at, until } = times();
    const [row] = await tx<(SignInRow & { userId: string; name: string; isRemoved: boolean })[]>`
      select s.kind, s.user_id as "userId", u.name, encode(s.current_hash, 'hex') as "currentHash",
        encode(s.previous_hash, 'hex') as "previousHash", extract(epoch from s.expires_at)::float8 * 1000 as "expiresAtMs",
        s.revoked_at is not null as "isRevoked", s.revoked_because is not distinct from 'removed' as "isRemoved"
      from app.sign_ins s join app.users u on u.id = s.user_id
      where s.id = ${given.signInId} and s.kind = ${kind} for update of s`;
    if (!row) return undefined;
    const user = { id: row.userId, name: row.name };
    const verdict = judgeRefresh(row, given.hash, now);
    switch (verdict) {
      case "ended":
        // Told only to who has the token that was valid until then.
        return row.isRemoved && [row.currentHash, row.previousHash].includes(given.hash) ? "removed" : undefined;
      case "reused":
        log.warn({ signInId: given.signInId, userId: row.userId }, "a replaced refresh token was used; signed out");
        await tx`
          update app.sign_ins set revoked_at = ${at}, revoked_because = 'token reused' where id = ${given.signInId}`;
        return undefined;
      case "keep":
        await tx`update app.sign_ins set last_used_at = ${at}, expires_at = ${until} where id = ${given.signInId}`;
        return { secret, user };
      case "rotate":
      case "replace": {
        const next = newRefreshToken(key, given.signInId);
        await tx`
          update app.sign_ins set current_hash = decode(${next.hash}, 'hex'), previous_hash = decode(${given.hash}, 'hex'),
            last_used_at = ${at}, expires_at = ${until}
          where id = ${given.signInId}`;
        return { secret: next.text, user };
      }
    }
  }

  return {
    grantOf,
    async open(tx, user, kind, label) {
      const { at, until } = times();
      const token = newRefreshToken(key, randomUUID());
      await tx`
        insert into app.sign_ins (id, user_id, kind, label, current_hash, created_at, last_used_at, expires_at)
        values (${token.signInId}, ${user.id}, ${kind}, ${label}, decode(${token.hash}, 'hex'), ${at}, ${at}, ${until})`;
      return { secret: token.text, user };
    },
    async refresh(secret, kind) {
      const used = await database.asEngine((tx) => use(tx, secret, kind));
      faultPoint("afterRefreshCommitted");
      return used === undefined || used === "removed" ? used : { grant: await grantOf(used), secret: used.secret };
    },
    async end(secret) {
      const given = readRefreshToken(key, secret);
      if (!given) return;
      await database.asEngine(
        (tx) => tx`
          update app.sign_ins set revoked_at = ${times().at}, revoked_because = 'signed out'
          where id = ${given.signInId} and revoked_at is null
            and decode(${given.hash}, 'hex') in (current_hash, previous_hash)`,
      );
    },
    async endAll(userId) {
      await database.asEngine(
        (tx) => tx`
          update app.sign_ins set revoked_at = ${times().at}, revoked_because = 'signed out'
          where user_id = ${userId} and revoked_at is null`,
      );
    },
  };
}
