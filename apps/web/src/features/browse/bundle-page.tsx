/** One evidence bundle: whether it is intact, its steps, and the picture of each. */
import type { BrowseBundleDetail, BrowseStep } from "@devflow/protocol";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { bundleWord, count } from "../../model/browse/browse-words.ts";
import { milliseconds } from "../../model/evals/eval-words.ts";
import { isMissing } from "../../model/runs/live-run.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Facts, Mono } from "../../parts/facts.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useBundle, useShot } from "./browse-queries.ts";

const from = "/browse/$workspace/evidence/$bundle";

export function BundlePage() {
  const { workspace, bundle } = useParams({ from });
  const { data, error, refetch } = useBundle(workspace, bundle);
  return (
    <Page
      title={data?.name || bundle}
      broad
      isLoading={!data}
      above={
        <Link
          to="/browse/$workspace"
          params={{ workspace }}
          className="mb-2 inline-block text-ink-soft hover:text-ink hover:underline"
        >
          <span aria-hidden="true">← </span>Browser
        </Link>
      }
    >
      {error && isMissing(error) && <EmptyNote title="No such bundle" command="devflow browse evidence list" />}
      {error && !isMissing(error) && <FaultNote fault={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {data && <Content workspace={workspace} of={data} />}
    </Page>
  );
}

function Content({ workspace, of }: { workspace: string; of: BrowseBundleDetail }) {
  const { step } = useSearch({ from });
  const chosen = of.steps.find(({ seq }) => seq === step) ?? of.steps.findLast(({ shot }) => shot) ?? of.steps[0];
  return (
    <div className="grid gap-6">
      <Panel
        title="Bundle"
        aside={<CopyCommand command={`devflow browse verify .devflow/evidence/${of.bundle}`} quiet />}
      >
        <Facts
          rows={[
            ["State", <BundleState key="state" of={of} />],
            ["Commit", <Mono key="commit">{commitText(of)}</Mono>],
            ["Session", of.session || "unknown"],
            ["Recorded", of.at ? <RelativeTime key="at" at={of.at} /> : "unknown"],
            ["Contents", `${count(of.commands, "command")}, ${count(of.pictures, "picture")}`],
            ["Last hash", <Mono key="head">{of.head}</Mono>],
          ]}
        />
      </Panel>
      <div className="grid items-start gap-6 broad:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Panel title="Steps">
          {of.steps.length === 0 && <EmptyNote title="No commands recorded" />}
          <ol className="divide-y divide-line">
            {of.steps.map((one) => (
              <Step key={one.seq} workspace={workspace} bundle={of.bundle} step={one} isChosen={one === chosen} />
            ))}
          </ol>
          {!of.isWhole && (
            <p className="border-t border-line px-4 py-2 text-meta text-ink-soft">
              Showing only the first {of.steps.length}.
            </p>
          )}
        </Panel>
        <Panel title="Picture">
          {chosen?.shot ? (
            <Shot workspace={workspace} bundle={of.bundle} name={chosen.shot} command={chosen.command} />
          ) : (
            <EmptyNote title="No picture for this step" />
          )}
        </Panel>
      </div>
    </div>
  );
}

function BundleState({ of }: { of: BrowseBundleDetail }) {
  const words = {
    holds: "The record is complete, and no line or picture was changed.",
    open: "Intact so far. It is still being recorded, or the recording process was killed.",
    broken: of.problem,
  } as const;
  return (
    <span className="flex flex-wrap gap-x-3" data-bundle-state={of.state}>
      <StateWord {...bundleWord(of)} />
      <span className="text-ink-soft">{words[of.state]}</span>
    </span>
  );
}

const commitText = ({ commit, branch, changedFiles }: BrowseBundleDetail): string =>
  [commit?.slice(0, 12) ?? "none", branch ?? "", changedFiles > 0 ? `${count(changedFiles, "file")} changed since` : ""]
    .filter(Boolean)
    .join(" · ");

function Step(props: { workspace: string; bundle: string; step: BrowseStep; isChosen: boolean }) {
  const { workspace, bundle, step, isChosen } = props;
  return (
    <li>
      <Link
        to={from}
        params={{ workspace, bundle }}
        search={(now) => ({ ...now, step: step.seq })}
        replace
        resetScroll={false}
        data-row
        aria-current={isChosen ? "true" : undefined}
        className={`grid px-4 py-2 outline-offset-[-2px] hover:bg-hover ${isChosen ? "bg-accent-soft" : ""}`}
      >
        <span className="flex flex-wrap items-center gap-x-3 text-meta text-ink-soft">
          <span className="tabular-nums">{step.seq}</span>
          <span className="font-mono text-ink">{step.command}</span>
          {step.isFailed && <StateWord word="Failed" tone="bad" />}
          <span>{step.tab}</span>
          {step.shot && <span>picture</span>}
          <span className="ml-auto tabular-nums">{milliseconds(step.ms)}</span>
        </span>
        <span className="mt-1 line-clamp-6 font-mono text-meta break-words whitespace-pre-wrap">{step.text}</span>
      </Link>
    </li>
  );
}

function Shot(props: { workspace: string; bundle: string; name: string; command: string }) {
  const shot = useShot(props.workspace, props.bundle, props.name);
  return (
    <div className="grid min-h-80 place-items-center bg-sunken">
      {shot.isPending && <SkeletonRows count={4} />}
      {shot.isError && <FaultNote fault={shot.error} onRetry={() => void shot.refetch()} />}
      {shot.data && <img src={shot.data} alt={`The page after ${props.command}`} data-shot className="max-w-full" />}
    </div>
  );
}
