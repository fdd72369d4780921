/**
 * How the worker stands with Temporal, for people.
 *
 * - `engineProblem(error, place)` pure: what an error of Temporal means, and what to do about it.
 *
 * The texts come from three layers (the transport, gRPC, the server), and only some have a code.
 */
import type { EngineState } from "@devflow/protocol";

interface Place {
  readonly address: string;
  readonly namespace: string;
}

type Problem = Pick<EngineState, "kind" | "message">;

/** gRPC status codes. */
const codes = { notFound: 5, permissionDenied: 7, unauthenticated: 16 };

/** The first request of a connection fails with the description of its status, and without the code. */
const refusal = /unauthorized|unauthenticated|valid authentication credentials|does not have permission/i;

export function engineProblem(error: unknown, { address, namespace }: Place): Problem {
  const text = textOf(error);
  const code = codeOf(error);
  if (code === codes.unauthenticated || code === codes.permissionDenied || refusal.test(text)) {
    return { kind: "refused", message: `${address} refuses this key. Set another one: DEVFLOW_TEMPORAL_API_KEY` };
  }
  if (code === codes.notFound || /namespace.*not found/i.test(text)) {
    const next = `temporal operator namespace create --address ${address} -n ${namespace}`;
    return { kind: "namespace_missing", message: `${address} has no namespace ${namespace}. Create it: ${next}` };
  }
  if (/certificate|tls|handshake|corrupt message|InvalidContentType|frame with invalid size/i.test(text)) {
    const next = "Check the settings temporal_tls, temporal_ca, temporal_cert and temporal_key.";
    return { kind: "refused", message: `${address} does not accept this TLS configuration. ${next}` };
  }
  return {
    kind: "unreachable",
    message: `${address} does not answer. Decisions are kept, and applied when it is back.`,
  };
}

function codeOf(error: unknown): number | undefined {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at)
    if (typeof at.code === "number") return at.code;
  return undefined;
}

function textOf(error: unknown): string {
  const parts: string[] = [];
  for (let at = error as { message?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at)
    parts.push(String(at.message ?? at));
  return parts.join(": ");
}
