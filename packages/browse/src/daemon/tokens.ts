/**
 * Who may ask what. The owner's token may do everything; a session's token acts in its session alone and ends with it.
 *
 * - `callerOf(authorization)` who shows this header; undefined for nobody.
 * - `issue(session, scope)` a token for a session; `revoke(session)` takes all of its tokens back.
 * - `handOver()` and `inherit(entries)` sessions keep their tokens when the daemon is replaced; only digests travel.
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
    // All are compared, and by digest: neither length nor place nor likeness shows in the time it takes.
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
