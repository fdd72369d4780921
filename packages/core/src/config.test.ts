import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { environmentOf, inheritedEnvironment, inspectConfig, loadConfig, settingKeys, variableOf } from "./config.ts";
import { writeSetting } from "./config-file.ts";
import { DevflowError } from "./errors.ts";

let home: string;
let repository: string;
let env: Record<string, string>;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "devflow-config-"));
  home = join(folder, "home");
  repository = join(folder, "repository");
  mkdirSync(home);
  mkdirSync(repository);
  env = { DEVFLOW_HOME: home };
});
afterEach(() => rmSync(join(home, ".."), { recursive: true, force: true }));

const yaml = (text: string) => writeFileSync(join(home, "config.yaml"), text);
const shared = (settings: unknown) => writeFileSync(join(repository, ".devflow.json"), JSON.stringify({ settings }));
const sourceOf = (key: string, inspection: ReturnType<typeof inspectConfig>) =>
  inspection.values.find((one) => one.key === key)?.source;

describe("where a value comes from", () => {
  test("flags, then DEVFLOW_*, then config.yaml, then the repository, then the default", () => {
    const sources = { env, repository };
    const level = (more: object = {}) => {
      const inspection = inspectConfig({ ...sources, ...more });
      return [inspection.config?.logLevel, sourceOf("log_level", inspection)];
    };
    expect(level()).toEqual(["info", "default"]);
    shared({ log_level: "trace" });
    expect(level()).toEqual(["trace", ".devflow.json"]);
    yaml("log_level: debug\n");
    expect(level()).toEqual(["debug", "config.yaml"]);
    expect(level({ env: { ...env, DEVFLOW_LOG_LEVEL: "warn" } })).toEqual(["warn", "environment"]);
    expect(level({ env: { ...env, DEVFLOW_LOG_LEVEL: "warn" }, flags: { log_level: "error" } })).toEqual([
      "error",
      "flag",
    ]);
  });

  test("an empty variable counts as unset", () => {
    const variables = Object.fromEntries(settingKeys.map((key) => [variableOf(key), ""]));
    const inspection = inspectConfig({ env: { ...env, ...variables } });
    expect(inspection.faults).toEqual([]);
    expect(inspection.values.every(({ source }) => source === "default")).toBe(true);
  });

  test("environment values become numbers, booleans and lists", () => {
    const given = { DEVFLOW_PORT: "0", DEVFLOW_SYNC_ENABLED: "off", DEVFLOW_ALLOW_HOSTS: "a.example, b.example," };
    expect(loadConfig({ env: { ...env, ...given } })).toMatchObject({
      ...{ port: 0, syncEnabled: false, allowHosts: ["a.example", "b.example"] },
    });
    yaml("port: 5000\nsync_enabled: yes\nallow_hosts: [c.example]\n");
    expect(loadConfig({ env })).toMatchObject({ port: 5000, syncEnabled: true, allowHosts: ["c.example"] });
  });

  test("a .env and a config.yaml in the working folder are never read", () => {
    const before = process.cwd();
    try {
      process.chdir(repository);
      writeFileSync(".env", "DEVFLOW_PORT=1\nDEVFLOW_HOME=/elsewhere\n");
      writeFileSync("config.yaml", "port: 2\n");
      expect(loadConfig({ env, repository })).toMatchObject({ port: 4780, home });
    } finally {
      process.chdir(before);
    }
  });

  test("the home is DEVFLOW_HOME, made absolute, or .devflow under HOME; workspaces are in it by default", () => {
    expect(loadConfig({ env: { HOME: home } })).toMatchObject({
      ...{ home: join(home, ".devflow"), workspaceRoot: join(home, ".devflow", "workspaces") },
    });
    expect(loadConfig({ env: { DEVFLOW_HOME: "some/where" } }).home).toBe(resolve("some/where"));
    expect(loadConfig({ env: { ...env, DEVFLOW_WORKSPACE_ROOT: "work" } }).workspaceRoot).toBe(join(home, "work"));
    expect(loadConfig({ env: { ...env, DEVFLOW_WORKSPACE_ROOT: "/srv/work" } }).workspaceRoot).toBe("/srv/work");
  });
});

describe("a configuration is valid as a whole or not at all", () => {
  test("every error is in one report, with the setting, its source and the problem", () => {
    yaml("port: 70000\nlog_level: loud\nsync_enabled: maybe\n");
    shared({ max_concurrent_runs: 0 });
    const variables = { ...env, DEVFLOW_POSTGRES: "sqlite", DEVFLOW_DATABASE_URL: "mysql://ada:s3cret@db/x" };
    const { config, faults } = inspectConfig({ env: variables, repository });
    expect(config).toBeUndefined();
    expect(faults.map(({ key, source }) => `${key} ${source}`)).toEqual([
      "port config.yaml",
      "database_url environment",
      "postgres environment",
      "log_level config.yaml",
      "max_concurrent_runs .devflow.json",
      "sync_enabled config.yaml",
    ]);
    const thrown = catchError(() => loadConfig({ env: variables, repository }));
    expect(thrown).toBeInstanceOf(DevflowError);
    expect(thrown).toMatchObject({ code: "config_invalid", exit: 78 });
    for (const { key, problem } of faults) {
      expect(thrown.message).toContain(`  ${key} (`);
      expect(thrown.message).toContain(problem);
    }
    expect(thrown.message).toContain("6 error(s)");
    expect(thrown.message).toContain('"loud"');
    expect(inspect(thrown, { depth: 9 })).not.toContain("s3cret");
  });

  test("it is deeply frozen, so one caller cannot change another's", () => {
    const config = loadConfig({ env });
    expect(() => Object.assign(config, { port: 1 })).toThrow();
    expect(() => (config.allowHosts as string[]).push("evil.example")).toThrow();
    expect(loadConfig({ env }).allowHosts).toEqual([]);
  });

  test("the database URL is never printed", () => {
    const url = "postgres://ada:s3cret@db/x";
    const variables = { ...env, DEVFLOW_DATABASE_URL: url };
    const config = loadConfig({ env: variables });
    expect(config.databaseUrl?.reveal()).toBe(url);
    const inspection = inspectConfig({ env: variables });
    for (const printed of [JSON.stringify(inspection), inspect(inspection, { depth: 9 }), JSON.stringify(config)]) {
      expect(printed).not.toContain("s3cret");
    }
  });

  test("telemetry cannot be turned on, and turning it off explicitly is allowed", () => {
    for (const on of ["true", "1", "on"]) {
      expect(inspectConfig({ env: { ...env, DEVFLOW_TELEMETRY: on } }).faults).toEqual([
        { key: "telemetry", source: "environment", problem: expect.stringContaining("cannot be turned on") },
      ]);
    }
    yaml("telemetry: true\n");
    expect(inspectConfig({ env }).faults).toHaveLength(1);
    yaml("telemetry: off\n");
    expect(loadConfig({ env }).telemetry).toBe(false);
  });

  test.each([
    ["broken YAML", "port: [1, 2\nhost: 'x"],
    ["a secret in broken YAML", "database_url: 'postgres://ada:s3cret@db/x\nport: : :"],
    ["a list", "- port\n- host\n"],
    ["a single word", "hello"],
    ["an alias to nowhere", "port: *nowhere\n"],
    [
      "aliases that multiply",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi".replace(/./g, (name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[index]}`).join()}]\n`)}`,
    ],
  ])("%s in config.yaml is an error that names the file, not a crash", (_name, text) => {
    yaml(text);
    const { config, faults } = inspectConfig({ env });
    expect(config).toBeUndefined();
    expect(faults).toEqual([{ key: join(home, "config.yaml"), source: "config.yaml", problem: expect.any(String) }]);
    expect(JSON.stringify(faults)).not.toContain("s3cret");
  });

  test("an empty config.yaml and one with only comments are fine", () => {
    for (const text of ["", "# nothing yet\n", "---\n"]) {
      yaml(text);
      expect(inspectConfig({ env }).faults).toEqual([]);
    }
  });

  test("a config.yaml that is a folder is an error", () => {
    mkdirSync(join(home, "config.yaml"));
    expect(inspectConfig({ env }).faults).toMatchObject([{ key: join(home, "config.yaml") }]);
  });
});

describe("what a repository may set", () => {
  test("only what cannot run, redirect or expose anything; the rest is ignored with a warning", () => {
    const all = Object.fromEntries(settingKeys.map((key) => [key, "x"]));
    shared({ ...all, log_level: "warn", max_concurrent_runs: 2 });
    const inspection = inspectConfig({ env, repository });
    expect(inspection.faults).toEqual([]);
    expect(inspection.config).toMatchObject({
      logLevel: "warn",
      maxConcurrentRuns: 2,
      host: "127.0.0.1",
      postgres: "auto",
    });
    const fromRepository = inspection.values.filter(({ source }) => source === ".devflow.json").map(({ key }) => key);
    expect(fromRepository).toEqual(["log_level", "max_concurrent_runs"]);
    expect(inspection.warnings.map(({ key }) => key).sort()).toEqual(
      settingKeys.filter((key) => !fromRepository.includes(key)).toSorted(),
    );
  });

  test("unknown settings give a warning with the nearest name", () => {
    shared({ log_levle: "warn", __proto__: 1 });
    expect(inspectConfig({ env, repository }).warnings).toEqual([
      { key: "log_levle", source: ".devflow.json", problem: "no such setting; did you mean log_level?" },
    ]);
  });

  test.each(["{", "[]", "3", "null", '"text"', '{"settings": 3}', '{"settings": null}'])(
    "%s does not crash",
    (text) => {
      writeFileSync(join(repository, ".devflow.json"), text);
      expect(inspectConfig({ env, repository }).warnings).toEqual([]);
    },
  );
});

describe("misspelled names", () => {
  test("an unknown DEVFLOW_ variable gives a warning with the nearest one; other variables are ignored", () => {
    const { warnings, config } = inspectConfig({
      env: { ...env, DEVFLOW_PROT: "1", DEVFLOW_ZZZZZZZZZZ: "", PORT: "1", DATABASE_URL: "x" },
    });
    expect(config).toMatchObject({ port: 4780, databaseUrl: undefined });
    expect(warnings).toEqual([
      { key: "DEVFLOW_PROT", source: "environment", problem: "no such variable; did you mean DEVFLOW_PORT?" },
      { key: "DEVFLOW_ZZZZZZZZZZ", source: "environment", problem: "no such variable" },
    ]);
  });

  test("an unknown setting in config.yaml gives a warning", () => {
    yaml("prot: 1\n");
    expect(inspectConfig({ env }).warnings).toEqual([
      { key: "prot", source: "config.yaml", problem: "no such setting; did you mean port?" },
    ]);
  });
});

describe("the environment of other processes", () => {
  test("a child process inherits everything but Devflow's secrets", () => {
    const given = {
      PATH: "/bin",
      DEVFLOW_HOME: "/h",
      DEVFLOW_DATABASE_URL: "x",
      DEVFLOW_ACCESS_TOKEN: "x",
      DEVFLOW_SESSION_TOKEN: "x",
    };
    expect(inheritedEnvironment(given)).toEqual({ PATH: "/bin", DEVFLOW_HOME: "/h" });
  });

  test("variables that are not settings are read by name", () => {
    expect(environmentOf({ DEVFLOW_DEBUG: "1", PATH: "/bin", DEVFLOW_PORT: "1" })).toEqual({ DEVFLOW_DEBUG: "1" });
  });
});

describe("writing a setting", () => {
  const path = () => join(home, "config.yaml");

  test("keeps comments, order and the other settings", async () => {
    yaml("# mine\nport: 5000 # the usual\nlog_level: debug\n");
    await writeSetting(path(), "port", 6000);
    await writeSetting(path(), "auto_upgrade", true);
    await writeSetting(path(), "log_level", undefined);
    expect(readFileSync(path(), "utf8")).toBe("# mine\nport: 6000 # the usual\nauto_upgrade: true\n");
    expect((statSync(path()).mode & 0o777).toString(8)).toBe("600");
  });

  test("creates a missing file, and reads back what it wrote", async () => {
    await writeSetting(path(), "allow_hosts", ["a.example"]);
    expect(loadConfig({ env }).allowHosts).toEqual(["a.example"]);
  });

  test.each(["port: [", "- a\n- b\n", "text"])("a file with the content %j is left unchanged", async (text) => {
    yaml(text);
    await expect(writeSetting(path(), "port", 1)).rejects.toMatchObject({ code: "input_invalid" });
    expect(readFileSync(path(), "utf8")).toBe(text);
  });
});

function catchError(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}
