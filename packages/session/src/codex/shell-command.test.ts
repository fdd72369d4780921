import { describe, expect, test } from "bun:test";
import { shellCommand } from "./shell-command.ts";

describe("the command inside Codex's shell", () => {
  const known: readonly (readonly [string, string])[] = [
    ["/bin/bash -lc 'npm test'", "npm test"],
    ["/usr/bin/zsh -c 'npm test'", "npm test"],
    ["/bin/sh -c ls", "ls"],
    [`/bin/bash -lc "echo 'a b'"`, "echo 'a b'"],
    ['/bin/bash -lc "echo \\"\\$HOME\\""', 'echo "$HOME"'],
    ["/bin/bash -lc 'a\nb'", "a\nb"],
    [`/bin/bash -lc 'it'"'"'s'`, "it's"],
  ];
  for (const [line, command] of known)
    test(`is found in ${JSON.stringify(line)}`, () => expect(shellCommand(line)).toBe(command));

  const others = [
    "npm test",
    "/bin/bash -lc 'npm test' extra",
    "/bin/bash -lc 'npm test'; rm -rf x",
    "/bin/bash -lc npm test",
    "/work/bash -lc 'npm test'",
    "./bash -lc 'npm test'",
    "bash -lc 'npm test'",
    "/bin/bash -xlc 'npm test'",
    "/bin/bash -lc 'npm test",
    "/bin/bash -lc $(x)",
    "env X=1 /bin/bash -lc 'npm test'",
    "",
  ];
  for (const line of others)
    test(`is not claimed for ${JSON.stringify(line)}`, () => expect(shellCommand(line)).toBe(undefined));
});
