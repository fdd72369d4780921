import type { CommandView, RunDetail } from "@devflow/protocol";
import type { Word } from "../../model/runs/run-words.ts";
import { Elapsed } from "../../parts/elapsed.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote } from "../../parts/states.tsx";

export function CommandsTab({ run }: { run: RunDetail }) {
  if (run.commands.length === 0) {
    return (
      <EmptyNote title="No command yet">Set-up and tests of the repository are listed here as they run.</EmptyNote>
    );
  }
  return (
    <ol className="divide-y divide-line">
      {run.commands.map((command) => (
        <li key={command.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
          <span className="w-28">
            <StateWord {...commandWord(command)} />
          </span>
          <code className="min-w-0 flex-1 basis-60 font-mono text-meta break-all">
            {command.argv.map(quoted).join(" ")}
          </code>
          <span className="text-meta text-ink-soft">
            {command.kind}
            {command.phase !== null && ` · ${command.phase}`}
          </span>
          <span className="w-24 text-right text-meta text-ink-soft">
            {command.startedAt !== null && <Elapsed of={command} />}
          </span>
          {command.failure !== null && <p className="w-full break-words text-bad">{command.failure}</p>}
        </li>
      ))}
    </ol>
  );
}

function commandWord(command: CommandView): Word {
  if (command.endedAt === null) return { word: command.startedAt === null ? "Waiting" : "Running", tone: "busy" };
  if (command.exitCode === 0) return { word: "Exit 0", tone: "good" };
  return { word: command.exitCode === null ? "Not run" : `Exit ${command.exitCode}`, tone: "bad" };
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
