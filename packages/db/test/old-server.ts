/** A Postgres of the system on a folder of its own, however old: `oldServer(program)`. */
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Secret } from "@devflow/core/secret";
import { connectAsAdmin } from "../src/index.ts";
import { postgresUser } from "../src/postgres/system-user.ts";

export async function oldServer(program: string) {
  const user = await postgresUser();
  const folder = mkdtempSync(join(tmpdir(), "dfold-"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  for (const path of [folder, data]) if (user) chownSync(path, user.uid, user.gid);
  const options = { cwd: "/", stdio: "ignore", ...(user ?? {}) } as const;
  execFileSync(join(dirname(program), "initdb"), ["-D", data, "-U", "me", "--auth=trust", "--no-sync"], options);
  const child = spawn(program, ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"], options);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const target = { host: folder, port: 5432, user: "me", password: new Secret("") };
  for (const deadline = Date.now() + 20_000; ; ) {
    const sql = connectAsAdmin(target, "postgres");
    const isUp = await sql`select 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (isUp) break;
    if (Date.now() > deadline) throw new Error(`${program} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    target,
    async stop() {
      child.kill("SIGQUIT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
