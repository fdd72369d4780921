/** A token as the local server itself would issue it to a person. */
import { createHmac } from "node:crypto";

export function signToken(userId: string, key: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: userId, role: "authenticated", use: "data", iss: "devflow-local", aud: "devflow" };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = `${part({ alg: "HS256", typ: "JWT" })}.${part({ ...claims, iat: now, exp: now + 600 })}`;
  return `${head}.${createHmac("sha256", key).update(head).digest("base64url")}`;
}
