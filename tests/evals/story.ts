/**
 * A team's ten commits, each evaluated three times: one commit breaks how refunds are answered, one case wavers from the
 * beginning, and everything else fails now and then as models do. Always the same, because the dice are counted.
 *
 * - `tellStory(folder, push)` makes a real repository in the folder, evaluates as it goes, and hands every result file to
 *   `push`; the answer says what is true.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "@devflow/testkit";

export const storyFacts = {
  suite: "support",
  flaky: "greets in the customer's language",
  broken: Array.from({ length: 6 }, (_, at) => `refund ${at + 1}: names the deadline`),
  commits: 10,
  runsEach: 3,
  /** The branch begins after this many commits. */
  onMain: 6,
  /** The commit that breaks refunds, counted from 1. */
  culprit: 8,
  culpritSubject: "Shorten the refund prompt",
} as const;

const steady = Array.from({ length: 33 }, (_, at) => `question ${at + 1}: answers from the manual`);
const subjects = [
  "Support bot",
  "Read the manual",
  "Cite the source",
  "Greet first",
  "Retry on timeouts",
  "Count tokens",
  "Add a tone guide",
  storyFacts.culpritSubject,
  "Tidy the tests",
  "Bump the client",
];

export interface Story {
  readonly shas: readonly string[];
  readonly folder: string;
}

export async function tellStory(
  folder: string,
  env: Record<string, string>,
  push: (file: string) => Promise<void>,
): Promise<Story> {
  const git = async (...words: string[]) => {
    const { code, stdout, stderr } = await runProcess(["git", ...words], { cwd: folder, env: { ...env, ...identity } });
    if (code !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  await git("init", "--quiet", "--initial-branch=main");
  const shas: string[] = [];
  const dice = seeded(20_260_315);
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, ".gitignore"), "out/\n");
  for (const [at, subject] of subjects.entries()) {
    if (at === storyFacts.onMain) await git("switch", "--quiet", "--create", "shorter-prompts");
    writeFileSync(join(folder, "prompt.txt"), `${subject}\n`);
    await git("add", ".");
    await git("commit", "--quiet", "--message", subject);
    shas.push(await git("rev-parse", "HEAD"));
    for (let turn = 0; turn < storyFacts.runsEach; turn++) {
      const file = join(folder, "out", `support-${at + 1}-${turn + 1}.json`);
      writeFileSync(file, JSON.stringify(evaluated(at + 1, turn, dice)));
      await push(file);
    }
  }
  return { shas, folder };
}

const identity = {
  GIT_AUTHOR_NAME: "Robin Doe",
  GIT_AUTHOR_EMAIL: "robin@example.com",
  GIT_COMMITTER_NAME: "Robin Doe",
  GIT_COMMITTER_EMAIL: "robin@example.com",
};

/** What a runner would write: no commit and no branch in it, `push` knows where it stands. */
function evaluated(commit: number, turn: number, dice: () => number) {
  const isBroken = commit >= storyFacts.culprit;
  const one = (name: string, category: string, chance: number, good: string, bad: string) => {
    const passed = dice() < chance;
    const response = passed ? good : bad;
    return {
      name,
      category,
      input: { question: name },
      passed,
      output: { response },
      failures: passed ? [] : [failureOf(category, good, response)],
      judge_scores: { helpfulness: Math.round((passed ? 0.8 + dice() * 0.2 : 0.5 + dice() * 0.2) * 100) / 100 },
      duration_ms: Math.round(700 + dice() * 400),
      usage: [{ model: "claude-sonnet-4-6", input_tokens: 900, output_tokens: Math.round(120 + dice() * 60) }],
    };
  };
  return {
    schema_version: 1,
    suite: storyFacts.suite,
    run_id: `support-${commit}-${turn + 1}`,
    duration_seconds: 31,
    all_results: [
      ...storyFacts.broken.map((name) => one(name, "refunds", isBroken ? 0.03 : 0.98, inTime, whenever)),
      ...steady.map((name) => one(name, "manual", 0.985, "See chapter 4 of the manual.", "I am not sure.")),
      one(storyFacts.flaky, "greetings", 0.6, "Guten Tag! How can I help?", "Hello! How can I help?"),
    ],
  };
}

const inTime = "You can return it within 30 days and get the whole price back.";
const whenever = "You can return it and get the price back.";

function failureOf(category: string, expected: string, actual: string) {
  const message =
    category === "refunds" ? "the answer does not name the deadline of 30 days" : "the answer is not the wanted one";
  return { type: "deterministic", expectation_type: "response_contains", message, expected, actual };
}

/** Mulberry32: small, and the same everywhere. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
