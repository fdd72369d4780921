/** The command line from the point of view of an agent that knows nothing else. */
import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devflowCommand, outputOf, runCli, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { allCommands } from "./commands.ts";
import { completionScript } from "./completion/scripts.ts";
import { runCommandLine } from "./run.ts";

const home = temporaryHome();
const visible = (await allCommands()).filter((one) => !one.hidden);
const devflow = (words: string, options: { env?: Record<string, string>; cwd?: string } = {}) =>
  runCli(words.split(" ").filter(Boolean), { home, ...options });

describe("help", () => {
  test("fits a screen: the commands to start with, and the names of the others", async () => {
    const result = await devflow("");
    // Their number grows with every command.
    expect(outputOf(result).replace(/and \d+ more/g, "and <n> more")).toMatchInlineSnapshot(`
      "devflow <version>: the operating layer for teams that build software with coding agents
      Usage: devflow <command> [flags]

      Start here
        up               Start the local server and its Postgres
        open             Open the web app, signed in
        status           Show whether the server runs, its address and its database
        doctor           Check this machine and show how to fix problems
        skills install   Teach an agent to use Devflow
        run start        Start a run
        run show         Show a run's state, open questions and results so far
        run watch        Follow a run live
        run approve      Approve a run's open gate
        eval push        Store eval results from any supported tool
        eval compare     Compare two sets of runs
        browse goto      Open a URL in this tab
        browse snapshot  Print the page as lines with refs

      Groups: devflow <group> lists its commands
        run       start, list, show, watch, events, approve, reject and <n> more
        template  list, show, validate, seed
        persona   list, show, validate
        fleet     list, check, drain, remove
        team      create, invite, invites, uninvite, members, gates and <n> more
        sync      init, setup, status, drain, pull, test, show, verify and <n> more
        brain     sync, heartbeat, presence, log-edit, intent, handoff and <n> more
        hooks     install, uninstall, status
        skills    list, show, install, remove, preamble
        eval      push, list, show, compare, trend, blame, flaky and <n> more
        config    list, get, set, unset
        browse    goto, back, forward, reload, stop-loading, snapshot and <n> more

      Others: down, logs, serve, attach, retro, dashboard, backup, restore, upgrade,
        uninstall, completion, schema, permission, digest, ship, qa

      First time? devflow up -d, then devflow open
      Search: devflow find <words>   All commands: devflow --help --all
      Help for one command: devflow <command> --help   (--json prints its JSON Schema)"
    `);
    expect(outputOf(await devflow("--help"))).toBe(outputOf(result));
    const lines = result.stdout.split("\n");
    expect(lines.length).toBeLessThan(40);
    expect(lines.slice(1).every((line) => line.length <= 80)).toBe(true);
  });

  test("with --all lists every command that is not hidden", async () => {
    const { stdout, code } = await devflow("--help --all");
    expect(code).toBe(0);
    for (const command of await allCommands()) {
      if (command.hidden) expect(stdout).not.toContain(`  ${command.name} `);
      else expect(stdout).toContain(command.summary);
    }
  });

  test("of one command shows arguments, flags, defaults and examples", async () => {
    expect(outputOf(await devflow("logs --help"))).toMatchInlineSnapshot(`
      "Show the server's log.

      Usage: devflow logs [flags]

      Flags
        -f, --follow         Keep printing new lines
        -n, --lines <lines>  Number of lines (default 50)
        --postgres           Show Postgres's own log instead

      Always
        --json      Print the result as JSON
        -h, --help  Show help for the command
        --debug     Print stack traces with errors

      Examples
        devflow logs -f      follow it
        devflow logs --json  print the lines as they are in the file"
    `);
  });

  test("as JSON is a machine-readable schema, for every command", async () => {
    const { stdout } = await devflow("--help --all --json");
    const commands = JSON.parse(stdout) as { name: string; input: { type: string }; usage: string }[];
    expect(commands.map((one) => one.name)).toEqual(visible.map((one) => one.name));
    expect(commands.every((one) => one.input.type === "object")).toBe(true);
    const names = (await devflow("config --help --json")).json<{ name: string }[]>().map((one) => one.name);
    expect(names).toEqual(["config list", "config get", "config set", "config unset"]);
  });

  test("as JSON without --all costs an agent little", async () => {
    const { stdout } = await devflow("--help --json");
    expect(stdout.length).toBeLessThan(4000);
    expect((JSON.parse(stdout) as { groups: { config: string[] } }).groups.config).toEqual([
      "list",
      "get",
      "set",
      "unset",
    ]);
  });

  test("of a group lists its members", async () => {
    expect(outputOf(await devflow("config"))).toMatchInlineSnapshot(`
      "Usage: devflow config <command> [flags]

      Settings
        config list   List every setting with its value and source
        config get    Print the value of one setting
        config set    Change a setting in config.yaml
        config unset  Remove a setting from config.yaml and use its default

      Help for one command: devflow <command> --help   (--json prints its JSON Schema)"
    `);
  });

  test("every example of every command is accepted by the parser", async () => {
    const { parseCommandLine } = await import("@devflow/core/command-line");
    const { splitWords } = await import("@devflow/core/command-text");
    const commands = await allCommands();
    for (const command of commands) {
      for (const { run } of command.examples) {
        expect(parseCommandLine(splitWords(run), commands).command?.name).toBe(command.name);
      }
    }
  });
});

describe("find", () => {
  test("searches names, descriptions, flags and examples", async () => {
    expect(outputOf(await devflow("find approve gate"))).toMatchInlineSnapshot(`
      "devflow run approve  Approve a run's open gate
      devflow team decide  Decide a gate of a teammate's run"
    `);
    expect(outputOf(await devflow("find follow a run"))).toMatchInlineSnapshot(`
      "devflow run watch   Follow a run live
      devflow run start   Start a run: agents plan, build, test and review in a separate worktree
      devflow run fork    Start a new run from the state before a phase of another run
      devflow eval watch  Follow a run live: progress, counts, cost, time left, and results as they arrive
      devflow eval check  Check the outputs of an app or a model against YAML cases and store the result
      devflow eval blame  Find the commit that broke or fixed a case"
    `);
    expect(outputOf(await devflow("find --json quarantined"))).toMatchInlineSnapshot(
      `"{"commands":[{"name":"eval flaky","summary":"List cases that pass and fail while nothing changes, or quarantine one","usage":"devflow eval flaky [flags]"}]}"`,
    );
  });

  test("says so when nothing matches", async () => {
    expect(outputOf(await devflow("find teleport"))).toMatchInlineSnapshot(`
      "--- stderr
      A command for "teleport" was not found.
      List all commands: devflow --help --all
      --- exit code 66"
    `);
  });
});

describe("mistakes", () => {
  test("never suggest what would delete something", async () => {
    for (const words of ["uninstal", "run purg", "run abrot", "restor", "eval cache claer", "browse stpo"]) {
      const meant = /Did you mean: devflow (.*)/.exec((await devflow(words)).stderr)?.[1];
      expect(visible.find((one) => one.name === meant)?.destroys).toBeUndefined();
    }
    expect(outputOf(await devflow("run purg"))).toMatchInlineSnapshot(`
      "--- stderr
      There is no command "run purg".
      See its commands: devflow run --help
      --- exit code 64"
    `);
    expect(outputOf(await devflow("uninstall --dta"))).toMatchInlineSnapshot(`
      "--- stderr
      devflow uninstall has no flag --dta.
      See: devflow uninstall --help
      --- exit code 64"
    `);
  });

  test("an unknown command gets the nearest one", async () => {
    expect(outputOf(await devflow("statsu"))).toMatchInlineSnapshot(`
      "--- stderr
      There is no command "statsu".
      Did you mean: devflow status
      --- exit code 64"
    `);
  });

  test("an unknown flag gets the nearest one", async () => {
    expect(outputOf(await devflow("logs --folow"))).toMatchInlineSnapshot(`
      "--- stderr
      devflow logs has no flag --folow; did you mean --follow?
      See: devflow logs --help
      --- exit code 64"
    `);
  });

  test("are an object with --json", async () => {
    expect(outputOf(await devflow("config get prot --json"))).toMatchInlineSnapshot(`
      "{"error":{"code":"config_key_unknown","message":"There is no setting \\"prot\\".","hint":"Did you mean: devflow config get port","details":{"key":"prot","next":"Did you mean: devflow config get port"}}}
      --- exit code 64"
    `);
  });

  test("print no stack trace by default", async () => {
    expect(outputOf(await devflow("logs"))).toMatchInlineSnapshot(`
      "--- stderr
      A log (<folder>/.devflow/log/server.log) was not found.
      Start the server: devflow up -d
      --- exit code 66"
    `);
    expect((await devflow("logs --debug")).stderr).toContain("    at ");
  });
});

describe("config", () => {
  test("set, get, list, unset; the environment takes precedence, with a note", async () => {
    expect(outputOf(await devflow("config set port 4999"))).toMatchInlineSnapshot(`"port is set"`);
    expect(await devflow("config get port")).toMatchObject({ code: 0, stdout: "4999\n", stderr: "" });
    const overridden = await devflow("config set port 5000", { env: { DEVFLOW_PORT: "6000" } });
    expect(outputOf(overridden)).toMatchInlineSnapshot(`
      "port is set
      --- stderr
      note: DEVFLOW_PORT in the environment overrides it"
    `);
    const listed = (await devflow("config list --json")).json<{ settings: { key: string; source: string }[] }>();
    expect(listed.settings.find((one) => one.key === "port")).toMatchObject({ value: 5000, source: "config.yaml" });
    await devflow("config unset port");
    expect(await devflow("config get port")).toMatchObject({ stdout: "4780\n" });
  });

  test("an invalid value is refused and nothing is written", async () => {
    const before = await devflow("config list --json");
    expect(outputOf(await devflow("config set port many"))).toMatchInlineSnapshot(`
      "--- stderr
      port cannot be "many": Invalid input.
      See the settings: devflow config list
      --- exit code 65"
    `);
    expect(outputOf(await devflow("config set telemetry true"))).toMatchInlineSnapshot(`
      "--- stderr
      telemetry cannot be "true": Devflow has no telemetry; it cannot be turned on.
      See the settings: devflow config list
      --- exit code 65"
    `);
    expect((await devflow("config list --json")).stdout).toBe(before.stdout);
  });

  test("a database URL is never printed", async () => {
    const env = { DEVFLOW_DATABASE_URL: "postgres://someone:canary-password@127.0.0.1:1/none" };
    for (const words of ["config list", "config list --json", "config get database_url", "doctor --json"]) {
      const { stdout, stderr } = await devflow(words, { env });
      expect(stdout + stderr).not.toContain("canary-password");
    }
  });
});

describe("doctor", () => {
  test("works with a broken configuration and lists every error", async () => {
    const broken = temporaryHome();
    mkdirSync(broken.devflowHome, { recursive: true });
    writeFileSync(join(broken.devflowHome, "config.yaml"), "port: many\nlog_level: loud\n");
    const { code, stdout } = await runCli(["doctor", "--json"], { home: broken });
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] };
    const config = checks.find((one) => one.name === "config");
    expect(config).toMatchInlineSnapshot(`
      {
        "detail": "port (config.yaml): "many": expected a whole number; log_level (config.yaml): "loud": Invalid option: expected one of "trace"|"debug"|"info"|"warn"|"error"|"silent"",
        "name": "config",
        "remediation": "devflow config list, then devflow config set <key> <value>",
        "status": "fail",
      }
    `);
    expect(checks.find((one) => one.name === "git")?.status).toBe("pass");
  });

  test("--quiet prints only problems", async () => {
    const { stdout } = await devflow("doctor --quiet --json", { env: { PATH: "/nonexistent" } });
    const { ok, checks } = JSON.parse(stdout) as {
      ok: boolean;
      checks: { name: string; status: string; remediation: string }[];
    };
    expect(ok).toBe(false);
    expect(checks.every((one) => one.status !== "pass" && one.remediation !== "")).toBe(true);
    expect(checks.map((one) => one.name)).toEqual(["git", "chromium", "claude", "codex"]);
  });

  test("a database that cannot be reached is a failed check, not a crash", async () => {
    const { code, stdout } = await devflow("doctor --json", {
      env: { DEVFLOW_DATABASE_URL: "postgres://a:b@127.0.0.1:1/x" },
    });
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] };
    expect(checks.find((one) => one.name === "postgres")?.status).toBe("fail");
  });
});

test("a slow reader gets everything", async () => {
  const { stdout } = await devflow("--help --all --json");
  // More than a pipe buffer.
  expect(stdout.length).toBeGreaterThan(70_000);
  const words = [...devflowCommand(), "--help", "--all", "--json"].map((word) => `'${word}'`).join(" ");
  const env = home.environment();
  const read = execFileSync("sh", ["-c", `${words} | (sleep 0.5; wc -c)`], { encoding: "utf8", env });
  expect(Number(read)).toBe(Buffer.byteLength(stdout));
});

describe("completion", () => {
  test("bash offers commands, sub-commands and flags", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "devflow.bash"), completionScript("bash", visible));
    const complete = (...words: string[]) => {
      const script = `source ${folder}/devflow.bash; COMP_WORDS=(devflow ${words.map((w) => `'${w}'`).join(" ")}); COMP_CWORD=${words.length}; _devflow; echo "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split(" ");
    };
    expect(complete("st")).toEqual(["status"]);
    expect(complete("config", "")).toEqual(["list", "get", "set", "unset"]);
    expect(complete("logs", "--fo")).toEqual(["--follow"]);
    expect(complete("completion", "z")).toEqual(["zsh"]);
  });

  const inFish = async () => {
    const script = completionScript("fish", visible);
    const complete = (line: string) =>
      execFileSync("fish", ["-c", `source; complete -C ${JSON.stringify(line)}`], {
        encoding: "utf8",
        input: script,
        env: { ...home.environment(), PATH: process.env.PATH },
      })
        .split("\n")
        .flatMap((offered) => offered.split("\t")[0] || []);
    expect(complete("devflow stat")).toEqual(["status"]);
    expect(complete("devflow config ").sort()).toEqual(["get", "list", "set", "unset"]);
    expect(complete("devflow logs --fo")).toEqual(["--follow"]);
  };
  // Devflow does not need fish: tested only if it is installed.
  if (Bun.which("fish")) test("fish offers commands, sub-commands and flags", inFish);

  test("zsh and fish offer every command", async () => {
    for (const shell of ["zsh", "fish"] as const) {
      const script = completionScript(shell, visible);
      for (const { name } of visible) expect(script).toContain(name.split(" ").at(-1) as string);
    }
  });
});

test("a command that Ctrl-C ends while it waits says nothing, and exits as shells expect", async () => {
  const interrupt = new AbortController();
  const said: string[] = [];
  const waiting = Promise.withResolvers<string>();
  interrupt.signal.addEventListener("abort", () => waiting.reject(interrupt.signal.reason));
  const ended = runCommandLine(["run", "start", "-"], {
    ...{ cwd: temporaryFolder("anywhere"), env: home.environment(), isTerminal: false, columns: 80 },
    ...{ stdout: (text) => said.push(text), stderr: (text) => said.push(text), signal: interrupt.signal },
    readStdin: () => waiting.promise,
  });
  setTimeout(() => interrupt.abort("SIGINT"), 50);
  expect([await ended, said]).toEqual([130, []]);
});
