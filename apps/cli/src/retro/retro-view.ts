/** A retro as text. */
import type { CommandContext } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import type { RetroReport } from "@devflow/team/retro";
import { ago, bar, percent, plural, share } from "../eval/words.ts";
import { type Paint, painter } from "../paint.ts";
import { textTable } from "../text-table.ts";
import type { TeamWork } from "./team-work.ts";

export function retroText(report: RetroReport, team: TeamWork | null | undefined, context: CommandContext): string {
  const paint = painter(context);
  const { numbers, authors, days, name, date } = report;
  const title = `${paint(shortLine(name, 80), "bold")}  ${plural(days, "day")} until ${date}`;
  if (numbers.commits === 0)
    return [title, "", `No commits. The ${plural(days, "day")} before had ${numbers.before.commits}.`].join("\n");
  return [
    title,
    "",
    textTable(blank(2), factRows(report)),
    ...(team === undefined ? [] : ["", teamText(team, paint)]),
    "",
    textTable(
      ["AUTHOR", "COMMITS", "LINES", "TESTS", "WITH AI", "SESSIONS", "MOSTLY IN"].map((heading, at) => ({
        title: heading,
        align: at > 0 && at < 6 ? ("right" as const) : ("left" as const),
      })),
      authors
        .slice(0, 20)
        .map((one) => [
          shortLine(one.name, 30),
          String(one.commits),
          `+${one.lines.added} −${one.lines.deleted}`,
          one.test_share === null ? "—" : percent(one.test_share),
          share(one.assisted, one.commits),
          `${one.sessions.count} (${minutesText(one.sessions.active_minutes)})`,
          shortLine(one.area ?? "", 40),
        ]),
    ),
    ...(numbers.hot_folders.length === 0 ? [] : ["", hotText("Most active", numbers.hot_folders, paint)]),
    ...(numbers.hot_spots.length === 0 ? [] : ["", hotText("Changed again and again", numbers.hot_spots, paint)]),
    "",
    shortLine(report.tweetable, 300),
  ].join("\n");
}

function factRows({ numbers, streak, versions, backlog }: RetroReport): string[][] {
  const { lines, sessions, before, assisted } = numbers;
  const size = (kind: "code" | "tests" | "docs" | "generated") =>
    `${kind} +${lines[kind].added} −${lines[kind].deleted}`;
  const apart = [
    ...(numbers.merges > 0 ? [plural(numbers.merges, "merge")] : []),
    ...(numbers.bot_commits > 0 ? [`${numbers.bot_commits} by bots`] : []),
  ];
  return [
    [
      "Commits",
      `${numbers.commits} by ${numbers.people} ${numbers.people === 1 ? "person" : "people"} on ${plural(numbers.active_days, "day")} (before: ${before.commits} by ${before.people})${apart.length > 0 ? `; apart: ${apart.join(", ")}` : ""}`,
    ],
    ["Lines", [size("code"), size("tests"), size("docs"), size("generated")].join(", ")],
    ["Tests", numbers.test_share === null ? "no code" : `${percent(numbers.test_share)} of the added code and tests`],
    [
      "Sessions",
      `${sessions.count}, ${minutesText(sessions.active_minutes)} in all, ${sessions.deep} of 50 min or more, longest ${minutesText(sessions.longest_minutes)}`,
    ],
    [
      "With AI",
      `${assisted.commits} of ${plural(numbers.commits, "commit")} (${share(assisted.commits, numbers.commits)}), by their trailers`,
    ],
    ["Reverts", String(numbers.reverts)],
    ["Streak", plural(streak, "day")],
    ...(versions
      ? [
          [
            "Versions",
            versions.from === null || versions.from === versions.to ? versions.to : `${versions.from} → ${versions.to}`,
          ],
        ]
      : []),
    ...(backlog ? [["Backlog", `${backlog.open} open, ${backlog.done} done in ${backlog.file}`]] : []),
  ];
}

function teamText(team: TeamWork | null, paint: Paint): string {
  if (team === null) return "No team is configured. Join one: devflow sync setup <invite link>";
  const pulled =
    team.pulled_at === null ? "never pulled; fetch it: devflow sync pull" : `as of ${ago(team.pulled_at, Date.now())}`;
  const rows = [
    ["  Shipped", plural(team.ships, "ship")],
    [
      "  Evals",
      team.eval_runs === 0
        ? "no runs"
        : `${plural(team.eval_runs, "run")}, ${share(team.evals.passed, team.evals.of)} passed`,
    ],
    [
      "  QA",
      team.qa.reports === 0
        ? "no reports"
        : `${plural(team.qa.reports, "report")}, newest score ${team.qa.newest_score ?? "none"}`,
    ],
    [
      "  Reviews",
      team.reviews.findings === 0
        ? "no findings judged"
        : `${plural(team.reviews.findings, "finding")} judged, ${plural(team.reviews.false_alarms, "false alarm")}`,
    ],
  ];
  return [`${paint(shortLine(team.name, 80), "bold")}  ${paint(pulled, "dim")}`, textTable(blank(2), rows)].join("\n");
}

function hotText(title: string, spots: RetroReport["numbers"]["hot_spots"], paint: Paint): string {
  const top = spots.slice(0, 5);
  const most = top[0]?.commits ?? 1;
  const rows = top.map(({ path, commits }) => [
    `  ${shortLine(path, 60)}`,
    bar(
      [
        { count: commits, colour: "cyan", mark: "█" },
        { count: most - commits, colour: "dim", mark: "·" },
      ],
      12,
      paint,
    ),
    plural(commits, "commit"),
  ]);
  return [title, textTable(blank(3), rows)].join("\n");
}

const blank = (count: number) => Array.from({ length: count }, () => ({ title: "" }));

function minutesText(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
