/**
 * Whether this tab is signed in. On the local server a one-time code from `devflow open` is exchanged for a token, which is kept
 * in the tab's session storage only. On a team server (`team-session.ts`) the token lasts ten minutes and is kept in memory.
 *
 * - `takeCode(hash)` the code in `#code=…`, or undefined.
 * - `createSession(...)` holds the state; `accept` and `end` change it, `subscribe` reports changes. `know` remembers how people
 *   sign in to this server.
 *
 * States: `signed-out` (with a reason, if there is one) → `exchanging` while a code is exchanged → `signed-in`.
 * A refused code, a 401 and "Sign out" all lead back to `signed-out`.
 */
import type { SignInWays } from "@devflow/protocol";
import { z } from "zod";

export const signOutReasons = {
  none: "",
  forgotten: "You signed out in this tab.",
  refused: "The server no longer accepts this tab's token. It may have expired, or the server was set up again.",
  "code-refused": "The sign-in code was not accepted. A code works once and expires quickly.",
  unreachable: "The server did not respond during sign-in.",
} as const;
export type SignOutReason = keyof typeof signOutReasons;

const StoredSession = z.object({
  token: z.string().min(1),
  expiresAt: z.string(),
  user: z.object({ id: z.string(), name: z.string() }),
});
type SignedIn = z.infer<typeof StoredSession>;

export type SessionState =
  | { readonly is: "signed-out"; readonly reason: SignOutReason; readonly ways?: SignInWays | undefined }
  | { readonly is: "exchanging" }
  | ({ readonly is: "signed-in"; readonly mode?: "team" } & SignedIn);

export interface Session {
  state(): SessionState;
  token(): string | undefined;
  exchanging(): void;
  know(ways: SignInWays): void;
  accept(session: SignedIn & { readonly mode?: "team" }): void;
  end(reason: SignOutReason): void;
  subscribe(listener: () => void): () => void;
}

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;
const key = "devflow.session";

export function takeCode(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code") || undefined;
}

export function createSession(options: { storage: Store; now: () => number }): Session {
  let state = read(options.storage, options.now());
  const listeners = new Set<() => void>();
  let ways: SignInWays | undefined;
  const become = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  return {
    state: () => state,
    token: () => (state.is === "signed-in" ? state.token : undefined),
    exchanging: () => become({ is: "exchanging" }),
    know(found) {
      ways = found;
    },
    accept(session) {
      if (session.mode !== "team") options.storage.setItem(key, JSON.stringify(session));
      become({ is: "signed-in", ...session });
    },
    end(reason) {
      options.storage.removeItem(key);
      // Keep the first reason: several requests may fail at the same time.
      if (state.is !== "signed-out") become({ is: "signed-out", reason, ways });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function read(storage: Store, now: number): SessionState {
  const text = storage.getItem(key);
  if (text === null) return { is: "signed-out", reason: "none" };
  try {
    const session = StoredSession.parse(JSON.parse(text));
    if (Date.parse(session.expiresAt) > now) return { is: "signed-in", ...session };
  } catch {
    // Not written by this version.
  }
  storage.removeItem(key);
  return { is: "signed-out", reason: "refused" };
}
