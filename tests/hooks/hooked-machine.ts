/**
 * A machine whose agents have Devflow's hooks: a home with a team that was seen before, and a repository.
 *
 * - `rememberTeam(home)` without a server; `signIn(home, server, person)` on one. `spooled(home, kind)` what waits, oldest first.
 * - `trustCodexHooks(codex, env)` as a person would.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devflowCommand, runProcess, temporaryFolder } from "@devflow/testkit";

const ada = "0191b2c3-0000-7000-8000-000000000001";
export const grace = "0191b2c3-0000-7000-8000-000000000003";
const team = "0191b2c3-0000-7000-8000-000000000002";

/** A folder for PATH with `devflow` in it, as an installation would give. */
export function devflowOnPath(): string {
  const bin = temporaryFolder("bin");
  const words = devflowCommand().map((word) => `'${word}'`);
  writeFileSync(join(bin, "devflow"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(join(bin, "devflow"), 0o755);
  return bin;
}

export interface SpooledEdit {
  readonly kind: string;
  readonly repo: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member
  readonly payload: any;
}

export function rememberTeam(devflowHome: string): void {
  mkdirSync(join(devflowHome, "teams/local"), { recursive: true, mode: 0o700 });
  const membership = { user: { id: ada, name: "Ada" }, teams: [{ id: team, slug: "t", name: "Team" }] };
  writeFileSync(join(devflowHome, "teams/local/membership.json"), JSON.stringify(membership));
  writeFileSync(join(devflowHome, "machine-id"), "box-1\n");
}

/** As `devflow sync setup` leaves it. */
export function signIn(
  devflowHome: string,
  server: { readonly url: string; readonly teamId: string },
  person: { readonly id: string; readonly name: string; readonly token: string },
): void {
  const expires_at = Math.floor(Date.now() / 1000) + 3_600;
  const known = { user_id: person.id, name: person.name, access_token: person.token, expires_at };
  const auth = { [server.url]: { ...known, teams: { demo: server.teamId } } };
  mkdirSync(devflowHome, { recursive: true, mode: 0o700 });
  writeFileSync(join(devflowHome, "auth.json"), JSON.stringify(auth), { mode: 0o600 });
}

export function spooled(devflowHome: string, kind: string): SpooledEdit[] {
  const folder = join(devflowHome, "spool/new");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
  return names
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as SpooledEdit)
    .filter((record) => record.kind === kind);
}

/** What the team knows of the repository, as a pull leaves it. */
export function writeDigest(devflowHome: string, repo: string, digest: object): void {
  const folder = join(devflowHome, "teams/local", team, encodeURIComponent(repo));
  mkdirSync(folder, { recursive: true });
  const empty = { presence: [], intents: [], decisions: [], handoffs: [], hot_files: [], features: [], edits: [] };
  writeFileSync(
    join(folder, "brain.json"),
    JSON.stringify({ at: new Date().toISOString(), repo, ...empty, ...digest }),
  );
}

export async function git(cwd: string, ...words: string[]): Promise<string> {
  const identity = {
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@x",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@x",
  };
  const env = { PATH: process.env.PATH ?? "", HOME: cwd, ...identity };
  const { code, stdout, stderr } = await runProcess(["git", ...words], { cwd, env });
  if (code !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** A bare remote and a clone of it on branch `main`, with one commit. */
export async function clonedRepository(
  files: Readonly<Record<string, string>>,
): Promise<{ remote: string; clone: string }> {
  const folder = temporaryFolder("shop");
  const remote = join(folder, "remote.git");
  const clone = join(folder, "ada");
  await git(folder, "init", "-q", "--bare", "-b", "main", remote);
  await git(folder, "clone", "-q", remote, clone);
  await git(clone, "checkout", "-q", "-b", "main");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(clone, name), text);
  await git(clone, "add", "-A");
  await git(clone, "commit", "-q", "-m", "Start");
  await git(clone, "push", "-q", "-u", "origin", "main");
  await git(clone, "remote", "set-head", "origin", "main");
  return { remote, clone };
}

/** Grace pushes a branch that changes these files. */
export async function graceChanges(
  remote: string,
  branch: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = temporaryFolder("grace");
  await git(folder, "clone", "-q", remote, "clone");
  const clone = join(folder, "clone");
  await git(clone, "checkout", "-q", "-b", branch);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(clone, name), text);
  await git(clone, "add", "-A");
  await git(clone, "-c", "user.name=Grace", "commit", "-q", "-m", "Grace's work", "--author=Grace <grace@x>");
  await git(clone, "push", "-q", "origin", branch);
}

/** What a person does with /hooks: Codex keeps the hashes in its settings. */
export async function trustCodexHooks(codex: string, env: Record<string, string>): Promise<void> {
  const input = [
    { id: 1, method: "initialize", params: { clientInfo: { name: "test", title: "Test", version: "1" } } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: ["/"] } },
  ];
  const server = Bun.spawn([codex, "app-server"], { env, stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  server.stdin.write(input.map((one) => `${JSON.stringify(one)}\n`).join(""));
  server.stdin.flush();
  let text = "";
  for await (const chunk of server.stdout) {
    text += new TextDecoder().decode(chunk);
    if (/"id":2,[\s\S]*\n/.test(text)) break;
  }
  server.kill();
  await server.exited;
  const answer = text.split("\n").find((line) => line.startsWith('{"id":2')) ?? "{}";
  const { result } = JSON.parse(answer) as { result: { data: { hooks: { key: string; currentHash: string }[] }[] } };
  const states = result.data
    .flatMap(({ hooks }) => hooks)
    .map(
      ({ key, currentHash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(currentHash)}\n`,
    );
  const config = join(env.CODEX_HOME ?? "", "config.toml");
  writeFileSync(config, `${readFileSync(config, "utf8")}\n${states.join("\n")}`);
}
