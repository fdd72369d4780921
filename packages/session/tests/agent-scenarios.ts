/**
 * What every adapter of a real agent must do, with the real program and a scripted model. Called once per kind of agent
 * by `<kind>.test.ts`.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canRun, lackOfProgram, type ScenarioInput } from "@devflow/testkit";
import type { SessionFact } from "../src/adapter.ts";
import { readAgentFile } from "../src/holder/agent-file.ts";
import { call, folderOnDisk, isIdle, openAgentBench } from "./agent-bench.ts";
import type { AgentKind } from "./agent-kinds.ts";

const anEnvelope = "/Expected artifact: (?<artifact>\\S+)/";

const hasSandbox = await canRun("tests of agents in the sandbox", () =>
  lackOfProgram("bwrap", "--version", "apt-get install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap"),
);

const isSoak = process.env.DEVFLOW_TEST_SOAK !== undefined;

/** `core`: a prompt, a permission, a kill, a rate limit. The others then run in `npm run soak` only. */
export function agentScenarios(kind: AgentKind, which: "core" | "all" = "all"): void {
  const further: (name: string, body: () => Promise<void>) => void =
    which === "all" || isSoak ? (name, body) => test(name, body) : () => undefined;
  const open = (scenario: ScenarioInput) => openAgentBench(kind, scenario);
  const writes = (content: string) => ({ tools: [kind.write("$<artifact>", content)] });
  const rewrites = (before: string, after: string) =>
    kind.replace ? { tools: [kind.replace("$<artifact>", before, after)] } : writes(after);
  const kinds = (facts: readonly SessionFact[]) =>
    facts.map((fact) => fact.kind).filter((one) => one !== "activity" && one !== "rate_limit");
  const ok = [
    { match: { userText: anEnvelope, toolResult: false }, answer: writes('{"ok":true}') },
    { match: { toolResult: true }, answer: { text: "It is written." } },
  ];

  const hangsOnce = [
    { match: { userText: anEnvelope, toolResult: false }, answer: { text: "thinking", hang: true } },
    {
      match: { userText: "/Attempt: 2[\\s\\S]*Expected artifact: (?<artifact>\\S+)/", toolResult: false },
      answer: writes('{"ok":true}'),
    },
    { match: { toolResult: true }, answer: { text: "Done." } },
  ];
  /** In the middle of a turn, of which nothing is lost when it is killed. */
  const openInTurn = async () => {
    const bench = await open({ steps: hangsOnce });
    const handle = await bench.start();
    const first = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, first, call);
    await bench.model.waitFor(({ isBackground }) => !isBackground);
    await bench.kept(handle, first.uuid);
    return { bench, handle, first };
  };

  test("a prompt is acknowledged, its artifact written, its usage reported", async () => {
    await using bench = await open({ steps: ok });
    const handle = await bench.start();
    const envelope = bench.ask(handle);
    await Promise.all([
      bench.adapter.sendPrompt(handle, envelope, call),
      bench.adapter.sendPrompt(handle, envelope, call),
    ]);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(kinds(facts)).toEqual(["ack", "usage", "idle"]);
    expect(facts.at(-1)).toMatchObject({ outcome: "done", dedupKey: envelope.dedupKey });
    expect(readFileSync(envelope.expectedArtifact, "utf8")).toContain('"ok"');
    await bench.adapter.sendPrompt(handle, envelope, call);
    expect(bench.seen(`DEVFLOW_PROMPT_BEGIN ${envelope.uuid}`)).toBe(1);
    expect(bench.seen("PRELUDE:")).toBe(1);
    bench.model.expectFollowed();
  });

  further("an invalid artifact is repaired in the same turn, with its errors", async () => {
    await using bench = await open({
      steps: [
        { match: { userText: anEnvelope, toolResult: false }, answer: writes('{"ok":false}') },
        { name: "ends", match: { toolResult: true }, answer: { text: "Done." } },
        {
          name: "held",
          match: { userText: "/not done: (?<artifact>\\S+) must[\\s\\S]*must be true/" },
          answer: rewrites('{"ok":false}', '{"ok":true}'),
        },
        { name: "says so", match: { toolResult: true }, answer: { text: "Now it is." } },
      ],
    });
    const handle = await bench.start();
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    await bench.factsUntil(handle, isIdle);
    expect(JSON.parse(readFileSync(envelope.expectedArtifact, "utf8"))).toEqual({ ok: true });
  });

  test("a permission waits for its answer: allowed once, then denied", async () => {
    await using bench = await open({
      steps: [
        {
          match: { userText: anEnvelope, toolResult: false },
          answer: { tools: [kind.run("bash -c 'echo > allowed.txt'")] },
        },
        { match: { toolResult: true }, answer: { tools: [kind.run("bash -c 'echo > denied.txt'")] } },
        { match: { toolResult: true }, answer: writes('{"ok":true}') },
        { match: { toolResult: true }, answer: { text: "Done." } },
      ],
      otherwise: { text: "Done." },
    });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    let after = 0;
    for (const answer of ["allow", "deny"] as const) {
      const asked = (await bench.factsUntil(handle, ({ kind: one }) => one === "permission", after)).at(-1);
      if (asked?.kind !== "permission") throw new Error("no permission was asked for");
      after = asked.seq;
      expect(asked.detail).toContain(answer === "allow" ? "allowed.txt" : "denied.txt");
      await bench.adapter.answerPermission(handle, asked.permissionId, answer, call);
    }
    await bench.factsUntil(handle, isIdle, after);
    expect(["allowed.txt", "denied.txt"].map((name) => existsSync(join(bench.worktree, name)))).toEqual([true, false]);
  });

  const found = kind.isLostWhenKilled ? () => undefined : test;
  const foundFurther = kind.isLostWhenKilled ? () => undefined : further;
  if (kind.isLostWhenKilled)
    test("killed in a turn, the agent is not found again, and a new one takes its place", async () => {
      const { bench, handle } = await openInTurn();
      await using _ = bench;
      process.kill(readAgentFile(join(handle.folder, "agent.json")).pid ?? 0, "SIGKILL");
      await bench.factsUntil(handle, ({ kind: one }) => one === "exit");
      const failed = await bench.adapter.resume(handle, call).catch((error: Error) => error);
      expect(String(failed)).toContain("it could not continue its session");
      const anew = await bench.adapter.rebootstrap(handle, call);
      const second = bench.ask(anew, { attempt: 2 });
      await bench.adapter.sendPrompt(anew, second, call);
      await bench.factsUntil(anew, (fact) => fact.kind === "idle" && fact.dedupKey === second.dedupKey);
      expect(JSON.parse(readFileSync(second.expectedArtifact, "utf8"))).toEqual({ ok: true });
    });

  found("killed in a turn, the agent is continued with its history and gets no prompt twice", async () => {
    const { bench, handle, first } = await openInTurn();
    await using _ = bench;
    const { pid = 0 } = readAgentFile(join(handle.folder, "agent.json"));
    process.kill(pid, "SIGKILL");
    await bench.factsUntil(handle, ({ kind: one }) => one === "exit");
    const resumed = await bench.adapter.resume(handle, call);
    expect(resumed.agentSessionId).toBe(handle.agentSessionId as string);
    const second = bench.ask(resumed, { attempt: 2 });
    await bench.adapter.sendPrompt(resumed, first, call);
    await bench.adapter.sendPrompt(resumed, second, call);
    await bench.factsUntil(resumed, (fact) => fact.kind === "idle" && fact.dedupKey === second.dedupKey);
    expect(JSON.parse(readFileSync(second.expectedArtifact, "utf8"))).toEqual({ ok: true });
    expect([first, second].map(({ uuid }) => bench.seen(`DEVFLOW_PROMPT_BEGIN ${uuid}`))).toEqual([1, 1]);
    expect(bench.seen("PRELUDE:")).toBe(1);
  });

  foundFurther("its holder killed in a turn, the agent is continued and gets no prompt twice", async () => {
    const { bench, handle, first } = await openInTurn();
    await using _ = bench;
    process.kill(handle.pid ?? 0, "SIGKILL");
    await bench.factsUntil(handle, ({ kind: one }) => one === "exit");
    const resumed = await bench.adapter.resume(handle, call);
    await bench.adapter.interrupt(resumed, call);
    const second = bench.ask(resumed, { attempt: 2 });
    await bench.adapter.sendPrompt(resumed, second, call);
    await bench.factsUntil(resumed, (fact) => fact.kind === "idle" && fact.dedupKey === second.dedupKey);
    expect([first, second].map(({ uuid }) => bench.seen(`DEVFLOW_PROMPT_BEGIN ${uuid}`))).toEqual([1, 1]);
  });

  further("an interrupted turn ends, and the next prompt is answered", async () => {
    await using bench = await open({ steps: hangsOnce });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    await bench.model.waitFor(({ isBackground }) => !isBackground);
    expect(await bench.adapter.probe(handle, call.signal)).toMatchObject({ alive: true, busy: true });
    await bench.adapter.interrupt(handle, call);
    expect(await bench.adapter.probe(handle, call.signal)).toMatchObject({ alive: true, busy: false });
    const second = bench.ask(handle, { attempt: 2 });
    await bench.adapter.sendPrompt(handle, second, call);
    const facts = await bench.factsUntil(handle, (fact) => fact.kind === "idle" && fact.dedupKey === second.dedupKey);
    expect(facts.filter(isIdle)).toMatchObject([{ outcome: "interrupted" }, { outcome: "done" }]);
  });

  test("a rate limit is reported, and the turn goes on after it", async () => {
    const headers = { "retry-after": "1" };
    await using bench = await open({ steps: [{ answer: { error: { status: 429, headers } } }, ...ok] });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.at(-1)).toMatchObject({ outcome: "done" });
  });

  further("a person's message reaches the agent while it works", async () => {
    await using bench = await open({
      steps: [
        { match: { userText: anEnvelope, toolResult: false }, answer: { ...writes('{"ok":true}'), afterMs: 1_500 } },
        { match: {}, times: 5, answer: { text: "Understood." } },
      ],
    });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    const message = { id: "message-1", text: "Please keep the old name." };
    await bench.adapter.say(handle, message, call);
    await bench.adapter.say(handle, message, call);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.filter(({ kind: one }) => one === "said")).toHaveLength(1);
    expect(bench.seen(message.text)).toBe(1);
  });

  further("a person's message to an idle agent is answered, and so is the prompt right after it", async () => {
    await using bench = await open({
      steps: [{ match: { userText: "/^Good morning/" }, answer: { text: "Good morning.", afterMs: 1_000 } }, ...ok],
    });
    const handle = await bench.start();
    await bench.adapter.say(handle, { id: "message-1", text: "Good morning." }, call);
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.at(-1)).toMatchObject({ outcome: "done", dedupKey: envelope.dedupKey });
    expect([bench.seen("DEVFLOW_PROMPT_BEGIN"), existsSync(envelope.expectedArtifact)]).toEqual([1, true]);
  });

  // One agent over ACP is confined in `npm test`; `sandbox.test.ts` has the others that it runs.
  const confined = kind.name === "copilot" ? test.skipIf(!hasSandbox) : hasSandbox ? further : () => undefined;
  confined("in the sandbox it works, and writes nothing outside of its worktree and its artifacts", async () => {
    const disk = folderOnDisk();
    const outside = join(disk.path, "outside.txt");
    try {
      await using bench = await openAgentBench(
        kind,
        {
          steps: [
            {
              match: { userText: anEnvelope, toolResult: false },
              answer: { tools: [kind.run(`bash -c 'echo > inside.txt; echo > ${outside}'`)] },
            },
            { match: { userText: anEnvelope, toolResult: true }, answer: writes('{"ok":true}') },
            { match: { toolResult: true }, answer: { text: "Done." } },
          ],
          otherwise: { text: "Done." },
        },
        { folder: disk.path },
      );
      const ports = [Number(new URL(bench.model.url).port)];
      const handle = await bench.start({ sandbox: { readable: [], hidden: [], hosts: [], ports } });
      const envelope = bench.ask(handle);
      await bench.adapter.sendPrompt(handle, envelope, call);
      for (let last: SessionFact | undefined; last?.kind !== "idle"; ) {
        const isNext = (fact: SessionFact) => fact.kind === "idle" || fact.kind === "permission";
        last = (await bench.factsUntil(handle, isNext, last?.seq)).at(-1);
        if (last?.kind === "permission") await bench.adapter.answerPermission(handle, last.permissionId, "allow", call);
      }
      const paths = [join(bench.worktree, "inside.txt"), envelope.expectedArtifact, outside];
      expect(paths.map((path) => existsSync(path))).toEqual([true, true, false]);
    } finally {
      disk.remove();
    }
  });

  further("a prompt of 200 KB with quotes, backticks, unicode and markers of its own arrives", async () => {
    await using bench = await open({ steps: ok });
    const handle = await bench.start();
    const instructions = `\`\`\`"'$(x) DEVFLOW_PROMPT_END äöü 漢字 🙂\n${"Line of a long text.\n".repeat(10_000)}`;
    const envelope = bench.ask(handle, { instructions });
    await bench.adapter.sendPrompt(handle, envelope, call);
    await bench.factsUntil(handle, isIdle);
    const file = join(handle.folder, "instructions", `${envelope.uuid}.md`);
    expect(bench.seen(file)).toBe(1);
    expect(readFileSync(file, "utf8")).toBe(instructions);
  });
}
