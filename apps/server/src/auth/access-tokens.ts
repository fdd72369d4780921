/**
 * Personal access tokens: `exchange(token)` gives an access token of ten minutes with the token's scopes, for its team only.
 * A revoked or expired token, and one whose maker has left the team, is worth nothing at once.
 */
import type { Clock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";
import { accessTokenType, type Grant } from "@devflow/protocol";
import { hashOf } from "./one-time-secret.ts";
import type { Tokens } from "./tokens.ts";

export interface AccessTokens {
  exchange(token: string): Promise<Grant | undefined>;
}

export function accessTokens(options: {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
  readonly tokens: Tokens;
}): AccessTokens {
  const { database, clock, tokens } = options;
  return {
    async exchange(token) {
      const at = new Date(clock.now()).toISOString();
      const [found] = await database.asEngine(
        (tx) => tx<{ userId: string; name: string; teamId: string; scope: string }[]>`
          update app.access_tokens t set last_used_at = ${at}
          from app.team_members m join app.users u on u.id = m.user_id
          where t.token_hash = decode(${hashOf(token)}, 'hex') and t.revoked_at is null and t.expires_at > ${at}
            and m.team_id = t.team_id and m.user_id = t.user_id
          returning t.user_id as "userId", u.name, t.team_id as "teamId", array_to_string(t.scopes, ' ') as scope`,
      );
      if (!found) return undefined;
      const { userId, name, teamId, scope } = found;
      const { token: accessToken, lifetimeS } = await tokens.issue("data", userId, { scope, team: teamId });
      return {
        access_token: accessToken,
        token_type: "bearer",
        expires_in: lifetimeS,
        scope,
        issued_token_type: accessTokenType,
        user: { id: userId, name },
      };
    },
  };
}
