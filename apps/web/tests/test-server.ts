import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { builtWeb } from "./built-web.ts";

export async function startTestServer() {
  const dist = builtWeb();
  const me = { id: randomUUID(), name: "Ada Lovelace" };
  const teams: any[] = [];
  const repos: any[] = [];
  const changes: any[] = [];
  let tokens = new Set<string>();
  const codes = new Set<string>();
  let streams = new Set<ServerResponse>();
  const startedAt = new Date(Date.now() - 3.6e6).toISOString();
  const cursorOf = () => Object.fromEntries(teams.map((t) => [t.id, changes.filter((c) => c.teamId === t.id).length]));
  const idOf = (c: any) =>
    Object.entries(c)
      .map(([k, v]) => `${k}:${v}`)
      .join(",");
  function add(teamId: string, kind: string, entityId: string) {
    const c = {
      teamId,
      seq: changes.filter((x) => x.teamId === teamId).length + 1,
      kind,
      entityId,
      op: "upsert",
      at: new Date().toISOString(),
    };
    changes.push(c);
    for (const s of streams) s.write(`id: ${idOf(cursorOf())}\nevent: change\ndata: ${JSON.stringify(c)}\n\n`);
  }
  const fns: Record<string, (a: any) => unknown> = {
    create_team(a) {
      const t = {
        id: randomUUID(),
        slug: a.slug ?? a.name.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
        name: a.name,
        role: "owner",
      };
      teams.push(t);
      add(t.id, "team", t.id);
      for (const s of streams)
        s.write(`event: ready\ndata: ${JSON.stringify({ teams: cursorOf(), resync: false })}\n\n`);
      return t;
    },
    register_repo(a) {
      const r = { id: a.id ?? randomUUID(), default_branch: "main", remote: null, path_hint: null, ...a };
      repos.push(r);
      add(a.team_id, "repo", r.id);
      return r;
    },
    ping(a) {
      const p = { id: randomUUID() };
      add(a.team_id, a.kind ?? "ping", p.id);
      return p;
    },
    list_repos: (a) => repos.filter((r) => r.team_id === a.team_id),
    team_members: () => [{ user_id: me.id, name: me.name, email: null, role: "owner", joined_at: startedAt }],
    changes: (a) =>
      changes
        .filter((c) => c.teamId === a.team_id && c.seq > a.after_seq)
        .slice(0, a.max_rows)
        .map(({ teamId, entityId, ...c }) => ({ ...c, entity_id: entityId })),
  };
  const commands = [
    ["up", "Start the local server and its Postgres", "Start", "devflow up [flags]"],
    ["status", "Tell whether the server runs", "Start", "devflow status"],
    ["open", "Open the web app, signed in", "Start", "devflow open [flags]"],
    ["doctor", "Check this machine", "Care", "devflow doctor [flags]"],
    ["backup", "Write everything into one file", "Care", "devflow backup [file] [flags]"],
    ["config list", "Show every setting", "Settings", "devflow config list"],
  ].map(([name, summary, category, usage]) => ({ name, summary, category, effect: "read", usage }));
  const listener = async (req: any, res: ServerResponse) => {
    const url = new URL(req.url, "http://x");
    const json = (status: number, body: unknown) => {
      res.writeHead(status, { "content-type": "application/json" });
      res.end(JSON.stringify(body));
    };
    let text = "";
    for await (const c of req) text += c;
    const body = text ? JSON.parse(text) : {};
    if (url.pathname === "/auth/exchange") {
      if (!codes.delete(body.code))
        return json(401, { error: { code: "code_invalid", message: "no", hint: "devflow open" } });
      const token = randomUUID();
      tokens.add(token);
      return json(200, { token, expiresAt: new Date(Date.now() + 1e7).toISOString(), user: me });
    }
    if (/^\/(api|rest|sse)\//.test(url.pathname)) {
      if (!tokens.has((req.headers.authorization ?? "").slice(7)))
        return json(401, { error: { code: "unauthorised", message: "no", hint: "devflow open" } });
      if (url.pathname === "/api/status")
        return json(200, {
          version: "0.1.0",
          mode: "local",
          startedAt,
          runtime: { name: "Bun", version: "1.4.4", platform: "linux x64" },
          postgres: { kind: "embedded", version: "18.4", fsync: "on", synchronousCommit: "on", fullPageWrites: "on" },
          migrations: { applied: 1, latest: "0001_foundation" },
          live: { subscribers: streams.size },
          user: me,
          teams,
        });
      if (url.pathname === "/api/commands") return json(200, { commands });
      if (url.pathname.startsWith("/rest/")) return json(200, fns[url.pathname.split("/").pop()!]!(body));
      res.writeHead(200, { "content-type": "text/event-stream" });
      const from = req.headers["last-event-id"];
      if (from) {
        const at = new Map<string, number>(
          from.split(",").map((p: string) => [p.split(":")[0], Number(p.split(":")[1])]),
        );
        for (const c of changes)
          if (c.seq > (at.get(c.teamId) ?? 0)) res.write(`event: change\ndata: ${JSON.stringify(c)}\n\n`);
      }
      res.write(`event: ready\ndata: ${JSON.stringify({ teams: cursorOf(), resync: false })}\n\n`);
      streams.add(res);
      res.on("close", () => streams.delete(res));
      return;
    }
    const csp =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    const types: any = { js: "text/javascript", css: "text/css", svg: "image/svg+xml", html: "text/html" };
    const file = /\.\w+$/.test(url.pathname) ? url.pathname : "/index.html";
    res.writeHead(200, { "content-type": types[file.split(".").pop()!], "content-security-policy": csp });
    res.end(readFileSync(join(dist, file)));
  };
  let server = createServer(listener);
  await new Promise<void>((r) => server.listen(0, "127.0.0.1", r));
  const port = (server.address() as any).port;
  fns.create_team!({ name: "Analytical Engines" });
  return {
    url: `http://127.0.0.1:${port}`,
    get teamId() {
      return teams[0].id as string;
    },
    async signInUrl(path = "/") {
      const code = randomUUID();
      codes.add(code);
      return `http://127.0.0.1:${port}${path}#code=${code}`;
    },
    rpc: async (fn: string, args: any) => fns[fn]!(args) as any,
    async disconnect() {
      for (const s of streams) s.destroy();
      streams = new Set();
      server.closeAllConnections();
      await new Promise((r) => server.close(r));
    },
    async reconnect(options: { forgetTokens?: boolean } = {}) {
      if (options.forgetTokens) tokens = new Set();
      server = createServer(listener);
      await new Promise<void>((r) => server.listen(port, "127.0.0.1", r));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((r) => server.close(r));
    },
  };
}
export type TestServer = Awaited<ReturnType<typeof startTestServer>>;
