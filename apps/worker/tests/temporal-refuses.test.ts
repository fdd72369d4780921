/** A Temporal server that answers and refuses: TLS that it does not speak, a certificate of somebody else, a wrong key. */
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { systemClock } from "@devflow/core/clock";
import type { EngineState } from "@devflow/protocol";
import { quietLog, temporaryFolder } from "@devflow/testkit";
import { startTemporal } from "@devflow/testkit/temporal-server";
import type { NativeConnectionOptions } from "@temporalio/worker";
import { openLink } from "../src/temporal/link.ts";

const badTls =
  "does not accept this TLS configuration. Check the settings temporal_tls, temporal_ca, temporal_cert and temporal_key.";

/** The first state after `connecting`. */
async function stateAt(address: string, how: Partial<NativeConnectionOptions>): Promise<Omit<EngineState, "since">> {
  const told = Promise.withResolvers<EngineState>();
  const link = openLink({
    place: { address, namespace: "devflow", connection: { address, ...how } },
    ...{ host: "refused", workflowCode: "", activities: {}, clock: systemClock, log: quietLog, graceMs: 0 },
    onState: told.resolve,
    onConnected: () => undefined,
  });
  const { kind, message } = await told.promise;
  await link.stop();
  return { kind, message };
}

async function listening<T extends Server>(server: T): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

test("a server without TLS, asked for TLS", async () => {
  const temporal = await startTemporal();
  try {
    expect(await stateAt(temporal.address, { tls: {} })).toEqual({
      kind: "refused",
      message: `${temporal.address} ${badTls}`,
    });
  } finally {
    await temporal.stop();
  }
});

test("a server with a certificate that nobody vouches for", async () => {
  const folder = temporaryFolder("certificate");
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", [...words, "-keyout", key, "-out", cert, "-subj", "/CN=localhost"], { stdio: "ignore" });
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert), ALPNProtocols: ["h2"] });
  server.on("tlsClientError", () => undefined);
  const address = await listening(server);
  try {
    expect(await stateAt(address, { tls: {} })).toEqual({ kind: "refused", message: `${address} ${badTls}` });
  } finally {
    await closed(server);
  }
});

// The development server knows no keys, so this one answers as Temporal Cloud does.
test("a key that the server does not know", async () => {
  const server = createHttp2Server();
  server.on("stream", (stream: ServerHttp2Stream) => {
    const status = { "grpc-status": "16", "grpc-message": "invalid token" };
    stream.respond({ ":status": 200, "content-type": "application/grpc", ...status }, { endStream: true });
  });
  const address = await listening(server as unknown as Server);
  try {
    expect(await stateAt(address, { tls: false, apiKey: "wrong" })).toEqual({
      kind: "refused",
      message: `${address} refuses this key. Set another one: DEVFLOW_TEMPORAL_API_KEY`,
    });
  } finally {
    await closed(server as unknown as Server);
  }
});
