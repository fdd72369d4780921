/**
 * Records what sessions do. One per daemon.
 *
 * - `start(options)` opens a journal for a session; `stop(session)` closes it and writes the spec.
 * - `watch(call)` called by the daemon before a command runs; undefined when the session is not recorded, which costs one
 *   map lookup. The returned function takes the command's result.
 * - `noteDeed(session, deed)` records what a person did.
 *
 * Recording never fails a command: what could not be recorded is left out of the entry, and if the journal cannot be
 * written the recording ends with a reason that `stop` reports.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { z } from "zod";
import type { Answer, AnyBrowseCommand, Tab } from "../command.ts";
import { type CommandBody, type DurableTarget, type Journal, openJournal, type StartBody } from "../journal/index.ts";
import type { CommandResult, CommandWatcher, WatchedCall } from "../watch-commands.ts";
import { journalFile, readBundle, shotsFolder, specFile } from "./bundle.ts";
import { differenceIn } from "./comparison.ts";
import { type Described, durableTarget } from "./durable-target.ts";
import { failureOf, outcomeOf } from "./outcome.ts";
import { playwrightSpec } from "./playwright-spec.ts";
import { cleanText, sealInput } from "./seal-input.ts";

interface Recording {
  readonly folder: string;
  readonly journal: Journal;
  readonly withShots: boolean;
  /** Only what a person does in the window is recorded, not the commands of the session. */
  readonly isByHand: boolean;
  commands: number;
  secrets: number;
  fault: string | undefined;
}

export interface StartOptions {
  readonly folder: string;
  readonly start: StartBody;
  readonly withShots: boolean;
  readonly isByHand?: boolean;
}

export interface Stopped {
  readonly folder: string;
  readonly commands: number;
  readonly head: string;
  readonly fault: string | undefined;
}

const shotMs = 3_000;

export class Recorder implements CommandWatcher {
  readonly #recordings = new Map<string, Recording>();

  isRecording(session: string): boolean {
    return this.#recordings.has(session);
  }

  async start({ folder, start, withShots, isByHand = false }: StartOptions): Promise<void> {
    const running = this.#recordings.get(start.session);
    if (running) {
      throw new DevflowError("conflict", {
        details: {
          problem: `This session is already being recorded into ${running.folder}.`,
          next: "Stop it first: devflow browse evidence stop",
        },
      });
    }
    await mkdir(join(folder, shotsFolder), { recursive: true, mode: 0o700 });
    const journal = await openJournal(join(folder, journalFile));
    await journal.append(start, new Date());
    const counts = { commands: 0, secrets: 0, fault: undefined };
    this.#recordings.set(start.session, { folder, journal, withShots, isByHand, ...counts });
  }

  async stop(session: string): Promise<Stopped | undefined> {
    const recording = this.#recordings.get(session);
    if (!recording) return undefined;
    this.#recordings.delete(session);
    const { folder, journal, commands, fault } = recording;
    await endJournal(journal, commands, fault === undefined ? "stopped" : "interrupted");
    await writeSpec(folder);
    return { folder, commands, head: journal.head, fault };
  }

  async watch(call: WatchedCall): ReturnType<CommandWatcher["watch"]> {
    const recording = this.#recordings.get(call.session);
    if (!recording || recording.isByHand || recording.fault !== undefined) return undefined;
    const startedAt = performance.now();
    const url = call.tab?.page.url() ?? null;
    const found = await describeTargets(call);
    return (outcome) =>
      noteSafely(recording, call, { ...found, url, outcome, ms: Math.round(performance.now() - startedAt) });
  }

  async noteDeed(session: string, { target, isSecret, answer, url, ms, ...call }: Deed): Promise<void> {
    const recording = this.#recordings.get(session);
    if (!recording || recording.fault !== undefined) return;
    const described = new Map(target ? [["target", { target, isSecret }] as const] : []);
    const seen = { described, isSecretField: isSecret, url, outcome: { answer }, ms };
    await noteSafely(recording, { ...call, session }, seen);
  }
}

async function noteSafely(...[recording, call, seen]: Parameters<typeof note>): Promise<void> {
  try {
    await note(recording, call, seen);
  } catch (error) {
    recording.fault = (error as Error).message;
  }
}

/** What a person did, as the command that does the same. */
export interface Deed {
  readonly record: AnyBrowseCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tab: Tab;
  readonly url: string;
  readonly target?: DurableTarget | undefined;
  readonly isSecret: boolean;
  readonly answer: Answer;
  readonly ms: number;
}

/** Also for a journal that a killed daemon left open. */
export async function endJournal(journal: Journal, commands: number, reason: "stopped" | "interrupted"): Promise<void> {
  await journal.append({ kind: "end", commands, reason }, new Date());
  await journal.close();
}

export async function writeSpec(folder: string): Promise<void> {
  await writeFileAtomic(join(folder, specFile), playwrightSpec(readBundle(folder)), 0o644);
}

async function note(
  recording: Recording,
  { record, input, tab }: WatchedCall,
  seen: TargetInfo & { url: string | null; outcome: CommandResult; ms: number },
): Promise<void> {
  const sealed = sealInput(record.name, input, {
    isSecretField: seen.isSecretField,
    firstNumber: recording.secrets + 1,
  });
  recording.secrets += sealed.secrets.length;
  const targets: Record<string, DurableTarget> = {};
  for (const [key, { target }] of seen.described) targets[key] = target;
  const { outcome } = seen;
  const difference = "answer" in outcome ? differenceIn(outcome.answer.data) : undefined;
  const shot = difference ? await keepPicture(recording, difference) : await takeShot(recording, record, tab);
  const body: CommandBody = {
    kind: "command",
    command: record.name,
    effect: record.effect,
    tab: tab?.id ?? openedTab(outcome) ?? null,
    url: seen.url === null ? null : cleanText(seen.url),
    input: sealed.input,
    targets,
    outcome: "answer" in outcome ? outcomeOf(record.name, record.effect, outcome.answer) : failureOf(outcome.error),
    ...(shot ? { shot } : {}),
    ms: seen.ms,
  };
  await recording.journal.append(body, new Date());
  recording.commands += 1;
}

const openedTab = (outcome: CommandResult): string | undefined =>
  "answer" in outcome ? z.object({ tab: z.string() }).safeParse(outcome.answer.data).data?.tab : undefined;

interface TargetInfo {
  readonly described: ReadonlyMap<string, Described>;
  /** What was typed must not be recorded: the field is for a password, or unknown. */
  readonly isSecretField: boolean;
}

/** A target that cannot be found is left out; the command itself reports it. */
async function describeTargets({ record, input, tab }: WatchedCall): Promise<TargetInfo> {
  const described = new Map<string, Described>();
  if (!tab || (record.effect === "read" && record.name !== "wait")) return { described, isSecretField: false };
  const isTarget = (key: string) => key === "target" || (record.name === "drag" && (key === "from" || key === "to"));
  let isUnknown = false;
  for (const [key, given] of Object.entries(input)) {
    // `drag @e3 to @e8`
    const value = key === "to" && Array.isArray(given) && given.length <= 2 ? given.at(-1) : given;
    if (typeof value !== "string" || !(isTarget(key) || /^@[ec]\d+$/.test(value))) continue;
    const one = await durableTarget(tab, value).catch(() => undefined);
    if (one) described.set(key, one);
    else isUnknown = true;
  }
  const isSecret = [...described.values()].some((one) => one.isSecret);
  const typesAnywhere = described.size === 0 && (record.name === "type" || record.name === "press");
  return { described, isSecretField: isUnknown || isSecret || (typesAnywhere && (await isFocusSecret(tab))) };
}

/** Keys go to the focused element. If that is a frame, the element inside is unknown and counts as secret. */
async function isFocusSecret(tab: Tab): Promise<boolean> {
  const hasFocus = await tab.page
    .locator(":focus")
    .count()
    .catch(() => 0);
  if (hasFocus === 0) return false;
  const focused = await durableTarget(tab, "css=:focus").catch(() => undefined);
  return !focused || focused.isSecret || focused.target.role === "iframe";
}

async function takeShot(
  recording: Recording,
  { effect }: AnyBrowseCommand,
  tab: Tab | undefined,
): Promise<CommandBody["shot"]> {
  if (!recording.withShots || effect === "read" || !tab) return undefined;
  const picture = tab.page.screenshot({ type: "jpeg", quality: 60, timeout: shotMs });
  return await keep(recording, picture, `${tab.id}.jpeg`);
}

/** What differs from a baseline is in the bundle, so that a report can show it and nobody can change it. */
async function keepPicture(recording: Recording, path: string): Promise<CommandBody["shot"]> {
  return await keep(recording, readFile(path), "difference.png");
}

/** A picture that cannot be taken or written is left out. */
async function keep(
  { folder, journal }: Recording,
  picture: Promise<Buffer>,
  name: string,
): Promise<CommandBody["shot"]> {
  try {
    const bytes = await picture;
    const file = `${shotsFolder}/${String(journal.length).padStart(4, "0")}-${name}`;
    await writeFileAtomic(join(folder, file), bytes);
    return { file, sha256: hashBytes(bytes) };
  } catch {
    return undefined;
  }
}
