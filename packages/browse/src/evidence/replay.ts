/**
 * Replays a bundle.
 *
 * - `replay(bundle, options)` runs its commands through `run` in order and reports for each what differs.
 *
 * Reads are not repeated: they prove what was seen. Commands that use a person's own data (cookies, saved states,
 * takeover) are skipped, with a reason.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, AnyBrowseCommand } from "../command.ts";
import type { CommandBody, Outcome } from "../journal/index.ts";
import { recordedWord } from "../targets/recorded-target.ts";
import type { Bundle } from "./bundle.ts";
import { wordsOf } from "./command-words.ts";
import { compareOutcomes, withoutShifts } from "./compare-outcomes.ts";
import { failureOf, outcomeOf } from "./outcome.ts";
import { unsealInput } from "./seal-input.ts";

export interface ReplayOptions {
  readonly commands: readonly AnyBrowseCommand[];
  /** Runs one command, given as words, in the replay's session. */
  readonly run: (words: readonly string[]) => Promise<Answer>;
  /** Tabs of that session, in the order they were opened. */
  readonly tabs: () => Promise<readonly string[]>;
  readonly secrets: Readonly<Record<string, string>>;
  /** A server to use instead of the recorded one. */
  readonly origin?: string | undefined;
  readonly signal: AbortSignal;
}

export interface ReplayedStep {
  /** Line number in the journal. */
  readonly line: number;
  readonly command: string;
  readonly differences: readonly string[];
  /** Why it was skipped. */
  readonly skipped?: string;
}

const notRepeated: Readonly<Record<string, string>> = {
  "cookie-import": "it imports a person's cookies; use --here in a session that has them",
  "state load": "it loads stored logins; use --here in a session that has them",
  "state save": "it writes a file",
  download: "it writes a file",
};
/** `wait` is the only read that is repeated, since later commands need the page in that state. */
const isRepeated = ({ effect, command }: CommandBody): boolean => effect === "write" || command === "wait";

export async function replay(bundle: Bundle, options: ReplayOptions): Promise<ReplayedStep[]> {
  const steps: ReplayedStep[] = [];
  const now = await tabNames(bundle, options);
  const seen = new Set<string>();
  const move = originMove(bundle, options.origin);
  const focus = bundle.start.byHand !== true;
  await returnToStart(bundle, options, move);
  for (const { seq, body } of bundle.commands) {
    options.signal.throwIfAborted();
    if (!isRepeated(body)) continue;
    const step = { line: seq + 1, command: body.command };
    const prepared = prepare(body, options, move);
    if ("skipped" in prepared) {
      steps.push({ ...step, differences: [], skipped: prepared.skipped });
      continue;
    }
    const needed = tabNeeded(body);
    await tabSeen(needed === undefined ? undefined : now(needed), seen, options);
    const again = await runOnce(prepared.words(now), body, options);
    steps.push({ ...step, differences: compareOutcomes(move.outcome(body.outcome), again, { focus }) });
  }
  const differences = withoutShifts(steps.map((step) => step.differences));
  return steps.map((step, index) => ({ ...step, differences: differences[index] ?? [] }));
}

type TabNames = (recorded: string) => string;
type Prepared = { readonly skipped: string } | { readonly words: (now: TabNames) => string[] };

function prepare(body: CommandBody, options: ReplayOptions, move: OriginMove): Prepared {
  const skipped = notRepeated[body.command];
  if (skipped) return { skipped };
  if (namesLostRef(body)) return { skipped: "its ref did not exist" };
  const record = options.commands.find(({ name }) => name === body.command);
  if (!record) return { skipped: "this Devflow has no such command" };
  const { input, missing } = unsealInput(body.input, options.secrets);
  if (missing.length > 0) return { skipped: `it needs ${missing.join(", ")}; pass them with --secrets <file>` };
  for (const [key, target] of Object.entries(body.targets)) input[key] = recordedWord(target);
  if (typeof input.url === "string") input.url = move.url(input.url);
  return {
    words: (now) => {
      const takesTab = record.needs === "tab" && !("tab" in record.args.shape) && body.tab !== null;
      const named = (record.name === "tab" || record.name === "closetab") && typeof input.id === "string";
      const own = named ? { ...input, id: now(String(input.id)) } : input;
      return wordsOf(record, own, takesTab ? [`--tab=${now(body.tab ?? "")}`] : []);
    },
  };
}

/** A mistake in the recording: in another session the same ref means something else, or nothing. */
function namesLostRef({ input, targets, outcome }: CommandBody): boolean {
  const refs = Object.entries(input).filter(([key, value]) => /^@?[ec]\d+$/.test(String(value)) && !(key in targets));
  return outcome.kind === "failed" && refs.length > 0;
}

async function runOnce(words: readonly string[], body: CommandBody, options: ReplayOptions): Promise<Outcome> {
  try {
    return outcomeOf(body.command, body.effect, await options.run(words));
  } catch (error) {
    options.signal.throwIfAborted();
    return failureOf(error);
  }
}

/** Maps recorded tab ids to current ones by order: the third tab opened then is the third opened now. */
async function tabNames({ start, commands }: Bundle, { run, tabs }: ReplayOptions): Promise<TabNames> {
  if ((await tabs()).length === 0) await run(["newtab"]);
  const there = await tabs();
  const first = there.at(-1) ?? "t1";
  const used = commands.flatMap(({ body }) => (body.tab === null ? [] : [numberOf(body.tab)]));
  // A session without tabs gets its first tab from its first command.
  const before = start.tabs.length > 0 ? Math.max(...start.tabs.map(numberOf)) : Math.min(...used);
  const base = Math.max(...there.map(numberOf));
  return (recorded) => {
    const number = numberOf(recorded);
    return number <= before ? first : `t${base + number - before}`;
  };
}

/**
 * The tab that must have been opened before a command is repeated. A page opens its tabs when it likes: the command that
 * opened the fourth tab then must not open the third one now.
 */
function tabNeeded({ command, tab, input }: CommandBody): string | undefined {
  if (command === "newtab") return tab === null ? undefined : `t${numberOf(tab) - 1}`;
  if ((command === "tab" || command === "closetab") && typeof input.id === "string") return input.id;
  return tab ?? undefined;
}

/** A busy machine needs a moment to open a tab; the command itself reports one that never comes. */
const tabMs = 10_000;

/** Tabs may be closed again, so it is enough that it was open once. */
async function tabSeen(tab: string | undefined, seen: Set<string>, { tabs, signal }: ReplayOptions): Promise<void> {
  const until = Date.now() + tabMs;
  for (;;) {
    for (const open of await tabs()) seen.add(open);
    if (tab === undefined || seen.has(tab) || Date.now() > until) return;
    await sleep(20, undefined, { signal });
  }
}

const numberOf = (tab: string): number => Number(tab.replace(/^t/, ""));

/** If the recording began in the middle of a session, opens its first page. */
async function returnToStart({ commands }: Bundle, { run }: ReplayOptions, move: OriginMove): Promise<void> {
  const first = commands.find(({ body }) => isRepeated(body))?.body;
  if (first && first.command !== "goto" && first.url && /^https?:/.test(first.url))
    await run(["goto", move.url(first.url)]);
}

interface OriginMove {
  url(text: string): string;
  outcome(outcome: Outcome): Outcome;
}

function originMove({ commands }: Bundle, to: string | undefined): OriginMove {
  const given = commands.map(({ body }) => body.input.url ?? body.url).find((url) => URL.canParse(String(url)));
  const from = given === undefined || given === null ? undefined : new URL(String(given)).origin;
  if (to === undefined || from === undefined) return { url: (text) => text, outcome: (outcome) => outcome };
  const target = new URL(to).origin;
  const url = (text: string) => text.replaceAll(from, target);
  return { url, outcome: (outcome) => JSON.parse(url(JSON.stringify(outcome))) as Outcome };
}
