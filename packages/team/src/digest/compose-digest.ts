/**
 * The weekly digest of a team, from the facts of seven days. Pure.
 *
 * - `composeDigest(page, timeZone, url)` as text, as HTML for a mail, and for Slack. A week in which nothing happened says so.
 */
import { shortLine } from "@devflow/core/plain-text";
import type { DigestPage } from "@devflow/protocol";
import { type AlertMessage, dollars, htmlLink, htmlPage, htmlText, percent, slackText } from "../messages/index.ts";

export type ComposedDigest = Pick<AlertMessage, "team" | "subject" | "text" | "html" | "slack" | "facts">;

interface Section {
  readonly title: string;
  /** One row each; the first cell is what it is about. */
  readonly rows: readonly (readonly string[])[];
  readonly more?: string;
}

const mostRows = 10;

/** `url`: the team in the web, where there is one. */
export function composeDigest(page: DigestPage, timeZone = "UTC", url?: string): ComposedDigest {
  const team = shortLine(page.team, 100);
  const days = `${dayOf(page.from_at, timeZone)} to ${dayOf(page.to_at, timeZone)}`;
  const subject = `${team}: the week ${days}`;
  const sections = [regressionsOf(page), suitesOf(page), shipsOf(page), otherOf(page)].filter(
    ({ rows }) => rows.length > 0,
  );
  const head = headOf(page);
  return {
    ...{ team: page.team, subject, facts: page },
    text: `${[subject, "", head, ...sections.flatMap(textOf), ...(url === undefined ? [] : ["", `More: ${url}`])].join("\n")}\n`,
    slack: [
      `*${slackText(subject)}*`,
      slackText(head),
      ...sections.flatMap(slackOf),
      ...(url === undefined ? [] : [slackText(url)]),
    ].join("\n"),
    html: htmlPage(
      subject,
      [
        `<p style="margin:0 0 16px">${htmlText(head)}</p>`,
        ...sections.map(htmlOf),
        ...(url === undefined ? [] : [`<p style="margin:20px 0 0;font-size:13px">${htmlLink(url)}</p>`]),
      ].join("\n"),
    ),
  };
}

function headOf({ suites, ships, usd, usd_before, note, members, run_count, ship_count }: DigestPage): string {
  const runs = run_count ?? suites.reduce((sum, suite) => sum + suite.runs, 0);
  const shipped = ship_count ?? ships.length;
  if (runs + shipped === 0) return "Nothing was shipped, and no evals were run.";
  const money = `${dollars(usd)} for evals${usd_before > 0 ? ` (the week before: ${dollars(usd_before)})` : ""}`;
  const said = note === null ? "" : ` "${shortLine(note, 280)}"`;
  return `${counted(members, "member")}, ${counted(shipped, "ship")}, ${counted(runs, "eval run")}, ${money}.${said}`;
}

function regressionsOf({ regressions, regression_count }: DigestPage): Section {
  const rows = regressions.map(({ suite, branch, repo, closed_at }) => [
    placeOf(suite, repo),
    branch === null ? "" : `on ${shortLine(branch, 40)}`,
    closed_at === null ? "still open" : "recovered",
  ]);
  return listed("Regressions", rows, regression_count);
}

function suitesOf({ suites, suite_count }: DigestPage): Section {
  const rows = suites.map((one) => {
    const rate = one.results === 0 ? null : one.passed / one.results;
    const before = one.results_before === 0 ? null : one.passed_before / one.results_before;
    const change = rate === null || before === null ? "" : `${signed((rate - before) * 100)} points`;
    return [
      placeOf(one.suite, one.repo),
      rate === null ? "no results" : percent(rate),
      change,
      counted(one.runs, "run"),
    ];
  });
  return listed("Evals", rows, suite_count);
}

function shipsOf({ ships, ship_count }: DigestPage): Section {
  const rows = ships.map(({ version, branch, person, repo }) => [
    placeOf(version, repo),
    `from ${shortLine(branch, 40)}`,
    shortLine(person, 40),
  ]);
  return listed("Shipped", rows, ship_count);
}

function otherOf({ qa_reports, qa_score, qa_score_before, reviews, review_false }: DigestPage): Section {
  const rows: string[][] = [];
  if (qa_reports > 0) {
    const score = qa_score === null ? "" : `health ${qa_score.toFixed(0)}`;
    const before = qa_score === null || qa_score_before === null ? "" : `before ${qa_score_before.toFixed(0)}`;
    rows.push([counted(qa_reports, "QA report"), score, before]);
  }
  if (reviews > 0)
    rows.push([counted(reviews, "judged finding"), `${percent(review_false / reviews)} false alarms`, ""]);
  return { title: "QA and reviews", rows };
}

function listed(title: string, rows: readonly (readonly string[])[], count = rows.length): Section {
  const left = count - Math.min(rows.length, mostRows);
  return { title, rows: rows.slice(0, mostRows), ...(left > 0 ? { more: `… and ${left} more` } : {}) };
}

function textOf({ title, rows, more }: Section): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd());
  return ["", title, ...lines, ...(more === undefined ? [] : [`  ${more}`])];
}

function slackOf({ title, rows, more }: Section): string[] {
  const lines = rows.map(
    (row) =>
      `• ${row
        .filter((cell) => cell !== "")
        .map(slackText)
        .join(", ")}`,
  );
  return [`*${title}*`, ...lines, ...(more === undefined ? [] : [more])];
}

function htmlOf({ title, rows, more }: Section): string {
  const cell = (text: string, at: number) =>
    `<td style="padding:4px 12px 4px 0;vertical-align:top;border-bottom:1px solid #e4e4e7${cellStyle(text, at)}">${htmlText(text)}</td>`;
  const lines = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`);
  const rest = more === undefined ? "" : `<p style="margin:4px 0 0;color:#52525b">${more}</p>`;
  return `<h2 style="font-size:15px;margin:20px 0 4px">${title}</h2>
<table style="border-collapse:collapse;width:100%;font-size:14px">${lines.join("")}</table>${rest}`;
}

/** Amounts stay on one line; names are as long as people make them, and break where they must. */
function cellStyle(text: string, at: number): string {
  const breaks = text.length > longestAmount ? "overflow-wrap:anywhere" : "white-space:nowrap";
  return at === 0 ? ";overflow-wrap:anywhere" : `;color:#52525b;${breaks}`;
}
const longestAmount = 16;

const placeOf = (name: string, repo: string | null): string =>
  `${shortLine(name, 60)}${repo === null ? "" : ` (${shortLine(repo, 40)})`}`;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const signed = (points: number): string => `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;

const dayOf = (time: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone }).format(
    new Date(time),
  );
