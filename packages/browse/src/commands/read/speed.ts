/** Load times and web vitals of the page. */
import type { Answer, TabScope } from "../../command.ts";

export async function perf(_input: object, { tab }: TabScope): Promise<Answer> {
  const found = await tab.frame().evaluate(() => {
    const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const resources = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const slowest = [...resources].sort((a, b) => b.duration - a.duration).slice(0, 5);
    return {
      ttfbMs: Math.round(page?.responseStart ?? 0),
      domMs: Math.round(page?.domContentLoadedEventEnd ?? 0),
      loadMs: Math.round(page?.loadEventEnd ?? 0),
      requests: resources.length + 1,
      bytes: resources.reduce((sum, { transferSize }) => sum + transferSize, page?.transferSize ?? 0),
      elements: document.querySelectorAll("*").length,
      slowest: slowest.map(({ name, duration, transferSize }) => ({
        url: name,
        ms: Math.round(duration),
        bytes: transferSize,
      })),
    };
  });
  const { ttfbMs, domMs, loadMs, requests, bytes, elements } = found;
  const lines = [
    `first byte ${ttfbMs} ms, DOM ${domMs} ms, load ${loadMs > 0 ? `${loadMs} ms` : "not yet"}`,
    `${requests} requests, ${bytes} bytes, ${elements} elements`,
    ...found.slowest.map(({ url, ms, bytes: size }) => `${ms} ms ${size} B ${url}`),
  ];
  return { text: lines.join("\n"), data: found, fromPage: true };
}

interface Vital {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
  readonly rating: "good" | "needs improvement" | "poor" | "not measured";
}

/** Good up to the first value, poor above the second; the thresholds are web.dev's. */
const limits: Readonly<Record<string, readonly [number, number, string]>> = {
  LCP: [2_500, 4_000, "ms"],
  CLS: [0.1, 0.25, ""],
  INP: [200, 500, "ms"],
  TTFB: [800, 1_800, "ms"],
  FCP: [1_800, 3_000, "ms"],
};

export async function vitals(_input: object, { tab }: TabScope): Promise<Answer> {
  const raw = await tab.frame().evaluate(async () => {
    interface Shift extends PerformanceEntry {
      readonly value: number;
      readonly hadRecentInput: boolean;
    }
    interface Interaction extends PerformanceEntry {
      readonly interactionId?: number;
    }
    const take = (type: string, options: object = {}) =>
      new Promise<PerformanceEntry[]>((resolve) => {
        const found: PerformanceEntry[] = [];
        const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
        try {
          observer.observe({ type, buffered: true, ...options });
        } catch {
          // This browser does not know the type.
        }
        // Buffered entries arrive in a separate task.
        setTimeout(() => {
          found.push(...observer.takeRecords());
          observer.disconnect();
          resolve(found);
        }, 60);
      });
    const [paints, largest, shifts, events] = await Promise.all([
      take("paint"),
      take("largest-contentful-paint"),
      take("layout-shift"),
      take("event", { durationThreshold: 16 }),
    ]);
    const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    // Shifts count in windows of at most 5 s with gaps under 1 s; the worst window is the score.
    let worst = 0;
    let sum = 0;
    let first = 0;
    let last = 0;
    for (const shift of shifts as Shift[]) {
      if (shift.hadRecentInput) continue;
      const isSame = sum > 0 && shift.startTime - last < 1_000 && shift.startTime - first < 5_000;
      if (!isSame) first = shift.startTime;
      sum = isSame ? sum + shift.value : shift.value;
      last = shift.startTime;
      worst = Math.max(worst, sum);
    }
    const interactions = (events as Interaction[]).filter((event) => (event.interactionId ?? 0) > 0);
    return {
      LCP: largest.at(-1)?.startTime ?? null,
      CLS: worst,
      INP: interactions.length > 0 ? Math.max(...interactions.map(({ duration }) => duration)) : null,
      TTFB: page && page.responseStart > 0 ? page.responseStart : null,
      FCP: paints.find(({ name }) => name === "first-contentful-paint")?.startTime ?? null,
    };
  });
  const list = Object.entries(raw).map(([name, value]) => rated(name, value));
  const text = list
    .map(
      ({ name, value, unit, rating }) => `${name} ${value === null ? "-" : `${value}${unit && ` ${unit}`}`} ${rating}`,
    )
    .join("\n");
  return { text, data: { vitals: list } };
}

function rated(name: string, value: number | null): Vital {
  const [good, poor, unit] = limits[name]!;
  if (value === null) return { name, value, unit, rating: "not measured" };
  const rating = value <= good ? "good" : value <= poor ? "needs improvement" : "poor";
  return { name, value: name === "CLS" ? Math.round(value * 1000) / 1000 : Math.round(value), unit, rating };
}
