/** The command line from the point of view of an agent that knows nothing else. */
import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devflowCommand, outputOf, runCli, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { allCommands } from "./commands.ts";
import { completionScript } from "./completion/scripts.ts";

const home = temporaryHome();
const visible = (await allCommands()).filter((one) => !one.hidden);
const devflow = (words: string, options: { env?: Record<string, string>; cwd?: string } = {}) =>
  runCli(words.split(" ").filter(Boolean), { home, ...options });

describe("help", () => {
  test("lists every command that is not hidden, and shows the first steps", async () => {
    const { stdout, code } = await devflow("");
    expect(code).toBe(0);
    for (const command of await allCommands()) {
      if (command.hidden) expect(stdout).not.toContain(`  ${command.name} `);
      else expect(stdout).toContain(command.summary);
    }
    expect(stdout).toContain("First time? devflow up -d, then devflow open");
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
    const { stdout } = await devflow("--help --json");
    const commands = JSON.parse(stdout) as { name: string; input: { type: string }; usage: string }[];
    expect(commands.map((one) => one.name)).toEqual(visible.map((one) => one.name));
    expect(commands.every((one) => one.input.type === "object")).toBe(true);
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

describe("mistakes", () => {
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
    expect(checks.map((one) => one.name)).toEqual(["git", "tmux", "chromium", "claude", "codex"]);
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
  const { stdout } = await devflow("--help --json");
  // More than a pipe buffer.
  expect(stdout.length).toBeGreaterThan(70_000);
  const words = [...devflowCommand(), "--help", "--json"].map((word) => `'${word}'`).join(" ");
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
