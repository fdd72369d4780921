/**
 * The message about a regression or a recovery. Pure.
 *
 * - `composeAlert(given)` for webhooks and mail.
 * - `composeTest(team, id)` what `devflow team alerts test` sends.
 *
 * Names of cases, branches and commits are written by people and agents: in no message can they become a link, a mention or a tag.
 */
import { shortLine } from "@devflow/core/plain-text";
import { type AlertMessage, dollars, htmlLink, htmlPage, htmlText, percent, slackText } from "../messages/index.ts";
import type { EvalAlert } from "./alert.ts";

export interface AlertToCompose {
  readonly id: string;
  readonly team: string;
  readonly kind: "regression" | "recovery";
  readonly alert: EvalAlert;
  /** The team's evals in the web, where there is one. */
  readonly url?: string | undefined;
}

const mostNames = 12;

export function composeAlert({ id, team, kind, alert, url }: AlertToCompose): AlertMessage {
  const { suite, tier, branch, variant, repo } = alert;
  const where = [`${shortLine(suite, 100)} (${tier})`, variant && shortLine(variant, 100)].filter(Boolean).join(", ");
  const place = `${branch === null ? "" : ` on ${shortLine(branch, 100)}`}${repo === null ? "" : ` of ${shortLine(repo, 100)}`}`;
  const verb = kind === "regression" ? "got worse" : "recovered";
  const subject = `${kind === "regression" ? "Regression" : "Recovery"}: ${where} ${verb}${place}`;
  const lines = [
    kind === "regression" ? ratesOf(alert) : ratesAfter(alert),
    commitOf(alert),
    costOf(alert),
    ...(kind === "regression" ? [brokenOf(alert)] : []),
  ].filter((line) => line !== "");
  const command = `devflow sync pull, then devflow eval trend ${quoted(suite)} --team`;
  const link =
    url === undefined ? undefined : `${url}${url.includes("?") ? "&" : "?"}suite=${encodeURIComponent(suite)}`;
  const next = link === undefined ? `See the runs: ${command}` : `See the runs: ${link}\nIn a terminal: ${command}`;
  return {
    ...{ id, kind, team, subject },
    text: `${[subject, ...lines, "", next].join("\n")}\n`,
    slack: [`*${slackText(subject)}*`, ...lines.map(slackText), slackText(next)].join("\n"),
    html: htmlPage(
      subject,
      [...lines.map((line) => `<p style="margin:0 0 8px">${htmlText(line)}</p>`), nextHtml(next, link)].join("\n"),
    ),
    facts: alert,
  };
}

export function composeTest(team: string, id: string): AlertMessage {
  const subject = `Test: alerts of ${shortLine(team, 100)} arrive here`;
  const text = "When an eval suite gets worse, and when it has recovered, a message comes here.";
  return {
    ...{ id, kind: "test", team, subject },
    text: `${subject}\n${text}\n`,
    slack: `*${slackText(subject)}*\n${text}`,
    html: htmlPage(subject, `<p>${text}</p>`),
    facts: {},
  };
}

function nextHtml(next: string, link: string | undefined): string {
  const text = htmlText(next).replace("\n", "<br>");
  const shown = link === undefined ? text : text.replace(htmlText(link), () => htmlLink(link));
  return `<p style="margin:16px 0 0;color:#52525b;font-size:13px">${shown}</p>`;
}

function ratesOf({ rateBefore, rateNow, reason }: EvalAlert): string {
  if (rateBefore === null || rateNow === null) return shortLine(reason, 300);
  return `Pass rate ${percent(rateBefore)} → ${percent(rateNow)}. ${shortLine(reason, 300)}`;
}

/** It is compared with the runs before the regression, not with the bad ones. */
function ratesAfter({ rateBefore, rateNow, reason }: EvalAlert): string {
  if (rateBefore === null || rateNow === null) return shortLine(reason, 300);
  return `Pass rate ${percent(rateNow)}; before the regression it was ${percent(rateBefore)}.`;
}

function commitOf({ sha, subject, author, person }: EvalAlert): string {
  const about = [
    sha === null ? "" : `Commit ${sha.slice(0, 8)}`,
    subject === null ? "" : ` "${shortLine(subject, 120)}"`,
    author === null ? "" : ` by ${shortLine(author, 80)}`,
  ].join("");
  return `${about === "" ? "R" : `${about}; r`}un pushed by ${shortLine(person, 80)}.`;
}

function costOf({ usd, usdBefore }: EvalAlert): string {
  return `Cost ${dollars(usd)}${usdBefore === null ? "" : `, before ${dollars(usdBefore)}`}.`;
}

function brokenOf({ broken, brokenCount }: EvalAlert): string {
  if (brokenCount === 0) return "";
  const names = broken.slice(0, mostNames).map((name) => shortLine(name, 80));
  const left = brokenCount - names.length;
  return `Broken: ${names.join(", ")}${left > 0 ? ` and ${left} more` : ""}.`;
}

const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `"${shortLine(text, 100).replaceAll('"', "")}"`;
