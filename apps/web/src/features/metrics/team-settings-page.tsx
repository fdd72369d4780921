/** What a member decides about themselves in a team, and the leaderboard that it is about. */
import { markBidi, type TeamLeaderboard } from "@devflow/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useServices } from "../../app-context.tsx";
import { percent, plural } from "../../model/evals/eval-words.ts";
import { money } from "../../model/team/metric-words.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { useTeam } from "../../queries.ts";
import { useSending } from "../sign-in/use-sending.ts";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 7;

export function TeamSettingsPage() {
  const { days = usualDays } = useSearch({ from: "/team/settings" });
  const query = useMetric("leaderboard", { days });
  return (
    <MetricPage
      title="Team settings"
      lead="The leaderboard shows the team's totals, and only those people by name who asked for it."
      query={query}
      days={usualDays}
      empty={{ is: () => false, title: "", text: "", command: "" }}
    >
      {(data) => (
        <>
          <Consent joined={data.joined} />
          <Board of={data} />
        </>
      )}
    </MetricPage>
  );
}

function Consent({ joined }: { joined: boolean }) {
  const { api } = useServices();
  const team = useTeam();
  const client = useQueryClient();
  const { isSending, fault, send } = useSending();
  const change = () =>
    send(async () => {
      await api.rpc("set_leaderboard", { team_id: team!.id, joined: !joined });
      await client.invalidateQueries({ queryKey: ["metrics", "leaderboard"] });
    });
  return (
    <Panel title="You on the leaderboard">
      <div className="flex flex-wrap items-center justify-between gap-4 px-4 py-3">
        <p className="min-w-0 flex-1 basis-60 text-ink-soft">
          {joined
            ? "Your teammates see your name and your numbers. You can leave at any time."
            : "You are counted in the team's totals and not named."}
        </p>
        <Button onClick={change} disabled={isSending}>
          {joined ? "Leave the leaderboard" : "Join the leaderboard"}
        </Button>
      </div>
      {fault && <FaultNote fault={fault} />}
    </Panel>
  );
}

/** What has no column on a phone. */
function restOf(
  one: Pick<TeamLeaderboard["totals"], "regressions_fixed" | "pass" | "reviews" | "qa_score" | "usd_per_ship">,
) {
  return [
    `${percent(one.pass.rate)} passed`,
    `${plural(one.regressions_fixed, "regression")} fixed`,
    plural(one.reviews, "review"),
    `QA ${one.qa_score ?? "–"}`,
    `${money(one.usd_per_ship)} per ship`,
  ].join(" · ");
}

function Board({ of }: { of: TeamLeaderboard }) {
  const rows = [
    ...of.people.map((one) => ({ ...one, key: one.user_id, by: one.user_id })),
    { ...of.totals, key: "total", by: undefined, name: "Team" },
  ];
  const more = of.people.length > 0 ? " more" : "";
  const others =
    of.others === 0 ? undefined : `${of.others}${more} ${of.others === 1 ? "person" : "people"}, not named`;
  return (
    <Panel title="Leaderboard" aside={<span className="text-meta text-ink-soft">{others}</span>}>
      {of.people.length === 0 && <EmptyNote title="Nobody has joined">These are the totals of the team.</EmptyNote>}
      <table className="w-full">
        <TableHead
          columns={[
            ["Name", "text-left"],
            ["Ships", "text-right whitespace-nowrap"],
            ["Eval runs", "text-right whitespace-nowrap"],
            ["Regressions fixed", "hidden text-right whitespace-nowrap wide:table-cell"],
            ["Passed", "hidden text-right whitespace-nowrap wide:table-cell"],
            ["Reviews", "hidden text-right whitespace-nowrap wide:table-cell"],
            ["QA", "hidden text-right whitespace-nowrap wide:table-cell"],
            ["Per ship", "hidden text-right whitespace-nowrap wide:table-cell"],
          ]}
        />
        <tbody className="divide-y divide-line">
          {rows.map((one) => (
            <tr key={one.key} className={`h-12 hover:bg-hover ${one.by === undefined ? "font-medium" : ""}`}>
              <td className="w-full max-w-0 px-3 py-2">
                <Link
                  to="/team/records"
                  search={{ by: one.by, since: of.since }}
                  data-row
                  className="block truncate hover:underline"
                >
                  {markBidi(one.name)}
                </Link>
                <span className="block text-meta font-normal text-ink-soft wide:hidden">{restOf(one)}</span>
              </td>
              <td className="px-3 text-right whitespace-nowrap tabular-nums">{one.ships}</td>
              <td className="px-3 text-right whitespace-nowrap tabular-nums">{one.eval_runs}</td>
              <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                {one.regressions_fixed}
              </td>
              <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                {percent(one.pass.rate)}
              </td>
              <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">{one.reviews}</td>
              <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                {one.qa_score ?? "–"}
              </td>
              <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                {money(one.usd_per_ship)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
