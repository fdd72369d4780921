/** `browse verify`: checks that the bundle is intact, then that the app still behaves as recorded. */

import { readFile } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { parseJson } from "@devflow/core/read-if-there";
import { z } from "zod";
import type { Answer, BrowseInput, DaemonScope } from "../command.ts";
import type { verifyRecord } from "../commands/index.ts";
import { type Bundle, listBundles, readBundle } from "./bundle.ts";
import { type ReplayedStep, replay } from "./replay.ts";

type VerifyInput = BrowseInput<typeof verifyRecord>;

export async function verifyEvidence(input: VerifyInput, scope: DaemonScope): Promise<Answer> {
  const { workspace } = scope.daemon;
  const bundle = readBundle(await folderOf(input, workspace, scope));
  const where = relative(workspace, bundle.folder);
  if (input.head !== undefined && input.head !== bundle.head) {
    const reason = "it does not end with the given hash";
    throw new DevflowError("evidence_broken", { details: { bundle: where, reason } });
  }
  const { head, start, commands } = bundle;
  const intact = `${where} is intact: ${commands.length} commands${bundle.isEnded ? "" : ", cut short"}, commit ${start.commit?.slice(0, 12) ?? "none"}`;
  const data = { bundle: bundle.folder, head, commit: start.commit };
  if (input.checkOnly) return { text: intact, data: { ...data, steps: [] } };
  const steps = await again(bundle, input, scope);
  const differing = steps.filter(({ differences }) => differences.length > 0);
  if (differing.length > 0) {
    throw new DevflowError("evidence_differs", {
      details: { count: differing.length, total: steps.length, differences: linesOf(differing), bundle: where, steps },
    });
  }
  const skipped = steps.filter((step) => step.skipped !== undefined);
  const lines = [
    intact,
    `${steps.length - skipped.length} steps were replayed and went as recorded.`,
    ...skipped.map(({ line, command, skipped: why }) => `line ${line} ${command} was skipped: ${why}`),
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

/** Inserted before `--`, after which nothing is a flag. */
function withFlag(words: readonly string[], flag: string): string[] {
  const dashes = words.indexOf("--");
  return dashes < 0 ? [...words, flag] : [...words.slice(0, dashes), flag, ...words.slice(dashes)];
}

async function folderOf({ bundle }: VerifyInput, workspace: string, { files }: DaemonScope): Promise<string> {
  const newest = bundle ?? listBundles(workspace)[0];
  if (newest === undefined) {
    throw new DevflowError("not_found", {
      details: { what: "An evidence bundle", next: "Record one: devflow browse evidence start" },
    });
  }
  return await files.forReading(isAbsolute(newest) ? newest : resolve(workspace, newest));
}

async function readSecrets(path: string): Promise<Record<string, string>> {
  const parsed = z.record(z.string(), z.string()).safeParse(parseJson(await readFile(path, "utf8")));
  if (parsed.success) return parsed.data;
  const next = 'Expected: {"SECRET_1": "…"}';
  throw new DevflowError("input_invalid", {
    details: { problem: "The secrets file is not a JSON object of strings.", next },
  });
}

const maxLines = 20;
const maxLineLength = 200;

/** Limited, since it quotes pages. The error's details have everything. */
function linesOf(steps: readonly ReplayedStep[]): string {
  const lines = steps.flatMap(({ line, command, differences }) =>
    differences.map(
      (one) => `  line ${line} ${command}: ${one.length > maxLineLength ? `${one.slice(0, maxLineLength)}…` : one}`,
    ),
  );
  const more = lines.length > maxLines ? [`  and ${lines.length - maxLines} more; see --json`] : [];
  return [...lines.slice(0, maxLines), ...more].join("\n");
}
