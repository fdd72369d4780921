import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { type AnyCommand, defineCommand, option, optionsOf } from "./command.ts";
import { parseCommandLine } from "./command-line.ts";
import { DevflowError } from "./errors.ts";

const common = { category: "Care", effect: "read", examples: [] } as const;
const handler = async () => async () => {};

const commands: readonly AnyCommand[] = [
  defineCommand(
    {
      ...common,
      name: "up",
      summary: "Start",
      args: z.object({
        port: z.int().min(0).max(65535).optional().describe("Port to listen on"),
        detach: option(z.boolean().default(false), { short: "d" }).describe("Go to the background"),
        color: z.boolean().default(true),
        allowHost: z.array(z.string()).default([]),
        mode: z.enum(["fast", "safe"]).default("safe"),
        note: option(z.string().optional(), { short: "n", placeholder: "<text>" }),
      }),
    },
    handler,
  ),
  defineCommand(
    {
      ...common,
      name: "config set",
      summary: "Change",
      args: z.object({ key: option(z.string(), { positional: 0 }), value: option(z.string(), { positional: 1 }) }),
    },
    handler,
  ),
  defineCommand({ ...common, name: "config list", summary: "List", args: z.object({}) }, handler),
  defineCommand(
    {
      ...common,
      name: "add",
      summary: "Add",
      args: z.object({
        first: option(z.number(), { positional: 0 }),
        rest: option(z.array(z.string()).optional(), { positional: 1 }),
        required: z.string(),
      }),
    },
    handler,
  ),
  defineCommand(
    {
      ...common,
      name: "try",
      summary: "Try",
      args: z.object({
        files: option(z.array(z.string()), { positional: 0 }),
        command: option(z.array(z.string()).optional(), { positional: 1, afterDashes: true }),
        loud: z.boolean().default(false),
      }),
    },
    handler,
  ),
  defineCommand({ ...common, name: "daemon", summary: "Own", args: z.object({}), hidden: true }, handler),
];

const parse = (line: string) => parseCommandLine(line === "" ? [] : line.split(" "), commands);
const input = (line: string) => parse(line).input;
const problem = (line: string): { message: string; hint: string } => {
  try {
    parse(line);
  } catch (error) {
    if (error instanceof DevflowError) return { message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error(`${line} was accepted`);
};
const defaults = { detach: false, color: true, allowHost: [], mode: "safe" };

describe("flags", () => {
  test("long, short, with a space, with an equals sign, negated, repeated", () => {
    expect(input("up")).toEqual(defaults);
    expect(input("up --port 80 -d --mode fast")).toEqual({ ...defaults, port: 80, detach: true, mode: "fast" });
    expect(input("up --port=80 --detach=true --color=false")).toEqual({
      ...defaults,
      port: 80,
      detach: true,
      color: false,
    });
    expect(input("up --no-color --no-detach")).toEqual({ ...defaults, color: false });
    expect(input("up --allow-host a --allow-host=b")).toEqual({ ...defaults, allowHost: ["a", "b"] });
    expect(input("up -n hello")).toEqual({ ...defaults, note: "hello" });
    expect(input("up --note=--odd=value")).toEqual({ ...defaults, note: "--odd=value" });
    expect(input("up --note -")).toEqual({ ...defaults, note: "-" });
  });

  test("an error names the problem and the command's help", () => {
    const hint = "See: devflow up --help";
    expect(problem("up --prot 80")).toEqual({ message: "devflow up has no flag --prot; did you mean --port?", hint });
    expect(problem("up --zzzzzzzz")).toEqual({ message: "devflow up has no flag --zzzzzzzz.", hint });
    expect(problem("up --jsn").message).toContain("did you mean --json?");
    expect(problem("up --port")).toEqual({ message: "--port needs a value: --port <port>.", hint });
    expect(problem("up --note --detach").message).toBe("--note needs a value: --note <text>.");
    expect(problem("up --note -d").message).toBe("--note needs a value: --note <text>.");
    expect(problem("up --port 1 --port 2").message).toBe("--port was given twice.");
    expect(problem("up --port eighty").message).toBe('--port takes a number, not "eighty".');
    expect(problem("up --port 99999").message).toContain("--port: ");
    expect(problem("up --mode slow").message).toBe("--mode takes one of: fast, safe.");
    expect(problem("up --detach=maybe").message).toBe("--detach takes no value.");
    expect(problem("up --no-port").message).toContain("has no flag --no-port");
    expect(problem("up --__proto__=1").message).toContain("has no flag --__proto__");
  });

  test("a negative number is a value and not a flag", () => {
    expect(problem("up --port -1").message).toContain("--port: ");
    expect(input("add -5 --required x")).toEqual({ first: -5, required: "x" });
    expect(input("add -0.5 --required -1")).toEqual({ first: -0.5, required: "-1" });
  });
});

describe("positional arguments", () => {
  test("are taken in order, also between flags; the last one may take the rest", () => {
    expect(input("config set port 80")).toEqual({ key: "port", value: "80" });
    expect(input("add 1 --required x a b")).toEqual({ first: 1, rest: ["a", "b"], required: "x" });
  });

  test("after -- nothing is a flag", () => {
    expect(input("config set -- --port --json")).toEqual({ key: "--port", value: "--json" });
    expect(parse("config set -- --port --json").global.json).toBe(false);
    expect(input("add 1 --required x -- -a --")).toEqual({ first: 1, rest: ["-a", "--"], required: "x" });
  });

  test("too few or too many are errors", () => {
    expect(problem("config set port").message).toBe("<value> is missing.");
    expect(problem("config set a b c").message).toBe('"c" is one argument too many.');
    expect(problem("add 1").message).toBe("--required is missing.");
    expect(problem("add one --required x").message).toContain('takes a number, not "one"');
  });
});

describe("commands", () => {
  test("the longest name wins, and a group alone shows its help", () => {
    expect(parse("config list").command?.name).toBe("config list");
    expect(parse("config")).toMatchObject({ command: undefined, group: "config" });
    expect(parse("")).toMatchObject({ command: undefined, group: "" });
  });

  test("global flags may be anywhere, also before the command", () => {
    expect(parse("config list --json").global).toEqual({ json: true, help: false, debug: false });
    expect(parse("--json config list")).toMatchObject({ command: { name: "config list" }, global: { json: true } });
    expect(parse("--debug config --json list").command?.name).toBe("config list");
    expect(parse("config -h")).toMatchObject({ command: undefined, group: "config", global: { help: true } });
    expect(parse("--help").global.help).toBe(true);
  });

  test("--help works even when the rest of the line is wrong", () => {
    expect(parse("config set --help")).toMatchObject({ command: { name: "config set" }, global: { help: true } });
    expect(parse("up --port nonsense -h").command?.name).toBe("up");
  });

  test("an unknown one is an error with the nearest name; hidden ones are not suggested", () => {
    expect(problem("pu")).toEqual({ message: 'There is no command "pu".', hint: "Did you mean: devflow up" });
    expect(problem("config lst").hint).toBe("Did you mean: devflow config list");
    expect(problem("confg list").hint).toBe("Did you mean: devflow config list");
    expect(problem("daemn").hint).toBe("See all commands: devflow --help --all");
    expect(problem("completely-different-thing").hint).toBe("See all commands: devflow --help --all");
    expect(parse("daemon").command?.name).toBe("daemon");
  });
});

test("an argument's flag is derived from its schema", () => {
  const [port, detach, , allowHost, mode, note] = optionsOf(commands[0]?.args ?? z.object({}));
  expect(port).toMatchObject({
    flag: "--port",
    kind: "number",
    required: false,
    placeholder: "<port>",
    summary: "Port to listen on",
  });
  expect(detach).toMatchObject({
    flag: "--detach",
    short: "d",
    kind: "flag",
    defaultValue: false,
    summary: "Go to the background",
  });
  expect(allowHost).toMatchObject({ flag: "--allow-host", kind: "list" });
  expect(mode).toMatchObject({
    kind: "choice",
    choices: ["fast", "safe"],
    placeholder: "fast|safe",
    defaultValue: "safe",
  });
  expect(note).toMatchObject({ kind: "text", placeholder: "<text>" });
  const [key] = optionsOf(commands[1]?.args ?? z.object({}));
  expect(key).toMatchObject({ flag: "key", positional: 0, required: true, placeholder: "<key>" });
});

describe("any input", () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      "up",
      "config",
      "set",
      "list",
      "add",
      "--",
      "-",
      "--port",
      "-d",
      "-n",
      "--no-color",
      "--json",
      "-h",
      "--mode=fast",
    ),
    fc.constantFrom(
      "--required",
      "x",
      "-1",
      "1e9",
      "--=",
      "--port=",
      "__proto__",
      "constructor",
      "--constructor",
      "\uD800",
      "",
    ),
  );

  test("is parsed, or throws a DevflowError with a message and a hint", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        try {
          parseCommandLine(words, commands);
        } catch (error) {
          if (!(error instanceof DevflowError)) throw error;
          expect(["usage", "unknown_command"]).toContain(error.code);
          expect(error.message).not.toBe("");
          expect(error.hint).toContain("devflow ");
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("text given with an equals sign is kept as typed", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseCommandLine(["up", `--note=${text}`], commands).input.note).toBe(text);
        expect(parseCommandLine(["config", "set", "--", "key", text], commands).input).toEqual({
          key: "key",
          value: text,
        });
      }),
    );
  });
});

test("another program's command after -- keeps its flags and is separate from the arguments before it", () => {
  expect(input("try a b --loud -- app --json --loud -x")).toEqual({
    files: ["a", "b"],
    command: ["app", "--json", "--loud", "-x"],
    loud: true,
  });
  expect(parse("try a -- app --json").global.json).toBe(false);
  expect(input("try a b")).toEqual({ files: ["a", "b"], loud: false });
});
