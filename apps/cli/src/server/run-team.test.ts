/** A run on this machine whose team is on another server: the team sees it, and a teammate decides its gate. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@devflow/core/clock";
import { homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { shareRuns } from "@devflow/runs/team";
import { drainNow } from "@devflow/team/drain";
import { quietLog, runCli, runProcess, temporaryHome } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { drainPorts } from "../sync/drain-ports.ts";
import { runTeam } from "./run-team.ts";

let here: RunsServer;
let there: TeamServer;
let sharing: { stop(): Promise<void> };
const signal = new AbortController().signal;
const remote = "https://example.org/acme/till.git";

beforeAll(async () => {
  there = await startTeamServer();
  here = await startRunsServer();
  const { devflowHome } = here.home;
  const expires = Math.floor(Date.now() / 1000) + 600;
  const signIn = {
    user_id: there.owner.id,
    name: "Ada",
    access_token: there.owner.token.reveal(),
    expires_at: expires,
  };
  const auth = { [there.url]: { ...signIn, teams: { demo: there.teamId } } };
  writeFileSync(join(devflowHome, "auth.json"), JSON.stringify(auth), { mode: 0o600 });
  writeFileSync(join(here.repository, ".devflow.json"), JSON.stringify({ server: there.url, team: "demo" }));
  await runProcess(["git", "remote", "add", "origin", remote], {
    cwd: here.repository,
    env: here.home.environment(),
  });
  const wake = async () => void (await drainNow(drainPorts(homeAt(devflowHome), here.home.environment(), signal)));
  const team = runTeam({ home: devflowHome, env: here.home.environment(), wake });
  const { engine, live, context } = here.runs;
  const { host, database } = context;
  sharing = shareRuns({ database, engine, host, log: quietLog, clock: systemClock, onVisible: live.onVisible }, team);
}, 120_000);
afterAll(async () => {
  await sharing.stop();
  await here.stop();
  await there.stop();
}, 60_000);

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let n = 0; n < 600; n++) {
    const found = await look();
    if (found !== undefined) return found;
    await Bun.sleep(50);
  }
  throw new Error(`timed out waiting for ${what}`);
}

const startRun = async (): Promise<string> => {
  const body = {
    ...{ teamId: here.teamId, template: "development-fake@1", repository: here.repository, title: "Fix the till" },
    ...{ requirements: "Fix it.", clientToken: uuidv7() },
  };
  const started = await here.call("/api/runs", { body });
  if (started.status >= 300) throw new Error(started.text);
  return started.json.runId;
};
const gateOf = (runId: string) =>
  until("a gate on the team server", async () => {
    const [row] = await there.admin<{ request_id: string; epoch: number; diff_hash: string | null }[]>`
      select distinct on (request_id) request_id, epoch::int, diff_hash, state from app.run_gates
      where run_id = ${runId} order by request_id, rev desc, id desc`;
    return row;
  });
/** As a teammate's web app or machine pushes it. */
async function decide(verdict: object): Promise<string> {
  const id = uuidv7();
  const record = { id, kind: "verdict", schema_version: 1, at: new Date().toISOString(), payload: verdict };
  const answer = await fetch(`${there.url}/rest/v1/rpc/push_records`, {
    method: "POST",
    headers: { authorization: `Bearer ${there.member.token.reveal()}`, "content-type": "application/json" },
    body: JSON.stringify({ team_id: there.teamId, records: [record] }),
  });
  expect(((await answer.json()) as { status: string }[]).map(({ status }) => status)).toEqual(["stored"]);
  return id;
}
const outcomeOf = (verdict: string) =>
  until("the answer to the verdict", async () => {
    const [row] = await there.admin<{ outcome: string }[]>`
      select outcome from app.run_verdict_answers where verdict_id = ${verdict}`;
    return row?.outcome;
  });

test("the team sees the run's states, and a teammate's verdict is applied in their name", async () => {
  const runId = await startRun();
  const gate = await gateOf(runId);
  const shown = { run_id: runId, request_id: gate.request_id, epoch: gate.epoch, diff_hash: gate.diff_hash };

  // Somebody who looked at something else.
  const late = await decide({ ...shown, action: "reject", diff_hash: "0".repeat(64) });
  expect(await outcomeOf(late)).toBe("stale");

  const verdict = await decide({ ...shown, action: "approve", comment: "Looks right" });
  expect(await outcomeOf(verdict)).toBe("applied");
  const [decision] = await here.database.database.asEngine(
    (tx) => tx<{ action: string; comment: string; actor: object; name: string }[]>`
      select d.action, d.comment, d.actor, u.name from app.approval_decisions d
      join app.users u on u.id = (d.actor ->> 'userId')::uuid where d.approval_request_id = ${gate.request_id}`,
  );
  expect({ ...decision }).toEqual({
    ...{ action: "approve", comment: "Looks right", name: "Grace" },
    actor: { userId: there.member.id, kind: "human", via: "sync", name: "Grace" },
  });
  // The person whose run it is sees the name.
  expect((await here.call(`/api/runs/${runId}`)).text).toContain('"name":"Grace"');

  // It is decided: another verdict comes too late.
  expect(await outcomeOf(await decide({ ...shown, action: "abort" }))).toBe("stale");
  const states = await until("the decided gate", async () => {
    const rows = await there.admin<{ state: string }[]>`
      select state from app.run_gates where request_id = ${gate.request_id} order by rev, id`;
    return rows.at(-1)?.state === "decided" ? rows.map(({ state }) => state) : undefined;
  });
  expect(states[0]).toBe("pending");
  const [progress] = await there.admin`
    select payload ->> 'title' as title, r.user_id from app.records r where r.kind = 'run_progress' limit 1`;
  expect({ ...progress }).toEqual({ title: "Fix the till", user_id: there.owner.id });
}, 120_000);

test("of two teammates who decide the same gate at the same moment by their commands, one is told that it came too late", async () => {
  const runId = await startRun();
  const { request_id: gate } = await gateOf(runId);
  const people = ["Grace", "Alan"].map((name) => {
    const home = temporaryHome();
    const checkout = join(home.path, "shop");
    mkdirSync(home.devflowHome, { mode: 0o700 });
    const expires_at = Math.floor(Date.now() / 1000) + 600;
    const signIn = { user_id: there.member.id, name, access_token: there.member.token.reveal(), expires_at };
    const auth = { [there.url]: { ...signIn, teams: { demo: there.teamId } } };
    writeFileSync(join(home.devflowHome, "auth.json"), JSON.stringify(auth), { mode: 0o600 });
    return { home, checkout };
  });
  for (const { home, checkout } of people) {
    const cloned = await runProcess(["git", "clone", "--quiet", here.repository, checkout], {
      env: home.environment(),
    });
    expect(cloned.code).toBe(0);
    await runProcess(["git", "remote", "set-url", "origin", remote], { cwd: checkout, env: home.environment() });
    writeFileSync(join(checkout, ".devflow.json"), JSON.stringify({ server: there.url, team: "demo" }));
  }
  const [first] = people;
  const listed = await runCli(["team", "gates", "--json"], { home: first!.home, cwd: first!.checkout });
  expect(listed.json<{ gates: { id: string }[] }>().gates.map(({ id }) => id)).toContain(gate);
  const decided = await Promise.all(
    people.map(({ home, checkout }) => runCli(["team", "decide", gate, "approve"], { home, cwd: checkout })),
  );
  expect(decided.map(({ code }) => code).sort()).toEqual([0, 75]);
  const told = decided.map(({ stdout, stderr }) => `${stdout}${stderr}`).sort();
  expect(told[0]).toContain("had moved on before your verdict came");
  expect(told[1]).toContain("was applied.");
}, 120_000);

test("nothing that was shared was refused", async () => {
  const [row] =
    await there.admin`select count(*)::int as n from app.records where kind in ('run_progress', 'approval_request')`;
  expect(row?.n).toBeGreaterThan(3);
  const { heldBack } = await import("@devflow/team/drain");
  const { spoolFolder } = await import("@devflow/team/spool");
  expect(await heldBack(spoolFolder(here.home.devflowHome))).toEqual([]);
});
