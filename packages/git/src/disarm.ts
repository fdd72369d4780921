/**
 * The settings that make git start programs, and how each is turned off for one call.
 *
 * - `fixedOverrides` settings with a known name, and the value that turns each off.
 * - `driverOverrides(names)` the same for names that the repository chooses (`filter.<any>.clean`).
 * - `settingVariables(settings)` the environment that makes them override every configuration file.
 * - `quietArguments(command)` additional flags that the command needs.
 */

type Setting = readonly [name: string, value: string];

/** All levels of configuration are read (identity, safe.directory and proxies are there); these override them. */
export const fixedOverrides: readonly Setting[] = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.pager": "",
  "core.askPass": "",
  "core.alternateRefsCommand": "",
  "credential.helper": "",
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "push.gpgSign": "false",
  "log.showSignature": "false",
  "merge.verifySignatures": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "false",
  "interactive.diffFilter": "",
  "init.templateDir": "",
  "submodule.recurse": "false",
  "fetch.recurseSubmodules": "false",
  "push.recurseSubmodules": "no",
  "status.submoduleSummary": "false",
  "diff.submodule": "short",
  "gc.auto": "0",
  "maintenance.auto": "false",
  // A folder inside a repository that merely looks like a bare one must not use its own configuration.
  "safe.bareRepository": "explicit",
});

/** For `git config --get-regexp`: settings whose value is a program and whose middle part is arbitrary. */
export const driverPattern =
  "^(filter\\..*\\.(clean|smudge|process|required)|diff\\..*\\.(command|textconv)|merge\\..*\\.driver|trailer\\..*\\.(command|cmd))$";

export function driverOverrides(names: readonly string[]): Setting[] {
  return names.map((name) => [name, harmless(name)]);
}

/** Through the environment, because `-c name=value` would split a driver called `a=b` in the wrong place. */
export function settingVariables(settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

function harmless(name: string): string {
  const last = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  switch (last) {
    case "required":
      return "false";
    // Shows the file as it is.
    case "textconv":
      return "cat";
    // A merge that cannot be done as configured is a conflict, never silently one side.
    case "driver":
      return "false";
    case "command":
    case "cmd":
      return "true";
    // An empty clean, smudge or process means no filter.
    default:
      return "";
  }
}

const diffFlags = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];

const quiet: Readonly<Record<string, readonly string[]>> = {
  diff: diffFlags,
  log: diffFlags,
  show: diffFlags,
  "diff-tree": diffFlags,
  "diff-index": diffFlags,
  "diff-files": diffFlags,
  blame: ["--no-textconv"],
  grep: ["--no-textconv"],
  // Reading a submodule would apply that submodule's configuration.
  status: ["--ignore-submodules=dirty"],
};

export function quietArguments(command: string): readonly string[] {
  return quiet[command] ?? [];
}
