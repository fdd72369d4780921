/** What is particular about one ACP agent. An agent without a profile gets `plainProfile`. */
export interface AcpProfile {
  /** The mode in which the agent asks before it changes or runs anything. Absent: the backend's definition names it. */
  readonly mode?: string;
  /** Options of the session that must have these values. */
  readonly options?: Readonly<Record<string, string>>;
  /** Whether the agent is told that it may read and write files through the client. */
  readonly offersFiles: boolean;
  /** The option that adds a folder to those that the agent can reach, for agents that refuse others without asking. */
  readonly folderOption?: string;
  readonly usage: UsageReport;
}

/**
 * How an agent reports tokens:
 * - `turn` with the answer to a prompt, for that turn.
 * - `process` with the answer to a prompt, for everything since the process started.
 * - `chunks` in `_meta.usage` of message chunks, one for each request to the model.
 * - `quota` in `_meta.quota` of the answer to a prompt, by model.
 */
export type UsageReport = "turn" | "process" | "chunks" | "quota";

export const plainProfile: AcpProfile = { offersFiles: true, usage: "turn" };
