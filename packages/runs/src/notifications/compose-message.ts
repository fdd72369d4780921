/**
 * The message about an event of a run. Pure.
 *
 * - `composeMessage(notice)` what is sent as JSON: a text for people, and the facts for programs. `id` is the same in every
 *   attempt, so that a receiver can tell a repetition.
 * - `slackMessage(message)` only the text, as Slack's incoming webhooks take it.
 *
 * Titles and reasons are written by people and agents. In the text they cannot become a link or a mention, and secrets were
 * taken out when they were stored.
 */
import { shortLine } from "@devflow/core/plain-text";
import { shortId } from "@devflow/core/short-id";

/** The events that the database keeps a message for; see the trigger `noted`. */
export const noticeTypes: ReadonlySet<string> = new Set([
  "approval.requested",
  "permission.requested",
  "run.completed",
  "run.failed",
]);

type NoticeEvent = "gate" | "permission" | "failure" | "completion";

/** One event of a run, with what its message says. */
export interface Notice {
  readonly runId: string;
  readonly seq: number;
  readonly type: string;
  readonly key: string;
  readonly at: string;
  readonly gate: string | null;
  readonly reason: string | null;
  /** What an agent asks to do. */
  readonly permission: { readonly role: string; readonly tool: string; readonly detail: string } | null;
  readonly title: string;
  /** The lane that it is about, and the run that the lane belongs to. */
  readonly lane?: { readonly id: string; readonly of: string } | null;
  readonly repository: string;
  readonly branch: string;
  readonly pullRequest: string | null;
}

export interface Message {
  readonly id: string;
  readonly event: NoticeEvent;
  readonly text: string;
  readonly at: string;
  readonly run: {
    readonly id: string;
    readonly title: string;
    readonly repository: string;
    readonly branch: string;
    readonly gate: string | null;
    readonly reason: string | null;
    readonly permission: Notice["permission"];
  };
}

export function composeMessage(notice: Notice): Message {
  const { runId, key, at, gate, repository, branch } = notice;
  const title = shortLine(notice.title, 200);
  const reason = notice.reason === null ? null : shortLine(notice.reason, 500);
  return {
    id: key,
    event: eventOf(notice),
    text: textOf(notice, title, reason),
    at,
    run: {
      id: runId,
      title,
      repository: repositoryName(repository),
      branch,
      gate,
      reason,
      permission: permissionOf(notice),
    },
  };
}

export const slackMessage = ({ text }: Message): { readonly text: string } => ({ text });

/** A command may be long, and a message is read on a phone. */
const permissionOf = ({ permission }: Notice): Notice["permission"] =>
  permission && { ...permission, detail: shortLine(permission.detail, 300) };

/** A gate that opened because something went wrong is a failure that a person can mend. */
function eventOf({ type, gate }: Notice): NoticeEvent {
  if (type === "run.completed") return "completion";
  if (type === "permission.requested") return "permission";
  return type === "run.failed" || gate?.startsWith("recovery:") ? "failure" : "gate";
}

function textOf(notice: Notice, title: string, reason: string | null): string {
  const id = shortId(notice.runId);
  const lane = notice.lane ? `, lane ${notice.lane.id} of ${shortId(notice.lane.of)}` : "";
  const where = `${slackText(title)} (${slackText(repositoryName(notice.repository))}, run ${id}${lane})`;
  const why = reason === null ? "" : `: ${slackText(reason)}`;
  switch (notice.type) {
    case "run.completed":
      return `Completed: ${where}\nOpen a pull request: devflow run pr ${id}`;
    case "run.failed":
      return `Failed: ${where}${why}\nSee: devflow run show ${id}`;
    case "permission.requested": {
      const { role = "An agent", tool = "a tool", detail = "" } = permissionOf(notice) ?? {};
      const what = `${slackText(role)} asks to use ${slackText(tool)}: ${slackText(detail)}`;
      return `Needs permission: ${where}\n${what}\nAnswer: devflow run allow ${id}, or devflow run deny ${id}`;
    }
    default: {
      const isRecovery = notice.gate?.startsWith("recovery:") ?? false;
      const asks = isRecovery ? "Stopped" : `Asks for ${slackText((notice.gate ?? "a decision").replaceAll("_", " "))}`;
      return `${asks}: ${where}${why}\nDecide: devflow run show ${id}`;
    }
  }
}

/** Slack's own marks: without them `<!channel>` and links are only text. */
const slackText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The path of the repository is of no use elsewhere. */
const repositoryName = (path: string): string => path.split("/").filter(Boolean).at(-1) ?? path;
