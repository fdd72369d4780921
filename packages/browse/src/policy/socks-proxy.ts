/**
 * The SOCKS5 proxy inside the daemon through which all of Chromium's connections go (page, frame, worker, redirect,
 * prefetch, WebSocket). Each host is checked by name, resolved once, checked by address, and connected to at exactly the
 * address that was checked, so DNS rebinding has no effect.
 *
 * - `openProxy(options)` listens; it remembers recently refused and failed hosts, for messages.
 */
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { connect, createServer, isIP, type Server, type Socket } from "node:net";
import { listenOnLoopback } from "../loopback.ts";
import { forbiddenAddress } from "./addresses.ts";
import { normalHost } from "./url-policy.ts";

export interface ProxyOptions {
  readonly hostRefusal: (host: string) => string | undefined;
  /** Loopback ports that pages must not reach: the daemon's own. */
  readonly ownPorts: () => readonly number[];
  /** Resolves names; by default the system does. For tests. */
  readonly lookUp?: (host: string) => Promise<string[]>;
}

export interface Failure {
  readonly host: string;
  readonly at: number;
  readonly kind: "refused by policy" | "nothing listens" | "no such host" | "unreachable";
  readonly reason: string;
}

export interface SocksProxy {
  readonly port: number;
  /** Why the last connection to it failed, if it did. */
  failureOf(host: string, port: number): Failure | undefined;
  /**
   * The failure of the URL since then; if it has none the newest of any host, for example of a redirect's target. Chromium asks
   * for hosts of its own too.
   */
  failureSince(moment: number, url: string): Failure | undefined;
  /** Call this after the rules changed: it closes connections that are now forbidden, which Chromium would reuse. */
  recheck(): void;
  close(): Promise<void>;
}

const replies = { ok: 0, notAllowed: 2, unreachable: 4, refused: 5 } as const;
const rememberedFailures = 500;

export async function openProxy(options: ProxyOptions): Promise<SocksProxy> {
  const failures = new Map<string, Failure>();
  /** With the host that each is connected to, once known. */
  const sockets = new Map<Socket, string | undefined>();
  let port = 0;
  const server: Server = createServer({ noDelay: true }, (client) => {
    sockets.set(client, undefined);
    client.on("close", () => sockets.delete(client));
    client.on("error", () => client.destroy());
    if (!isOwnUser(client, port)) return void client.destroy();
    void serve(client, options, (host, key, failure) => {
      if (sockets.has(client)) sockets.set(client, host);
      failures.delete(key);
      if (!failure) return;
      failures.set(key, failure);
      if (failures.size > rememberedFailures) failures.delete(failures.keys().next().value as string);
    }).catch(() => client.destroy());
  });
  port = await listenOnLoopback(server);
  return {
    port,
    failureOf: (host, to) => failures.get(`${normalHost(host)}:${to}`),
    failureSince(moment, url) {
      const recent = (one: Failure | undefined) => one !== undefined && one.at >= moment;
      const own = URL.canParse(url) ? failures.get(keyOf(new URL(url))) : undefined;
      return recent(own) ? own : [...failures.values()].filter(recent).at(-1);
    },
    recheck: () => {
      for (const [socket, host] of sockets) if (host !== undefined && options.hostRefusal(host)) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets.keys()) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function keyOf({ hostname, port, protocol }: URL): string {
  return `${normalHost(hostname)}:${port || (protocol === "https:" ? 443 : 80)}`;
}

async function serve(
  client: Socket,
  options: ProxyOptions,
  remember: (host: string, key: string, failure: Failure | undefined) => void,
): Promise<void> {
  const wanted = await readRequest(client);
  if (!wanted) return void client.destroy();
  const key = `${wanted.host}:${wanted.port}`;
  const refuse = (code: number, failure: Pick<Failure, "kind" | "reason">) => {
    remember(wanted.host, key, { ...failure, host: wanted.host, at: Date.now() });
    client.end(reply(code));
  };
  const byName = options.hostRefusal(wanted.host);
  if (byName) return refuse(replies.notAllowed, { kind: "refused by policy", reason: byName });
  const addresses = await addressesOf(wanted.host, options.lookUp ?? systemLookUp);
  if (addresses.length === 0) {
    return refuse(replies.unreachable, { kind: "no such host", reason: `there is no host ${wanted.host}` });
  }
  // One forbidden address among several is treated as an attack.
  const byAddress = addresses.map(forbiddenAddress).find((why) => why !== undefined);
  if (byAddress) return refuse(replies.notAllowed, { kind: "refused by policy", reason: byAddress });
  if (addresses.some(isLoopback) && options.ownPorts().includes(wanted.port)) {
    return refuse(replies.notAllowed, { kind: "refused by policy", reason: "it is the browser's own port" });
  }
  const target = await connectToOne(addresses, wanted.port);
  if ("code" in target) {
    const isRefused = target.code === "ECONNREFUSED";
    return refuse(isRefused ? replies.refused : replies.unreachable, {
      kind: isRefused ? "nothing listens" : "unreachable",
      reason: isRefused ? `nothing is listening on ${key}` : `${key} cannot be reached (${target.code})`,
    });
  }
  remember(wanted.host, key, undefined);
  if (client.destroyed) return void target.socket.destroy();
  client.write(reply(replies.ok));
  join(client, target.socket);
}

function join(client: Socket, target: Socket): void {
  target.on("error", () => client.destroy());
  target.on("close", () => client.destroy());
  client.on("close", () => target.destroy());
  client.pipe(target);
  target.pipe(client);
  client.resume();
}

interface Wanted {
  readonly host: string;
  readonly port: number;
}

/** Greeting, then `05 01 00 type address port`. Undefined for anything else. */
async function readRequest(client: Socket): Promise<Wanted | undefined> {
  const read = reader(client);
  const [version, methods = 0] = await read(2);
  if (version !== 5) return undefined;
  await read(methods);
  client.write(Uint8Array.of(5, 0));
  const [again, command, , type] = await read(4);
  if (again !== 5 || command !== 1) return undefined;
  let host: string;
  if (type === 1) host = [...(await read(4))].join(".");
  else if (type === 4) host = ipv6Text(await read(16));
  else if (type === 3) host = (await read((await read(1))[0] ?? 0)).toString("latin1");
  else return undefined;
  const port = (await read(2)).readUInt16BE(0);
  read.done();
  return { host: normalHost(host), port };
}

function reader(client: Socket): ((size: number) => Promise<Buffer>) & { done(): void } {
  let buffer = Buffer.alloc(0);
  let wake: (() => void) | undefined;
  let isOver = false;
  const onData = (part: Buffer) => {
    buffer = Buffer.concat([buffer, part]);
    wake?.();
  };
  const onEnd = () => {
    isOver = true;
    wake?.();
  };
  client.on("data", onData).on("end", onEnd).on("close", onEnd);
  const read = async (size: number): Promise<Buffer> => {
    while (buffer.length < size) {
      if (isOver) throw new Error("closed");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const taken = buffer.subarray(0, size);
    buffer = buffer.subarray(size);
    return taken;
  };
  const done = () => {
    client.pause();
    client.off("data", onData).off("end", onEnd).off("close", onEnd);
    if (buffer.length > 0) client.unshift(buffer);
  };
  return Object.assign(read, { done });
}

async function addressesOf(host: string, lookUp: (host: string) => Promise<string[]>): Promise<string[]> {
  if (isIP(host)) return [host];
  // By the standard (RFC 6761) these always mean this machine.
  if (host === "localhost" || host.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  return await lookUp(host);
}

async function systemLookUp(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: "ipv4first" }).catch(() => []);
  return found.map(({ address }) => address);
}

async function connectToOne(
  addresses: readonly string[],
  port: number,
): Promise<{ socket: Socket } | { code: string }> {
  let code = "EHOSTUNREACH";
  for (const host of addresses) {
    const attempt = await new Promise<{ socket: Socket } | { code: string }>((resolve) => {
      const socket = connect({ host, port, noDelay: true });
      socket.once("connect", () => {
        socket.removeAllListeners("error");
        resolve({ socket });
      });
      socket.once("error", (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? "EHOSTUNREACH" }));
    });
    if ("socket" in attempt) return attempt;
    // A host with IPv4 and IPv6 addresses often listens on only one.
    if (attempt.code === "ECONNREFUSED" || code === "EHOSTUNREACH") code = attempt.code;
  }
  return { code };
}

const reply = (code: number): Uint8Array => Uint8Array.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
const isLoopback = (ip: string): boolean => ip === "::1" || ip.startsWith("127.");

function ipv6Text(bytes: Buffer): string {
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
}

/** Chromium cannot send a SOCKS password, so the socket's owner is checked. Only Linux allows that; elsewhere any local user passes. */
function isOwnUser(client: Socket, ownPort: number): boolean {
  if (process.platform !== "linux") return true;
  try {
    const lines = readFileSync("/proc/net/tcp", "latin1").split("\n");
    const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
    const [local, remote] = [`0100007F:${hex(client.remotePort ?? 0)}`, `0100007F:${hex(ownPort)}`];
    const entry = lines.map((line) => line.trim().split(/\s+/)).find((one) => one[1] === local && one[2] === remote);
    return entry === undefined || Number(entry[7]) === process.getuid?.();
  } catch {
    return true;
  }
}
