/**
 * `bun apps/cli/testing/record-wire.ts`: what this version's client and server say to each other, into wire/<version>.json. Once per
 * release; a test asks every later server the same.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { version } from "@devflow/core/version";
import { initRepository } from "@devflow/git";
import { devflowCommand, runProcess, type TemporaryHome, temporaryHome } from "@devflow/testkit";
import { terminalName } from "../src/team/oauth-client.ts";
import { startTeam } from "./start-team.ts";
import { portable, recordWire } from "./wire-recording.ts";

let upstream = "";
const proxy = recordWire({ upstream: () => upstream });
const publicUrl = `http://127.0.0.1:${proxy.port}`;
const team = await startTeam({ publicUrl });
upstream = team.url;

const [ada, grace] = [temporaryHome(), temporaryHome()];
const repository = (home: TemporaryHome) => join(home.path, "shop");
/** As processes of their own: a command that wakes the drainer starts this program again, and that must be the command line. */
const cli = async (home: TemporaryHome, ...words: string[]) => {
  const result = await runProcess([...devflowCommand(), ...words], { env: home.environment(), cwd: repository(home) });
  if (result.code !== 0)
    throw new Error(`devflow ${words.join(" ")}: ${result.code}\n${result.stdout}${result.stderr}`);
  return result;
};
const file = (home: TemporaryHome, name: string, content: unknown): string => {
  const path = join(home.path, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
const expire = (home: TemporaryHome) => {
  const { authFile } = homeAt(home.devflowHome);
  const all = JSON.parse(readFileSync(authFile, "utf8"));
  all[publicUrl].expires_at = 0;
  writeFileSync(authFile, JSON.stringify(all));
};

try {
  for (const home of [ada, grace]) {
    const env = home.environment();
    await initRepository(repository(home), { files: { "a.txt": "a" }, message: "x", env });
    await runProcess(["git", "remote", "add", "origin", "https://github.com/acme/shop.git"], {
      cwd: repository(home),
      env,
    });
  }
  const setupToken = /#token=(.+)$/.exec(team.setupUrl)?.[1] ?? "";
  await cli(ada, "sync", "init", team.setupUrl, "--name", "Ada", "--team", "Engines");
  const invite = (await cli(ada, "team", "invite", "--json")).json<{ url: string }>();
  writeFileSync(join(repository(grace), ".devflow.json"), readFileSync(join(repository(ada), ".devflow.json")));
  await cli(grace, "sync", "setup", invite.url, "--name", "Grace");
  await cli(ada, "team", "members");
  await cli(
    ada,
    "sync",
    "push-ship",
    file(ada, "ship.json", { version: "1.0.0", branch: "main", pr_url: "https://example.org/1" }),
  );
  await cli(
    ada,
    "sync",
    "push-retro",
    file(ada, "retro.json", { date: "2026-11-16", window: "7d", metrics: { commits: 3 } }),
  );
  await cli(
    ada,
    "sync",
    "push-qa",
    file(ada, "qa.json", { url: "https://shop.example", mode: "full", health_score: 90, issues: [] }),
  );
  const triage = { date: "2026-11-16", outcome: "fix", file_pattern: "src/*.ts", category: "null-check" };
  await cli(grace, "sync", "push-triage", file(grace, "triage.json", [triage, { ...triage, outcome: "fp" }]));
  await cli(grace, "config", "set", "sync_transcripts", "true");
  const said = {
    type: "user",
    sessionId: "s-1",
    timestamp: "2026-11-16T08:00:00Z",
    message: { role: "user", content: "Hello" },
  };
  await cli(grace, "sync", "push-transcript", file(grace, "session.jsonl", `${JSON.stringify(said)}\n`));
  const results = ["one", "two"].map((name) => ({ name, passed: true, judge_scores: { tone: 0.9 } }));
  await cli(ada, "eval", "push", file(ada, "evals.json", { schema_version: 1, suite: "mail", all_results: results }));
  await cli(ada, "sync", "drain");
  await cli(grace, "sync", "pull");
  await cli(ada, "sync", "push-ship", file(ada, "ship2.json", { version: "1.1.0", branch: "main" }));
  await cli(grace, "sync", "pull");
  expire(grace);
  await cli(grace, "sync", "test");
  await cli(ada, "sync", "verify");
  await cli(ada, "sync", "status");
  await cli(ada, "team", "leaderboard", "--join");
  await cli(ada, "team", "alerts", "show");
  await cli(ada, "digest", "preview");
  await cli(ada, "team", "retention", "show");
  await cli(ada, "team", "token", "create", "ci", "--scope", "write");
  const { rows } = (await cli(grace, "sync", "show", "ship_log", "--json")).json<{ rows: { id: string }[] }>();
  await cli(ada, "sync", "forget", rows[0]?.id ?? "");
  await cli(grace, "team", "sign-out");
  const exchanges = portable(proxy.exchanges(), { setup: setupToken, terminal: terminalName(), host: hostname() });
  const folder = join(import.meta.dir, "wire");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${version}.json`), `${JSON.stringify({ version, exchanges }, null, 2)}\n`);
  console.log(`${exchanges.length} exchanges of ${version}`);
} finally {
  proxy.stop();
  await team.stop();
  for (const home of [ada, grace]) home.remove();
}
process.exit();
