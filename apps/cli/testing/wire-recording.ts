/**
 * What a client and a server said to each other, kept for every released version, so that later servers can be asked the same.
 *
 * - `recordWire({ upstream, port })` a proxy that notes each exchange; `exchanges()` what it saw.
 * - `portable(exchanges, given)` the same without what belongs to that day: a text of an answer that a later request repeats (a token, the
 *   id of a team) becomes a variable, and so do the texts of `given`.
 * - `replay(exchanges, url, given)` sends the requests again, with the values that this server answers.
 */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
  /** Variables that the answer defines: where in it, and their names. */
  readonly defines?: Readonly<Record<string, string>>;
}

export interface Replayed {
  readonly exchange: Exchange;
  readonly status: number;
  readonly answer: string;
}

const kept = ["authorization", "content-type", "content-profile", "apikey"];
const shortest = 16;
/** Tokens that no later request repeats: worth nothing any more, and not for a repository all the same. */
const secretText = /df[a-z]_[\w.-]{20,}|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

export function recordWire({ upstream, port = 0 }: { readonly upstream: () => string; readonly port?: number }) {
  const seen: Exchange[] = [];
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const headers = Object.fromEntries(
        kept.flatMap((name) => {
          const value = request.headers.get(name);
          return value === null ? [] : [[name, value]];
        }),
      );
      const answer = await fetch(`${upstream()}${pathname}${search}`, {
        method: request.method,
        headers: { ...headers, host: request.headers.get("host") ?? "" },
        ...(request.method === "GET" || request.method === "HEAD" ? {} : { body }),
      });
      const text = await answer.text();
      seen.push({
        method: request.method,
        path: pathname + search,
        headers,
        body,
        status: answer.status,
        answer: text,
      });
      return new Response(answer.status === 204 ? null : text, {
        status: answer.status,
        headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
      });
    },
  });
  return { port: server.port ?? 0, exchanges: () => [...seen], stop: () => server.stop(true) };
}

export function portable(exchanges: readonly Exchange[], given: Readonly<Record<string, string>>): Exchange[] {
  const values = new Map(Object.entries(given).map(([name, value]) => [value, name]));
  const textOf = ({ path, headers, body }: Exchange) => `${path}\n${Object.values(headers).join("\n")}\n${body}`;
  return exchanges.map((exchange, at) => {
    const asked = withNames(exchange, values);
    const later = exchanges
      .slice(at + 1)
      .map(textOf)
      .join("\n");
    const earlier = exchanges
      .slice(0, at + 1)
      .map(textOf)
      .join("\n");
    const defines: Record<string, string> = {};
    for (const [pointer, value] of leavesOf(parsed(exchange.answer))) {
      // What the client made itself is not the server's to choose.
      if (value.length < shortest || values.has(value) || !later.includes(value) || earlier.includes(value)) continue;
      const name = `v${values.size}`;
      values.set(value, name);
      defines[pointer] = name;
    }
    const answer = named(exchange.answer, values).replace(secretText, "recorded");
    return { ...asked, answer, ...(Object.keys(defines).length > 0 ? { defines } : {}) };
  });
}

export async function replay(
  exchanges: readonly Exchange[],
  url: string,
  given: Readonly<Record<string, string>>,
): Promise<Replayed[]> {
  const known = new Map(Object.entries(given));
  const filled = (text: string) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => known.get(name) ?? `{{${name}}}`);
  const done: Replayed[] = [];
  for (const exchange of exchanges) {
    const { method, path, headers, body } = exchange;
    const response = await fetch(url + filled(path), {
      method,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
      ...(method === "GET" || method === "HEAD" ? {} : { body: filled(body) }),
    });
    const answer = await response.text();
    const leaves = new Map(leavesOf(parsed(answer)));
    for (const [pointer, name] of Object.entries(exchange.defines ?? {})) {
      const value = leaves.get(pointer);
      if (value !== undefined) known.set(name, value);
    }
    done.push({ exchange, status: response.status, answer });
  }
  return done;
}

function withNames(exchange: Exchange, values: ReadonlyMap<string, string>): Exchange {
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).map(([name, value]) => [name, named(value, values)]),
  );
  return { ...exchange, path: named(exchange.path, values), headers, body: named(exchange.body, values) };
}

/** The longest first: one may be part of another. */
function named(text: string, values: ReadonlyMap<string, string>): string {
  const sorted = [...values].sort(([a], [b]) => b.length - a.length);
  return sorted.reduce((now, [value, name]) => now.replaceAll(value, `{{${name}}}`), text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every text in a value, with its place. */
function leavesOf(value: unknown, pointer = ""): [string, string][] {
  if (typeof value === "string") return [[pointer, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, `${pointer}/${key}`));
}
