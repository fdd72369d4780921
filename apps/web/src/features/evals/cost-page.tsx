/** The cost of evals by day, model and suite, and what the same calls would have cost with other models. */
import type { EvalCosts, EvalMoney } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { moneyNote, moneyText, plural, usd } from "../../model/evals/eval-words.ts";
import { tokens } from "../../model/runs/run-words.ts";
import { AmountBar } from "../../parts/charts/bars.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Choice, SuiteChoice } from "./choice.tsx";
import { CostDays } from "./cost-days.tsx";
import { useCosts, useSuites } from "./eval-queries.ts";
import { EvalsNav } from "./evals-nav.tsx";

const spans = [7, 30, 90, 365].map((days) => ({ value: String(days), title: `Last ${days} days` }));

export function CostPage() {
  const { suite, tier, days } = useSearch({ from: "/evals/cost" });
  const navigate = useNavigate({ from: "/evals/cost" });
  const suites = useSuites();
  const since = days === undefined ? undefined : dayBefore(days);
  const costs = useCosts({ suite, tier, since });
  return (
    <Page
      title="Cost"
      broad
      above={<EvalsNav suite={suite} tier={tier} />}
      lead="Billed and estimated amounts are shown separately. Calls without a known price are not included."
    >
      {costs.error && <FaultNote fault={costs.error} onRetry={() => void costs.refetch()} />}
      {costs.isPending && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {costs.data && (
        <div className="grid grid-cols-1 gap-8">
          <div className="grid grid-cols-2 items-end gap-3 wide:flex wide:flex-wrap">
            <SuiteChoice
              suites={suites.data?.suites ?? []}
              suite={suite}
              tier={tier}
              all="All suites"
              onPick={(nextSuite, nextTier) =>
                void navigate({ search: (now) => ({ ...now, suite: nextSuite, tier: nextTier }), replace: true })
              }
            />
            <Choice
              label="Period"
              all="All time"
              value={days === undefined ? undefined : String(days)}
              options={spans}
              onPick={(value) =>
                void navigate({ search: (now) => ({ ...now, days: value ? Number(value) : undefined }), replace: true })
              }
            />
          </div>
          <Content of={costs.data} />
        </div>
      )}
    </Page>
  );
}

/** Without the time of day, so that the query key stays the same all day. */
function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

const sum = ({ actualUsd, estimatedUsd }: EvalMoney): number => actualUsd + estimatedUsd;

function Content({ of }: { of: EvalCosts }) {
  if (of.scope.runs === 0) {
    return (
      <div className="rounded-panel border border-line bg-raised">
        <EmptyNote title="No runs in this period" command="devflow eval push results.json">
          Results that report their model and token counts are priced when they are pushed.
        </EmptyNote>
      </div>
    );
  }
  const unpriced = of.models.filter(({ unpricedCalls }) => unpricedCalls > 0);
  return (
    <>
      <section aria-label="Total" className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <span className="text-title tabular-nums">{moneyText(of.total)}</span>
        <span className="text-ink-soft">{moneyNote(of.total)}</span>
        <span className="text-ink-soft">
          {plural(of.scope.runs, "run")}, {plural(of.scope.results, "result")}
          {of.scope.olderRuns > 0 && `; ${of.scope.olderRuns} older runs not included`}
        </span>
      </section>
      {unpriced.length > 0 && (
        <p role="note" className="rounded-panel border border-line bg-warn-soft px-4 py-3 break-words">
          <span className="font-medium text-warn">No price for {unpriced.map(({ model }) => model).join(", ")}. </span>
          Add it to ~/.devflow/prices.json and push the runs again; until then the totals are too low.
        </p>
      )}
      <Panel title="By day">
        <CostDays days={of.days} />
      </Panel>
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Panel title="By model">
          <Amounts
            rows={of.models.map((model) => ({
              key: model.model,
              name: model.model,
              note: `${plural(model.calls, "call")}, ${tokens(model.inputTokens)} in, ${tokens(model.outputTokens)} out`,
              money: model,
            }))}
            none="No usage reported"
          />
        </Panel>
        <Panel title="By suite">
          <Amounts
            rows={of.suites.map((one) => ({
              key: `${one.suite} ${one.tier}`,
              name: (
                <Link to="/evals" search={{ suite: one.suite, tier: one.tier }} className="hover:underline">
                  {one.suite}
                </Link>
              ),
              note: `${one.tier}, ${plural(one.runs, "run")}${sum(one) > 0 ? `, ${usd(sum(one) / Math.max(1, one.results))} per result` : ""}`,
              money: one,
            }))}
            none="No runs"
          />
        </Panel>
        <Panel
          title="With other models"
          aside={<span className="hidden text-meta text-ink-soft wide:inline">Same calls and tokens</span>}
        >
          <Tiers of={of} />
        </Panel>
        <Panel title="Most expensive runs">
          <Amounts
            rows={of.dearestRuns.slice(0, 5).map((run) => ({
              key: run.ref,
              name: (
                <Link
                  to="/evals/runs/$ref"
                  params={{ ref: run.ref }}
                  data-row
                  className="font-mono text-meta hover:underline"
                >
                  {run.ref}
                </Link>
              ),
              note: plural(run.total, "result"),
              money: run,
            }))}
            none="No runs with a known price"
          />
        </Panel>
      </div>
      {of.priceVersions.length > 0 && <p className="text-meta text-ink-soft">Prices: {of.priceVersions.join(", ")}</p>}
    </>
  );
}

interface Amount {
  readonly key: string;
  readonly name: ReactNode;
  readonly note: string;
  readonly money: EvalMoney;
}

function Amounts({ rows, none }: { rows: readonly Amount[]; none: string }) {
  if (rows.length === 0) return <EmptyNote title={none} />;
  const most = Math.max(...rows.map(({ money }) => sum(money)));
  return (
    <ul className="divide-y divide-line">
      {rows.map(({ key, name, note, money }) => (
        <li key={key} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-2">
          <span className="truncate font-medium">{name}</span>
          <span className="text-right font-medium tabular-nums" title={moneyNote(money)}>
            {moneyText(money)}
          </span>
          {sum(money) > 0 && (
            <span className="col-span-2">
              <AmountBar amounts={[money.actualUsd, money.estimatedUsd]} most={most} />
            </span>
          )}
          <span className="col-span-2 text-meta text-ink-soft">{note}</span>
        </li>
      ))}
    </ul>
  );
}

/** Models without a counterpart in the other tier that do have a price. */
const kept = ({ unchanged, unpriced }: { unchanged: readonly string[]; unpriced: readonly string[] }) =>
  unchanged.filter((model) => !unpriced.includes(model));

function Tiers({ of }: { of: EvalCosts }) {
  if (of.tiers.length === 0) return <EmptyNote title="No usage reported" />;
  const own = sum(of.total);
  // Full colour is billed, lighter is estimated, as everywhere on this page.
  const rows = [
    { tier: "actual", usd: own, unchanged: [], unpriced: [], amounts: [of.total.actualUsd, of.total.estimatedUsd] },
    ...of.tiers.map((one) => ({ ...one, amounts: [0, one.usd ?? 0] })),
  ];
  const most = Math.max(...rows.map((row) => row.usd ?? 0));
  return (
    <ul className="divide-y divide-line">
      {rows.map((row) => (
        <li key={row.tier} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-2">
          <span className="font-medium">{row.tier}</span>
          <span className="text-right font-medium tabular-nums">
            {usd(row.usd)}
            {row.usd !== null && row.tier !== "actual" && own > 0 && (
              <span className="ml-2 font-normal text-ink-soft">× {(row.usd / own).toFixed(2)}</span>
            )}
          </span>
          <span className="col-span-2">
            <AmountBar amounts={row.amounts} most={most} />
          </span>
          {(row.unchanged.length > 0 || row.unpriced.length > 0) && (
            <span className="col-span-2 text-meta text-ink-soft">
              {kept(row).length > 0 && `${kept(row).join(", ")} unchanged. `}
              {row.unpriced.length > 0 && `${row.unpriced.join(", ")} has no price and is not included.`}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
