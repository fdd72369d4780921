/** The brain at this moment: freezes, who is at work, what they are about to do, and what was handed over. */
import { agentName, presenceWord } from "../../model/brain/brain-words.ts";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { SkeletonRows } from "../../parts/states.tsx";
import { BrainNav } from "./brain-nav.tsx";
import { useBrain } from "./brain-queries.ts";
import { DecisionLine, FileLinks, HandoffLine, IntentLine, List } from "./rows.tsx";

/** Presence ends by itself after five minutes, without a change in the log. */
const presenceMs = 30_000;

const lead = "Who is doing what right now, and why the code is the way it is.";

export function NowPage() {
  const presence = useBrain("presence", "live_presence", {}, { refetchMs: presenceMs });
  const intents = useBrain("intents", "active_intents", { max_rows: 20 });
  const handoffs = useBrain("handoffs", "list_handoffs", { max_rows: 5 });
  const freezes = useBrain("decisions", "list_decisions", { types: ["freeze"], max_rows: 5 });
  const people = { ...presence, data: presence.data?.map((one) => ({ ...one, id: `${one.user_id} ${one.agent_id}` })) };
  // All at once: a freeze that appeared above the other panels would push them down.
  const isLoading = [presence, intents, handoffs, freezes].some((one) => one.isPending && !one.error);
  if (isLoading)
    return (
      <Page title="Brain" lead={lead} above={<BrainNav />} isLoading>
        <SkeletonRows count={6} height="tall" />
      </Page>
    );
  return (
    <Page title="Brain" lead={lead} above={<BrainNav />}>
      <div className="grid gap-8">
        {freezes.data && freezes.data.length > 0 && (
          <Panel title="Freezes">
            <List rows={freezes} empty="">
              {(row) => <DecisionLine row={row} />}
            </List>
          </Panel>
        )}
        <div className="grid gap-8 broad:grid-cols-2">
          <Panel title="At work">
            <List rows={people} empty="Nobody is at work" command="devflow brain heartbeat">
              {(row) => (
                <>
                  <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
                    <p className="min-w-0 flex-1 basis-48 font-medium break-words">
                      {row.user_name} <span className="font-normal text-ink-soft">with {agentName(row)}</span>
                    </p>
                    <StateWord {...presenceWord(row)} />
                  </div>
                  {row.intent_text && <p className="mt-1 break-words">{row.intent_text}</p>}
                  <p className="mt-1 text-meta break-words text-ink-soft">
                    {row.branch ? `${row.branch}, ` : ""}on {row.machine}, since <RelativeTime at={row.since} />
                  </p>
                  <FileLinks files={row.files} repo={row.repo} />
                </>
              )}
            </List>
          </Panel>
          <Panel title="About to do">
            <List rows={intents} empty="No active intents" command='devflow brain intent write "…"'>
              {(row) => <IntentLine row={row} />}
            </List>
          </Panel>
        </div>
        <Panel title="Handed over">
          <List rows={handoffs} empty="No handoffs yet" command="devflow brain handoff auto">
            {(row) => <HandoffLine row={row} />}
          </List>
        </Panel>
      </div>
    </Page>
  );
}
