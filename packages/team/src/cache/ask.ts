/**
 * A question to the data plane, for a pull.
 *
 * - `ask(to, name, args)` its parsed answer; throws `Unanswered` with the outcome otherwise.
 */
import { type RpcAnswer, type RpcArguments, type RpcName, rpcAnswer } from "@devflow/protocol";
import { type Connection, callRpc, type RpcOutcome } from "../remote/index.ts";

const pullTimeoutMs = 3_000;

export class Unanswered extends Error {
  readonly outcome: Exclude<RpcOutcome, { is: "answered" }>;
  constructor(outcome: Exclude<RpcOutcome, { is: "answered" }>) {
    super("no answer");
    this.outcome = outcome;
  }
}

export async function ask<Name extends RpcName>(
  { connection, signal }: { readonly connection: Connection; readonly signal?: AbortSignal },
  name: Name,
  args: RpcArguments<Name>,
): Promise<RpcAnswer<Name>> {
  const outcome = await callRpc(connection, name, args, { timeoutMs: pullTimeoutMs, ...(signal ? { signal } : {}) });
  if (outcome.is !== "answered") throw new Unanswered(outcome);
  const parsed = rpcAnswer(name).safeParse(outcome.body);
  if (parsed.success) return parsed.data;
  throw new Unanswered({ is: "unreachable", reason: "the answer has another shape" });
}
