/** A phase of a template: who works in it, what it runs, where it goes back to, and what the agents are told. */
import type { TemplateView } from "@devflow/protocol";
import type { ReactNode } from "react";
import { Mono } from "../../parts/facts.tsx";

type Phase = TemplateView["phases"][number];

export function TemplatePhase({ phase, place }: { phase: Phase; place: number }) {
  const facts = factsOf(phase);
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="w-5 text-meta text-ink-soft tabular-nums">{place}</span>
        <span className="basis-36 font-medium">{phase.title}</span>
        <span className="w-20 text-meta text-ink-soft">{phase.kind}</span>
        <span className="w-24 text-meta text-ink-soft">risk {phase.risk}</span>
        <span className="min-w-0 flex-1 basis-40 text-meta break-words text-ink-soft">
          {phase.roles.join(", ")} {phase.schema && <Mono>{phase.schema}</Mono>}
        </span>
        {phase.gates.length > 0 && (
          <span className="text-meta font-medium text-warn">gates: {phase.gates.join(", ")}</span>
        )}
      </div>
      {facts.length > 0 && (
        <dl className="mt-2 grid gap-1 text-meta wide:pl-9">
          {facts.map(([name, value]) => (
            <div key={name} className="flex flex-wrap gap-x-3">
              <dt className="w-20 shrink-0 text-ink-soft">{name}</dt>
              <dd className="min-w-0 flex-1 break-words">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {phase.instructions !== null && (
        <details className="mt-2 wide:pl-9">
          <summary className="cursor-pointer text-meta text-accent">Instructions</summary>
          <pre className="mt-2 rounded-small bg-sunken p-3 font-mono text-meta break-words whitespace-pre-wrap">
            {phase.instructions.trim()}
          </pre>
        </details>
      )}
    </li>
  );
}

function factsOf({ inputs, command, when, loop }: Phase): (readonly [string, ReactNode])[] {
  return [
    ...(inputs.length > 0 ? [["Reads", inputs.join(", ")] as const] : []),
    ...(command ? [["Runs", commandOf(command)] as const] : []),
    ...(when ? [["Only with", conditions[when] ?? when] as const] : []),
    ...(loop
      ? [
          [
            "Loop",
            `back to ${loop.to} while there are ${conditions[loop.while] ?? loop.while}, at most ${loop.max} times`,
          ] as const,
        ]
      : []),
  ];
}

const conditions: Readonly<Record<string, string>> = {
  findings: "findings",
  blocking_findings: "blocking findings",
  failed: "failures",
};

function commandOf(command: NonNullable<Phase["command"]>): ReactNode {
  if ("argv" in command) return <Mono>{command.argv.join(" ")}</Mono>;
  return (
    <>
      the repository’s <Mono>{command.from}</Mono> commands, from <Mono>.devflow.json</Mono>
    </>
  );
}
