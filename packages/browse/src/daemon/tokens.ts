/**
 * Tokens of callers. The owner's token may do everything; a session's token works in its session only and ends with it.
 *
 * - `callerOf(authorization)` the caller with this header; undefined for an unknown token.
 * - `issue(session, scope)` a token for a session; `revoke(session)` revokes all of its tokens.
 * - `handOver()` and `inherit(entries)` let sessions keep their tokens when the daemon is replaced; only digests are passed.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export type Caller =
  | { readonly kind: "owner" }
  | { readonly kind: "session"; readonly session: string; readonly scope: "read" | "write" };

export interface TokenEntry {
  readonly digest: string;
  readonly caller: Caller;
}

export class Tokens {
  readonly owner = newToken();
  readonly #entries: { digest: Buffer; caller: Caller }[] = [
    { digest: digestOf(this.owner), caller: { kind: "owner" } },
  ];

  callerOf(authorization: string | undefined): Caller | undefined {
    const shown = digestOf(/^Bearer ([\w-]{20,200})$/.exec(authorization ?? "")?.[1] ?? "");
    let found: Caller | undefined;
    // All digests are compared, so that timing reveals neither length nor position nor similarity.
    for (const { digest, caller } of this.#entries) if (timingSafeEqual(digest, shown)) found = caller;
    return found;
  }

  issue(session: string, scope: "read" | "write"): string {
    const token = newToken();
    this.#entries.push({ digest: digestOf(token), caller: { kind: "session", session, scope } });
    return token;
  }

  handOver(): TokenEntry[] {
    return this.#entries
      .filter(({ caller }) => caller.kind === "session")
      .map(({ digest, caller }) => ({ digest: digest.toString("hex"), caller }));
  }

  inherit(entries: readonly TokenEntry[]): void {
    for (const { digest, caller } of entries) this.#entries.push({ digest: Buffer.from(digest, "hex"), caller });
  }

  revoke(session: string): void {
    const kept = this.#entries.filter(({ caller }) => caller.kind === "owner" || caller.session !== session);
    this.#entries.splice(0, this.#entries.length, ...kept);
  }
}

const newToken = (): string => randomBytes(32).toString("base64url");
const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();
