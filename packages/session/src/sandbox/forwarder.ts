/**
 * The holder's end of an agent's network: sockets in a folder that the sandbox shares.
 *
 * - `startForwarder(folder, rules)` one socket per port of this machine, and one for a proxy that lets only named hosts
 *   through (`CONNECT`; anything else is refused). `forwards` is what `sandbox-inside` listens for.
 *
 * A new holder of a surviving agent makes the same sockets again; the agent connects to them by name each time.
 */
import { lookup } from "node:dns/promises";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { isPublicAddress } from "@devflow/core/public-address";
import { isAllowedHost } from "./allowed-host.ts";

export interface Forward {
  /** On the loopback interface inside. */
  readonly port: number;
  readonly socket: string;
}

export interface Forwarder {
  readonly forwards: readonly Forward[];
  readonly proxyPort: number;
  close(): void;
}

interface ForwardRules {
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
  /** Told what was refused. */
  onRefused(host: string): void;
}

/** The addresses of a name. */
type Resolve = (host: string) => Promise<readonly string[]>;

const resolveName: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export async function startForwarder(
  folder: string,
  { hosts, ports, onRefused }: ForwardRules,
  resolve: Resolve = resolveName,
): Promise<Forwarder> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const proxyPort = freePort(ports);
  const socketOf = (name: string) => join(folder, name);
  const servers: Server[] = [];
  const open = new Set<Socket>();
  const listen = async (server: Server, path: string): Promise<void> => {
    rmSync(path, { force: true });
    server.on("connection", (socket) => {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    });
    await new Promise<void>((done, failed) => {
      server.once("error", failed);
      server.listen(path, done);
    });
    chmodSync(path, 0o600);
    servers.push(server);
  };
  for (const port of new Set(ports)) {
    await listen(
      createServer((client) => pipeBoth(client, connect(port, "127.0.0.1"))),
      socketOf(`port-${port}`),
    );
  }
  const proxy = createHttpServer((_request, response) => {
    response.writeHead(403, { "content-type": "text/plain" });
    response.end("The sandbox forwards encrypted connections to named hosts only.\n");
  });
  proxy.on("connect", (request, client: Socket) => {
    void (async () => {
      const upstream = await openAllowed(request.url ?? "", hosts, resolve);
      if (!upstream) {
        onRefused(request.url ?? "");
        client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
        return;
      }
      upstream.once("connect", () => client.write("HTTP/1.1 200 Connection Established\r\n\r\n"));
      pipeBoth(client, upstream);
    })();
  });
  await listen(proxy, socketOf("proxy"));
  const forwards = [...new Set(ports)].map((port) => ({ port, socket: socketOf(`port-${port}`) }));
  return {
    forwards: [...forwards, { port: proxyPort, socket: socketOf("proxy") }],
    proxyPort,
    close() {
      for (const server of servers) server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Undefined: it is not allowed, or there is no such name. The address that was checked is the one that is used. */
async function openAllowed(target: string, hosts: readonly string[], resolve: Resolve): Promise<Socket | undefined> {
  const [, host = "", port = ""] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(target) ?? [];
  if (!isAllowedHost(hosts, host, Number(port))) return undefined;
  const addresses = await resolve(host).catch(() => []);
  const [first] = addresses;
  if (first === undefined || !addresses.every(isPublicAddress)) return undefined;
  return connect(Number(port), first);
}

function pipeBoth(client: Socket, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}

/** Inside, only these ports are taken. */
function freePort(taken: readonly number[]): number {
  let port = 3128;
  while (taken.includes(port)) port += 1;
  return port;
}
