/**
 * Requests about runs. Each response is parsed by its schema.
 *
 * Requests to start, control or decide carry a client token: repeated after a lost response, they count once.
 */
import {
  ApprovalList,
  AttachmentView,
  BindingPreview,
  CommandLog,
  CommentList,
  type CommentRequest,
  CommentView,
  DecisionAnswer,
  type DefinitionFileFault,
  FindingView,
  Fleet,
  type OfferedTemplate,
  PermissionAnswer,
  type PermissionView,
  PersonaList,
  type PersonaView,
  PullRequestAnswer,
  type permissionScopes,
  RunComparison,
  RunCounts,
  RunDetail,
  RunDiff,
  RunEventList,
  RunList,
  RunStarted,
  type RunStartRequest,
  SessionList,
  TemplateList,
  Transcript,
} from "@devflow/protocol";
import { z } from "zod";

export interface RunTransport {
  get<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: unknown, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
  text(path: string, signal?: AbortSignal): Promise<string>;
  /** A picture as a `data:` URL, since an `img` element cannot send the token. */
  image(path: string, signal?: AbortSignal): Promise<string>;
  remove(path: string): Promise<unknown>;
  /** The file itself is the body. */
  upload<T>(path: string, file: Blob, schema: z.ZodType<T>): Promise<T>;
  file(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** A draft as it was shown: one that was changed since is not sent. */
export type ShownComment = Pick<CommentView, "id" | "revision">;
export type Verdict = z.infer<typeof DecisionAnswer>["verdict"];
export type Control = "pause" | "resume" | "abort";

/** The most runs that the list loads. */
const maxRuns = 2_000;

export function createRunApi({ get, post, text, image, remove, upload, file }: RunTransport) {
  return {
    async list(filter: { state?: string | undefined; repo?: string | undefined }, signal?: AbortSignal) {
      const runs: RunList["runs"] = [];
      let cursor: string | null = null;
      do {
        const page: RunList = await get(`/api/runs${queryOf({ ...filter, cursor, limit: 200 })}`, RunList, signal);
        runs.push(...page.runs);
        cursor = page.cursor;
      } while (cursor !== null && runs.length < maxRuns);
      return { runs, isWhole: cursor === null };
    },
    /** The newest runs in these states, and how many there are. */
    newest: (
      filter: { state: string; team: string | undefined; limit: number },
      signal?: AbortSignal,
    ): Promise<RunList> => get(`/api/runs${queryOf(filter)}`, RunList, signal),
    counts: async (team: string | undefined, signal?: AbortSignal): Promise<RunCounts["counts"]> =>
      (await get(`/api/runs/counts${queryOf({ team })}`, RunCounts, signal)).counts,
    detail: (id: string, signal?: AbortSignal): Promise<RunDetail> => get(`/api/runs/${id}`, RunDetail, signal),
    events: (id: string, after: number, limit: number, signal?: AbortSignal) =>
      get(`/api/runs/${id}/events${queryOf({ after, limit })}`, RunEventList, signal),
    transcript: (
      sessionId: string,
      page: { readonly from: number; readonly limit: number; readonly last?: boolean },
      signal?: AbortSignal,
    ) => get(`/api/sessions/${sessionId}/transcript${queryOf({ ...page })}`, Transcript, signal),
    diff: (id: string, signal?: AbortSignal): Promise<RunDiff> => get(`/api/runs/${id}/diff`, RunDiff, signal),
    /** A fork beside the run that it was forked from. */
    comparison: (id: string, signal?: AbortSignal): Promise<RunComparison> =>
      get(`/api/runs/${id}/comparison`, RunComparison, signal),
    /** A picture that the run changed. */
    picture: (id: string, path: string, side: "before" | "after", signal?: AbortSignal): Promise<string> =>
      image(`/api/runs/${id}/diff/picture${queryOf({ path, side })}`, signal),
    pullRequest: (id: string, dryRun: boolean): Promise<PullRequestAnswer> =>
      post(`/api/runs/${id}/pr`, { dryRun }, PullRequestAnswer),
    artifact: (id: string, artifactId: string, signal?: AbortSignal): Promise<string> =>
      text(`/api/runs/${id}/artifacts/${artifactId}/content`, signal),
    report: (id: string, signal?: AbortSignal): Promise<string> => text(`/api/runs/${id}/report.md`, signal),
    start: (request: RunStartRequest) => post("/api/runs", request, RunStarted),
    preview: (request: RunStartRequest, signal?: AbortSignal): Promise<BindingPreview> =>
      post("/api/runs/preview", request, BindingPreview, signal),
    control: (id: string, what: Control, body: { clientToken: string; reason?: string }) =>
      post(`/api/runs/${id}/${what}`, body, z.unknown()),
    decide: (
      approvalId: string,
      body: {
        verdict: Verdict;
        comment?: string;
        choice?: string;
        comments?: readonly ShownComment[];
        clientToken: string;
        epoch: number;
      },
    ) => post(`/api/approvals/${approvalId}/decisions`, body, DecisionAnswer),
    /** Comments on lines, oldest first. */
    comments: async (id: string, signal?: AbortSignal): Promise<CommentView[]> =>
      (await get(`/api/runs/${id}/comments`, CommentList, signal)).comments,
    comment: (id: string, body: CommentRequest): Promise<CommentView> =>
      post(`/api/runs/${id}/comments`, body, CommentView),
    editComment: (id: string, { id: comment, revision }: ShownComment, text: string): Promise<CommentView> =>
      post(`/api/runs/${id}/comments/${comment}`, { text, revision }, CommentView),
    removeComment: (id: string, commentId: string) => remove(`/api/runs/${id}/comments/${commentId}`),
    /** Stores a file that a run, a comment or a message can then name. */
    upload: (name: string, content: Blob, team: string | undefined): Promise<AttachmentView> =>
      upload(`/api/runs/attachments${queryOf({ name, team })}`, content, AttachmentView),
    attachmentPicture: (id: string, attachmentId: string, signal?: AbortSignal): Promise<string> =>
      image(`/api/runs/${id}/attachments/${attachmentId}/content`, signal),
    attachmentFile: (id: string, attachmentId: string): Promise<Uint8Array<ArrayBuffer>> =>
      file(`/api/runs/${id}/attachments/${attachmentId}/content`),
    commandLog: (id: string, commandId: string, signal?: AbortSignal): Promise<CommandLog> =>
      get(`/api/runs/${id}/commands/${commandId}/log`, CommandLog, signal),
    permit: (
      { id, sessionId }: Pick<PermissionView, "id" | "sessionId">,
      answer: "allow" | "deny",
      scope: (typeof permissionScopes)[number] = "once",
    ) => post(`/api/permissions/${id}/decisions`, { sessionId, answer, scope }, PermissionAnswer),
    say: (
      id: string,
      body: {
        text: string;
        role?: string;
        comments?: readonly ShownComment[];
        attachments?: readonly string[];
        clientToken: string;
      },
    ) => post(`/api/runs/${id}/say`, body, z.unknown()),
    /** Open gates, and agents' open requests for permission. */
    waiting: (signal?: AbortSignal): Promise<z.infer<typeof ApprovalList>> =>
      get("/api/approvals?state=pending", ApprovalList, signal),
    waive: (id: string, findingId: string, reason: string) =>
      post(`/api/runs/${id}/findings/${findingId}/waiver`, { reason }, FindingView),
    /** Active sessions, or all of them. */
    sessions: async (all: boolean, signal?: AbortSignal): Promise<z.infer<typeof SessionList>["sessions"]> =>
      (await get(`/api/sessions${queryOf({ all })}`, SessionList, signal)).sessions,
    fleet: (signal?: AbortSignal): Promise<Fleet> => get("/api/fleet", Fleet, signal),
    templates: async (signal?: AbortSignal): Promise<OfferedTemplate[]> =>
      (await get("/api/templates", TemplateList, signal)).templates,
    definitionFaults: async (signal?: AbortSignal): Promise<DefinitionFileFault[]> =>
      (await get("/api/templates", TemplateList, signal)).faults,
    personas: async (signal?: AbortSignal): Promise<PersonaView[]> =>
      (await get("/api/personas", PersonaList, signal)).personas,
  };
}

function queryOf(values: Record<string, string | number | boolean | null | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text && `?${text}`;
}
