/** The ways a request can fail. `message` says what happened, `next` is the command to run. */
import { reportOfAnswer } from "@devflow/protocol";

export type FaultKind = "unreachable" | "unauthorised" | "refused" | "unexpected";

export class ApiFault extends Error {
  readonly kind: FaultKind;
  readonly next: string;
  /** A code of the error registry, if the server sent one. */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    kind: FaultKind,
    message: string,
    next: string,
    options: { cause?: unknown; code?: string; details?: Readonly<Record<string, unknown>> | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.next = next;
    this.code = options.code ?? "";
    this.details = options.details ?? {};
  }
}

/** The server did not answer, which says nothing about what was read from it before. */
export const isUnreachable = (fault: unknown): boolean => fault instanceof ApiFault && fault.kind === "unreachable";

/** Who reads a page of a team server does not restart it from their own machine. */
export function nextOf(fault: ApiFault, isTeamServer: boolean): string {
  if (!isTeamServer || !/^devflow (up|down|logs)\b/.test(fault.next)) return fault.next;
  return isUnreachable(fault)
    ? "This page goes on when it answers again."
    : "Reload the page. If that does not help, tell the person who runs the server.";
}

/** A body that is not a `Failure` of the protocol still gets a readable message. */
export async function faultOf(response: Response): Promise<ApiFault> {
  const body: unknown = await response.json().catch(() => undefined);
  const kind: FaultKind = response.status === 401 ? "unauthorised" : response.status < 500 ? "refused" : "unexpected";
  const report = reportOfAnswer(response.status, body);
  if (report) return new ApiFault(kind, report.message, report.hint, { code: report.code, details: report.details });
  return new ApiFault(kind, `The server answered ${response.status} without an error message.`, "devflow logs");
}
