import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { entriesIn, isSame, withEntries, withoutEntries } from "./hook-entries.ts";
import { entriesOf, installedHooks, installHooks, uninstallHooks } from "./index.ts";
import { parseTree, plainValue } from "./json-tree.ts";

const claude = entriesOf("claude", "devflow");

/** Settings as people have them. */
const files: Readonly<Record<string, string>> = {
  "an empty file": "",
  "an empty object": "{}",
  "an empty object over two lines": "{\n}\n",
  "other settings": '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls:*)"] }\n}\n',
  "four spaces and no newline at the end": '{\n    "model": "opus"\n}',
  tabs: '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
  "Windows line ends": '{\r\n  "model": "opus"\r\n}\r\n',
  "a byte order mark": '\uFEFF{\n  "model": "opus"\n}\n',
  "one line": '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}',
  comments:
    '// mine\n{\n  // the model\n  "model": "opus", // best\n  /* and so on */\n  "verbose": true // last\n  // end\n}\n// after\n',
  "trailing commas": '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      { "hooks": [], },\n    ],\n  },\n}\n',
  "other hooks at the same events": JSON.stringify(
    {
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [{ type: "command", command: "guard.sh" }] },
          { matcher: "Edit|Write", hooks: [{ type: "command", command: "fmt.sh", timeout: 3 }] },
        ],
        Notification: [{ hooks: [{ type: "command", command: "notify-send hi" }] }],
      },
      model: "opus",
    },
    null,
    2,
  ),
  "an empty list of hooks": '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
  "an empty object of hooks": '{\n  "hooks": {},\n  "model": "opus"\n}\n',
  "a comment behind the last hook":
    '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] } // keep\n      // this too\n    ]\n  }\n}\n',
  "names with quotes and brackets": '{\n  "a\\"b{": "}]\\\\",\n  "ü": ["[", "{"]\n}\n',
};

describe("hooks in a settings file with", () => {
  for (const [name, text] of Object.entries(files)) {
    test(`${name}: are added and taken out again, and nothing else changes`, async () => {
      const folder = temporaryFolder("host");
      const file = join(folder, "settings.json");
      const backups = join(folder, "backups");
      writeFileSync(file, text);
      expect(await installHooks(file, claude, backups)).toBe("installed");
      const installed = readFileSync(file, "utf8");
      expect(isSame(entriesIn(installed), claude)).toBe(true);
      expect(isKeptIn(text, installed)).toBe(true);
      expect(await installHooks(file, claude, backups)).toBe("unchanged");
      expect(readFileSync(file, "utf8")).toBe(installed);
      expect(await uninstallHooks(file, backups)).toBe("removed");
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(await uninstallHooks(file, backups)).toBe("absent");
    });

    test(`${name}: taking them out needs no copy of the file as it was`, () => {
      const without = withoutEntries(withEntries(text, claude));
      const isJson = parseTree(without);
      const before = parseTree(text);
      const hooksOf = (value: unknown) => (value as { hooks?: object } | undefined)?.hooks;
      const now = isJson ? (plainValue(isJson) as Record<string, unknown>) : {};
      const then = before ? (plainValue(before) as Record<string, unknown>) : {};
      // An empty list or object may go with our entries.
      expect({ ...now, hooks: full(hooksOf(now)) }).toEqual({ ...then, hooks: full(hooksOf(then)) });
      expect(withEntries(withEntries(text, claude), claude)).toBe(withEntries(text, claude));
    });
  }
});

/** Every character is still there, in its order; white space in empty brackets aside. */
function isKeptIn(text: string, changed: string): boolean {
  let at = 0;
  for (const sign of text.replace(/([{[])\s+([\]}])/g, "$1$2")) {
    at = changed.indexOf(sign, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function full(hooks: object | undefined): object {
  return Object.fromEntries(Object.entries(hooks ?? {}).filter(([, list]) => (list as unknown[]).length > 0));
}

describe("installing", () => {
  const place = () => {
    const folder = temporaryFolder("host");
    return { folder, file: join(folder, ".claude/settings.json"), backups: join(folder, "backups") };
  };

  test("makes the file and its folder where there are none, and uninstalling removes both", async () => {
    const { folder, file, backups } = place();
    expect(await installHooks(file, claude, backups)).toBe("installed");
    expect(readFileSync(file, "utf8")).toMatchInlineSnapshot(`
      "{
        "hooks": {
          "SessionStart": [
            {
              "hooks": [
                {
                  "type": "command",
                  "command": "devflow hook claude session-start 2>/dev/null || true",
                  "timeout": 5,
                  "_devflow": "v1"
                }
              ]
            }
          ],
          "UserPromptSubmit": [
            {
              "hooks": [
                {
                  "type": "command",
                  "command": "devflow hook claude prompt 2>/dev/null || true",
                  "timeout": 3,
                  "_devflow": "v1"
                }
              ]
            }
          ],
          "PreToolUse": [
            {
              "matcher": "Bash",
              "hooks": [
                {
                  "type": "command",
                  "command": "devflow hook claude pre-bash 2>/dev/null || true",
                  "timeout": 5,
                  "_devflow": "v1"
                }
              ]
            },
            {
              "matcher": "Edit|Write|NotebookEdit",
              "hooks": [
                {
                  "type": "command",
                  "command": "devflow hook claude pre-edit 2>/dev/null || true",
                  "timeout": 3,
                  "_devflow": "v1"
                }
              ]
            }
          ],
          "PostToolUse": [
            {
              "matcher": "Edit|Write|NotebookEdit|Bash|Read",
              "hooks": [
                {
                  "type": "command",
                  "command": "devflow hook claude post-tool 2>/dev/null || true",
                  "timeout": 10,
                  "async": true,
                  "_devflow": "v1"
                }
              ]
            }
          ],
          "Stop": [
            {
              "hooks": [
                {
                  "type": "command",
                  "command": "devflow hook claude stop 2>/dev/null || true",
                  "timeout": 10,
                  "_devflow": "v1"
                }
              ]
            }
          ],
          "SessionEnd": [
            {
              "hooks": [
                {
                  "type": "command",
                  "command": "devflow hook claude session-end 2>/dev/null || true",
                  "timeout": 5,
                  "_devflow": "v1"
                }
              ]
            }
          ]
        }
      }
      "
    `);
    expect(await uninstallHooks(file, backups)).toBe("removed");
    expect(existsSync(join(folder, ".claude"))).toBe(false);
  });

  test("replaces the entries of an older version, and gives back the first original", async () => {
    const { file, folder, backups } = place();
    mkdirSync(join(folder, ".claude"));
    const original = '{ "model" : "opus" }';
    writeFileSync(file, original);
    await installHooks(file, entriesOf("claude", "/old/devflow").slice(0, 3), backups);
    expect(await installHooks(file, claude, backups)).toBe("updated");
    expect(await installedHooks(file)).toEqual(claude);
    await uninstallHooks(file, backups);
    expect(readFileSync(file, "utf8")).toBe(original);
  });

  test("after a person changed the file, uninstalling takes out only what is Devflow's", async () => {
    const { file, folder, backups } = place();
    mkdirSync(join(folder, ".claude"));
    writeFileSync(file, '{\n  "model": "opus"\n}\n');
    await installHooks(file, claude, backups);
    writeFileSync(file, readFileSync(file, "utf8").replace('"opus"', '"sonnet", // cheaper\n  "verbose": true'));
    expect(await uninstallHooks(file, backups)).toBe("removed");
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "sonnet", // cheaper\n  "verbose": true\n}\n');
  });

  test("a hook that a person added next to one of Devflow's stays", async () => {
    const { file, folder, backups } = place();
    mkdirSync(join(folder, ".claude"));
    writeFileSync(file, "{}\n");
    await installHooks(file, claude.slice(5, 6), backups);
    const text = readFileSync(file, "utf8").replace(
      '"hooks": [\n',
      '"hooks": [\n{ "type": "command", "command": "mine" },\n',
    );
    writeFileSync(file, text);
    await uninstallHooks(file, backups);
    const left = JSON.parse(readFileSync(file, "utf8"));
    expect(left).toEqual({ hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }] } });
  });

  test("follows a link, keeps it and the mode of the file, and a link without a file is filled", async () => {
    const { file, folder, backups } = place();
    mkdirSync(join(folder, ".claude"));
    mkdirSync(join(folder, "dotfiles"));
    const real = join(folder, "dotfiles/claude.json");
    writeFileSync(real, '{"model":"opus"}', { mode: 0o640 });
    chmodSync(real, 0o640);
    symlinkSync("../dotfiles/claude.json", file);
    await installHooks(file, claude, backups);
    expect([lstatSync(file).isSymbolicLink(), readlinkSync(file)]).toEqual([true, "../dotfiles/claude.json"]);
    expect([entriesIn(readFileSync(real, "utf8")).length, statSync(real).mode & 0o777]).toEqual([7, 0o640]);
    await uninstallHooks(file, backups);
    expect([readFileSync(real, "utf8"), lstatSync(file).isSymbolicLink()]).toEqual(['{"model":"opus"}', true]);
    const other = join(folder, ".claude/other.json");
    symlinkSync("../dotfiles/none.json", other);
    await installHooks(other, claude, backups);
    expect(existsSync(join(folder, "dotfiles/none.json"))).toBe(true);
  });

  test.each([
    ["wrong JSON", '{\n  "model": "opus",\n  oops\n}\n', "line 3: expected a value"],
    ["a file cut in the middle", '{"model": "op', "line 1: expected a value"],
    ["a list", "[]", "line 1: expected an object"],
    ["hooks that are no object", '{"hooks": []}', "line 1: hooks: expected an object"],
    ["an event that is no list", '{\n"hooks": {\n"Stop": {}}}', "line 3: hooks.Stop: expected a list"],
    ["a comment without an end", "{ /* }", "line 1: a comment that never ends"],
    ["deep nesting", "[".repeat(5000), "nested too deeply"],
  ])("%s is refused and left alone", async (_name, text, problem) => {
    const { file, folder, backups } = place();
    mkdirSync(join(folder, ".claude"));
    writeFileSync(file, text);
    await expect(installHooks(file, claude, backups)).rejects.toMatchObject({
      code: "input_invalid",
      details: { problem: expect.stringContaining(problem) },
    });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(existsSync(backups)).toBe(false);
  });

  test("a read-only file is refused and left alone", async () => {
    const { file, folder, backups } = place();
    mkdirSync(join(folder, ".claude"));
    writeFileSync(file, "{}");
    chmodSync(file, 0o444);
    await expect(installHooks(file, claude, backups)).rejects.toMatchObject({
      details: { problem: `${file} is read-only, so nothing was changed.` },
    });
    expect(readFileSync(file, "utf8")).toBe("{}");
  });
});
