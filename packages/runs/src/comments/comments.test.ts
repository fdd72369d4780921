/** Comments on lines of a run's diff, from the draft to the agent. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { openEngineBench } from "../../testing/index.ts";
import { purgeRun } from "../care/purge-run.ts";
import type { Actor } from "../events/actor.ts";
import { type VisibleRun, visibleRun } from "../views/index.ts";
import type { GivenComment } from "./comment-on-run.ts";
import { placeOf } from "./comment-place.ts";
import { listComments } from "./list-comments.ts";

const bench = await openEngineBench();
afterAll(() => bench.close());
const reader = { database: bench.database, claims: { sub: bench.person.userId ?? "", role: "authenticated" } as const };
const bob: Actor = { userId: uuidv7(), kind: "human", via: "web" };
beforeAll(async () => {
  await bench.admin`insert into app.users (id, name) values (${bob.userId}, 'Bob')`;
  const member = { team_id: bench.teamId, user_id: bob.userId, role: "member" };
  await bench.admin`insert into app.team_members ${bench.admin(member)}`;
});

async function runAtShipGate(): Promise<VisibleRun> {
  const { runId } = await bench.start();
  await bench.decide((await bench.gate(runId)).id, "approve");
  await bench.gate(runId);
  return await visibleRun(reader, runId);
}
const say = (run: VisibleRun, given: Partial<GivenComment> = {}, actor: Actor = bench.person) =>
  bench.engine.commentOnRun(
    run,
    { file: "greetings.json", side: "new", line: 2, text: "Why this?", clientToken: uuidv7(), ...given },
    actor,
  );
const listed = (run: VisibleRun) => listComments(bench.context, reader, run);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "nothing",
    (error: Error) => error.message,
  );

describe("where commented lines are", () => {
  const lines = ["one", "two", "three", "two"];
  test.each([
    ["the same place", { line: 2, quote: "two\nthree" }, { is: "same" }],
    ["moved", { line: 1, quote: "three" }, { is: "moved", line: 3 }],
    ["the nearest of several", { line: 3, quote: "two" }, { is: "moved", line: 2 }],
    ["gone", { line: 2, quote: "four" }, { is: "gone" }],
    ["an empty line is not looked for", { line: 2, quote: "" }, { is: "gone" }],
    ["past the end", { line: 9, quote: "one" }, { is: "moved", line: 1 }],
  ] as const)("%s", (_what, comment, place) => {
    expect(placeOf(comment, lines)).toEqual(place);
  });

  test("gone with its file", () => {
    expect(placeOf({ line: 1, quote: "one" }, undefined)).toEqual({ is: "gone" });
  });
});

describe("comments on lines", () => {
  test("are collected as drafts of several people, and go to the agent as one request that its next attempt answers", async () => {
    const run = await runAtShipGate();
    const text = await readFile(join(run.worktree, "greetings.json"), "utf8");
    const line = text.split("\n")[1] ?? "";
    const clientToken = uuidv7();
    const first = await say(run, { clientToken, text: "Sort these, with AKIAIOSFODNN7EXAMPLE" });
    expect(await say(run, { clientToken })).toBe(first);
    const second = await say(run, { line: 1, endLine: 2, text: "Two\nlines" }, bob);
    await bench.restart();

    const drafts = await listed(run);
    expect(drafts).toMatchObject([
      {
        id: first,
        author: { name: "Ada" },
        file: "greetings.json",
        line: 2,
        endLine: 2,
        quote: line,
        text: "Sort these, with [redacted:aws]",
        place: { is: "same" },
        sent: null,
      },
      { id: second, author: { name: "Bob" }, quote: text.split("\n").slice(0, 2).join("\n"), revision: 1 },
    ]);
    await bench.engine.editComment(run.id, second, { text: "Both lines", revision: 1 }, bob);
    expect(await refusal(bench.engine.editComment(run.id, second, { text: "x", revision: 1 }, bob))).toContain(
      "was changed meanwhile by Bob",
    );
    expect(await refusal(bench.engine.editComment(run.id, second, { text: "x", revision: 2 }, bench.person))).toContain(
      "Only its author, Bob, can edit",
    );
    // The line moves down, and the other comment's lines with it.
    await writeFile(join(run.worktree, "greetings.json"), `\n${text}`);
    expect((await listed(run)).map((one) => one.place)).toEqual([
      { is: "moved", line: 3 },
      { is: "moved", line: 2 },
    ]);

    const gate = await bench.gate(run.id);
    const send = (revision: number, comment?: string) =>
      bench.engine.decide(
        gate.id,
        {
          verdict: "request_changes",
          clientToken: uuidv7(),
          comment,
          comments: [
            { id: first, revision: 1 },
            { id: second, revision },
          ],
        },
        bench.person,
      );
    expect(await refusal(send(1))).toContain("was changed meanwhile by Bob");
    const { comment } = await send(2, "Nearly.");
    const commit = drafts[0]?.commit.slice(0, 10);
    const [a, b] = text.split("\n");
    expect(comment).toBe(`Nearly.

2 comments on lines of the diff. Answer each of them.

1. greetings.json:2, now at line 3 (written at commit ${commit})
   | ${b}
   Ada says:
   Sort these, with [redacted:aws]

2. greetings.json:1-2, now at line 2 (written at commit ${commit})
   | ${a}
   | ${b}
   Bob says:
   Both lines`);
    expect((await listed(run)).map((one) => one.sent)).toMatchObject([
      { phase: "implement", attempt: 2 },
      { phase: "implement", attempt: 2 },
    ]);
    await bench.gate(run.id);
    const prompts = await bench.prompts(run.id);
    const asked = prompts.filter((one) => one.phaseKey === "implement" && one.attempt === 2);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.instructions).toContain("> 1. greetings.json:2, now at line 3");
    expect(asked[0]?.instructions).toContain("> Bob says:".replace("> ", ">    "));
    expect((await listed(run)).map((one) => one.sent?.answeredBy)).toEqual([2, 2]);
    expect(await refusal(bench.engine.removeComment(run, first, { mayRemoveAny: true }, bench.person))).toContain(
      "was sent to the agent and stays as it is",
    );
    await bench.finish(run.id);
    await purgeRun(bench.context, run.id, bench.person);
    expect((await listed(run)).map(({ file, text, quote }) => [file, text, quote])).toEqual([
      ["(purged)", "(purged)", ""],
      ["(purged)", "(purged)", ""],
    ]);
  });

  test("on removed lines are about the base, and a vanished line says so", async () => {
    const run = await runAtShipGate();
    await writeFile(join(run.worktree, "README.md"), "# Other\n");
    await say(run, { file: "README.md", side: "old", line: 1, text: "Keep the name" });
    const gone = await say(run, { file: "README.md", line: 1, text: "Too short" });
    await appendFile(join(run.worktree, "README.md"), "more\n");
    await writeFile(join(run.worktree, "README.md"), "# Another\n");
    expect((await listed(run)).map(({ side, quote, place }) => [side, quote, place.is])).toEqual([
      ["old", "# Demo", "same"],
      ["new", "# Other", "gone"],
    ]);
    await bench.engine.removeComment(run, gone, { mayRemoveAny: false }, bench.person);
    const [left] = await listed(run);
    const gate = await bench.gate(run.id);
    const decision = await bench.engine.decide(
      gate.id,
      { verdict: "request_changes", clientToken: uuidv7(), comments: [{ id: left!.id, revision: 1 }] },
      bench.person,
    );
    expect(decision.comment).toContain(
      "1. README.md:1 (before the change)\n   | # Demo\n   Ada says:\n   Keep the name",
    );
    await bench.engine.abortRun(run.id, { reason: "enough" }, bench.person);
    expect(await refusal(say(run))).toContain("cannot be commented on");
  });

  test("bad places, agents, other people's drafts and other verdicts are refused, and nothing is kept", async () => {
    const run = await runAtShipGate();
    await writeFile(join(run.worktree, "data.bin"), Buffer.from([0, 1, 2]));
    const agent: Actor = { ...bench.person, kind: "agent" };
    const problems = await Promise.all(
      [
        say(run, { file: "../../../etc/passwd" }),
        say(run, { file: "README.md" }),
        say(run, { line: 999 }),
        say(run, { line: 3, endLine: 2 }),
        say(run, { file: "data.bin", line: 1 }),
        say(run, {}, agent),
      ].map(refusal),
    );
    expect(problems.map((one) => one.replaceAll(run.id.slice(-8), "<id>"))).toEqual([
      "Run <id> has not changed ../../../etc/passwd.",
      "Run <id> has not changed README.md.",
      expect.stringMatching(/^greetings\.json has \d+ lines; there is no line 999\.$/),
      "Lines 3-2 are the wrong way round.",
      "data.bin has no lines of text.",
      "Only a person can decide a gate, not an agent.",
    ]);
    const id = await say(run, {}, bob);
    expect(await refusal(bench.engine.removeComment(run, id, { mayRemoveAny: false }, bench.person))).toContain(
      "Only its author, Bob, can remove",
    );
    const gate = await bench.gate(run.id);
    const approve = { verdict: "approve", clientToken: uuidv7(), comments: [{ id, revision: 1 }] } as const;
    expect(await refusal(bench.engine.decide(gate.id, approve, bench.person))).toBe(
      "Comments on lines go with a request for changes, and not with approve.",
    );
    const unknown = { ...approve, verdict: "request_changes", comments: [{ id: uuidv7(), revision: 1 }] } as const;
    expect(await refusal(bench.engine.decide(gate.id, unknown, bench.person))).toBe(
      "One of the comments was sent or removed meanwhile.",
    );
    expect(await listed(run)).toHaveLength(1);
    expect((await bench.snapshot(run.id)).run.state).toBe("awaiting_approval");
    await bench.engine.abortRun(run.id, { reason: "enough" }, bench.person);
  });
});
