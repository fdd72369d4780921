/**
 * An ACP agent's process and the connection to it. The SDK has the protocol; the process is ours, so that its whole group
 * ends with it.
 */
import type { AnyMessage, ClientApp, ClientContext } from "@agentclientprotocol/sdk";
import { type LineProcess, startLineProcess } from "../holder/line-process.ts";
import type { WireHost } from "../holder/wire.ts";

type AcpSdk = typeof import("@agentclientprotocol/sdk");

/** What the process needs of the session that it is for. */
export interface AcpHost extends Pick<WireHost, "env" | "ended"> {
  readonly start: Pick<WireHost["start"], "command" | "cwd">;
}

export interface AcpConnection {
  readonly agent: ClientContext;
  readonly process: LineProcess;
}

/**
 * `words` follow the agent's command; `handlers` adds what the client answers. The SDK is loaded here, so that holders of
 * other agents do without it.
 */
export async function connectAcp(
  host: AcpHost,
  words: readonly string[],
  handlers: (app: ClientApp, sdk: AcpSdk) => void,
): Promise<AcpConnection> {
  const sdk = await import("@agentclientprotocol/sdk");
  const incoming = new TransformStream<AnyMessage, AnyMessage>();
  const writer = incoming.writable.getWriter();
  const { command, cwd } = host.start;
  const process = await startLineProcess({
    command: [...command, ...words],
    cwd,
    env: host.env,
    onLine: (message) => void writer.write(message as AnyMessage).catch(() => undefined),
    // Agents log there for their developers. The last lines are in the reason of an exit.
    onNoise: () => undefined,
    onExit: (reason) => host.ended(reason),
  });
  const outgoing = new WritableStream<AnyMessage>({ write: (message) => process.send(message) });
  const app = sdk.client({ name: "devflow" });
  handlers(app, sdk);
  const { agent } = app.connect({ readable: incoming.readable, writable: outgoing });
  return { agent, process };
}
