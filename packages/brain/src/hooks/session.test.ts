/** A session's hooks one after the other, with ports that remember what they were given. */
import { expect, test } from "bun:test";
import { findCheckout } from "@devflow/git/checkout";
import { runProcess, temporaryFolder } from "@devflow/testkit";
import { inferIntent } from "../intents/index.ts";
import { readLeft, readPresences } from "../presence/index.ts";
import { handleHook } from "./handle-hook.ts";
import { agentOf } from "./hook-agent.ts";
import type { HookMoment } from "./hook-event.ts";
import type { HookPorts } from "./hook-ports.ts";
import { hookSettings } from "./hook-settings.ts";
import { note } from "./session-notes.ts";

const team = {
  ...{ server: "local", team: "0191b2c3-0000-7000-8000-000000000002", user: "0191b2c3-0000-7000-8000-000000000001" },
  ...{ handle: "Ada", machine: "box", repo: "git.test/team/shop" },
};

async function session() {
  const home = temporaryFolder("home");
  const cwd = temporaryFolder("repo");
  await runProcess(["git", "init", "-q", "-b", "main", cwd], { env: { PATH: process.env.PATH ?? "" } });
  const checkout = findCheckout(cwd);
  if (!checkout) throw new Error("no checkout");
  const spooled: { kind: string; text: unknown; rev: unknown }[] = [];
  let woken = 0;
  const ports: HookPorts = {
    home,
    now: Date.now,
    signal: new AbortController().signal,
    place: async () => ({ checkout, settings: hookSettings({}), team }),
    spool: async (_team, { kind, payload }) => {
      const { text, rev } = payload as { text?: unknown; rev?: unknown };
      spooled.push({ kind, text, rev });
    },
    wake: () => void woken++,
    digest: async () => "The digest.",
    contextForFile: async (_place, file) => ({ text: `About ${file}: ${"x".repeat(4_000)}`, decisions: [] }),
    precheck: async () => undefined,
    inferIntent: async (clues) => inferIntent(clues),
    aliases: async () => ({}),
    redact: async (text) => text,
  };
  const event = { host: "claude", session: "s", cwd };
  return {
    ...{ home, spooled, agent: agentOf({ ...event, moment: "prompt" }, team).id },
    woken: () => woken,
    at: (moment: HookMoment, more: object = {}) => handleHook({ ...event, moment, ...more }, ports),
  };
}

test("a session is present from its start to its end, and somebody is woken to tell the team", async () => {
  const { at, home, woken } = await session();
  expect(await at("session-start")).toEqual({ context: "The digest." });
  expect((await readPresences(home, Date.now())).map(({ state, folder }) => [state, folder !== undefined])).toEqual([
    ["working", true],
  ]);
  expect(woken()).toBe(1);
  await at("stop", { lastMessage: "Done." });
  expect((await readPresences(home, Date.now()))[0]?.state).toBe("waiting");
  await at("session-end");
  expect([await readPresences(home, Date.now()), (await readLeft(home)).length, woken()]).toEqual([[], 1, 3]);
});

test("a guess gives way to one that is as good, and never to a worse one; what a person wrote stands", async () => {
  const { at, home, spooled, agent } = await session();
  const intents = () => spooled.filter(({ kind }) => kind === "intent").map(({ text, rev }) => `${rev} ${text}`);
  await at("prompt", { prompt: "Add a limit to the requests" });
  await at("prompt", { prompt: "yes" });
  await at("prompt", { prompt: "the second one looks better to me" });
  expect(intents()).toEqual(["1 Add a limit to the requests"]);
  await at("prompt", { prompt: "Now fix the tests" });
  expect(intents()).toEqual(["1 Add a limit to the requests", "2 Fix the tests"]);
  // As `devflow brain intent write` leaves it.
  const written = { id: "0191b2c3-0000-7000-8000-00000000000a", rev: 1, text: "Ship it", confidence: 1 } as const;
  note(home, agent, { is: "intent", ...written, source: "person" });
  await at("prompt", { prompt: "Fix the docs" });
  expect(intents().length).toBe(2);
  note(home, agent, { is: "intent", ...written, rev: 2, source: "person", isOver: true });
  await at("prompt", { prompt: "Fix the docs" });
  expect(intents().at(-1)).toBe("1 Fix the docs");
});

test("a patch of many files is told about as many as fit whole; the others come before the next edit", async () => {
  const { at } = await session();
  const names = ["a.ts", "b.ts", "c.ts"];
  const patch = ["*** Begin Patch", ...names.flatMap((name) => [`*** Add File: ${name}`, "+x"]), "*** End Patch"].join(
    "\n",
  );
  const tool = { name: "apply_patch", input: { command: patch }, response: undefined, call: "c" };
  const first = await at("pre-edit", { tool });
  expect(first?.context?.match(/About \w\.ts/g)).toEqual(["About a.ts", "About b.ts"]);
  expect(first?.context?.length).toBeLessThan(9_000);
  expect((await at("pre-edit", { tool }))?.context?.match(/About \w\.ts/g)).toEqual(["About c.ts"]);
  expect(await at("pre-edit", { tool })).toBeUndefined();
});
