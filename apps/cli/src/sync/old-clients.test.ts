/** Clients of released versions, as they were recorded, against the server of today. */
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "@devflow/core/version";
import { startTeam } from "../../testing/start-team.ts";
import { type Exchange, replay } from "../../testing/wire-recording.ts";

const folder = join(import.meta.dir, "../../testing/wire");
const recordings = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as { version: string; exchanges: Exchange[] });
const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
}, 60_000);

test("what this version says is recorded, for the servers that come after it", () => {
  // To record it: bun apps/cli/testing/record-wire.ts
  expect(recordings.map((one) => one.version)).toContain(version);
});

describe.each(recordings)("a client of $version", ({ exchanges }) => {
  test("is answered as it was then, with at least what it read then", async () => {
    const team = await startTeam();
    stops.push(() => team.stop());
    const setup = /#token=(.+)$/.exec(team.setupUrl)?.[1] ?? "";
    const replayed = await replay(exchanges, team.url, { setup, terminal: "ada@desk", host: "desk" });
    const differences = replayed.flatMap(({ exchange, status, answer }) => {
      const where = `${exchange.method} ${exchange.path}`;
      if (status !== exchange.status)
        return [`${where}: ${status} instead of ${exchange.status}: ${answer.slice(0, 300)}`];
      return lacksOf(parsed(exchange.answer), parsed(answer)).map((lack) => `${where}: ${lack}`);
    });
    expect(differences).toEqual([]);
    expect(replayed.length).toBeGreaterThan(30);
    const [count] = await team.admin`select count(distinct kind)::int as kinds from app.records`;
    expect(count?.kinds).toBeGreaterThanOrEqual(7);
  }, 60_000);
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? null : "text";
  }
};

/** What an old answer had and the new one has not, or has in another form. Values may differ: times, ids, counts of the day. */
function lacksOf(old: unknown, now: unknown, at = ""): string[] {
  if (old === null) return [];
  if (Array.isArray(old)) {
    if (!Array.isArray(now)) return [`${at} is no list any more`];
    if (now.length < old.length) return [`${at} has ${now.length} entries instead of ${old.length}`];
    return old.flatMap((one, index) => lacksOf(one, now[index], `${at}/${index}`));
  }
  if (typeof old === "object") {
    if (typeof now !== "object" || now === null || Array.isArray(now)) return [`${at} is no object any more`];
    return Object.entries(old).flatMap(([key, one]) =>
      key in now ? lacksOf(one, (now as Record<string, unknown>)[key], `${at}/${key}`) : [`${at}/${key} is missing`],
    );
  }
  const isAnswer = /\/(status|kind|code)$/.test(at);
  if (isAnswer && old !== now) return [`${at} is ${String(now)} instead of ${String(old)}`];
  return typeof old === typeof now ? [] : [`${at} is ${typeof now} instead of ${typeof old}`];
}
