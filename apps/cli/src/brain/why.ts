/** `devflow brain why <target>`: git finds the line's commit, the team's records say the rest. Each step names its source. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { openSymbols } from "@devflow/brain/symbols";
import {
  blameLine,
  earlierNames,
  type FoundSymbol,
  fileHistory,
  findSymbol,
  type LineCommit,
  lineHistory,
  parseTarget,
} from "@devflow/brain/why";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import type { WhyAnswer } from "@devflow/protocol";
import { symbolGrammars } from "../embedded.ts";
import type { whyRecord } from "./commands.ts";
import { type Brain, isOffline, openBrain } from "./open-brain.ts";
import { type Why, whyPage } from "./why-view.ts";

export const brainWhy: HandlerOf<typeof whyRecord> = async ({ target }, context) => {
  const brain = await openBrain(context);
  if (brain.root === undefined || brain.place.repo === null) {
    throw new DevflowError("usage", {
      details: { problem: "This is not a repository.", next: "Run it inside the repository that has the file." },
    });
  }
  const at = await placeOf(brain, brain.root, target, context);
  const place = { cwd: brain.root, signal: context.signal };
  const blamed = at.line === undefined ? undefined : await blameLine(place, at.file, at.line);
  if (at.line !== undefined && blamed === undefined) {
    throw new DevflowError("not_found", {
      details: {
        what: `Line ${at.line} of ${at.file} in git`,
        next: "A file that was never committed has no history yet.",
      },
    });
  }
  const earlier = [
    ...new Set([...(blamed && blamed.file !== at.file ? [blamed.file] : []), ...(await earlierNames(place, at.file))]),
  ];
  const answer = await brain.ask("why", {
    ...{ repo: brain.place.repo, file: at.file, earlier_names: earlier },
    ...(blamed ? { line: blamed.line, parents: [...blamed.parents] } : {}),
    ...(blamed?.commit ? { commit: blamed.commit, committed_at: blamed.committedAt } : {}),
  });
  const source = await brain.source(answer);
  const records = isOffline(answer) ? await fromDigest(brain, at.file) : answer;
  const history = await historyOf(at, records);
  brain.tell(source);
  const why: Why = {
    file: at.file,
    line: at.line ?? null,
    symbol: at.symbol ?? null,
    blamed: blamed ?? null,
    history,
    records,
  };
  context.output.result({ source, ...why }, whyPage(why, Date.now()));

  async function historyOf({ file, line, symbol }: At, { edits }: WhyAnswer): Promise<LineCommit[]> {
    // Only where nobody recorded an edit that fits: git is all there is.
    if (edits.some(({ confidence }) => confidence >= 0.5)) return [];
    if (symbol) return await lineHistory(place, file, symbol.from, symbol.to);
    return line === undefined ? await fileHistory(place, file) : await lineHistory(place, file, line, line);
  }
};

interface At {
  readonly file: string;
  readonly line: number | undefined;
  readonly symbol: FoundSymbol | undefined;
}

async function placeOf(brain: Brain, root: string, text: string, { signal }: CommandContext): Promise<At> {
  const { path, line, symbol } = parseTarget(text);
  const isFile = async (file: string) => (await lstat(join(root, file)).catch(() => undefined))?.isFile() === true;
  const file = await brain.pathOf(path).catch(() => undefined);
  const isThere = file !== undefined && (await isFile(file));
  if (isThere && symbol === undefined) return { file, line, symbol: undefined };
  const name = symbol ?? path;
  if (/^[A-Za-z_$#][\w$.#]*$/.test(name) && (symbol === undefined || isThere)) {
    const symbols = await openSymbols(symbolGrammars());
    const [found] = await findSymbol(root, name, { symbols, signal, ...(isThere ? { file } : {}) });
    if (found) return { file: found.file, line: found.from, symbol: found };
  }
  throw new DevflowError("not_found", {
    details: {
      what: `"${text}"`,
      next: "Name a file, file:line, file:symbol or a symbol of a TypeScript or JavaScript file.",
    },
  });
}

/** Offline: decisions, intents and recent edits of the file, without the walk. */
async function fromDigest(brain: Brain, file: string): Promise<WhyAnswer> {
  const digest = await brain.digest();
  const how = "from this machine's copy";
  return {
    ...{ runs: [], findings: [], evals: [], ships: [], edits: [] },
    intents: digest.intents.filter((one) => one.files.includes(file)).map((one) => ({ ...one, how })),
    decisions: digest.decisions.filter((one) => one.files.includes(file)).map((one) => ({ ...one, how })),
  };
}
