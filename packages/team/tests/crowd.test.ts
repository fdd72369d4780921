/**
 * Many clients at once, while the server is killed and started again. `npm run soak`: 50 clients with 100,000 records and five kills, and
 * the drain rate and the server's memory are printed.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { type ServerProcess, startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { payloadNumber } from "../testing/payloads.ts";

const isLong = process.env.DEVFLOW_TEST_SOAK !== undefined;
const { clients, amount, restarts, processes } = isLong
  ? { clients: 50, amount: 2_000, restarts: 5, processes: 5 }
  : { clients: 8, amount: 40, restarts: 2, processes: 2 };
const total = clients * amount;

let it: TeamServer;
beforeAll(async () => {
  it = await startTeamServer();
}, 120_000);
afterAll(() => it.stop(), 60_000);

test("nothing is lost and nothing is there twice, however often the server is killed meanwhile", async () => {
  const home = temporaryHome();
  const program = [process.execPath, fileURLToPath(new URL("../testing/programs/crowd.ts", import.meta.url))];
  let server = await it.startAnother(home.environment());
  const port = Number(new URL(server.url).port);
  const options = {
    folder: temporaryFolder("crowd"),
    url: server.url,
    token: it.owner.token.reveal(),
    to: { server: "here", team: it.teamId, user: it.owner.id },
    amount,
  };
  const started = performance.now();
  const crowd = Array.from({ length: processes }, (_, own) =>
    runProcess(program, {
      env: home.environment(),
      stdin: JSON.stringify({ ...options, clients: numbers(clients).filter((one) => one % processes === own) }),
      timeoutMs: 3_600_000,
    }),
  );
  let mostKb = 0;
  for (const restart of numbers(restarts)) {
    await until(async () => (await stored()) > ((restart + 1) * total) / (restarts + 2));
    mostKb = Math.max(mostKb, peakKb(server));
    server.process.signal("SIGKILL");
    await server.process.ended;
    server = await it.startAnother(home.environment(), port);
  }
  const ended = await Promise.all(crowd);
  const seconds = (performance.now() - started) / 1000;
  mostKb = Math.max(mostKb, peakKb(server));
  await server.process.stop();
  expect(ended.map(({ code, stdout, stderr }) => [code, stdout.endsWith("done\n"), stderr])).toEqual(
    ended.map(() => [0, true, ""]),
  );
  const written = new Map(
    ended.flatMap(({ stdout }) =>
      stdout
        .split("\n")
        .filter((line) => line.includes(" "))
        .map((line) => line.split(" ") as [string, string]),
    ),
  );
  expect(written.size).toBe(total);
  await expectOnce(written);
  const figures = { clients, records: total, restarts, seconds, perSecond: total / seconds, serverMb: mostKb / 1024 };
  if (isLong) console.log(`crowd: ${JSON.stringify(figures)}`);
  if (process.env.DEVFLOW_TEST_FIGURES) writeFileSync(process.env.DEVFLOW_TEST_FIGURES, JSON.stringify(figures));
}, 3_600_000);

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function stored(): Promise<number> {
  const [row] = await it.admin<{ count: number }[]>`select count(*)::int as count from app.records`;
  return row?.count ?? 0;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(20);
}

/** The most memory that the process has had. */
function peakKb({ process: { pid } }: ServerProcess): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

/** The ids whose `spool()` returned are the server's, with the same hash, and one row each in the log. */
async function expectOnce(written: ReadonlyMap<string, string>): Promise<void> {
  const rows = [...written].map(([id, n]) => ({ id, payload: JSON.stringify(payloadNumber(Number(n))) }));
  let same = 0;
  for (let at = 0; at < rows.length; at += 5_000) {
    const [part] = await it.admin<{ same: number }[]>`
      select count(*)::int as same
      from jsonb_to_recordset(${it.admin.json(rows.slice(at, at + 5_000))}) as e (id uuid, payload text)
      join app.records r on r.id = e.id and r.hash = sha256(convert_to('ping ' || (e.payload::jsonb)::text, 'UTF8'))`;
    same += part?.same ?? 0;
  }
  const [all] = await it.admin`
    select (select count(*)::int from app.records where kind = 'ping') as records,
           (select count(*)::int from app.changes c join app.records r on r.id = c.entity_id) as changes,
           (select count(distinct c.entity_id)::int from app.changes c join app.records r on r.id = c.entity_id) as changed`;
  expect<Record<string, number>>({ same, ...all }).toEqual({
    same: written.size,
    records: written.size,
    changes: written.size,
    changed: written.size,
  });
}
