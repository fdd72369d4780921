/**
 * Records a session's requests as HAR 1.2, without bodies and without the values of secret headers.
 */
import { DevflowError } from "@devflow/core/errors";
import { version } from "@devflow/core/version";
import { redactSecrets } from "@devflow/redact";
import type { BrowserContext, Request } from "playwright-core";
import type { Answer, SessionScope } from "../../command.ts";
import { outputFile, writeOutput } from "../output-file.ts";

interface HarRecording {
  readonly entries: object[];
  readonly onRequest: (request: Request) => void;
}

const recordings = new WeakMap<BrowserContext, HarRecording>();
const maxEntries = 20_000;

export async function harStart(_input: object, { session }: SessionScope): Promise<Answer> {
  if (recordings.has(session.context))
    throw failed("Requests are already being recorded.", "Stop it: devflow browse har stop");
  const entries: object[] = [];
  const onRequest = (request: Request) => {
    if (entries.length < maxEntries)
      void harEntry(request).then(
        (entry) => entries.push(entry),
        () => {},
      );
  };
  session.context.on("requestfinished", onRequest);
  session.context.on("requestfailed", onRequest);
  recordings.set(session.context, { entries, onRequest });
  return { text: "Recording requests.", data: { recording: true } };
}

export async function harStop(
  { path }: { path?: string | undefined },
  { session, files }: SessionScope,
): Promise<Answer> {
  const recording = recordings.get(session.context);
  if (!recording) throw failed("Requests are not being recorded.", "Start: devflow browse har start");
  recordings.delete(session.context);
  session.context.off("requestfinished", recording.onRequest);
  session.context.off("requestfailed", recording.onRequest);
  const target = await outputFile(files, path, { folder: "har", extension: "har" });
  const log = { version: "1.2", creator: { name: "devflow", version }, entries: recording.entries };
  await writeOutput(target, `${JSON.stringify({ log })}\n`);
  const count = recording.entries.length;
  return { text: `${target} (${count} requests)`, data: { path: target, requests: count } };
}

async function harEntry(request: Request): Promise<object> {
  const response = await request.response();
  const timing = request.timing();
  const after = (moment: number) => (moment >= 0 ? moment : -1);
  return {
    startedDateTime: new Date(timing.startTime).toISOString(),
    time: Math.max(0, timing.responseEnd),
    request: {
      method: request.method(),
      url: clean(request.url()),
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: headerList(await request.allHeaders()),
      queryString: queryList(request.url()),
      headersSize: -1,
      bodySize: request.postDataBuffer()?.length ?? 0,
    },
    response: {
      status: response?.status() ?? 0,
      statusText: response?.statusText() ?? request.failure()?.errorText ?? "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: headerList((await response?.allHeaders()) ?? {}),
      content: { size: -1, mimeType: response?.headers()["content-type"] ?? "" },
      redirectURL: clean(response?.headers().location ?? ""),
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: {
      dns: after(timing.domainLookupEnd - timing.domainLookupStart),
      connect: after(timing.connectEnd - timing.connectStart),
      ssl: after(timing.connectEnd - timing.secureConnectionStart),
      send: 0,
      wait: after(timing.responseStart - timing.requestStart),
      receive: after(timing.responseEnd - timing.responseStart),
    },
  };
}

/** Headers that may identify someone: well-known ones and any with a similar name. */
const secretHeader = /^(?:proxy-)?authorization$|cookie|token|secret|api-?key|session|csrf|xsrf|credential|signature/i;

function headerList(headers: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({
    name,
    value: secretHeader.test(name) ? "[redacted]" : clean(value),
  }));
}

function queryList(url: string): { name: string; value: string }[] {
  return [...new URL(url).searchParams].map(([name, value]) => ({
    name,
    value: secretHeader.test(name) || /password|passwd|^pwd$|code/i.test(name) ? "[redacted]" : clean(value),
  }));
}

const clean = (text: string): string => redactSecrets(text).text;

function failed(reason: string, next: string): DevflowError {
  return new DevflowError("browse_page_failed", { details: { reason, next } });
}
