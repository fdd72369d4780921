/**
 * Signing in to a team server, assembled.
 *
 * - `teamSignIn(parts)` its routes: `oauth` and `session` for anyone, `member` for those who have signed in.
 */
import type { Clock } from "@devflow/core/clock";
import type { Log } from "@devflow/core/log";
import type { Secret } from "@devflow/core/secret";
import type { Database } from "@devflow/db";
import { accessTokens } from "./access-tokens.ts";
import { deviceRequests } from "./device-requests.ts";
import { emailLinks } from "./email-links.ts";
import { createMailer } from "./mail/mailer.ts";
import { memberRoutes } from "./member-routes.ts";
import { oauthRoutes } from "./oauth-routes.ts";
import { people } from "./people.ts";
import { sessionRoutes } from "./session-routes.ts";
import { signIns as openSignIns } from "./sign-ins.ts";
import type { Tokens } from "./tokens.ts";

export interface TeamSignInParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly key: Uint8Array;
  readonly tokens: Tokens;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly mail: { readonly url: Secret; readonly from: string } | undefined;
  readonly wrote: (teamId: string) => void;
}

export function teamSignIn(parts: TeamSignInParts) {
  const { publicUrl, log } = parts;
  const mailer = parts.mail && createMailer(parts.mail.url, parts.mail.from);
  const signIns = openSignIns(parts);
  const devices = deviceRequests({ ...parts, signIns });
  const links = emailLinks({ ...parts, signIns, mailer });
  return {
    oauth: oauthRoutes({ publicUrl, devices, signIns, accessTokens: accessTokens(parts) }),
    session: sessionRoutes({
      people: people({ ...parts, signIns }),
      links,
      signIns,
      cookies: publicUrl.startsWith("https:"),
      log,
      wrote: parts.wrote,
    }),
    member: memberRoutes({ ...parts, devices, links, signIns, mailer }),
  };
}
