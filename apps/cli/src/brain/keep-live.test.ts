/** What happens in the background while agents are at work: their team hears of it, and their digest stays fresh. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentIdentity } from "@devflow/brain/agents";
import { readDigest } from "@devflow/brain/digest";
import { leavePresence, type Presence, writePresence } from "@devflow/brain/presence";
import { homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { cacheFolder } from "@devflow/team/cache";
import { spool } from "@devflow/team/spool";
import { type TemporaryHome, temporaryHome } from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { wokenMark } from "../hooks/wake-live.ts";
import { drainPorts } from "../sync/drain-ports.ts";
import { keepLive } from "./keep-live.ts";

let server: TeamServer;
beforeAll(async () => {
  server = await startTeamServer();
}, 120_000);
afterAll(() => server.stop());

const repo = "git.test/team/shop";

function machine(url = server.url): { home: TemporaryHome; presence: Presence; of: ReturnType<typeof placeOf> } {
  const home = temporaryHome();
  mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
  const agent = agentIdentity(
    { user: server.member.id, machine: "box", host: "claude", session: "s" },
    { handle: "Grace" },
  );
  const known = { user_id: server.member.id, name: "Grace", access_token: server.member.token.reveal() };
  const expires_at = Math.floor(Date.now() / 1000) + 3_600;
  writeFileSync(
    join(home.devflowHome, "auth.json"),
    JSON.stringify({ [url]: { ...known, expires_at, teams: { demo: server.teamId } } }),
    { mode: 0o600 },
  );
  const of = placeOf(url);
  const presence: Presence = {
    ...{ agent, ...of, repo, intent: "Limit requests", branch: "limits", files: ["src/limit.ts"], state: "working" },
    at: new Date().toISOString(),
  };
  return { home, presence, of };
}
const placeOf = (url: string) => ({ server: url, team: server.teamId, user: server.member.id });

function live(home: TemporaryHome, signal = new AbortController().signal) {
  const paths = homeAt(home.devflowHome);
  const env = home.environment();
  return keepLive({ home: paths, env, signal, drain: drainPorts(paths, env, signal) });
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let n = 0; n < 400; n++) {
    const found = await look();
    if (found !== undefined) return found;
    await Bun.sleep(50);
  }
  throw new Error(`timed out waiting for ${what}`);
}
const present = () =>
  server.admin<{ intent_text: string; state: string }[]>`select intent_text, state from app.presence`;
const intentOf = (agent: Presence["agent"], text: string) => ({
  ...{
    intent_id: uuidv7(),
    rev: 1,
    agent,
    state: "active",
    text,
    branch: null,
    files: [],
    features: [],
    decisions: [],
  },
  ...{ source: "inferred", confidence: 0.7 },
});

test("presence, records and the digest, until the last agent leaves; a second one does not stay", async () => {
  const { home, presence, of } = machine();
  await writePresence(home.devflowHome, presence);
  const staying = live(home);
  await until("presence", async () => ((await present()).length > 0 ? true : undefined));
  expect((await present()).map((one) => ({ ...one }))).toEqual([{ intent_text: "Limit requests", state: "working" }]);
  await live(home);

  // What a hook spools goes at once, what the agent turns to is told, and what others do is in the digest soon.
  await spool(home.devflowHome, {
    kind: "intent",
    to: of,
    repo,
    agent: presence.agent.id,
    payload: intentOf(presence.agent, "Limit requests"),
  });
  await until("the intent", async () => ((await server.admin`select from app.intents`).length > 0 ? true : undefined));
  await writePresence(home.devflowHome, { ...presence, intent: "Write tests", state: "waiting" });
  await until("the change", async () => ((await present())[0]?.intent_text === "Write tests" ? true : undefined));
  const other = agentIdentity({ user: server.owner.id, machine: "other", host: "codex", session: "t" });
  const record = {
    id: uuidv7(),
    kind: "intent",
    schema_version: 1,
    at: new Date().toISOString(),
    repo,
    payload: intentOf(other, "Paint the till"),
  };
  const answer = await fetch(`${server.url}/rest/v1/rpc/push_records`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.owner.token.reveal()}`, "content-type": "application/json" },
    body: JSON.stringify({ team_id: server.teamId, records: [record] }),
  });
  expect(answer.ok).toBe(true);
  const folder = cacheFolder(home.devflowHome, { ...of, repo });
  const digest = await until("the digest", async () => {
    const found = await readDigest(folder);
    return found?.intents.some(({ text }) => text === "Paint the till") ? found : undefined;
  });
  expect(digest.intents.length).toBe(2);
  const mark = wokenMark(homeAt(home.devflowHome));
  expect(existsSync(mark)).toBe(true);

  await leavePresence(home.devflowHome, presence.agent.id);
  await staying;
  expect(await present()).toHaveLength(0);
  expect([
    existsSync(mark),
    readdirSync(join(home.devflowHome, "presence")).filter((name) => name.endsWith(".json")),
  ]).toEqual([false, []]);
}, 60_000);

test("a server that is gone is left alone; presence that nobody refreshed ends it", async () => {
  const { home, presence } = machine("http://127.0.0.1:1");
  const old = new Date(Date.now() - 6 * 60_000);
  await writePresence(home.devflowHome, { ...presence, at: old.toISOString() });
  await live(home);
  await writePresence(home.devflowHome, presence);
  const ending = new AbortController();
  const staying = live(home, ending.signal);
  await until("the first turn", async () => (existsSync(wokenMark(homeAt(home.devflowHome))) ? true : undefined));
  ending.abort();
  await staying;
});
