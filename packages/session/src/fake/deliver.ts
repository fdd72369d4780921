/** What the fake writes in a turn: its files in the worktree, and its artifact, or what the scenario writes instead. */
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fakeAnswer, fakeFiles } from "./answers.ts";
import type { FakeFile, FakeStep } from "./steps.ts";

export interface Prompt {
  readonly dedupKey: string;
  readonly uuid: string;
  readonly phaseKey: string;
  readonly roleId: string;
  readonly attempt: number;
  readonly expectedArtifact: string;
  readonly expectedSchema: string;
  readonly instructions: string;
}

export async function deliver(prompt: Prompt, step: FakeStep, cwd: string): Promise<void> {
  const { instructions } = prompt;
  const asked = { ...prompt, findings: findingsIn(instructions), writeSet: writeSetIn(instructions) };
  const path = step.scenario === "wrong_path" ? `${prompt.expectedArtifact}.elsewhere` : prompt.expectedArtifact;
  const text = `${JSON.stringify(step.artifact ?? fakeAnswer(asked), null, 2)}\n`;
  mkdirSync(dirname(path), { recursive: true });
  const writesCode = !["invalid", "timeout", "no_change"].includes(step.scenario);
  const files = step.files ?? (writesCode ? fakeFiles(asked) : {});
  for (const [name, content] of Object.entries(files)) put(join(cwd, name), content);
  switch (step.scenario) {
    case "timeout":
      return;
    case "invalid":
      return writeAtomic(path, `${JSON.stringify({ wrong: true })}\n`);
    case "no_change":
      return writeAtomic(path, `${JSON.stringify(withoutChange(JSON.parse(text) as object), null, 2)}\n`);
    case "partial": {
      // In place and in two halves, like a careless writer: the first half must not be validated.
      writeFileSync(path, text.slice(0, Math.floor(text.length / 2)));
      await sleep(900);
      return writeFileSync(path, text);
    }
    case "symlink":
      writeFileSync(`${path}.target`, text);
      return symlinkSync(`${path}.target`, path);
    case "directory":
      mkdirSync(path);
      return;
    case "binary":
      return writeFileSync(path, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1]));
    case "not_utf8":
      return writeFileSync(path, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]));
    case "huge":
      writeFileSync(path, "{");
      return truncateSync(path, 2 * 1024 ** 3);
    default:
      return writeAtomic(path, text);
  }
}

function put(path: string, content: FakeFile): void {
  if (content === null) {
    rmSync(path);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === "string") writeFileSync(path, content);
  else symlinkSync(content.link, path);
}

/** Only added to reports that allow these members, so that the file stays valid. */
function withoutChange(report: object): object {
  return {
    ...report,
    ...("noChange" in report ? { noChange: true } : {}),
    ...("files" in report ? { files: [] } : {}),
  };
}

/** The engine lists findings as lines `- [<id>] …`. */
function findingsIn(instructions: string): { id: string; summary: string }[] {
  return [...instructions.matchAll(/^- \[([0-9a-f-]{36})\] (.*)$/gm)].map((match) => ({
    id: match[1] ?? "",
    summary: match[2] ?? "",
  }));
}

/** A lane's requirements, which are quoted, name its files as lines `- may write …`. */
const writeSetIn = (instructions: string): string[] =>
  [...instructions.matchAll(/^> - may write (.+)$/gm)].map((match) => match[1] ?? "");

export function writeAtomic(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
