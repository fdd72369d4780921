/** A run whose team is on another server: its agents are agents of the brain, and they hear what the team knows. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@devflow/core/clock";
import { homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { type RunBrain, tellBrain } from "@devflow/runs/brain";
import { drainNow } from "@devflow/team/drain";
import { quietLog, runProcess } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { sendPresence } from "../brain/send-presence.ts";
import { drainPorts } from "../sync/drain-ports.ts";
import { runBrain } from "./run-brain.ts";

let here: RunsServer;
let there: TeamServer;
let telling: { stop(): Promise<void> };
let brain: RunBrain;
const signal = new AbortController().signal;
const seen = new Set<string>();

beforeAll(async () => {
  there = await startTeamServer();
  here = await startRunsServer({
    brain: (home, env) => {
      // What the drainer does in the background, at once.
      const wake = async () => {
        const ports = { home: homeAt(home), env, signal };
        await drainNow(drainPorts(ports.home, env, signal));
        const { readPresences } = await import("@devflow/brain/presence");
        for (const one of await readPresences(home, Date.now())) {
          expect(await sendPresence(ports, one, one.state)).toBeUndefined();
          seen.add(`${one.agent.host} ${one.agent.handle} ${one.intent}`);
        }
      };
      brain = runBrain({ home: homeAt(home), env, machine: "test-machine", wake });
      return brain;
    },
  });
  const env = here.home.environment();
  const signIn = { user_id: there.owner.id, name: "Ada", access_token: there.owner.token.reveal() };
  const auth = {
    [there.url]: { ...signIn, expires_at: Math.floor(Date.now() / 1000) + 600, teams: { demo: there.teamId } },
  };
  writeFileSync(join(here.home.devflowHome, "auth.json"), JSON.stringify(auth), { mode: 0o600 });
  mkdirSync(join(here.repository, "src"));
  writeFileSync(join(here.repository, "src/till.ts"), "export const till = 1;\n");
  writeFileSync(join(here.repository, ".devflow.json"), JSON.stringify({ server: there.url, team: "demo" }));
  const script =
    "git remote add origin https://git.test/team/shop.git && git add -A && git -c user.name=A -c user.email=a@x commit -qm Till";
  expect((await runProcess(["sh", "-ec", script], { cwd: here.repository, env })).code).toBe(0);
  const { live, context } = here.runs;
  const { host, database } = context;
  telling = tellBrain({ database, host, log: quietLog, clock: systemClock, onVisible: live.onVisible }, brain);
}, 120_000);
afterAll(async () => {
  await telling.stop();
  await here.stop();
  await there.stop();
}, 60_000);

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let n = 0; n < 900; n++) {
    const found = await look();
    if (found !== undefined) return found;
    await Bun.sleep(50);
  }
  throw new Error(`timed out waiting for ${what}`);
}

/** As a teammate's machine pushes it. */
async function decide(title: string, files: readonly string[]): Promise<void> {
  const payload = {
    decision_id: uuidv7(),
    rev: 1,
    type: "decision",
    title,
    body: "",
    files,
    features: [],
    state: "accepted",
  };
  const record = {
    id: uuidv7(),
    kind: "decision",
    schema_version: 1,
    at: new Date().toISOString(),
    repo: "git.test/team/shop",
    payload,
  };
  const answer = await fetch(`${there.url}/rest/v1/rpc/push_records`, {
    method: "POST",
    headers: { authorization: `Bearer ${there.member.token.reveal()}`, "content-type": "application/json" },
    body: JSON.stringify({ team_id: there.teamId, records: [record] }),
  });
  expect(((await answer.json()) as { status: string }[]).map(({ status }) => status)).toEqual(["stored"]);
}

test("a run's agents are present, intend, edit and hand over, and hear what was decided about its files", async () => {
  await decide("Tills count in cents", ["src/till.ts"]);
  await decide("Doors open to the left", ["doors/door.ts"]);
  const started = await here.call("/api/runs", {
    body: {
      ...{ teamId: here.teamId, template: "development-fake@1", repository: here.repository, title: "Fix the till" },
      ...{ requirements: "Fix src/till.ts, please.", clientToken: uuidv7() },
      // Long enough to be seen at work.
      extra: { fake: { delayMs: 400 } },
    },
  });
  expect([started.status, started.text]).toEqual([started.status < 300 ? started.status : 201, started.text]);
  const { runId } = started.json as { runId: string };
  await until("the end of the run", async () => {
    const rows = await here.database.database.asEngine(
      (tx) => tx<{ id: string; epoch: number; state: string }[]>`
        select a.id, a.epoch, r.state from app.runs r left join app.approval_requests a on a.run_id = r.id and a.state = 'pending'
        where r.id = ${runId}`,
    );
    for (const { id, epoch } of rows.filter((row) => row.id !== null)) {
      const actor = { userId: here.userId, kind: "human", via: "api" } as const;
      await here.runs.engine
        .decide(id, { verdict: "approve", clientToken: uuidv7(), epoch }, actor)
        .catch(() => undefined);
    }
    return rows[0]?.state === "completed" ? true : undefined;
  });

  const [intent] = await until("the shipped intent", async () => {
    const rows = await there.admin<{ text: string; state: string; source: string; host: string }[]>`
      select i.text, i.state, i.source, a.host from app.intents i
      join app.agents a on a.id = i.agent_id and a.user_id = i.user_id where i.state = 'shipped'`;
    return rows.length > 0 ? rows : undefined;
  });
  expect({ ...intent }).toEqual({ text: "Fix the till", state: "shipped", source: "run", host: "run" });
  const texts = await there.admin<{ text: string }[]>`
    select distinct payload ->> 'text' as text from app.records where kind = 'intent' order by 1`;
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.every(({ text }) => text.startsWith("Fix the till"))).toBe(true);

  const edits = await there.admin<{ via: string; run_id: string; path: string; prompt: string; has_commit: boolean }[]>`
    select e.via, e.run_id, f.path, e.prompt, e.commit is not null as has_commit from app.edits e join app.files f on f.id = e.file_id`;
  expect(edits.length).toBeGreaterThan(0);
  for (const one of edits) expect(one).toMatchObject({ via: "run", run_id: runId, has_commit: true });
  const [handoff] = await until("the handoff", async () => {
    const rows = await there.admin<{ text: string; source: string }[]>`select text, source from app.handoffs`;
    return rows.length > 0 ? rows : undefined;
  });
  expect(handoff?.source).toBe("run");
  expect(handoff?.text).toMatch(/^Fix the till: completed\.\n[\s\S]*Phases: /);
  expect([...seen].some((one) => /^run \S+ Fix the till: /.test(one))).toBe(true);

  const prompts = await here.database.database.asEngine(
    (tx) => tx<{ folder: string }[]>`select handle ->> 'folder' as folder from app.sessions where run_id = ${runId}`,
  );
  const told = prompts.flatMap(({ folder }) =>
    readdirSync(join(folder, "inbox")).map((name) => readFileSync(join(folder, "inbox", name), "utf8")),
  );
  expect(told.some((text) => text.includes("## What your team knows") && text.includes("Tills count in cents"))).toBe(
    true,
  );
  expect(told.some((text) => text.includes("Doors open to the left"))).toBe(false);

  const { heldBack } = await import("@devflow/team/drain");
  const { spoolFolder } = await import("@devflow/team/spool");
  expect(await heldBack(spoolFolder(here.home.devflowHome))).toEqual([]);
}, 120_000);

test("told again after a restart, the same facts are the same records", async () => {
  const count = async () => (await there.admin<{ n: number }[]>`select count(*)::int as n from app.records`)[0]?.n;
  const before = await count();
  await telling.stop();
  const { live, context } = here.runs;
  const { host, database } = context;
  telling = tellBrain({ database, host, log: quietLog, clock: systemClock, onVisible: live.onVisible }, brain);
  const { spoolFolder } = await import("@devflow/team/spool");
  await until("the drain", async () =>
    readdirSync(spoolFolder(here.home.devflowHome).sent, { recursive: true }).length > 0 ? true : undefined,
  );
  await telling.stop();
  await drainNow(drainPorts(homeAt(here.home.devflowHome), here.home.environment(), signal));
  expect(await count()).toBe(before);
});
