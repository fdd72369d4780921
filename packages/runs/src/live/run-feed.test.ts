/** Two processes on one database, here two feeds: each sees what the other committed, and its own commits at once. */
import { afterAll, expect, test } from "bun:test";
import { quietLog, testDatabase } from "@devflow/testkit";
import type { ChainedEvent } from "../events/chain.ts";
import { createRunFeed } from "./run-feed.ts";

const test1 = await testDatabase({ poolSize: 2 });
const { database } = test1;
const [here, there] = [createRunFeed({ database, log: quietLog }), createRunFeed({ database, log: quietLog })];
await Promise.all([here.start(), there.start()]);
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await test1.close();
});
const runId = "01900000-0000-7000-8000-000000000001";
const event = { type: "run.paused" } as ChainedEvent;

test("what one process commits wakes the followers, lists and drivers of the other", async () => {
  const heard: (string | undefined)[] = [];
  const done = new Promise<void>((resolve) => {
    there.follow(runId, () => heard.push("follower"));
    there.onForeign((id) => heard.push(id));
    there.onVisible(() => {
      heard.push("list");
      if (heard.includes(runId)) resolve();
    });
  });
  here.committed(runId, [event]);
  await done;
  expect(heard).toEqual(["follower", runId, "list"]);
});

test("a process does not receive its own messages as foreign", async () => {
  const foreign: (string | undefined)[] = [];
  const own: string[] = [];
  const forget = [here.onForeign((id) => foreign.push(id)), here.follow(runId, () => own.push("woken"))];
  here.committed(runId, [event]);
  expect(own).toEqual(["woken"]);
  // A later message from the other side shows that its own has passed.
  const passed = new Promise<void>((resolve) => {
    forget.push(here.onForeign((id) => id === "after" && resolve()));
  });
  await Bun.sleep(60);
  there.transcribed("after");
  await passed;
  expect(foreign).toEqual(["after"]);
  for (const each of forget) each();
});

test("many commits in a short time are one message, for any number of runs", async () => {
  const ids = Array.from({ length: 450 }, (_, index) => `run-${index}`);
  const heard = new Set<string | undefined>();
  const done = new Promise<void>((resolve) => {
    there.onForeign((id) => {
      heard.add(id);
      if (heard.size === ids.length) resolve();
    });
  });
  for (const id of ids) for (let times = 0; times < 3; times++) here.transcribed(id);
  await done;
  expect([...heard].sort()).toEqual([...ids].sort());
});
