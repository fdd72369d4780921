/** The evidence for a decision: artifacts, diff, findings and cost. */
import type { ApprovalView, RunDetail } from "@devflow/protocol";
import { useState } from "react";
import { evidenceFor } from "../../model/runs/evidence.ts";
import { duration, elapsedMs, fixingStopped, money, tokens } from "../../model/runs/run-words.ts";
import { Facts } from "../../parts/facts.tsx";
import { TabRow } from "../../parts/tab-row.tsx";
import { ArtifactView } from "./artifact-view.tsx";
import { FindingList } from "./finding-list.tsx";
import { RunDiffView } from "./run-diff.tsx";

export function GateEvidence({ run, approval }: { run: RunDetail; approval: ApprovalView }) {
  const { artifacts, isOwn } = evidenceFor(run, approval);
  const [chosen, setChosen] = useState("");
  const files = artifacts.map((artifact) => ({ id: artifact.id, title: artifact.name }));
  const change = [
    { id: "diff", title: "Diff" },
    { id: "findings", title: "Findings", count: run.findings.length },
  ];
  const isAboutFindings = approval.gate === fixingStopped;
  const shown = isAboutFindings
    ? [...change.toReversed(), ...files]
    : isOwn
      ? [...files, ...change]
      : [...change, ...files];
  const tabs = [...shown, { id: "cost", title: "Cost" }];
  const active = tabs.some((tab) => tab.id === chosen) ? chosen : tabs[0]!.id;
  const artifact = artifacts.find((each) => each.id === active);
  return (
    <>
      <TabRow
        label="Evidence"
        tabs={tabs}
        active={active}
        panel={`evidence-${approval.id}`}
        onChoose={(id) => setChosen(id)}
      />
      <div
        id={`evidence-${approval.id}`}
        role="tabpanel"
        aria-label={tabs.find((tab) => tab.id === active)?.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        className="h-80 overflow-y-auto outline-offset-[-2px] broad:h-[max(320px,44dvh)]"
      >
        {artifact && <ArtifactView run={run} artifact={artifact} />}
        {active === "diff" && <RunDiffView run={run} compact />}
        {active === "findings" && <FindingList run={run} />}
        {active === "cost" && (
          <Facts
            rows={[
              ["Cost so far", money(run.cost.usd)],
              ["Tokens in", tokens(run.cost.inputTokens)],
              ["Tokens out", tokens(run.cost.outputTokens)],
              ["Elapsed", duration(elapsedMs(run, Date.now()))],
            ]}
          />
        )}
      </div>
    </>
  );
}
