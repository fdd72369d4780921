/**
 * Sign-in of this browser on a team server. What lasts is a cookie that no script can read; the page gets access tokens of ten
 * minutes for it, keeps them in memory, and asks for the next one shortly before one expires. Without TLS (only on this machine)
 * there is no cookie: the tab keeps the secret in its session storage.
 *
 * - `resume()` signs in with what the browser has; false when that is nothing, or is no longer accepted.
 * - `accept(grant)` after a form; `token()` a token that is valid now; `end()` signs out here and on the server.
 */
import type { Grant } from "@devflow/protocol";
import { ApiFault } from "./api-fault.ts";
import type { Session } from "./session.ts";
import type { SignInApi } from "./sign-in-api.ts";

export interface TeamSession {
  resume(): Promise<boolean>;
  accept(grant: Grant): void;
  token(): Promise<string | undefined>;
  end(): Promise<void>;
}

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;
const key = "devflow.browser";
const leastValidMs = 30_000;

export function createTeamSession(options: {
  readonly session: Session;
  readonly signIn: Pick<SignInApi, "renew" | "end">;
  readonly storage: Store;
  readonly now: () => number;
}): TeamSession {
  const { session, signIn, storage, now } = options;
  let renewing: Promise<boolean> | undefined;

  const secret = () => storage.getItem(key) ?? undefined;

  function accept(grant: Grant): void {
    if (grant.refresh_token !== undefined) storage.setItem(key, grant.refresh_token);
    const expiresAt = new Date(now() + grant.expires_in * 1000).toISOString();
    session.accept({ mode: "team", token: grant.access_token, expiresAt, user: grant.user });
  }

  /** One request for any number of callers. A server that does not answer says nothing about the sign-in. */
  function renew(): Promise<boolean> {
    renewing ??= (async () => {
      try {
        accept(await signIn.renew(secret()));
        return true;
      } catch (fault) {
        if (!(fault instanceof ApiFault) || fault.kind !== "unauthorised") return false;
        storage.removeItem(key);
        session.end(session.state().is === "signed-in" ? "refused" : "none");
        return false;
      } finally {
        renewing = undefined;
      }
    })();
    return renewing;
  }

  return {
    accept,
    resume: renew,
    async token() {
      const state = session.state();
      if (state.is !== "signed-in") return undefined;
      if (state.mode === "team" && Date.parse(state.expiresAt) - now() < leastValidMs) await renew();
      return session.token();
    },
    async end() {
      const given = secret();
      storage.removeItem(key);
      session.end("forgotten");
      await signIn.end(given).catch(() => undefined);
    },
  };
}
