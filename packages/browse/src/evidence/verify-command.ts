/** `browse verify`: first that the bundle holds, then that the app still does what it shows. */
import { readFile } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { z } from "zod";
import type { Answer, DaemonScope } from "../command.ts";
import { type Bundle, listBundles, readBundle } from "./bundle.ts";
import { type ReplayedStep, replay } from "./replay.ts";

export interface VerifyInput {
  readonly bundle?: string | undefined;
  readonly checkOnly: boolean;
  readonly head?: string | undefined;
  readonly url?: string | undefined;
  readonly here: boolean;
  readonly secrets?: string | undefined;
}

export async function verifyEvidence(input: VerifyInput, scope: DaemonScope): Promise<Answer> {
  const { workspace } = scope.daemon;
  const bundle = readBundle(await folderOf(input, workspace, scope));
  const where = relative(workspace, bundle.folder);
  if (input.head !== undefined && input.head !== bundle.head) {
    const reason = "it does not end with the hash that was given";
    throw new DevflowError("evidence_broken", { details: { bundle: where, reason } });
  }
  const { head, start, commands } = bundle;
  const holds = `${where} holds: ${commands.length} commands${bundle.isEnded ? "" : ", cut short"}, commit ${start.commit?.slice(0, 12) ?? "none"}`;
  const data = { bundle: bundle.folder, head, commit: start.commit };
  if (input.checkOnly) return { text: holds, data: { ...data, steps: [] } };
  const steps = await again(bundle, input, scope);
  const differing = steps.filter(({ differences }) => differences.length > 0);
  if (differing.length > 0) {
    throw new DevflowError("evidence_differs", {
      details: { count: differing.length, total: steps.length, differences: linesOf(differing), bundle: where, steps },
    });
  }
  const skipped = steps.filter((step) => step.skipped !== undefined);
  const lines = [
    holds,
    `${steps.length - skipped.length} steps were done again and went as recorded.`,
    ...skipped.map(({ line, command, skipped: why }) => `line ${line} ${command} was not repeated: ${why}`),
  ];
  return { text: lines.join("\n"), data: { ...data, steps }, fromPage: true };
}

async function again(
  bundle: Bundle,
  input: VerifyInput,
  { daemon, files, signal }: DaemonScope,
): Promise<ReplayedStep[]> {
  const { browseCommands } = await import("../commands/index.ts");
  const session = input.here
    ? daemon.sessionName
    : `verify-${hash([bundle.head, process.pid, Date.now()]).slice(0, 8)}`;
  const own = `--session=${session}`;
  const secrets = input.secrets === undefined ? {} : await readSecrets(await files.forReading(input.secrets));
  try {
    return await replay(bundle, {
      commands: browseCommands,
      secrets,
      origin: input.url,
      signal,
      run: (words) => daemon.runStep(withFlag(words, own)),
      tabs: async () => (await daemon.tabs(true)).filter((tab) => tab.session === session).map(({ id }) => id),
    });
  } finally {
    if (!input.here) await daemon.closeSession(session);
  }
}

/** Before the two dashes, behind which nothing is a flag. */
function withFlag(words: readonly string[], flag: string): string[] {
  const dashes = words.indexOf("--");
  return dashes < 0 ? [...words, flag] : [...words.slice(0, dashes), flag, ...words.slice(dashes)];
}

async function folderOf({ bundle }: VerifyInput, workspace: string, { files }: DaemonScope): Promise<string> {
  const newest = bundle ?? listBundles(workspace)[0];
  if (newest === undefined) {
    throw new DevflowError("not_found", {
      details: { what: "A bundle of evidence", next: "Record one: devflow browse evidence start" },
    });
  }
  return await files.forReading(isAbsolute(newest) ? newest : resolve(workspace, newest));
}

async function readSecrets(path: string): Promise<Record<string, string>> {
  const parsed = z.record(z.string(), z.string()).safeParse(parseJson(await readFile(path, "utf8")));
  if (parsed.success) return parsed.data;
  const next = 'It looks like {"SECRET_1": "…"}';
  throw new DevflowError("input_invalid", {
    details: { problem: "The file with secrets is not JSON of names and texts.", next },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const maxLines = 20;
const longest = 200;

/** Words of pages: as many as tell what happened. All of it is in the details. */
function linesOf(steps: readonly ReplayedStep[]): string {
  const lines = steps.flatMap(({ line, command, differences }) =>
    differences.map((one) => `  line ${line} ${command}: ${one.length > longest ? `${one.slice(0, longest)}…` : one}`),
  );
  const more = lines.length > maxLines ? [`  and ${lines.length - maxLines} more: --json shows them`] : [];
  return [...lines.slice(0, maxLines), ...more].join("\n");
}
