/**
 * Turns failures of Playwright and Chromium into one or two lines that end in the next command to type.
 *
 * - `explainFailure(error, { command })` a DevflowError; an error that already is one is returned unchanged. Pure.
 */
import { DevflowError, toDevflowError } from "@devflow/core/errors";

export interface FailureContext {
  /** As typed: `click @e3`. */
  readonly command: string;
  readonly url?: string;
  /** It may have been done before it failed. */
  readonly acts?: boolean;
}

type Explain = (match: RegExpExecArray, context: FailureContext, message: string) => DevflowError;

const failed = (reason: string, next: string): DevflowError =>
  new DevflowError("browse_page_failed", { details: { reason, next } });

const unreachable = (reason: string, next: string): Explain => {
  return (_, { url }, message) =>
    new DevflowError("browse_navigation_failed", {
      details: { url: url ?? / at (\S+)/.exec(message)?.[1] ?? "The page", reason, next },
    });
};

const reads = /^(?:accessibility|attrs|css|expand|find|forms|html|links|text)\b/;
const unreadable = (seconds: number, next: string): DevflowError =>
  failed(`The page is too large or too busy to be read within ${seconds} s.`, next);

/** The first match wins, so specific patterns come before general ones. */
const explanations: readonly (readonly [RegExp, Explain])[] = [
  [
    /net::ERR_CONNECTION_REFUSED/,
    unreachable("nothing is listening there", "Start the server, then repeat the command."),
  ],
  [/net::ERR_NAME_NOT_RESOLVED/, unreachable("there is no such host", "Check the spelling of the host.")],
  [/net::ERR_INTERNET_DISCONNECTED/, unreachable("the tab is offline", "Go online again: devflow browse offline off")],
  [
    /net::ERR_CERT_\w+|net::ERR_SSL\w*/,
    (match, { url }) =>
      new DevflowError("browse_navigation_failed", {
        details: {
          url: url ?? "The page",
          reason: `its certificate is not trusted (${match[0]})`,
          next: "For your own server: devflow browse goto <url> --insecure",
        },
      }),
  ],
  [/net::ERR_TOO_MANY_REDIRECTS/, unreachable("it redirects in a loop", "See the redirects: devflow browse network")],
  [
    /net::ERR_SOCKS_CONNECTION_FAILED/,
    unreachable("nothing answers there, or the policy forbids it", "See why: devflow browse network"),
  ],
  [/net::ERR_(?:CONNECTION_)?TIMED_OUT/, unreachable("the server does not answer", "Try again: devflow browse reload")],
  [
    /net::ERR_CONNECTION_(?:RESET|CLOSED)|net::ERR_EMPTY_RESPONSE/,
    unreachable("the server closed the connection", "Try again: devflow browse reload"),
  ],
  [
    /net::ERR_ABORTED/,
    unreachable(
      "the navigation was aborted by a download or another navigation",
      "See the state: devflow browse status",
    ),
  ],
  [
    /net::ERR_INVALID_URL|Cannot navigate to invalid URL/,
    unreachable("it is not a valid URL", "Give the full URL: devflow browse goto https://example.com"),
  ],
  [
    /net::(ERR_\w+)/,
    (match, { url }) =>
      new DevflowError("browse_navigation_failed", {
        details: { url: url ?? "The page", reason: match[1], next: "See what happened: devflow browse network" },
      }),
  ],
  [
    /strict mode violation: .*? resolved to (\d+) elements/s,
    (match) => failed(`The selector matches ${match[1]} elements.`, "Use a ref instead: devflow browse snapshot -i"),
  ],
  [
    /intercepts pointer events/,
    (_, __, message) =>
      failed(coverOf(message), "Close or scroll away what covers it; see: devflow browse snapshot -i"),
  ],
  [/element is not enabled/, () => failed("The element is disabled.", "See its state: devflow browse snapshot -i")],
  [
    /element is outside of the viewport/,
    () =>
      failed("The element cannot be scrolled into view.", "Try a larger viewport: devflow browse viewport 1280x1600"),
  ],
  [
    /element is not stable/,
    () => failed("The element keeps moving.", "Turn animations off: devflow browse media --motion reduce"),
  ],
  [
    /element is not visible|not visible/,
    () => failed("The element exists but is not visible.", "See what is visible: devflow browse snapshot -i"),
  ],
  [
    /Element is not an? <?(?:input|textarea|select)|is not an <input>|Element is not a <select>/,
    () => failed("The element does not accept this input.", "See what it is: devflow browse snapshot -i"),
  ],
  [
    /Element is not attached|element was detached|Node is detached/,
    () => failed("The element is no longer on the page.", "Take a new snapshot: devflow browse snapshot -i"),
  ],
  [
    /is not a valid selector|Unexpected token .* while parsing (?:css )?selector|Unknown engine/,
    () => failed("It is not a valid selector.", "Use a ref instead: devflow browse snapshot -i"),
  ],
  [
    /Timeout (\d+)ms exceeded/,
    (match, { command }) => {
      const seconds = Number(match[1]) / 1000;
      // The hint is never the command that failed.
      if (/^snapshot\b/.test(command)) return unreadable(seconds, "See it: devflow browse screenshot");
      if (reads.test(command)) return unreadable(seconds, "Read what is in view: devflow browse snapshot -i");
      return failed(
        `\`${command}\` found nothing to act on within ${seconds} s.`,
        "See what is there: devflow browse snapshot -i",
      );
    },
  ],
  [
    /Execution context was destroyed|Frame was detached|frame got detached/,
    () => failed("The page navigated away in the meantime.", "See where it is: devflow browse tabs"),
  ],
  [
    /Script execution was terminated|Execution was terminated/,
    (_, { command }) => failed(`The script of \`${command}\` was terminated.`, "See the state: devflow browse status"),
  ],
  [/Target crashed|Page crashed/, () => failed("The tab crashed.", "See the page: devflow browse snapshot -i")],
  [
    /Target page, context or browser has been closed|Browser has been closed|Target closed|browser has disconnected/,
    (_, { command }) =>
      new DevflowError("browse_lost", { details: { command, reason: "the tab or Chromium was closed" } }),
  ],
  [
    /Missing X server|cannot open display|\$DISPLAY/i,
    () =>
      new DevflowError("browse_start_failed", {
        details: { reason: "there is no display to show a window on", log: "devflow browse status" },
      }),
  ],
  [
    /No usable sandbox|Running as root without --no-sandbox/,
    () =>
      new DevflowError("browse_start_failed", {
        details: {
          reason:
            "Chromium's sandbox does not work here; on a machine you trust, turn it off: devflow config set browse_sandbox off",
          log: "devflow browse status",
        },
      }),
  ],
  [
    /Failed to launch|spawn .* (?:ENOENT|EACCES)/,
    (_, __, message) =>
      new DevflowError("browse_start_failed", {
        details: { reason: firstLine(message), log: "devflow browse status" },
      }),
  ],
];

export function explainFailure(error: unknown, context: FailureContext): DevflowError {
  if (error instanceof DevflowError) return error;
  const message = error instanceof Error ? error.message : String(error);
  for (const [pattern, explain] of explanations) {
    const match = pattern.exec(message);
    if (match) return withCause(explain(match, context, message), error);
  }
  if (isScriptError(error, message))
    return withCause(failed(firstLine(message), "See the console: devflow browse console"), error);
  if (context.acts)
    return new DevflowError("browse_unexpected", { details: { problem: firstLine(message) }, cause: error });
  return toDevflowError(error);
}

/** `page.evaluate` rejects with the page's error and adds a prefix. */
function isScriptError(error: unknown, message: string): boolean {
  return (
    error instanceof Error &&
    /^(?:page|frame|locator|jsHandle|elementHandle|browserContext|cdpSession|keyboard|mouse)\.\w+: /.test(message)
  );
}

/** `<div class="overlay">…</div> from <body>… subtree intercepts pointer events` */
function coverOf(message: string): string {
  const cover = /(<[^>]{1,200}>)[^\n]*intercepts pointer events/.exec(message)?.[1];
  return `Something covers the element${cover ? `: ${cover}` : ""}.`;
}

/** Without Playwright's prefix and call log. */
function firstLine(message: string): string {
  const line = message.split("\n")[0] ?? message;
  return line.replace(/^\w+\.\w+: /, "").replace(/^Error: /, "");
}

function withCause(explained: DevflowError, cause: unknown): DevflowError {
  explained.cause ??= cause;
  return explained;
}
