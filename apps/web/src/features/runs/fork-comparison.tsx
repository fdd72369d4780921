/** A fork beside the run that it was forked from, from the fork on. */
import type { ComparedRun, RunDetail } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useServices } from "../../app-context.tsx";
import { duration, money, runStateName, tokens } from "../../model/runs/run-words.ts";
import { FaultNote, SkeletonRows } from "../../parts/states.tsx";

const rows: readonly (readonly [name: string, value: (run: ComparedRun) => string])[] = [
  ["State", (run) => runStateName(run.state)],
  ["Cost", (run) => money(run.usd)],
  ["Tokens", (run) => tokens(run.tokens)],
  ["Time", (run) => duration(run.seconds * 1000)],
  ["Attempts", (run) => String(run.attempts)],
  ["Tests", ({ testsPassed }) => (testsPassed === null ? "none" : testsPassed ? "passed" : "failed")],
  ["Open findings", ({ findings }) => `${findings.open} of ${findings.total}, ${findings.blocking} blocking`],
  ["Changes", ({ diff }) => (diff ? `${diff.files} files, +${diff.insertions} −${diff.deletions}` : "gone")],
];

export function ForkComparison({ run }: { run: RunDetail }) {
  const { api } = useServices();
  const found = useQuery({
    queryKey: ["runs", "comparison", run.id, run.state],
    queryFn: ({ signal }) => api.runs.comparison(run.id, signal),
  });
  if (!run.forkOf) return null;
  if (found.error) return <FaultNote fault={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <SkeletonRows count={4} />;
  const { origin, fork, at, between, hasOwnInstructions } = found.data;
  const changed = fork.bindings.flatMap(({ role, persona, model }) => {
    const before = origin.bindings.find((one) => one.role === role);
    if (before?.persona === persona && before.model === model) return [];
    const name = (one: { persona: string; model: string | null } | undefined) =>
      one ? [one.persona, one.model].filter(Boolean).join(", ") : "not bound";
    return [[role, name(before), name({ persona, model })] as const];
  });
  const all = [
    ...changed,
    ...(hasOwnInstructions ? [["Instructions", "the template's", "its own"] as const] : []),
    ...rows.map(([name, value]) => [name, value(origin), value(fork)] as const),
  ];
  return (
    <section aria-label="Comparison" className="min-w-0 p-4">
      <h2 className="mb-2 text-meta font-normal text-ink-soft">Compared from {at} on</h2>
      <div className="overflow-x-auto">
        <table className="w-full text-left">
          <thead>
            <tr>
              <td className="pr-4 pb-1" />
              <th scope="col" className="pr-4 pb-1 font-medium">
                <Link to="/runs/$id" params={{ id: origin.id }} className="text-accent underline underline-offset-2">
                  Origin
                </Link>
              </th>
              <th scope="col" className="pb-1 font-medium">
                This fork
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map(([name, before, now]) => (
              <tr key={name} className="border-t border-line">
                <th scope="row" className="py-1 pr-4 font-normal whitespace-nowrap text-ink-soft">
                  {name}
                </th>
                <td className="py-1 pr-4 break-words">{before}</td>
                <td className="py-1 break-words">{now}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-2 text-meta break-words text-ink-soft">
        {between === null
          ? "The work of one of them is gone, so it cannot be compared."
          : between.length === 0
            ? "The work of both is the same."
            : `The work differs in ${between
                .map(({ path }) => path)
                .slice(0, 10)
                .join(", ")}${between.length > 10 ? ` and ${between.length - 10} more` : ""}.`}
      </p>
    </section>
  );
}
