import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentEnvironment, childEnvironment, environmentSecrets, repositoryFault } from "./index.ts";
import { passedVariables } from "./passed-variables.ts";

const env = {
  PATH: ".:/usr/bin",
  HOME: "/home/ada",
  LC_ALL: "C",
  GITHUB_TOKEN: "a-token-of-github",
  AWS_ACCESS_KEY_ID: "an-id-of-aws",
  ANTHROPIC_API_KEY: "a-key-of-anthropic",
  XDG_SESSION_TOKEN: "a-token-of-the-desktop",
  DATABASE_URL: "postgres://ada:secret@host/db",
  FEATURE_FLAGS: "new-menu",
  LEAKY: `ghp_${"aB3dE5gH7jK9".repeat(3)}`,
  DEVFLOW_HOME: "/home/ada/.devflow",
  DEVFLOW_ACCESS_TOKEN: "dfp_token",
};

describe("agents and commands", () => {
  test("get no token, no cloud key and no API key, and no folder of the worktree on PATH", () => {
    expect(childEnvironment(env)).toEqual({ PATH: "/usr/bin", HOME: "/home/ada", LC_ALL: "C" });
  });

  test("get what the person allows by name, but never Devflow's own secrets", () => {
    const person = ["GITHUB_TOKEN", "DEVFLOW_ACCESS_TOKEN"];
    expect(childEnvironment(env, { person })).toMatchObject({ GITHUB_TOKEN: "a-token-of-github" });
    expect(childEnvironment(env, { person })).not.toHaveProperty("DEVFLOW_ACCESS_TOKEN");
  });

  test("get what the repository asks for, unless its name or its value could be a secret", () => {
    const repository = ["FEATURE_FLAGS", "DATABASE_URL", "GITHUB_TOKEN", "LEAKY"];
    expect(Object.keys(childEnvironment(env, { repository })).sort()).toEqual([
      "FEATURE_FLAGS",
      "HOME",
      "LC_ALL",
      "PATH",
    ]);
  });

  test("agents find Devflow's home, commands do not", () => {
    expect(agentEnvironment(env).DEVFLOW_HOME).toBe("/home/ada/.devflow");
    expect(childEnvironment(env)).not.toHaveProperty("DEVFLOW_HOME");
  });

  test("values of telling names are secrets in every log", () => {
    expect(environmentSecrets({ ...env, SSH_KEY_TOKEN: "/run/token", A_TOKEN: "short" })).toEqual([
      "a-token-of-github",
      "an-id-of-aws",
      "a-key-of-anthropic",
      "a-token-of-the-desktop",
      "dfp_token",
    ]);
  });
});

test("docs/secrets.md lists every variable that is passed on, by group", () => {
  const page = readFileSync(join(import.meta.dir, "../../../../docs/secrets.md"), "utf8");
  const rows = page.split("\n").flatMap((line) => {
    const [, group = "", names = ""] = /^\| ([^|]+) \| (`.*) \|$/.exec(line) ?? [];
    return names === "" ? [] : [[group, [...names.matchAll(/`([^`]+)`/g)].map((match) => match[1])] as const];
  });
  expect(Object.fromEntries(rows)).toEqual(passedVariables as Record<string, string[]>);
});

describe("a name in .devflow.json", () => {
  test.each(["FEATURE_FLAGS", "TOKENIZERS_PARALLELISM", "KEYBOARD_LAYOUT", "RAILS_ENV", "lower_case", "APP_MODE"])(
    "%s is accepted",
    (name) => {
      expect(repositoryFault(name)).toBeUndefined();
    },
  );

  test.each([
    ..."GITHUB_TOKEN GH_PAGES AWS_PROFILE AWS_SECRET_ACCESS_KEY OPENAI_API_KEY STRIPE_KEY DATABASE_URL SENTRY_DSN".split(
      " ",
    ),
    ..."MY_AUTH SSH_AUTH_SOCK PGPASSWORD KUBECONFIG NPM_TOKEN my_password GOOGLE_APPLICATION_CREDENTIALS".split(" "),
    ..."DEVFLOW_ACCESS_TOKEN GIT_DIR DOCKER_HOST SLACK_WEBHOOK".split(" "),
  ])("%s is refused, and the message says who can allow it", (name) => {
    expect(repositoryFault(name)).toEndWith(`a person can: devflow config set pass_environment ${name}`);
  });

  test("a value beside the name is refused", () => {
    expect(repositoryFault("MODE=x")).toBe("expected the name of a variable, without a value");
  });
});
