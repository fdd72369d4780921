/** A site's cookies and storage. Secrets are shortened. */
import type { Answer, TabScope } from "../../command.ts";
import { quote } from "../../snapshot/line.ts";

export async function cookies(input: { readonly all: boolean }, { tab, session }: TabScope): Promise<Answer> {
  const found = await session.context.cookies(input.all ? [] : [tab.page.url()]);
  const list = found.map(({ name, value, domain, path, expires, httpOnly, secure, sameSite }) => ({
    name,
    value: shortened(value),
    domain,
    path,
    expires: expires < 0 ? "session" : new Date(expires * 1000).toISOString(),
    httpOnly,
    secure,
    sameSite,
  }));
  const lines = list.map((cookie) => {
    const flags = [cookie.httpOnly && "HttpOnly", cookie.secure && "Secure", `SameSite=${cookie.sameSite}`];
    return `${cookie.name}=${cookie.value} ${cookie.domain}${cookie.path} ${flags.filter(Boolean).join(" ")} until ${cookie.expires}`;
  });
  return { text: lines.join("\n") || "no cookies", data: { cookies: list }, fromPage: list.length > 0 };
}

const secretKey = /token|secret|passw|auth|session|jwt|api.?key|credential|csrf/i;
const maxValueLength = 200;

export async function storage(input: { readonly key?: string | undefined }, { tab }: TabScope): Promise<Answer> {
  const found = await tab.frame().evaluate(() => {
    const read = (area: Storage) => Object.entries(area).map(([key, value]) => ({ key, value: String(value) }));
    try {
      return { local: read(localStorage), session: read(sessionStorage) };
    } catch {
      // Pages without an origin (about:blank, sandboxed frames) have no storage.
      return { local: [], session: [] };
    }
  });
  const entries = (["local", "session"] as const).flatMap((area) =>
    found[area]
      .filter(({ key }) => input.key === undefined || key === input.key)
      .map(({ key, value }) => ({
        area,
        key,
        value: secretKey.test(key) || isToken(value) ? shortened(value) : value,
      })),
  );
  const max = input.key === undefined ? maxValueLength : 20_000;
  const lines = entries.map(({ area, key, value }) => `${area} ${key}=${quote(value, max)}`);
  const data = { entries: entries.map((entry) => ({ ...entry, value: entry.value.slice(0, max) })) };
  return { text: lines.join("\n") || "nothing is stored", data, fromPage: entries.length > 0 };
}

/** Enough to distinguish two values, never enough to use one. */
export function shortened(value: string): string {
  return value.length < 12 ? `…(${value.length})` : `${value.slice(0, 2)}…(${value.length})`;
}

const isToken = (value: string): boolean => /^ey[\w-]+\.[\w-]+\.[\w-]*$|^[A-Za-z0-9+/_-]{32,}={0,2}$/.test(value);
