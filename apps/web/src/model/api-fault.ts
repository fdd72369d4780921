/** What a request can end in besides its answer. `message` says what happened, `next` is the command to type. */
import { DataPlaneFailure, Failure } from "@devflow/protocol";

export type FaultKind = "unreachable" | "unauthorised" | "refused" | "unexpected";

export class ApiFault extends Error {
  readonly kind: FaultKind;
  readonly next: string;
  /** The code of the error registry, where the server gave one. */
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

/** Reads either shape of failure; a body in neither shape still becomes a sentence. */
export async function faultOf(response: Response): Promise<ApiFault> {
  const body: unknown = await response.json().catch(() => undefined);
  const kind: FaultKind = response.status === 401 ? "unauthorised" : response.status < 500 ? "refused" : "unexpected";
  const own = Failure.safeParse(body);
  if (own.success) {
    const { code, message, hint, details } = own.data.error;
    return new ApiFault(kind, message, hint, { code, details });
  }
  const data = DataPlaneFailure.safeParse(body);
  if (data.success) return new ApiFault(kind, data.data.message, data.data.hint ?? "", { code: data.data.code });
  return new ApiFault(kind, `The server answered ${response.status} without saying why.`, "devflow logs");
}
