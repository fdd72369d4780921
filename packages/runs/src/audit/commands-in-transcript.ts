/**
 * The commands that an agent ran, from its transcript. Pure.
 *
 * - `commandsIn(text, start)` each with the byte at which it stands, which identifies it; `text` begins at the byte `start`.
 *   `next` is where the following look continues: at the last command, whose lines may not all be there yet.
 * - `commandOf(tool, detail)` the command of a tool call; undefined if the tool runs none.
 *
 * A tool call is a line `● <tool> <input>`, or only `● <command>`; further lines of its input begin with `│ `, and its
 * output is indented. So neither a file that an agent prints nor what it says can pass for a command of its own.
 */
export interface SeenCommand {
  /** Where it stands in the transcript, in bytes. */
  readonly at: number;
  readonly command: string;
}

export function commandsIn(text: string, start: number): { commands: SeenCommand[]; next: number } {
  const commands: SeenCommand[] = [];
  const lines = text.split("\n");
  // The text ends with a line break, so the last part is empty.
  const isWhole = lines.at(-1) === "";
  let at = start;
  let next = start + Buffer.byteLength(text);
  let open: { at: number; lines: string[] } | undefined;
  const close = () => {
    const command = open && commandOf("", open.lines.join("\n"));
    if (open && command !== undefined) commands.push({ at: open.at, command });
    open = undefined;
  };
  for (const line of isWhole ? lines.slice(0, -1) : lines) {
    if (line.startsWith(call)) {
      close();
      open = { at, lines: [line.slice(call.length)] };
    } else if (open && line.startsWith(more)) open.lines.push(line.slice(more.length));
    else close();
    at += Buffer.byteLength(line) + 1;
  }
  if (open) next = open.at;
  close();
  return { commands, next };
}

const call = "● ";
const more = "│ ";

/** Names of tools that run a shell; other tools take a path or a pattern, which is no command. */
const shells = /^(bash|shell|exec|exec_command|local_shell|run_shell_command|command|terminal|execute)$/i;
/** A tool of Claude Code or the like: one word in capitals, then its input. */
const otherTool = /^[A-Z]\w+$/;

export function commandOf(tool: string, detail: string): string | undefined {
  if (tool !== "") return shells.test(tool) ? detail : undefined;
  const [, name = "", rest = ""] = /^(\S+) ?(.*)$/s.exec(detail) ?? [];
  if (shells.test(name)) return rest === "" ? undefined : rest;
  if (otherTool.test(name)) return undefined;
  const [, quoted] = /^`(.*)`$/s.exec(detail) ?? [];
  return quoted ?? detail;
}
