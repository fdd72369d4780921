import { expect, test } from "bun:test";
import { commandOf, commandsIn } from "./commands-in-transcript.ts";

const commands = (text: string) => commandsIn(text, 0).commands.map((one) => one.command);

test("tool calls of every agent are found, and nothing that it says or reads", () => {
  expect(
    commands(
      [
        "I will not run rm -rf / now.",
        "● Bash rm -rf dist",
        "  ● Bash from a file that it printed",
        "● Grep rm -rf /",
        "● Read /etc/passwd",
        "● /bin/bash -lc 'git clean -fd'",
        "● exec_command git push --force",
        "● `docker volume rm data`",
        "Done.",
        "",
      ].join("\n"),
    ),
  ).toEqual(["rm -rf dist", "/bin/bash -lc 'git clean -fd'", "git push --force", "docker volume rm data"]);
});

test("a command of several lines is one command", () => {
  expect(commands("● Bash cd src\n│ rm -rf ../x\n  removed\nrm -rf is what I said\n")).toEqual(["cd src\nrm -rf ../x"]);
});

test("places are bytes, and a look continues at the last command", () => {
  const first = "Größe\n● Bash one\n";
  const { commands: found, next } = commandsIn(first, 100);
  expect(found).toEqual([{ at: 100 + Buffer.byteLength("Größe\n"), command: "one" }]);
  expect(next).toBe(100 + Buffer.byteLength("Größe\n"));
  // With the rest of it, it is the same command at the same place.
  expect(commandsIn("● Bash one\n│ two\n  output\n", next)).toEqual({
    commands: [{ at: next, command: "one\ntwo" }],
    next: next + Buffer.byteLength("● Bash one\n│ two\n  output\n"),
  });
});

test("a permission names its tool", () => {
  expect(commandOf("Bash", "rm -rf x")).toBe("rm -rf x");
  expect(commandOf("Command", "rm -rf x")).toBe("rm -rf x");
  expect(commandOf("Write", "/etc/rm")).toBeUndefined();
});
