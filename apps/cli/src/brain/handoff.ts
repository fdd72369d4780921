/** `devflow brain handoff write | auto | list`. */
import { brainDraft, type Handoff } from "@devflow/brain/records";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainText, shortLine } from "@devflow/core/plain-text";
import { git } from "@devflow/git";
import { counted, duration } from "../data/amounts.ts";
import { changedFiles } from "./changed-files.ts";
import type { handoffAutoRecord, handoffListRecord, handoffWriteRecord } from "./commands.ts";
import { type Brain, isOffline, openBrain } from "./open-brain.ts";
import { ownIntent } from "./own-intent.ts";

export const handoffWrite: HandlerOf<typeof handoffWriteRecord> = async ({ text, to, file }, context) => {
  const brain = await openBrain(context);
  const note = text === "-" ? (await context.readStdin()).trim() : text;
  const files =
    file.length > 0 ? await Promise.all(file.map((one) => brain.pathOf(one))) : await changedFiles(brain, context);
  await leave(brain, context, { text: note, files, source: "person", ...(to === undefined ? {} : { to }) });
};

export const handoffAuto: HandlerOf<typeof handoffAutoRecord> = async (_input, context) => {
  const brain = await openBrain(context);
  if (brain.root === undefined) {
    throw new DevflowError("usage", {
      details: {
        problem: "There is no repository here to make a note from.",
        next: 'Write one: devflow brain handoff write "<text>"',
      },
    });
  }
  const files = await changedFiles(brain, context);
  const commits = await ownCommits(brain.root, context);
  const intent = await ownIntent(brain);
  if (!intent && files.length === 0 && commits.length === 0) {
    return context.output.result(
      { id: null },
      "Nothing was done since the last day, so there is nothing to hand over.",
    );
  }
  const lines = [
    ...(intent ? [`Intent: ${intent.text}`] : []),
    ...(commits.length > 0 ? [`Commits: ${commits.join("; ")}`] : []),
    files.length > 0
      ? `Not committed: ${files.slice(0, 20).join(", ")}${files.length > 20 ? ` and ${files.length - 20} more` : ""}`
      : "Everything is committed.",
  ];
  await leave(brain, context, { text: lines.join("\n"), files, source: "auto" });
};

/** Subjects of the person's commits of the last day, newest first. */
async function ownCommits(root: string, { signal }: CommandContext): Promise<string[]> {
  const me = (await git(["config", "user.email"], { cwd: root, signal, answers: [1] })).stdout.trim();
  if (me === "") return [];
  const args = ["log", "-n", "10", "--since=1.day", "--format=%ae%x00%s"] as const;
  const { stdout, exit } = await git(args, { cwd: root, signal, answers: [128] });
  if (exit !== 0) return [];
  return stdout.split("\n").flatMap((line) => {
    const [author, subject = ""] = line.split("\0");
    return author === me ? [shortLine(subject, 100)] : [];
  });
}

async function leave(
  brain: Brain,
  { output }: CommandContext,
  given: Pick<Handoff, "text" | "source" | "to"> & { readonly files: readonly string[] },
): Promise<void> {
  const intent = await ownIntent(brain);
  const draft = brainDraft("handoff", {
    ...{ agent: brain.agent, branch: brain.branch, ...given, files: [...given.files] },
    ...(intent ? { intent_id: intent.id } : {}),
  });
  const { ids, isSent, line } = await brain.write([draft]);
  output.result({ id: ids[0], text: draft.payload.text, sent: isSent }, `${plainText(draft.payload.text)}\n${line}`);
}

export const handoffList: HandlerOf<typeof handoffListRecord> = async ({ limit }, context) => {
  const brain = await openBrain(context);
  const answer = await brain.ask("list_handoffs", { ...brain.repo, max_rows: limit });
  const source = await brain.source(answer);
  const handoffs = isOffline(answer) ? (await brain.digest()).handoffs.slice(0, limit) : answer;
  brain.tell(source);
  const nowMs = Date.now();
  const text = handoffs.map((one) => {
    const about = [
      shortLine(one.user_name, 30),
      ...(one.to ? [`to ${shortLine(one.to, 30)}`] : []),
      ...(one.branch ? [`branch ${shortLine(one.branch, 40)}`] : []),
      ...(one.files.length > 0 ? [counted(one.files.length, "file")] : []),
      `${duration(nowMs - Date.parse(one.at))} ago`,
    ];
    const note = plainText(one.text)
      .trim()
      .split("\n")
      .map((line) => `    ${line}`);
    return [about.join(", "), ...note].join("\n");
  });
  context.output.result({ source, handoffs }, text.length === 0 ? "No handoffs." : text.join("\n\n"));
};
