/** Decides a gate of a teammate's run, and says what became of the verdict on the machine of the run. */
import type { TeamRecord } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { ApiFault } from "../../model/api-fault.ts";
import {
  answerId,
  type GivenVerdict,
  readGate,
  VerdictAnswer,
  verdictRecord,
  type WaitingGate,
} from "../../model/team/gate-verdict.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { FaultNote } from "../../parts/states.tsx";
import { useRepos, useTeam } from "../../queries.ts";
import { useSending } from "../sign-in/use-sending.ts";

const outcomes = {
  applied: "Your verdict was applied.",
  stale: "It came too late: the gate had moved on, and your verdict was not applied.",
  refused: "It was refused: the person who started this run may not decide it.",
} as const;

export function GateVerdict({ of }: { of: TeamRecord }) {
  const gate = readGate(of);
  return gate ? <Decide gate={gate} repo={of.repo_name} /> : null;
}

function Decide({ gate, repo }: { gate: WaitingGate; repo: string | null }) {
  const { api } = useServices();
  const team = useTeam();
  const remote = useRepos().data?.find(({ name }) => name === repo)?.remote ?? null;
  const field = useId();
  const [comment, setComment] = useState("");
  const [sent, setSent] = useState<string>();
  const { isSending, fault, send } = useSending();
  const decide = (action: GivenVerdict["action"]) =>
    send(async () => {
      // The machine of the run reads the records of its repository.
      const record = { ...verdictRecord(gate, { action, comment }, Date.now()), repo: remote };
      const [answer] = await api.rpc("push_records", {
        team_id: team!.id,
        records: [record],
        sent_at: new Date().toISOString(),
      });
      if (answer?.status !== "stored") throw new ApiFault("unexpected", answer?.reason ?? "It was not stored.", "");
      setSent(record.id);
    });
  return (
    <Panel title="Your verdict">
      <div className="grid gap-3 px-4 py-3">
        {sent === undefined ? (
          <>
            <p className="text-ink-soft">
              This run waits on a teammate's machine, which applies what you decide in your name. Look at its branch
              before you do.
            </p>
            <label htmlFor={field} className="font-medium">
              Comment
            </label>
            <textarea
              id={field}
              rows={2}
              maxLength={20_000}
              value={comment}
              onChange={(event) => setComment(event.target.value)}
              className="w-full rounded-small border border-line-strong bg-canvas px-2 py-1"
            />
            <div className="flex flex-wrap gap-2">
              <Button variant="strong" onClick={() => void decide("approve")} disabled={isSending}>
                Approve
              </Button>
              <Button onClick={() => void decide("request_changes")} disabled={isSending || comment.trim() === ""}>
                Request changes
              </Button>
              <Button variant="danger" onClick={() => void decide("reject")} disabled={isSending}>
                Reject
              </Button>
            </div>
            {fault && <FaultNote fault={fault} />}
          </>
        ) : (
          <Outcome of={sent} />
        )}
      </div>
    </Panel>
  );
}

function Outcome({ of }: { of: string }) {
  const { api } = useServices();
  const team = useTeam();
  const { data } = useQuery({
    queryKey: ["verdict-answer", team?.id, of],
    queryFn: async ({ signal }) => {
      try {
        const { payload } = await api.rpc("record", { team_id: team!.id, id: await answerId(of) }, signal);
        return VerdictAnswer.safeParse(payload).data?.outcome ?? null;
      } catch (fault) {
        // Not there yet.
        if (fault instanceof ApiFault && fault.kind === "refused") return null;
        throw fault;
      }
    },
    enabled: team !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : 1_000),
  });
  return (
    <p role="status">
      {data ? outcomes[data] : "Your verdict was sent. Waiting for the machine of the run, which may be off …"}
    </p>
  );
}
