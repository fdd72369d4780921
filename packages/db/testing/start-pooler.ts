/**
 * A real PgBouncer in transaction mode in front of a Postgres, for tests.
 *
 * - `startPooler({ target, knows })` `knows: "everyone"` looks users up in Postgres, `knows: "administrator"` knows only
 *   that one. `url(database)` leads through it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@devflow/core/secret";
import type { ConnectionTarget } from "../src/connection-target.ts";

export interface Pooler {
  url(database: string): Secret;
  stop(): Promise<void>;
}

export async function startPooler(options: {
  readonly target: ConnectionTarget;
  readonly knows: "everyone" | "administrator";
}): Promise<Pooler> {
  const { target } = options;
  const password = target.password.reveal();
  const folder = mkdtempSync(join(tmpdir(), "devflow-pooler-"));
  const port = await freePort();
  const lookUp = `auth_user = ${target.user}\nauth_query = select usename, passwd from pg_shadow where usename = $1\n`;
  writeFileSync(join(folder, "users"), `"${target.user}" "${password}"\n`);
  writeFileSync(
    join(folder, "settings.ini"),
    `[databases]
* = host=${target.host} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pool_mode = transaction
default_pool_size = 4
auth_type = scram-sha-256
auth_file = ${join(folder, "users")}
${options.knows === "everyone" ? lookUp : ""}`,
  );
  const child = spawn("pgbouncer", [join(folder, "settings.ini")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    ...ownerOf(target.host, folder),
  });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()).on("error", () => resolve()));
  await untilListening(port, child, () => said);
  return {
    url: (database) =>
      new Secret(`postgres://${target.user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It refuses to run as root, and only the owner of the socket's folder can reach the socket. */
function ownerOf(socketFolder: string, folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = statSync(socketFolder);
  for (const path of [folder, join(folder, "users"), join(folder, "settings.ini")]) chownSync(path, uid, gid);
  return { uid, gid };
}

async function untilListening(port: number, child: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = dial(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isOpen) return;
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`pgbouncer did not start: ${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
