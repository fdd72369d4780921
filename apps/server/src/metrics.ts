/**
 * `GET /metrics` in the OpenMetrics text format, for programs that have the metrics token.
 *
 * - `serverMetrics()` `observe` counts a response; `text(gauges)` the whole exposition.
 * - `metricsRoutes(options)` the route; without a token set, it is not there.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { DevflowError } from "@devflow/core/errors";
import type { Secret } from "@devflow/core/secret";
import { Hono } from "hono";
import { privateAnswer } from "./request-checks/security-headers.ts";
import type { ServerEnv } from "./server-env.ts";

const boundsS = [0.005, 0.025, 0.1, 0.5, 2.5, 10] as const;

interface Series {
  readonly buckets: number[];
  sumS: number;
  count: number;
}

export function serverMetrics() {
  const requests = new Map<string, number>();
  const durations = new Map<string, Series>();
  return {
    /** `mount` is a row of the mount table, so callers cannot make series. */
    observe(mount: string, status: number, ms: number): void {
      const labels = `mount="${mount}",status="${status}"`;
      requests.set(labels, (requests.get(labels) ?? 0) + 1);
      const series = durations.get(mount) ?? { buckets: boundsS.map(() => 0), sumS: 0, count: 0 };
      durations.set(mount, series);
      for (const [index, bound] of boundsS.entries()) {
        if (ms / 1000 <= bound) series.buckets[index] = (series.buckets[index] ?? 0) + 1;
      }
      series.sumS += ms / 1000;
      series.count += 1;
    },
    text(gauges: Readonly<Record<string, { readonly help: string; readonly value: number }>>): string {
      const lines = ["# TYPE devflow_requests counter", "# HELP devflow_requests Responses by mount and status."];
      for (const [labels, count] of requests) lines.push(`devflow_requests_total{${labels}} ${count}`);
      lines.push("# TYPE devflow_request_seconds histogram", "# UNIT devflow_request_seconds seconds");
      lines.push("# HELP devflow_request_seconds Time until the response was ready.");
      for (const [mount, { buckets, sumS, count }] of durations) {
        for (const [index, bound] of boundsS.entries()) {
          lines.push(`devflow_request_seconds_bucket{mount="${mount}",le="${bound.toFixed(3)}"} ${buckets[index]}`);
        }
        lines.push(`devflow_request_seconds_bucket{mount="${mount}",le="+Inf"} ${count}`);
        lines.push(`devflow_request_seconds_sum{mount="${mount}"} ${sumS}`);
        lines.push(`devflow_request_seconds_count{mount="${mount}"} ${count}`);
      }
      for (const [name, { help, value }] of Object.entries(gauges)) {
        lines.push(`# TYPE ${name} gauge`, `# HELP ${name} ${help}`, `${name} ${value}`);
      }
      return `${lines.join("\n")}\n# EOF\n`;
    },
  };
}

export function metricsRoutes(options: {
  readonly token: Secret | undefined;
  readonly text: () => string;
}): Hono<ServerEnv> {
  const digest = options.token && digestOf(`Bearer ${options.token.reveal()}`);
  return new Hono<ServerEnv>().get("/metrics", (c) => {
    if (!digest || !timingSafeEqual(digest, digestOf(c.req.header("authorization") ?? ""))) {
      throw new DevflowError("unauthenticated", {
        details: { reason: "metrics need the token of the setting metrics_token", next: "devflow config list" },
      });
    }
    return new Response(options.text(), {
      headers: { ...privateAnswer, "content-type": "application/openmetrics-text; version=1.0.0; charset=utf-8" },
    });
  });
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
