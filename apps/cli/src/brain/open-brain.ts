/**
 * The brain as a command uses it: where records go, as which agent, and two ways to read: the server, and without it this machine's cache.
 *
 * - `openBrain(context)` throws `no_team`.
 * - `brain.ask(name, args)` one function of the data plane, or why there is no answer. A refusal is thrown.
 * - `brain.digest()` what was pulled last, with this machine's own unsent records.
 * - `brain.write(drafts)` puts records in the spool and gives the server a moment to take them.
 * - `brain.sourceOf(answer)` and `brain.tell(source)` whether a result is the server's, or how old it is.
 */
import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { agentIdentity, sessionOfCaller } from "@devflow/brain/agents";
import { type Author, applyRecord, emptyDigest, readDigest, writeDigest } from "@devflow/brain/digest";
import type { AgentIdentity, BrainDraft } from "@devflow/brain/records";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { type Home, homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { machineId } from "@devflow/core/machine-id";
import { currentBranch, repositoryRoot } from "@devflow/git";
import { type BrainDigest, type RpcAnswer, type RpcArguments, type RpcName, rpcAnswer } from "@devflow/protocol";
import { cacheFolder } from "@devflow/team/cache";
import { unsentRecords } from "@devflow/team/drain";
import { callRpc } from "@devflow/team/remote";
import { spoolFolder } from "@devflow/team/spool";
import { counted, duration } from "../data/amounts.ts";
import { tokenFor } from "../sync/connection.ts";
import { requirePlace, type TeamPlace } from "../sync/place.ts";
import { pushed, syncLine } from "../sync/push-records.ts";

export interface Offline {
  readonly offline: string;
}

/** Where a result comes from; part of what `--json` prints. */
export interface Source {
  readonly from: "server" | "cache";
  /** When it was pulled. */
  readonly at: string | null;
  readonly reason: string | null;
}

export interface Brain {
  readonly place: TeamPlace;
  readonly home: Home;
  /** The team cache of the repository. */
  readonly folder: string;
  readonly author: Author;
  readonly agent: AgentIdentity;
  /** The top folder of the worktree; undefined outside one. */
  readonly root: string | undefined;
  readonly branch: string | null;
  ask<Name extends RpcName>(name: Name, args: Omit<RpcArguments<Name>, "team_id">): Promise<RpcAnswer<Name> | Offline>;
  digest(): Promise<BrainDigest>;
  /** `redacted`: how many secrets were removed. `line`: for people. */
  write(drafts: readonly BrainDraft[]): Promise<{ ids: string[]; isSent: boolean; redacted: number; line: string }>;
  source(answer: unknown): Promise<Source>;
  tell(source: Source): void;
  /** A path as typed, relative to the root of the repository. */
  pathOf(given: string): Promise<string>;
  readonly repo: { readonly repo?: string };
}

const askLimitMs = 3_000;
const ownKinds = ["intent", "decision", "handoff", "feature_tag"];

export const isOffline = (answer: unknown): answer is Offline =>
  typeof answer === "object" && answer !== null && "offline" in answer;

export async function openBrain(context: CommandContext): Promise<Brain> {
  const home = homeAt(context.config().home);
  const place = await requirePlace(context);
  const { to, repo, userName } = place;
  const at = { cwd: context.cwd, signal: context.signal };
  const root = repo === null ? undefined : await repositoryRoot(at);
  const branch = root === undefined ? null : ((await currentBranch(at)) ?? null);
  const folder = cacheFolder(home.root, { ...to, repo });
  const author = { id: to.user, name: userName };
  const session = sessionOfCaller(context.env) ?? {
    host: "terminal",
    session: `terminal-${hashBytes(root ?? context.cwd).slice(0, 12)}`,
  };
  const agent = agentIdentity({ user: to.user, machine: await machineId(home), ...session });

  const brain: Brain = {
    ...{ place, home, folder, author, agent, root, branch, repo: repo === null ? {} : { repo } },
    async ask(name, args) {
      const connection = await tokenFor(home, context.env)(to.server, to.user);
      if ("waiting" in connection) return { offline: connection.waiting };
      const team = name === "record_kinds" ? {} : { team_id: to.team };
      const given = { ...team, ...args } as unknown as RpcArguments<typeof name>;
      const outcome = await callRpc(connection, name, given, { timeoutMs: askLimitMs, signal: context.signal });
      if (outcome.is === "unreachable") return { offline: outcome.reason };
      if (outcome.is === "refused") return refusalOf(outcome, place);
      const parsed = rpcAnswer(name).safeParse(outcome.body);
      if (parsed.success) return parsed.data;
      return { offline: "its answer has another form; one of the two programs is older" };
    },
    async digest() {
      const known = (await readDigest(folder)) ?? emptyDigest(repo, new Date(0).toISOString());
      return await withUnsent(known);
    },
    async write(drafts) {
      const made = drafts.map((draft) => ({ ...draft, id: "id" in draft ? String(draft.id) : uuidv7<"record">() }));
      const { ids, isSent } = await pushed(home, place, made, context);
      const now = new Date().toISOString();
      const before = await readDigest(folder);
      if (before) {
        const after = made.reduce((sum, one) => applyRecord(sum, { ...one, at: now, repo }, author), before);
        await writeDigest(folder, after);
      }
      const redacted = drafts.reduce((sum, one) => sum + one.redacted, 0);
      if (redacted > 0) context.output.note(`${counted(redacted, "secret")} removed before anything was stored.`);
      return { ids, isSent, redacted, line: syncLine({ isSent, syncEnabled: context.config().syncEnabled }) };
    },
    async source(answer) {
      if (!isOffline(answer)) return { from: "server", at: new Date().toISOString(), reason: null };
      return { from: "cache", at: (await readDigest(folder))?.at ?? null, reason: answer.offline };
    },
    tell({ from, at: pulledAt, reason }) {
      if (from === "server") return;
      const what =
        pulledAt === null
          ? "Nothing was pulled yet"
          : `This was pulled ${duration(Date.now() - Date.parse(pulledAt))} ago`;
      context.output.note(`Offline (${reason}). ${what}.`);
    },
    async pathOf(given) {
      if (root === undefined) return given;
      const path = relative(await realpath(root), resolve(await realpath(context.cwd), given));
      if (path !== "" && !path.startsWith("..")) return path;
      throw new DevflowError("input_invalid", {
        details: { problem: `${given} is not in this repository.`, next: "Name a file below its root." },
      });
    },
  };
  return brain;

  async function withUnsent(known: BrainDigest): Promise<BrainDigest> {
    const own = await unsentRecords(spoolFolder(home.root), { ...to, kinds: ownKinds });
    return own
      .filter((record) => record.repo === repo)
      .reduce((sum, record) => applyRecord(sum, record, author), known);
  }
}

function refusalOf(
  { code, message, details, status }: { code: string; message: string; details: string; status: number },
  { team }: TeamPlace,
): Offline {
  if (code === "PT404")
    throw new DevflowError("not_found", {
      details: { what: "That decision", next: "Find it: devflow brain decide search <words>" },
    });
  if (code === "42501")
    throw new DevflowError("forbidden", {
      details: {
        problem:
          details === "not_a_member" ? `You are not a member of ${team.name}.` : `The server refused: ${message}.`,
        next: "Ask an admin of the team, or sign in again: devflow sync setup",
      },
    });
  // A function that an older server does not have, or a fault of the server: the cache is better than nothing.
  return { offline: `the server answered ${status}${message ? `: ${message}` : ""}` };
}
