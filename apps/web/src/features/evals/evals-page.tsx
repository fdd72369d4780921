/** The state of each suite, and all eval runs, newest first. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Choice } from "./choice.tsx";
import { useEvalRuns, useSuites } from "./eval-queries.ts";
import { EvalRunsTable } from "./eval-runs-table.tsx";
import { EvalsNav } from "./evals-nav.tsx";
import { SuiteCards } from "./suite-cards.tsx";

export function EvalsPage() {
  const { team: _team, repo: _repo, ...search } = useSearch({ from: "/evals" });
  const suites = useSuites();
  const runs = useEvalRuns(search);
  const fault = suites.error ?? runs.error;
  const isRead = suites.data !== undefined && runs.data !== undefined;
  const isEmpty = suites.data?.runs === 0;
  return (
    <Page
      title="Evals"
      broad
      above={<EvalsNav suite={search.suite} tier={search.tier} />}
      lead="Is the AI getting better or worse, at what cost, and is the difference real?"
    >
      {fault && <FaultNote fault={fault} onRetry={() => void Promise.all([suites.refetch(), runs.refetch()])} />}
      {!fault && !isRead && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {!fault && isRead && isEmpty && (
        <div className="rounded-panel border border-line bg-raised">
          <EmptyNote title="No eval runs yet" command="devflow eval push results.json">
            Push results in Devflow's own format or from promptfoo, Inspect, DeepEval, JUnit, CSV and others. To check
            expectations with Devflow, run: devflow eval check
          </EmptyNote>
        </div>
      )}
      {!fault && isRead && !isEmpty && (
        <div className="grid grid-cols-1 gap-6">
          <SuiteCards suites={suites.data.suites} />
          <div className="grid grid-cols-1 gap-3">
            <Filters />
            <div className="overflow-hidden rounded-panel border border-line bg-raised">
              {runs.data.pages[0]?.matching === 0 ? (
                <EmptyNote title="No matching runs">
                  None of the {suites.data.runs} runs match the filters.{" "}
                  <Link
                    to="/evals"
                    search={(now) => ({ team: now.team, repo: now.repo })}
                    className="text-accent underline underline-offset-2"
                  >
                    Show all
                  </Link>
                </EmptyNote>
              ) : (
                <EvalRunsTable
                  runs={runs.data.pages.flatMap((page) => page.runs)}
                  matching={runs.data.pages[0]?.matching ?? 0}
                />
              )}
            </div>
            {runs.hasNextPage && (
              <div>
                <Button disabled={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
                  Show older runs
                </Button>
              </div>
            )}
          </div>
        </div>
      )}
    </Page>
  );
}

function Filters() {
  const search = useSearch({ from: "/evals" });
  const navigate = useNavigate({ from: "/evals" });
  const { data } = useSuites();
  const pick = (name: "suite" | "tier" | "branch" | "label") => (value: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, [name]: value }), replace: true });
  const suites = [...new Set(data?.suites.map(({ suite }) => suite))].sort();
  return (
    <div className="grid grid-cols-2 items-end gap-3 wide:flex wide:flex-wrap">
      <Choice label="Suite" isFilter all="All suites" value={search.suite} options={suites} onPick={pick("suite")} />
      <Choice label="Tier" all="All tiers" value={search.tier} options={data?.tiers ?? []} onPick={pick("tier")} />
      <Choice
        label="Branch"
        all="All branches"
        value={search.branch}
        options={data?.branches ?? []}
        onPick={pick("branch")}
      />
      <Choice label="Label" all="All labels" value={search.label} options={data?.labels ?? []} onPick={pick("label")} />
      <label className="flex h-8 items-center gap-2 whitespace-nowrap">
        <input
          type="checkbox"
          checked={search.failed ?? false}
          onChange={(event) =>
            void navigate({ search: (now) => ({ ...now, failed: event.target.checked || undefined }), replace: true })
          }
          className="size-4 accent-accent"
        />
        Only runs with failures
      </label>
    </div>
  );
}
