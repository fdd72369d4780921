/** Real agents with a scripted model: they read what a person attached, and what a person says about lines of the diff. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { uuidv7 } from "@devflow/core/ids";
import { agentsOrSkip, startScriptedModel } from "@devflow/testkit";
import { openEngineBench, smallTemplate, workPhase } from "../../testing/index.ts";
import { claude, codex, type RealAgent } from "../../testing/real-agents.ts";
import { visibleRun } from "../views/index.ts";
import { listComments } from "./list-comments.ts";

const agents = await agentsOrSkip();

const report = (summary: string, change: "added" | "modified") =>
  JSON.stringify({
    ...{ summary, noChange: false, testsAdded: [], notes: [] },
    files: [{ path: "greet.txt", change }],
  });

/** Besides what whole runs need: the tool calls that read a text and look at a picture. */
interface Kind extends RealAgent {
  read(path: string): ReturnType<RealAgent["write"]>;
  look(path: string): ReturnType<RealAgent["write"]>;
}

const kinds: readonly Kind[] = agents
  ? [
      {
        ...claude(agents, "Claude Code", "claude"),
        read: (path) => ({ name: "Read", arguments: { file_path: path } }),
        look: (path) => ({ name: "Read", arguments: { file_path: path } }),
      },
      {
        ...codex(agents, "Codex", "codex"),
        read: (path) => ({ name: "exec_command", arguments: { cmd: `cat ${path}` } }),
        look: (path) => ({ name: "view_image", arguments: { path } }),
      },
    ]
  : [];

const asked = (attempt: number, rest: string) =>
  `/Attempt: ${attempt}\\n[\\s\\S]*Expected artifact: (?<artifact>\\S+)[\\s\\S]*${rest}/`;
const first = asked(1, "the file (?<attached>\\S+) \\(text\\/plain");
const second = asked(2, "the file (?<picture>\\S+) \\(image\\/png[^\\n]*of the comment on greet\\.txt:2");
/** The comment as the agent gets it: place, quoted line, author, words. */
const comment = [
  "1. greet.txt:2",
  "   | Salut, Ada!",
  "   Ada says:",
  "   As in the picture",
  "   Attached: shot.png",
].map((line) => `> ${line}`);

describe.skipIf(!agents)("what a person gives", () => {
  for (const { title, driven, home, read, look, write } of kinds)
    test(`${title} reads an attached file, a comment on a line and its picture, and the next attempt answers it`, async () => {
      const picture = png();
      const model = await startScriptedModel({
        steps: [
          { match: { userText: first, toolResult: false }, answer: { tools: [read("$<attached>")] } },
          {
            name: "has read the file",
            match: { userText: first, toolResultText: "Greet with: Salut" },
            answer: {
              tools: [write("greet.txt", "Hello\nSalut, Ada!"), write("$<artifact>", report("Greets.", "added"))],
            },
          },
          { name: "says so", match: { userText: first, toolResult: true }, answer: { text: "Done." } },
          { match: { userText: second, toolResult: false }, answer: { tools: [look("$<picture>")] } },
          {
            name: "has seen the picture",
            match: { userText: second, toolResult: true },
            answer: {
              tools: [write("greet.txt", "Hello\nBonjour, Ada!"), write("$<artifact>", report("French.", "modified"))],
            },
          },
          { name: "says so again", match: { userText: second, toolResult: true }, answer: { text: "Done." } },
        ],
      });
      const bench = await openEngineBench({ env: home(model), agents: [driven] });
      try {
        const template = await bench.addTemplate(
          smallTemplate("talk", [{ ...workPhase, gates: ["ship_approved"] }], {
            roles: [{ id: "coder", requiredCapabilities: ["code_edit"], preferredBackends: [driven.backend] }],
          }),
        );
        const upload = async (name: string, bytes: Buffer) =>
          (await bench.engine.keepUpload({ name, teamId: bench.teamId, bytes }, bench.person)).id;
        const attachments = [await upload("wish.txt", Buffer.from("Greet with: Salut, Ada!\n"))];
        const { runId } = await bench.start({ template, attachments });
        const gate = await bench.gate(runId);
        expect([gate.gate_key, gate.payload.reason]).toEqual(["ship_approved", undefined]);
        const reader = {
          database: bench.database,
          claims: { sub: bench.person.userId ?? "", role: "authenticated" },
        } as const;
        const run = await visibleRun(reader, runId);
        const id = await bench.engine.commentOnRun(
          run,
          {
            ...{ file: "greet.txt", side: "new", line: 2, text: "As in the picture", clientToken: uuidv7() },
            attachments: [await upload("shot.png", picture)],
          },
          bench.person,
        );
        await bench.engine.decide(
          gate.id,
          { verdict: "request_changes", clientToken: uuidv7(), comments: [{ id, revision: 1 }] },
          bench.person,
        );
        const done = await bench.finish(runId);
        expect([done.run.state, done.permissions]).toEqual(["completed", []]);
        expect(readFileSync(join(run.worktree, "greet.txt"), "utf8").trim()).toBe("Hello\nBonjour, Ada!");
        const [told] = (await bench.prompts(runId)).filter((one) => one.attempt === 2);
        expect(told?.instructions).toContain(comment.join("\n"));
        expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(picture.toString("base64").slice(0, 60));
        expect((await listComments(bench.context, reader, run)).map((one) => one.sent?.answeredBy)).toEqual([2]);
        model.expectFollowed();
      } finally {
        await bench.close();
        await model.close();
      }
    });
});

/** A real picture: agents look into it before they pass it on. */
function png(side = 16): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const whole = Buffer.alloc(body.length + 8);
    whole.writeUInt32BE(data.length);
    body.copy(whole, 4);
    whole.writeUInt32BE(Bun.hash.crc32(body), body.length + 4);
    return whole;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const rows = Buffer.alloc((side * 3 + 1) * side, 0x7f);
  for (let row = 0; row < side; row++) rows[row * (side * 3 + 1)] = 0;
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
