/** Times as text: relative ("4 min ago") and exact. */
const steps = [
  { below: 60, per: 1, unit: "s" },
  { below: 3_600, per: 60, unit: "min" },
  { below: 86_400, per: 3_600, unit: "h" },
  { below: Number.POSITIVE_INFINITY, per: 86_400, unit: "d" },
] as const;

export function relativeTime(at: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(at)) / 1_000);
  if (Number.isNaN(seconds)) return "unknown time";
  if (seconds < 5) return "just now";
  const step = steps.find(({ below }) => seconds < below)!;
  return `${Math.floor(seconds / step.per)} ${step.unit} ago`;
}

export function exactTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
}
