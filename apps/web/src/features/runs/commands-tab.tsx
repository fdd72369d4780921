/** The repository's setup and test commands, each with its output. */
import { type CommandView, plainText, type RunDetail } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import type { Word } from "../../model/runs/run-words.ts";
import { Button } from "../../parts/button.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";

export function CommandsTab({ run }: { run: RunDetail }) {
  if (run.commands.length === 0) {
    return (
      <EmptyNote title="No commands yet">
        The repository's setup and test commands are listed here as they run.
      </EmptyNote>
    );
  }
  return (
    <ol className="divide-y divide-line">
      {run.commands.map((command) => (
        <CommandRow key={command.id} run={run} command={command} />
      ))}
    </ol>
  );
}

function CommandRow({ run, command }: { run: RunDetail; command: CommandView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
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
        {command.startedAt !== null && command.kind !== "git" && (
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide log" : "Show log"}
          </Button>
        )}
        {command.failure !== null && <p className="w-full break-words text-bad">{command.failure}</p>}
      </div>
      {isOpen && <CommandLogView run={run} command={command} />}
    </li>
  );
}

const refetchMs = 2_000;

function CommandLogView({ run, command }: { run: RunDetail; command: CommandView }) {
  const { api } = useServices();
  const isRunning = command.endedAt === null;
  const log = useQuery({
    queryKey: ["command-log", command.id, command.endedAt],
    queryFn: ({ signal }) => api.runs.commandLog(run.id, command.id, signal),
    refetchInterval: isRunning ? refetchMs : false,
  });
  if (log.isPending) return <SkeletonRows count={3} />;
  if (log.isError) return <FaultNote fault={log.error} onRetry={() => void log.refetch()} />;
  const { stdout, stderr, isCut } = log.data;
  return (
    <div className="mt-2 grid gap-2">
      {isCut && (
        <p className="text-meta text-ink-soft">The beginning is cut off. For the whole log, run: devflow run logs</p>
      )}
      {stdout === "" && stderr === "" && <p className="text-meta text-ink-soft">No output.</p>}
      <Stream name="Output" text={stdout} />
      <Stream name="Errors" text={stderr} />
    </div>
  );
}

function Stream({ name, text }: { name: string; text: string }) {
  if (text === "") return null;
  return (
    <section
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-small border border-line bg-sunken"
    >
      <pre className="p-3 font-mono text-meta whitespace-pre-wrap break-words">{plainText(text)}</pre>
    </section>
  );
}

function commandWord(command: CommandView): Word {
  if (command.endedAt === null) return { word: command.startedAt === null ? "Waiting" : "Running", tone: "busy" };
  if (command.exitCode === 0) return { word: "Exit 0", tone: "good" };
  return { word: command.exitCode === null ? "Not run" : `Exit ${command.exitCode}`, tone: "bad" };
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
